"""Why the mean of a suite differs: how its members are averaged, which are in it, by which rules."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from beirkit.corpora.errors import DataError
from beirkit.evaluate.explain.arithmetic import left
from beirkit.evaluate.explain.explanation import Cause, Explanation, Target, closing
from beirkit.evaluate.explain.ranking import chance, nearest, ranked, verdict
from beirkit.evaluate.explain.scorer import LEAST
from beirkit.evaluate.measures import Measure

Members = Mapping[str, "float | Mapping[str, float]"]
"""By name the value of a dataset, or the values of a suite that is one member."""


@dataclass(frozen=True)
class _Made:
    """A mean, and its sum in words."""

    value: float
    sum: str


@dataclass(frozen=True)
class _Way:
    """One thing done otherwise: other members, or another mean of them."""

    axis: str
    says: str
    members: Members | None = None
    mean: Callable[[Members], _Made] | None = None


def explain_mean(
    members: Members,
    measure: str | Measure,
    target: Target,
    *,
    queries: Mapping[str, int] | None = None,
    rules: Callable[[], Mapping[str, Members]] = dict,
    parts: Mapping[str, Collection[str]] | None = None,
) -> Explanation:
    """Why another mean is not the unweighted mean of these members.

    Args:
        members: the value of each; a suite inside the suite counts as one.
        measure: of the values.
        target: the other mean.
        queries: how many each dataset has; without them no weighted mean is tried.
        rules: scores the same members by other protocols, by their names; called where the values as they are
            do not explain the gap.
        parts: known parts of the suite: of each the datasets, by name.

    Raises:
        DataError: there is no member.
    """
    if not members:
        raise DataError("a mean of nothing has no value to explain")
    ours = _mean(members)
    values = [ours.value]

    def tried(*ways: tuple[_Way, ...]) -> list[Cause]:
        return [one for way in ways if (one := _cause(way, members, ours, target, values)) is not None]

    ways = [*_ways(members, queries, target.decimals or 4), *_parts(members, parts or {})]
    causes = tried(*((way,) for way in ways))
    gap = abs(target.value - ours.value) > target.tolerance
    if gap and not any(one.explains for one in causes):
        by_rules = [
            _Way("protocol", f"all rules of the protocol {name}", one) for name, one in rules().items()
        ]
        ways = [*by_rules, *ways]
        causes += tried(*((way,) for way in by_rules))
    if gap and not any(one.explains for one in causes):
        pairs = [(one, two) for one, two in combinations(ways, 2) if _together(one, two)]
        made = tried(*pairs, *((way,) for way in _without_two(members)))
        causes += [one for one in made if one.explains] or nearest(made, causes)
    causes = [one for one in causes if one.explains or "rounding" not in one.axes]
    order = ranked(causes) if gap else ()
    untested = {
        "one corpus": "all members as one corpus, as bm25s' own utility has it, needs a run over that corpus",
        "members": "each member's own scoring: explain its result by itself",
    }
    if queries is None:
        untested["mean"] = "how many queries each member has is not known"
    return Explanation(
        measure=str(Measure.parse(measure)),
        ours=ours.value,
        target=target,
        verdict=verdict(values, target, order),
        causes=order,
        tried=len(values),
        chance=chance(values, target),
        untested=untested,
    )


def _cause(
    ways: tuple[_Way, ...], members: Members, ours: _Made, target: Target, values: list[float]
) -> Cause | None:
    """What one or two ways make of the mean; None: nothing."""
    of = next((way.members for way in ways if way.members is not None), members)
    mean = next((way.mean for way in ways if way.mean is not None), _mean)
    then = mean(of)
    values.append(then.value)
    if then.value == ours.value:
        return None
    return Cause(
        axes=tuple(way.axis for way in ways),
        says="; ".join(way.says for way in ways),
        kind="scoring",
        value=then.value,
        arithmetic=(f"ours: {ours.sum}", f"then: {then.sum}", left(ours.value, then.value, target)),
        **closing(ours.value, then.value, target),
    )


def _together(one: _Way, other: _Way) -> bool:
    """Other members, and another mean of them."""
    return (one.members is None) != (other.members is None)


def _ways(members: Members, queries: Mapping[str, int] | None, decimals: int) -> Iterator[_Way]:
    yield _Way("mean", "geometric mean of the members", mean=_geometric)
    if queries is not None:
        says = "every query counts alike, not every member"
        yield _Way("mean", says, mean=lambda of: _weighted(of, queries))
    if any(isinstance(one, Mapping) for one in members.values()):
        yield _Way("mean", "every dataset counts alike, not every member", mean=lambda of: _mean(_flat(of)))
    yield from _without_one(members)
    says = f"each dataset is rounded to {decimals} digits first"
    yield _Way("rounding", says, mean=lambda of: _mean(_rounded(of, decimals)))
    yield _Way("rounding", "the mean is cut off, not rounded", mean=lambda of: _cut_off(of, decimals))


def _parts(members: Members, parts: Mapping[str, Collection[str]]) -> Iterator[_Way]:
    flat = _flat(members)
    for name, part in parts.items():
        kept = {one: value for one, value in members.items() if _inside(one, value, part)}
        if kept and len(_flat(kept)) == len(set(part)):
            yield _Way("members", f"the mean of {name}, which is {len(part)} of {len(flat)} datasets", kept)


def _inside(name: str, value: float | Mapping[str, float], part: Collection[str]) -> bool:
    return set(value if isinstance(value, Mapping) else (name,)) <= set(part)


def _without_one(members: Members) -> Iterator[_Way]:
    if len(members) > 2:
        for name in members:
            says = f"the mean of {len(members) - 1} of {len(members)}: {name} is missing"
            yield _Way("members", says, {one: value for one, value in members.items() if one != name})
    for suite, inner in members.items():
        if isinstance(inner, Mapping) and len(inner) > 2:
            for name in inner:
                kept = {one: value for one, value in inner.items() if one != name}
                says = f"{suite} is the mean of {len(kept)} of {len(inner)}: {name} is missing"
                yield _Way("members", says, {**members, suite: kept})


def _without_two(members: Members) -> Iterator[_Way]:
    if len(members) > 3:
        for pair in combinations(members, 2):
            says = f"the mean of {len(members) - 2} of {len(members)}: {' and '.join(pair)} are missing"
            yield _Way("members", says, {one: value for one, value in members.items() if one not in pair})


def _value(member: float | Mapping[str, float]) -> float:
    return math.fsum(member.values()) / len(member) if isinstance(member, Mapping) else member


def _flat(members: Members) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, member in members.items():
        found |= member if isinstance(member, Mapping) else {name: member}
    return found


def _rounded(members: Members, digits: int) -> dict[str, float | Mapping[str, float]]:
    return {
        name: {one: round(value, digits) for one, value in member.items()}
        if isinstance(member, Mapping)
        else round(member, digits)
        for name, member in members.items()
    }


def _mean(members: Members) -> _Made:
    total = math.fsum(map(_value, members.values()))
    value = total / len(members)
    return _Made(value, f"{total:.6f} / {len(members)} members = {value:.6f}")


def _cut_off(members: Members, digits: int) -> _Made:
    whole = _mean(members)
    value = math.floor(whole.value * 10**digits + 1e-9) / 10**digits
    return _Made(value, f"{whole.sum}, cut off at {digits} digits")


def _geometric(members: Members) -> _Made:
    logs = math.fsum(math.log(max(_value(one), LEAST)) for one in members.values())
    value = math.exp(logs / len(members))
    return _Made(value, f"exp({logs:.6f} / {len(members)} members) = {value:.6f}")


def _weighted(members: Members, queries: Mapping[str, int]) -> _Made:
    flat = _flat(members)
    total = math.fsum(value * queries[name] for name, value in flat.items())
    count = sum(queries[name] for name in flat)
    return _Made(total / count, f"{total:.6f} / {count:,} queries = {total / count:.6f}")
