"""Causes put in order, and the sentence that is left when they are."""

from __future__ import annotations

from collections.abc import Sequence

from beirkit.evaluate.explain.explanation import Cause, Target

# How often a thing is behind a gap in what people report, the most frequent first; it only decides between
# causes that explain equally well.
_COMMON = (
    "self-match", "missing queries", "split", "qrels version", "recall", "denominator", "gain", "cut-off",
    "relevance level", "members", "mean", "AP's divisor", "unjudged documents", "ideal order", "ties",
    "precision", "depth", "rounding",
)  # fmt: skip
_LEAST = 0.05  # of a gap; what closes less is no cause worth telling
_NEAREST = 3  # pairs told that leave something
_LUCK = 0.1  # beyond it a number that a scoring meets is no proof
_OTHER_DATA = {"corpus", "queries", "qrels version"}
_KINDS = ("scoring", "run", "manifest", "published", "harmless")


def ranked(causes: Sequence[Cause]) -> tuple[Cause, ...]:
    """What explains the gap first, by how it is known; then what comes near, what closes most, the rest."""
    explaining = sorted((one for one in causes if one.explains), key=_of_explaining)
    near = sorted((one for one in causes if one.near), key=_of_near)
    rest = [one for one in causes if not (one.explains or one.near)]
    partly = [one for one in rest if one.closes is not None and one.closes >= _LEAST]
    unmeasured = [one for one in rest if one.closes is None]
    partly.sort(key=lambda one: (-(one.alike or 0), -round(one.closes or 0, 9), len(one.axes), _place(one)))
    return (*explaining, *near, *partly, *unmeasured)


def nearest(combined: Sequence[Cause], singles: Sequence[Cause]) -> list[Cause]:
    """The few combinations that come near, or else the one that leaves less than every single cause.

    Args:
        combined: two things at once, of which none explains.
        singles: what one thing makes.
    """
    best = sorted(combined, key=lambda one: (-(one.alike or 0), abs(one.leaves or 0), len(one.axes)))
    near = [one for one in best if one.near][:_NEAREST]
    best = [one for one in best if "rounding" not in one.axes]  # it is no part of what is not near
    if near or not best:
        return near
    first = best[0]
    nearer = all(
        (one.alike or 0, -abs(one.leaves)) < (first.alike or 0, -abs(first.leaves or 0))
        for one in singles
        if one.leaves is not None
    )
    return [first] if nearer else []


def chance(values: Sequence[float], target: Target, wide: float | None = None) -> float:
    """How likely one of the values meets a number that is no further from the first one than the target is.

    Args:
        values: ours, and those that were tried.
        target: the other number.
        wide: how far from a number a value may be and still meet it; None: as far as it prints alike.
    """
    ours, wide = values[0], target.tolerance if wide is None else wide
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
    values: Sequence[float], target: Target, causes: Sequence[Cause], *, same: float | None = None
) -> str:
    """The answer in a sentence or two.

    Args:
        values: ours, and those that were tried.
        target: the other number.
        causes: in order.
        same: the share of queries whose values are alike as they are; None: not known.
    """
    ours, tried = values[0], len(values)
    gap = target.value - ours
    if abs(gap) <= target.tolerance:
        told = f"There is no gap: {ours:.6f} prints as {target.printed}."
        return told if same in (None, 1.0) else f"{told} Of the queries {same:.0%} have the same value."
    explaining = [one for one in causes if one.explains]
    if explaining:
        return _explained(explaining, causes, tried, chance(values, target))
    unmeasured = [one for one in causes if one.closes is None]
    if causes and causes[0].near:
        told = _nearly(causes[0], target, tried, chance(values, target, target.reach), bool(unmeasured))
    else:
        told = _unexplained(gap, target, causes, tried)
    if {axis for one in unmeasured for axis in one.axes} >= _OTHER_DATA:
        told += " Texts, queries and judgments are others: unless they are versions of one dataset, the two "
        told += "numbers have nothing to do with each other."
    elif unmeasured:
        told += f" What else differs was not measured: {_listed(unmeasured)}; "
        told += "a run with one of them apart does it."
    return told


def _explained(explaining: Sequence[Cause], causes: Sequence[Cause], tried: int, luck: float) -> str:
    first = explaining[0]
    guess = first.alike is None and first.kind == "scoring" and luck > _LUCK
    told = f"{'Perhaps explained' if guess else 'Explained'} by {first.about}: {first.says}."
    if guess:
        told += f" With {tried:,} scorings such a number is met by chance in {luck:.0%} of cases."
    also = [one for one in explaining[1:] if one.kind == first.kind and len(one.axes) == len(first.axes)]
    also = [one for one in also if one.axes != first.axes]
    if also:
        told += f" The numbers alone do not tell it from {_listed(also)}."
    simpler = [one for one in causes if one.near and len(one.axes) < len(first.axes)]
    if simpler:
        told += f" Near it comes {simpler[0].about} alone, which leaves {simpler[0].leaves:+.6f}."
    return told


def _nearly(first: Cause, target: Target, tried: int, luck: float, more: bool) -> str:
    told = (
        f"Nearly explained by {first.about}: {first.says}. That makes {first.value:.6f} and leaves "
        f"{first.leaves:+.6f} to {target.printed}, which {'no rule of scoring' if more else 'nothing known'} "
        "explains."
    )
    if first.alike is None and first.kind == "scoring" and luck > _LUCK:
        told += f" With {tried:,} scorings one comes as near by chance in {luck:.0%} of cases."
    return told


def _unexplained(gap: float, target: Target, causes: Sequence[Cause], tried: int) -> str:
    partly = [one for one in causes if one.closes is not None]
    told = "No rule of scoring" if len(partly) < len(causes) else "Nothing known"
    told += f" explains the gap of {gap:+.6f}"
    if abs(gap) <= target.reach:
        exact = f"is no more than other machines and versions make ({target.reach:g})"
        told += (
            f", which {'prints one unit of the last digit apart' if target.decimals is not None else exact}"
        )
    if tried > 1:
        told += f": none of {tried:,} scorings reaches {target.printed} or comes near."
    else:
        told += ": there is no run to score."
    if partly:
        told += f" The nearest, {partly[0].about}, leaves {partly[0].leaves:+.6f} of it."
    return told


def _of_explaining(one: Cause) -> tuple[float, int, bool, int, int]:
    return -(one.alike or 0), len(one.axes), not one.stated, _KINDS.index(one.kind), _place(one)


def _of_near(one: Cause) -> tuple[float, int, float, int]:
    return -(one.alike or 0), len(one.axes), abs(one.leaves or 0), _place(one)


def _place(one: Cause) -> int:
    return max(_COMMON.index(axis) if axis in _COMMON else len(_COMMON) for axis in one.axes)


def _listed(causes: Sequence[Cause]) -> str:
    return ", ".join(dict.fromkeys(one.about for one in causes))
