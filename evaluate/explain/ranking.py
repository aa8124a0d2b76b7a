"""Causes put in order, and the sentence that is left when they are."""

from __future__ import annotations

from collections.abc import Sequence

from beirkit.evaluate.explain.explanation import Cause, Target

# How often a thing is behind a gap in what people report, the most frequent first; it only decides between
# causes that explain equally well.
_COMMON = (
    "self-match", "missing queries", "split", "qrels version", "recall", "denominator", "gain", "cut-off",
    "relevance level", "members", "mean", "AP's divisor", "unjudged documents", "ties", "precision", "depth",
    "rounding",
)  # fmt: skip
_LEAST = 0.05  # of a gap; what closes less is no cause worth telling
_LUCK = 0.1  # beyond it a number that a scoring meets is no proof
_KINDS = ("scoring", "run", "manifest", "published", "harmless")


def ranked(causes: Sequence[Cause]) -> tuple[Cause, ...]:
    """What explains the gap first, by how it is known; then what closes most; then what was not measured."""
    explaining = sorted((one for one in causes if one.explains), key=_of_explaining)
    partly = [one for one in causes if not one.explains and one.closes is not None and one.closes >= _LEAST]
    unmeasured = [one for one in causes if not one.explains and one.closes is None]
    partly.sort(key=lambda one: (-(one.alike or 0), -round(one.closes or 0, 9), len(one.axes), _place(one)))
    return (*explaining, *partly, *unmeasured)


def chance(values: Sequence[float], target: Target) -> float:
    """How likely one of the values meets a number that is no further from the first one than the target is.

    Args:
        values: ours, and those that were tried.
        target: the other number.
    """
    ours, wide = values[0], target.tolerance
    reach = abs(target.value - ours)
    if target.decimals is None or reach <= wide:
        return 0.0
    covered, end = 0.0, ours - reach
    for value in sorted({one for one in values if abs(one - ours) > wide}):
        start, stop = max(value - wide, end), min(value + wide, ours + reach)
        covered += max(stop - start, 0)
        end = max(end, stop)
    return min(covered / (2 * reach), 1.0)


def verdict(
    ours: float,
    target: Target,
    causes: Sequence[Cause],
    tried: int,
    *,
    same: float | None = None,
    luck: float = 0.0,
) -> str:
    """The answer in a sentence or two.

    Args:
        ours: our number.
        target: the other number.
        causes: in order.
        tried: how many scorings were compared.
        same: the share of queries whose values are alike as they are; None: not known.
        luck: :func:`chance` of them.
    """
    gap = target.value - ours
    if abs(gap) <= target.tolerance:
        told = f"There is no gap: {ours:.6f} prints as {target.printed}."
        return told if same in (None, 1.0) else f"{told} Of the queries {same:.0%} have the same value."
    explaining = [one for one in causes if one.explains]
    if explaining:
        first = explaining[0]
        guess = first.alike is None and first.kind == "scoring" and luck > _LUCK
        told = f"{'Perhaps explained' if guess else 'Explained'} by {first.about}: {first.says}."
        if guess:
            told += f" With {tried:,} scorings such a number is met by chance in {luck:.0%} of cases."
        also = [one for one in explaining[1:] if one.kind == first.kind and len(one.axes) == len(first.axes)]
        also = [one for one in also if one.axes != first.axes]
        if also:
            told += f" The numbers alone do not tell it from {_listed(also)}."
        return told
    unmeasured = [one for one in causes if one.closes is None]
    partly = [one for one in causes if one.closes is not None]
    what = f"none of {tried:,} scorings reaches {target.printed}" if tried > 1 else "there is no run to score"
    told = f"explains the gap of {gap:+.6f}: {what}."
    told = f"No rule of scoring {told}" if unmeasured else f"Nothing known {told}"
    if partly:
        told += f" The nearest, {partly[0].about}, closes {partly[0].closes:.0%} of it."
    if unmeasured:
        told += f" What else differs was not measured: {_listed(unmeasured)}; "
        told += "a run with one of them apart does it."
    return told


def _of_explaining(one: Cause) -> tuple[float, int, bool, int, int]:
    return -(one.alike or 0), len(one.axes), not one.stated, _KINDS.index(one.kind), _place(one)


def _place(one: Cause) -> int:
    return max(_COMMON.index(axis) if axis in _COMMON else len(_COMMON) for axis in one.axes)


def _listed(causes: Sequence[Cause]) -> str:
    return ", ".join(dict.fromkeys(one.about for one in causes))
