"""Why the means of two suites differ: which members are in them, and which of these make how much of it."""

from __future__ import annotations

import math
from collections.abc import Mapping

from beirkit.corpora.errors import DataError
from beirkit.evaluate.explain.explanation import Cause, Explanation, Target, closing
from beirkit.evaluate.explain.ranking import ranked, verdict
from beirkit.evaluate.measures import Measure

_SAME = 1e-9
_SHOWN = 3  # members that a verdict names


def explain_means(
    ours: Mapping[str, float], theirs: Mapping[str, float], measure: str | Measure, target: Target
) -> Explanation:
    """Why the unweighted means over two lists of members differ.

    Args:
        ours: the value of each member; a suite inside counts as one.
        theirs: the same of the other mean, exact or as printed.
        measure: of the values.
        target: the other mean.

    Raises:
        DataError: one of the two has no member.
    """
    if not ours or not theirs:
        raise DataError("a mean of nothing has no value to explain")
    mine = _mean(ours)
    causes = [] if abs(target.value - mine) <= target.tolerance else _causes(ours, theirs, target)
    order = ranked(causes)
    values = [mine, *(one.value for one in causes if one.value is not None)]
    return Explanation(
        measure=str(Measure.parse(measure)),
        ours=mine,
        target=target,
        verdict=verdict(values, target, order),
        causes=order,
        tried=len(values),
        chance=0.0,
        untested={"each member": "why it differs: explain its result by itself"},
    )


def _causes(ours: Mapping[str, float], theirs: Mapping[str, float], target: Target) -> list[Cause]:
    mine = _mean(ours)
    both = [name for name in ours if name in theirs]
    apart = {name: theirs[name] - ours[name] for name in both if abs(theirs[name] - ours[name]) > _SAME}
    largest = sorted(apart, key=lambda name: (-abs(apart[name]), name))
    lines, said = [f"ours: {_sum(ours)}"], []
    if len(both) < len(ours):
        lacking = ", ".join(name for name in ours if name not in theirs)
        said.append(f"there is no {lacking} there")
        lines += [f"without {lacking}: {_sum({name: ours[name] for name in both})}"] if both else []
    if len(both) < len(theirs):
        said.append(f"there is no {', '.join(name for name in theirs if name not in ours)} here")
    if largest:
        parts = [f"{name} {apart[name] / len(both):+.6f}" for name in largest[:_SHOWN]]
        more = f" and {len(largest) - _SHOWN} more" if len(largest) > _SHOWN else ""
        said.append(f"{len(largest)} of {len(both)} members differ: {', '.join(parts)}{more}")
    lines += [
        f"{name}: {ours[name]:.6f} here, {theirs[name]:.6f} there, which moves the mean of {len(both)} by "
        f"{apart[name] / len(both):+.6f}"
        for name in largest
    ]
    lines.append(f"theirs: {_sum(theirs)}")
    found = []
    if len(both) == len(ours) == len(theirs):
        for name in largest:
            then = mine + apart[name] / len(ours)
            says = f"{theirs[name]:.6f} there and {ours[name]:.6f} here"
            found.append(_cause(name, says, then, mine, target))
    if said and (len(largest) != 1 or not found):
        found.append(_cause("members", "; ".join(said), _mean(theirs), mine, target, tuple(lines)))
    return found


def _cause(
    axis: str, says: str, then: float, mine: float, target: Target, sums: tuple[str, ...] = ()
) -> Cause:
    made = closing(mine, then, target)
    return Cause(axes=(axis,), says=says, kind="run", value=then, arithmetic=sums, **made)


def _mean(members: Mapping[str, float]) -> float:
    return math.fsum(members.values()) / len(members)


def _sum(members: Mapping[str, float]) -> str:
    total = math.fsum(members.values())
    return f"{total:.6f} / {len(members)} members = {total / len(members):.6f}"
