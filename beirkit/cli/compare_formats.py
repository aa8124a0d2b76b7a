"""The forms in which a comparison is written: Markdown, CSV, LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from beirkit.cli.compare_latex import Column, latex_table
from beirkit.cli.compare_tables import Sheet, result_sheets, stated_sheet, suite_sheets

if TYPE_CHECKING:
    from beirkit.cli.compare_report import Report
    from beirkit.evaluate.leaderboard import Place
    from beirkit.evaluate.measures import Measure
    from beirkit.evaluate.pairs import Comparison, Interval

_COLUMNS = (
    "scope", "name", "measure", "queries", "system", "mean", "low", "high", "rank", "rank_low", "rank_high",
    "first", "compared_with", "difference", "difference_low", "difference_high", "p", "p_adjusted",
    "effect_size", "detectable", "better", "same", "worse", "note",
)  # fmt: skip


def sheets(report: Report) -> list[Sheet]:
    """Every table: of the suite, then of each dataset, then the details."""
    found = [sheet for table in report.suites for sheet in suite_sheets(table, report.given, report.style)]
    found += [sheet for one in report.results for sheet in result_sheets(one, report.style)]
    found += [stated_sheet(report.stated, report.given.measures, report.style)] if report.stated else []
    return found + [
        replace(sheet, title=f"{dataset}: {sheet.title}" if dataset else sheet.title)
        for dataset, details in report.details.items()
        for detail in details.values()
        for sheet in detail.sheets
    ]


def gate_sheet(report: Report) -> Sheet:
    """Which gates hold."""
    rows: list[tuple[str, ...]] = [
        (str(one.gate), "holds" if one.passed else "FAILS", one.told) for one in report.gates
    ]
    return Sheet("Gates", ("gate", "", "found"), rows, left=3)


def markdown(report: Report) -> str:
    """The verdict, the tables and how to read them, as a Markdown page."""
    lines = ["# Comparison", ""]
    for where, measure, said in report.verdict():
        place = f"{where}, {measure}" if where else measure
        lines += [f"- {_text(place)}: {_text(sentence)}" for sentence in said]
    lines += [f"- {_text(sentence)}" for sentence in report.said()]
    found = sheets(report) + ([gate_sheet(report)] if report.gates else [])
    for sheet in found:
        lines += ["", *([f"## {_text(sheet.title)}", ""] if sheet.title else [])]
        rule = ["---"] * sheet.left + ["---:"] * (len(sheet.columns) - sheet.left)
        lines += [_row(sheet.columns), _row(rule), *map(_row, sheet.rows)]
    return "\n".join([*lines, "", *(f"- {_text(note)}" for note in report.notes)]) + "\n"


def csv_text(report: Report) -> str:
    """One row per comparison, with the standing of its system; what was compared with nothing has one too.

    Figures are unrounded, for machines, unless decimals were asked for.
    """
    out = io.StringIO()
    writer = csv.DictWriter(out, _COLUMNS, lineterminator="\n", restval="")
    writer.writeheader()
    told = "; ".join(report.given.told_of_force())
    for table in report.suites:
        known = {"scope": "suite", "name": table.suite, "measure": str(table.measure), "note": told}
        for place in table.leaderboard.places if table.leaderboard else ():
            writer.writerows(_csv_rows(report, known, place, table.rows))
        writer.writerows(
            {**known, "system": name, "note": _joined(why, told)} for name, why in table.incomplete.items()
        )
    for one in report.results:
        known = {
            "scope": "dataset",
            "name": one.contest.dataset,
            "measure": str(one.table.measure),
            "queries": str(one.table.queries),
            "note": "; ".join((*report.given.forced, *one.contest.cuts, *one.contest.forced)),
        }
        for place in one.leaderboard.places:
            writer.writerows(_csv_rows(report, known, place, one.table.rows))
    return out.getvalue()


def latex(report: Report) -> str:
    """One row per system, one column per measure, dataset and suite."""
    given = report.given
    columns = []
    for measure in given.measures:
        columns += _columns_of(report, measure)
    systems = list(dict.fromkeys(name for one in given.contests for name in one.scores))
    systems = [given.baseline, *(name for name in systems if name != given.baseline)]
    test = report.results[0].table
    notes = [
        "needs \\usepackage{booktabs}",
        *report.notes,
        "best bold, second underlined; letters above: significantly better than that system, below: worse "
        f"({test.test}, {test.correction}, level {test.level:g})",
        *(f"{name}: {why}" for table in report.suites for name, why in table.incomplete.items()),
    ]
    return latex_table(systems, columns, notes, report.style)


def _columns_of(report: Report, measure: Measure) -> list[Column]:
    several = len(report.given.contests) > 1 or bool(report.suites)
    found = []
    for one in report.results:
        if one.table.measure == measure:
            values = {place.system: place.mean for place in one.leaderboard.places}
            group = one.contest.dataset if several else ""
            found.append(Column(group, str(measure), values, one.table.rows, one.table.level))
    for table in report.suites:
        if table.measure == measure and table.leaderboard is not None:
            values = {place.system: place.mean for place in table.leaderboard.places}
            found.append(Column(table.suite, str(measure), values, table.rows, table.level))
    return found


def _csv_rows(
    report: Report, known: dict[str, str], place: Place, rows: Sequence[Comparison]
) -> list[dict[str, str]]:
    scaled = _Cells(report)
    low, high = scaled.ends(place.interval)
    ranks = place.rank_interval or ("", "")
    standing = {
        **known,
        "system": place.system,
        "mean": scaled.figure(place.mean),
        "low": low,
        "high": high,
        "rank": str(place.rank),
        "rank_low": str(ranks[0]),
        "rank_high": str(ranks[1]),
        "first": _number(place.first),
    }
    return [
        {**standing, **scaled.comparison(row), "note": _joined(row.note, known["note"])}
        for row in rows
        if row.system == place.system
    ] or [standing]


def _joined(*notes: str) -> str:
    return "; ".join(note for note in notes if note)


class _Cells:
    """Figures as CSV has them."""

    def __init__(self, report: Report) -> None:
        self._style = report.style
        self._exact = not report.rounded

    def figure(self, value: float | None) -> str:
        if value is None:
            return ""
        if self._exact:
            return repr(value * 100) if self._style.percent else repr(value)
        return self._style.figure(value)

    def ends(self, interval: Interval | None) -> tuple[str, str]:
        return ("", "") if interval is None else (self.figure(interval[0]), self.figure(interval[1]))

    def comparison(self, row: Comparison) -> dict[str, Any]:
        low, high = self.ends(row.interval)
        return {
            "compared_with": row.other,
            "difference": self.figure(row.difference),
            "difference_low": low,
            "difference_high": high,
            "p": _number(row.p),
            "p_adjusted": _number(row.p_adjusted),
            "effect_size": _number(row.effect_size),
            "detectable": self.figure(row.detectable),
            "better": row.wins,
            "same": row.ties,
            "worse": row.losses,
            "note": row.note,
        }


def _number(value: float | None) -> str:
    return "" if value is None else repr(value)


def _text(text: str) -> str:
    """Text that Markdown prints as it stands in a line or a cell."""
    for char in "\\|`*_<[":
        text = text.replace(char, f"\\{char}")
    return " ".join(text.split())


def _row(cells: Sequence[str]) -> str:
    shown = (cell if set(cell) <= {"-", ":"} and cell else _text(cell) for cell in cells)
    return "| " + " | ".join(shown) + " |"
