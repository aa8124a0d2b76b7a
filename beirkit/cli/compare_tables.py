"""The tables of ``beirkit compare`` for people: rows of text, which a terminal or Markdown then shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from beirkit.evaluate.report.figures import p_text as p_text
from beirkit.evaluate.report.figures import ranks_text

if TYPE_CHECKING:
    from beirkit.cli.compare_inputs import Contest, Given
    from beirkit.evaluate.compare import ComparisonTable
    from beirkit.evaluate.compare_suites import SuiteTable
    from beirkit.evaluate.leaderboard import Leaderboard
    from beirkit.evaluate.measures import Measure
    from beirkit.evaluate.pairs import Comparison, Interval
    from beirkit.evaluate.seeds import SeedSpread
    from beirkit.evaluate.stated import StatedMeans


@dataclass(frozen=True)
class Style:
    """How figures are written.

    Attributes:
        digits: decimals.
        percent: whether they are shown as hundredths.
    """

    digits: int
    percent: bool = False

    def figure(self, value: float | None, sign: str = "") -> str:
        """A value of a measure, a dash where there is none."""
        if value is None:
            return "–"
        return f"{value * (100 if self.percent else 1):{sign}.{self.digits}f}"

    def interval(self, interval: Interval | None, sign: str = "") -> str:
        """Both ends, a dash where there is none."""
        return "–" if interval is None else " … ".join(self.figure(end, sign) for end in interval)


@dataclass(frozen=True)
class Sheet:
    """One table of text.

    Attributes:
        title: what it is of; empty: it goes with the table above.
        columns: heads.
        rows: cells.
        left: how many columns are words; the others are figures.
    """

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]
    left: int = 1


@dataclass(frozen=True)
class Result:
    """What was found on one dataset with one measure.

    Attributes:
        contest: the systems.
        table: comparisons.
        leaderboard: the systems in order.
        spreads: of systems with several seeds.
    """

    contest: Contest
    table: ComparisonTable
    leaderboard: Leaderboard
    spreads: dict[str, SeedSpread]

    @property
    def title(self) -> str:
        """Dataset and measure."""
        where = f"{self.contest.dataset}: " if self.contest.dataset else ""
        return f"{where}{self.table.measure}"


def result_sheets(result: Result, style: Style) -> list[Sheet]:
    """The systems by themselves, then beside each other."""
    table = result.table
    title = f"{result.title} over {table.queries:,} queries{result.contest.mark}"
    sheets = [_standings(title, result.leaderboard, style, result.spreads)]
    if table.rows:
        heads = ("detectable", "better/same/worse")
        sheets.append(_comparisons(table.rows, heads, table.level, style))
    return sheets


def suite_sheets(table: SuiteTable, given: Given, style: Style) -> list[Sheet]:
    """Means by dataset, then the systems over the suite, then beside each other."""
    sheets = [_by_dataset(table, given, style)]
    title = f"mean of {table.suite}: {table.measure}"
    if table.leaderboard is not None:
        standings = _standings(title, table.leaderboard, style, {})
        title = ""
        sheets.append(standings)
    if table.incomplete:
        sheets.append(Sheet(title, ("system", "mean"), list(table.incomplete.items()), left=2))
    if table.rows:
        sheets.append(_comparisons(table.rows, ("", "better/same/worse"), table.level, style))
    return sheets


def leaderboard_note(board: Leaderboard, level: float) -> str:
    """How much the order is worth."""
    pairs = len(board.adjacent)
    return f"{board.separable} of {pairs} adjacent pairs are separable at the level {level:g}"


def _standings(title: str, board: Leaderboard, style: Style, spreads: Mapping[str, SeedSpread]) -> Sheet:
    columns = ["system", "rank", "mean", f"{1 - board.level:.0%} interval", "ranks", "first"]
    columns += ["seeds", "deviation of seeds"] if spreads else []
    rows = []
    for place in board.places:
        row = [
            place.system,
            str(place.rank),
            style.figure(place.mean),
            style.interval(place.interval),
            ranks_text(place.rank_interval),
            "–" if place.first is None else f"{place.first:.2f}",
        ]
        if spreads:
            spread = spreads.get(place.system)
            row += ["1", "–"] if spread is None else [str(len(spread.means)), style.figure(spread.deviation)]
        rows.append(tuple(row))
    return Sheet(title, tuple(columns), rows)


def _comparisons(rows: Sequence[Comparison], last: tuple[str, str], level: float, style: Style) -> Sheet:
    """Comparisons; without the smallest detectable difference where ``last`` does not name it."""
    confidence = f"{1 - level:.0%} interval"
    detectable, counts = last
    columns = ["system", "compared with", "difference", confidence, "p", "p adjusted"]
    columns += ["effect size", detectable] if detectable else []
    lines = []
    for row in rows:
        line = [
            row.system,
            row.other,
            style.figure(row.difference, "+"),
            style.interval(row.interval, "+"),
            p_text(row.p),
            p_text(row.p_adjusted),
        ]
        if detectable:
            size = "–" if row.effect_size is None else f"{row.effect_size:+.2f}"
            line += [size, style.figure(row.detectable)]
        lines.append((*line, f"{row.wins}/{row.ties}/{row.losses}", row.note))
    return Sheet("", (*columns, counts, ""), lines, left=2)


def _by_dataset(table: SuiteTable, given: Given, style: Style) -> Sheet:
    """The mean of every system on every dataset, with what is known about its training."""
    systems = list(dict.fromkeys(name for one in given.contests for name in one.scores))
    rows = []
    for contest in given.contests:
        cells = []
        for system in systems:
            scores = contest.scores.get(system)
            value = None if scores is None else scores.mean(table.measure)
            mark = {"in-domain": " i", "unknown": " ?"}.get(
                given.training.get((contest.dataset, system), ""), ""
            )
            cells.append(style.figure(value) + mark)
        rows.append((contest.dataset + contest.mark, *cells))
    return Sheet(f"{table.measure} by dataset", ("dataset", *systems), rows)


def stated_sheet(stated: Sequence[StatedMeans], measures: Sequence[Measure], style: Style) -> Sheet:
    """Figures of others by dataset, best first; a measure that a file does not have is blank, not 0."""
    from beirkit.evaluate.stated import rank_stated

    rows: list[tuple[str, ...]] = []
    for dataset in dict.fromkeys(one.dataset for one in stated):
        those = {one.system: one for one in stated if one.dataset == dataset}
        for _, name, _ in rank_stated(those.values(), measures[0]):
            figures = (style.figure(those[name].means.get(measure)) for measure in measures)
            rows.append((name, dataset, *figures))
    columns = ("system", "dataset", *map(str, measures))
    return Sheet("Stated elsewhere, not tested", columns, rows, left=2)
