"""From what a report says to the sections of its page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from beirkit.evaluate.report.blocks import (
    Block,
    Cell,
    Column,
    Folded,
    Heading,
    Queries,
    Section,
    Sentences,
    Table,
)
from beirkit.evaluate.report.charts import Chart, Deltas, Spread, deltas, intervals
from beirkit.evaluate.report.costs import cost_charts, is_known, merged_costs
from beirkit.evaluate.report.figures import figure, interval_text
from beirkit.evaluate.report.model import Behind, DatasetPart, Report
from beirkit.evaluate.report.tables import (
    comparison_table,
    cost_table,
    leaderboard_table,
    means_table,
)


def sections_of(report: Report, browsers: Mapping[int, Queries]) -> tuple[Section, ...]:
    """All sections, the verdict first.

    Args:
        report: what it says.
        browsers: of queries, by the place of their dataset.
    """
    sections = [Section("verdict", "Verdict", tuple(_verdict(report)))]
    sections.append(Section("leaderboard", "Leaderboard", tuple(_leaderboard(report))))
    costs = _costs(report)
    if costs:
        sections.append(Section("cost", "Quality and cost", tuple(costs)))
    for place, part in enumerate(report.parts):
        name = f"dataset-{place + 1}"
        blocks = _dataset(report, part, name)
        if place in browsers:
            blocks += [Heading("Queries"), browsers[place]]
        group = "Datasets" if len(report.parts) > 1 else ""
        sections.append(Section(name, part.dataset or "Systems", tuple(blocks), group))
    sections.append(Section("how", "Protocol and manifests", tuple(_how(report))))
    if report.behind:
        sections.append(
            Section("sources", "Citations and licences", tuple(sources_blocks(report.behind, report.bibtex)))
        )
    return tuple(sections)


def _verdict(report: Report) -> list[Block]:
    blocks: list[Block] = []
    lead = report.verdict[: max(1, len(report.suites))]
    for number, said in enumerate(report.verdict):
        first = number < len(lead)
        title = ": ".join(part for part in (said.where, said.measure) if part)
        blocks += [Heading(title), Sentences(said.sentences, lead=first)]
    if not report.verdict:
        blocks.append(Sentences(("One system alone: there is nothing to compare.",), lead=True))
    return blocks


def _leaderboard(report: Report) -> list[Block]:
    blocks: list[Block] = []
    over = {system: _training(report, system) for system in systems_of(report)}
    for number, suite in enumerate(report.suites, 1):
        if suite.leaderboard is not None:
            caption = f"Mean of {suite.suite}: {suite.measure}, {counted(suite.members, 'member')}"
            blocks.append(
                leaderboard_table(f"board-{number}", caption, suite.leaderboard, report.digits, over)
            )
            blocks.append(_chart(f"board-{number}-chart", caption, suite.leaderboard.places, report.digits))
        if suite.incomplete:
            told = [
                f"{system} has no mean over {suite.suite}: {why}" for system, why in suite.incomplete.items()
            ]
            blocks.append(Sentences(tuple(told)))
        if suite.rows:
            blocks.append(
                comparison_table(
                    f"board-{number}-pairs",
                    "Comparisons over the suite; better, same and worse count datasets",
                    suite.rows,
                    suite.level,
                    report.digits,
                )
            )
    if len(report.parts) > 1:
        blocks += [_by_dataset(report, place) for place in range(len(report.parts[0].tables))]
        marks = "Marks: i, trained on the family of the dataset (in-domain); ?, its training is not known."
        return [*blocks, Sentences((marks,))]
    for part in report.parts:
        blocks += _boards(report, part, "only")
    return blocks


def _boards(report: Report, part: DatasetPart, name: str) -> list[Block]:
    """The systems on one dataset, by each measure."""
    blocks: list[Block] = []
    for number, (table, board) in enumerate(zip(part.tables, part.boards, strict=True), 1):
        queries = counted(table.queries, "query", "queries")
        caption = f"{table.measure} over {queries}{part.mark}"
        key = f"{name}-{number}"
        blocks.append(leaderboard_table(key, caption, board, report.digits, part.training))
        blocks.append(_chart(f"{key}-chart", caption, board.places, report.digits))
        if table.rows:
            title = f"Comparisons by {table.measure}; better, same and worse count queries"
            blocks.append(comparison_table(f"{key}-pairs", title, table.rows, table.level, report.digits))
    return blocks


def _chart(name: str, caption: str, places: Sequence[Any], digits: int) -> Chart:
    rows = [
        Spread(
            place.system,
            place.mean,
            place.interval,
            f"{figure(place.mean, digits)} [{interval_text(place.interval, digits)}]"
            if place.interval
            else figure(place.mean, digits),
        )
        for place in places
    ]
    return intervals(name, f"Means and intervals. {caption}", rows)


def _by_dataset(report: Report, place: int) -> Table:
    systems = systems_of(report)
    means: dict[tuple[str, str], float | None] = {}
    training: dict[tuple[str, str], str] = {}
    rows = []
    for number, part in enumerate(report.parts, 1):
        rows.append((part.dataset, f"#dataset-{number}", part.mark))
        means |= {(part.dataset, one.system): one.mean for one in part.tables[place].standings}
        training |= {(part.dataset, system): status for system, status in part.training.items()}
    measure = report.parts[0].tables[place].measure
    return means_table(
        f"means-{place + 1}", f"{measure} by dataset", systems, rows, means, training, report.digits
    )


def _dataset(report: Report, part: DatasetPart, name: str) -> list[Block]:
    blocks: list[Block] = [Sentences(part.notes)] if part.notes else []
    said = [one for one in report.verdict if one.where == part.dataset]
    if len(report.parts) > 1:
        blocks += [Sentences(one.sentences, lead=True) for one in said[:1]]
        blocks += _boards(report, part, name)
    if part.differences:
        title = f"{part.tables[0].measure}, query by query against {_baseline(part)}: better/same/worse"
        counts = {row.system: f"{row.wins}/{row.ties}/{row.losses}" for row in part.tables[0].rows}
        rows = [Deltas(system, values, counts.get(system, "")) for system, values in part.differences.items()]
        blocks += [Heading("Per-query differences"), deltas(f"{name}-deltas", title, _baseline(part), rows)]
    if len(report.parts) > 1 and any(is_known(costs) for costs in part.costs.values()):
        blocks += [Heading("Costs"), _cost_table(f"{name}-costs", part.costs, {}, {})]
    return blocks


def _baseline(part: DatasetPart) -> str:
    return part.tables[0].baseline or part.tables[0].rows[0].other


def _costs(report: Report) -> list[Block]:
    """Quality over time and over size, means over datasets on which they are known of a system."""
    if report.suites and report.suites[0].leaderboard is not None:
        quality = {place.system: place.mean for place in report.suites[0].leaderboard.places}
    elif len(report.parts) == 1:
        quality = {place.system: place.mean for place in report.parts[0].boards[0].places}
    else:
        quality = {}
    costs = {system: merged_costs(_each(report.parts, system)) for system in quality}
    measure = str(report.parts[0].tables[0].measure)
    blocks, numbers, fronts = cost_charts("cost", measure, quality, costs)
    return [*blocks, _cost_table("costs", costs, numbers, fronts)] if blocks else []


def _each(parts: Sequence[DatasetPart], system: str) -> list[Mapping[str, Any]]:
    """The costs of a system on each dataset that it was run on."""
    return [
        part.costs.get(system, {})
        for part in parts
        if any(system == standing.system for standing in part.tables[0].standings)
    ]


def _cost_table(
    name: str,
    costs: Mapping[str, Mapping[str, Any]],
    numbers: Mapping[str, int],
    fronts: Mapping[str, Sequence[str]],
) -> Table:
    rows = [
        (
            (
                Cell(system),
                Cell(str(numbers.get(system, "–")), -numbers[system] if system in numbers else ""),
                Cell(", ".join(fronts.get(system, ())) or "–"),
            ),
            known,
        )
        for system, known in costs.items()
    ]
    return cost_table(name, "What the systems cost; a dash: not recorded", rows)


def _how(report: Report) -> list[Block]:
    blocks: list[Block] = [Sentences(report.notes)]
    if report.manifests:
        blocks.append(Heading("Manifests"))
        blocks += [
            Folded(f"How {system} was run", json.dumps(facts, ensure_ascii=False, indent=1))
            for system, facts in report.manifests.items()
        ]
    return blocks


def sources_blocks(behind: Sequence[Behind], bibtex: str) -> list[Block]:
    """What results stand on, with licences and papers."""
    rows = tuple(
        (
            Cell(one.name),
            Cell(one.kind),
            Cell(one.versions or "–"),
            Cell(one.licence),
            Cell("; ".join(one.papers) or "nothing is known"),
        )
        for one in behind
    )
    heads = ("name", "kind", "version", "licence", "cite")
    table = Table("sources-table", "What these results stand on", tuple(map(Column, heads)), rows)
    return [table, *([Folded("BibTeX", bibtex)] if bibtex else [])]


def systems_of(report: Report) -> list[str]:
    """The systems, the baseline first."""
    found = dict.fromkeys(place.system for part in report.parts for place in part.tables[0].standings)
    return [report.baseline, *(name for name in found if name != report.baseline)]


def _training(report: Report, system: str) -> str:
    """One word where it is the same on all datasets, else how many of each."""
    told = [part.training.get(system, "") for part in report.parts]
    kinds = {status: told.count(status) for status in ("zero-shot", "in-domain", "unknown") if status in told}
    if len(kinds) < 2:
        return next(iter(kinds), "")
    return ", ".join(f"{status} on {times}" for status, times in kinds.items())


def counted(number: int, one: str, many: str = "") -> str:
    """A number with the word for what is counted: 1 query, 2 queries."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
