"""What a table of comparisons says, in sentences; the numbers behind them stand in the table."""

from __future__ import annotations

from collections.abc import Mapping

from beirkit.evaluate.compare import ComparisonTable
from beirkit.evaluate.compare_suites import SuiteTable
from beirkit.evaluate.pairs import Comparison

# Below this ratio of speeds a difference is not worth a word.
_FASTER = 1.25


def verdict(
    table: ComparisonTable | SuiteTable,
    speeds: Mapping[str, float] | None = None,
    *,
    digits: int = 3,
    percent: bool = False,
) -> tuple[str, ...]:
    """One sentence per comparison: who is ahead, by how much, and where no difference can be shown.

    A difference is called one where the corrected test says so at the table's level; nothing is called equal
    but what is identical.

    Args:
        table: the comparisons.
        speeds: queries per second of systems, where known; told beside what is not separable.
        digits: decimals of the figures.
        percent: whether they are shown as hundredths.
    """
    scale = 100.0 if percent else 1.0
    return tuple(_sentence(row, table.level, speeds or {}, digits, scale) for row in table.rows)


def _sentence(row: Comparison, level: float, speeds: Mapping[str, float], digits: int, scale: float) -> str:
    if row.note:
        what = "identical to" if row.p == 1.0 else "not tested against"
        return f"{row.system} is {what} {row.other} ({row.note})" + _faster(row, speeds)
    if row.separable(level):
        ahead, behind = (row.system, row.other) if row.difference > 0 else (row.other, row.system)
        return f"{ahead} beats {behind} by {_figures(row, digits, scale, absolute=True)}"
    return (
        f"{row.system} is not separable from {row.other} ({_figures(row, digits, scale, absolute=False)})"
        + _faster(row, speeds)
    )


def _figures(row: Comparison, digits: int, scale: float, *, absolute: bool) -> str:
    """The difference and its interval, seen from the winner's side where there is one."""
    sign = -scale if absolute and row.difference < 0 else scale
    low, high = sorted(sign * end for end in row.interval or (row.difference, row.difference))
    shown = f"{sign * row.difference:.{digits}f}" if absolute else f"{sign * row.difference:+.{digits}f}"
    return f"{shown} [{low:.{digits}f}, {high:.{digits}f}]"


def _faster(row: Comparison, speeds: Mapping[str, float]) -> str:
    ours, theirs = speeds.get(row.system), speeds.get(row.other)
    if not ours or not theirs or max(ours, theirs) < _FASTER * min(ours, theirs):
        return ""
    ratio, word = (ours / theirs, "fast") if ours > theirs else (theirs / ours, "slow")
    return f", {ratio:.1f} times as {word}"
