"""Causes in how two runs were made: what other runs measure, and what manifests and sources say."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import msgspec

from beirkit.evaluate.explain.arithmetic import alike, left, steps
from beirkit.evaluate.explain.explanation import LAST_DIGITS, Cause, Kind, Target, closing
from beirkit.evaluate.explain.manifests import Difference, differences, mattering, of_axis
from beirkit.evaluate.explain.scorer import Outcome


class Alternative(msgspec.Struct, frozen=True, kw_only=True):
    """Another number of the same system, by which a cause can be measured without making a run.

    Attributes:
        axes: what it has apart from ours.
        says: that in words.
        value: its number.
        values: of each query, where they are known.
        kind: ``run``: a run that was scored; ``published``: a figure that somebody prints.
        facts: how it was made, as far as is known.
    """

    axes: tuple[str, ...]
    says: str
    value: float
    values: Mapping[str, float] | None = None
    kind: Kind = "run"
    facts: Mapping[str, Any] | None = None


def measured(one: Alternative, ours: Outcome, target: Target) -> Cause:
    """What a run that is there already makes of the gap."""
    assert ours.value is not None
    then = _known(one.value, one.values)
    same = alike(then, target) if one.values is not None else None
    sums = steps(ours, then, target) if one.values else (left(ours.value, one.value, target),)
    return Cause(
        axes=one.axes,
        says=one.says,
        kind=one.kind,
        value=one.value,
        alike=same,
        arithmetic=sums,
        **closing(ours.value, one.value, target, alike=same, before=alike(ours, target) or 0.0),
    )


def by_way_of(
    apart: Sequence[Difference],
    ours: float,
    target: Target,
    alternatives: Sequence[Alternative],
    *,
    rules: str = "",
) -> list[Cause]:
    """Several things apart, where a run between the two has some of them and lacks only one.

    Args:
        apart: what the two makings have apart.
        ours: our number.
        target: the other one.
        alternatives: runs, scored as ours is.
        rules: by which the other number is scored, where they are others than ours.
    """
    axes = {one.axis for one in apart}
    found = []
    for one in alternatives:
        if (
            one.facts is None
            or target.facts is None
            or target.values is None
            or not axes.issuperset(one.axes)
        ):
            continue
        rest = [(group.axis, group.says) for group in mattering(differences(one.facts, target.facts))]
        rest += [("protocol", f"all rules of the protocol {rules}")] * bool(rules)
        if len(rest) == 1 and (rules or len(one.axes) < len(axes)):
            last, says = rest[0]
            sums = (
                f"ours: {ours:.6f}",
                f"with {' + '.join(one.axes)}: {one.value:.6f} ({one.value - ours:+.6f})",
                f"with {last} too: {target.value:.6f} ({target.value - one.value:+.6f})",
            )
            found.append(
                Cause(
                    axes=(*one.axes, last),
                    says=f"{one.says}; {says}",
                    kind="run",
                    value=target.value,
                    closes=1.0,
                    leaves=0.0,
                    explains=True,
                    arithmetic=sums,
                )
            )
    return found


def of_facts(apart: Sequence[Difference], ours: Outcome, target: Target, *, partial: bool) -> list[Cause]:
    """What two makings have apart: the only thing is the cause, several are told side by side."""
    assert ours.value is not None
    groups = mattering(list(apart))
    gap = target.value - ours.value
    if not groups:
        tiny = abs(gap) <= LAST_DIGITS and not partial
        return [
            Cause(axes=(one.axis,), says=one.says, kind="harmless", explains=tiny) for one in apart if tiny
        ]
    if len(groups) > 1 or partial or target.values is None:
        return [Cause(axes=(one.axis,), says=one.says, kind="manifest") for one in groups]
    only = "the two differ in nothing else that rankings depend on, so all of it comes of that"
    then = _known(target.value, target.values)
    return [
        Cause(
            axes=(groups[0].axis,),
            says=groups[0].says,
            kind="manifest",
            value=target.value,
            arithmetic=(*steps(ours, then, target), only),
            **closing(ours.value, target.value, target),
        )
    ]


def _known(value: float, values: Mapping[str, float] | None) -> Outcome:
    """A number of which at most the values of each query are known."""
    own = dict(values or {})
    total = math.fsum(own.values())
    mean = bool(own) and abs(total / len(own) - value) <= 1e-12
    return Outcome(value, own, len(own), total if mean else math.nan)


def of_words(target: Target, facts: Mapping[str, Any], told: Collection[tuple[str, ...]]) -> list[Cause]:
    """What a source says of its making in words, beside what is known of ours; nobody can compare the two."""
    found = []
    for axis, words in target.stated.items():
        own = of_axis(facts, axis)
        if own and (axis,) not in told:
            says = f"stated there: {words}; here: {own}"
            found.append(Cause(axes=(axis,), says=says, kind="manifest"))
    return found
