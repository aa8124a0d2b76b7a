"""Why the mean of a suite differs: how its members are averaged, and which of them are in it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from beirkit.corpora.errors import DataError
from beirkit.evaluate.explain.arithmetic import left
from beirkit.evaluate.explain.explanation import Cause, Explanation, Target, closing
from beirkit.evaluate.explain.ranking import chance, ranked, verdict
from beirkit.evaluate.explain.scorer import LEAST
from beirkit.evaluate.measures import Measure

# axis, what is done, its value, the sum
_Way = tuple[str, str, float, str]


def explain_mean(
    members: Mapping[str, float],
    measure: str | Measure,
    target: Target,
    *,
    queries: Mapping[str, int] | None = None,
) -> Explanation:
    """Why another mean is not the unweighted mean of these members.

    Args:
        members: the value of each.
        measure: of the values.
        target: the other mean.
        queries: how many each member has; without them no weighted mean is tried.

    Raises:
        DataError: there is no member.
    """
    if not members:
        raise DataError("a mean of nothing has no value to explain")
    ours = math.fsum(members.values()) / len(members)
    ways = list(_ways(members, queries))
    causes = []
    for axis, says, value, made in ways:
        causes.append(
            Cause(
                axes=(axis,),
                says=says,
                kind="scoring",
                value=value,
                arithmetic=(
                    f"ours: {_sum(members)} = {ours:.6f}",
                    f"then: {made}",
                    left(ours, value, target),
                ),
                **closing(ours, value, target),
            )
        )
    order = () if abs(target.value - ours) <= target.tolerance else ranked(causes)
    untested = {
        "one corpus": "all members as one corpus, as bm25s' own utility has it, needs a run over that corpus",
        "members": "each member's own scoring: explain its result by itself",
    }
    if queries is None:
        untested["mean"] = "how many queries each member has is not known"
    values = [ours, *(value for _, _, value, _ in ways)]
    return Explanation(
        measure=str(Measure.parse(measure)),
        ours=ours,
        target=target,
        verdict=verdict(values, target, order),
        causes=order,
        tried=len(values),
        chance=chance(values, target),
        untested=untested,
    )


def _ways(members: Mapping[str, float], queries: Mapping[str, int] | None) -> Iterator[_Way]:
    logs = math.fsum(math.log(max(value, LEAST)) for value in members.values())
    yield (
        "mean",
        "geometric mean of the members",
        math.exp(logs / len(members)),
        f"exp({logs:.6f} / {len(members)})",
    )
    if queries is not None:
        total = sum(queries[name] for name in members)
        weighted = math.fsum(value * queries[name] for name, value in members.items()) / total
        yield (
            "mean",
            "every query counts alike, not every member",
            weighted,
            f"weighted over {total:,} queries",
        )
    if len(members) < 3:
        return
    for name in members:
        kept = {other: value for other, value in members.items() if other != name}
        value = math.fsum(kept.values()) / len(kept)
        says = f"the mean of {len(kept)} of {len(members)}: {name} is missing"
        yield "members", says, value, f"{_sum(kept)} = {value:.6f}"


def _sum(members: Mapping[str, float]) -> str:
    return f"{math.fsum(members.values()):.6f} / {len(members)} members"
