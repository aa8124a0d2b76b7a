"""The sums behind a cause, line by line, so that they can be done again by hand."""

from __future__ import annotations

import math

from beirkit.evaluate.explain.explanation import Target
from beirkit.evaluate.explain.scorer import Outcome

_SAME = 1e-9


def steps(ours: Outcome, then: Outcome, target: Target) -> tuple[str, ...]:
    """From our number to the one with a cause, and what is left to the other number."""
    assert ours.value is not None
    assert then.value is not None
    lines = [f"ours: {_made(ours)}", *_changes(ours, then), f"then: {_made(then)}"]
    return (*lines, left(ours.value, then.value, target))


def left(ours: float, then: float, target: Target) -> str:
    """How much of the gap another number leaves."""
    return (
        f"{target.says}: {target.printed}; the gap was {target.value - ours:+.6f}, "
        f"and {target.value - then:+.6f} is left"
    )


def alike(outcome: Outcome, target: Target) -> float | None:
    """The share of all queries of both whose value is the same; None: the other's are not known."""
    if target.values is None:
        return None
    both = outcome.values.keys() | target.values.keys()
    same = sum(
        query_id in outcome.values
        and query_id in target.values
        and abs(outcome.values[query_id] - target.values[query_id]) <= _SAME
        for query_id in both
    )
    return same / len(both) if both else 1.0


def _made(outcome: Outcome) -> str:
    assert outcome.value is not None
    if outcome.sum != outcome.sum:  # only the values of another result are known
        return f"{outcome.value:.6f} over {len(outcome.values):,} queries"
    of = "relevant documents" if outcome.mean == "relevant documents" else "queries"
    told = f"{outcome.sum:.6f} / {outcome.divided_by:,.0f} {of}"
    told, value = (
        (f"exp({told})", math.exp(outcome.sum / outcome.divided_by))
        if outcome.mean == "geometric"
        else (told, outcome.sum / outcome.divided_by)
    )
    if abs(value - outcome.value) <= 1e-12:
        return f"{told} = {value:.6f}"
    return f"{told} = {value:.6f}, cut off: {outcome.value:g}"


def _changes(ours: Outcome, then: Outcome) -> list[str]:
    both = ours.values.keys() & then.values.keys()
    changes = [then.values[query_id] - ours.values[query_id] for query_id in sorted(both)]
    up, down = sum(one > _SAME for one in changes), sum(one < -_SAME for one in changes)
    lines = []
    if up or down:
        lines.append(
            f"{up + down:,} of {len(both):,} queries change, {up:,} up and {down:,} down, "
            f"by {sum(changes):+.6f} together"
        )
    gone, new = len(ours.values) - len(both), len(then.values) - len(both)
    if gone or new:
        lines.append(f"{gone:,} queries no longer count, and {new:,} do that did not")
    if not lines and ours.divided_by == then.divided_by:
        lines.append("no query changes; the mean is taken otherwise")
    return lines
