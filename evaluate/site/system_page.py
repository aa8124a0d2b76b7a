"""The page of one system."""

from __future__ import annotations

import json
from collections.abc import Sequence

from beirkit.evaluate.leaderboard import Place
from beirkit.evaluate.report.blocks import (
    Block,
    Cell,
    Column,
    Folded,
    Heading,
    Page,
    Section,
    Sentences,
    Table,
)
from beirkit.evaluate.report.charts import Spread, intervals
from beirkit.evaluate.report.figures import figure, interval_text, ranks_text
from beirkit.evaluate.report.sections import counted, sources_blocks
from beirkit.evaluate.report.tables import training_cell
from beirkit.evaluate.site.model import Board, Result, Site, System
from beirkit.evaluate.site.tables import NOT_STATED, count_text

_MOST = 60  # rows of a chart


def system_page(site: Site, system: System, boards: dict[str, Board], addresses: dict[str, str]) -> Page:
    """Everything about one system.

    Args:
        site: it is in.
        system: whose page it is.
        boards: by key.
        addresses: the section of the index that a board is in, by its key.
    """
    sections = [Section("scores", "Scores", tuple(_scores(site, system, boards, addresses)))]
    sections.append(Section("about", "About the system", tuple(_about(system))))
    sections.append(Section("how", "How it was run", tuple(_how(site, system))))
    if system.behind:
        sections.append(
            Section("sources", "Citations and licences", tuple(sources_blocks(system.behind, system.bibtex)))
        )
    on = counted(len(system.results), "dataset")
    kind = "scored here" if system.tested else "figures stated by others"
    return Page(system.name, f"{on}, {kind}", tuple(sections), home=("← All systems", "../index.html"))


def _scores(site: Site, system: System, boards: dict[str, Board], addresses: dict[str, str]) -> list[Block]:
    warnings = [*system.warnings]
    warnings += [f"{one.board}: {said}" for one in system.results for said in one.warnings]
    blocks: list[Block] = [Sentences(tuple(warnings), lead=False)] if warnings else []
    blocks += [Heading("Means over suites"), _means(site, system)] if _member(site, system) else []
    rows = []
    for one in system.results:
        place = next(place for place in boards[one.board].places if place.system == system.name)
        text = figure(place.mean, site.digits)
        text += f" [{interval_text(place.interval, site.digits)}]" if place.interval else ""
        rows.append(Spread(one.board, place.mean, place.interval, text))
    if 1 < len(rows) <= _MOST:
        blocks.append(intervals("each-chart", f"{site.measure} by dataset, with intervals", rows))
    blocks.append(_each(site, system, boards, addresses))
    measures = _measures(system)
    if len(measures) > 1:
        blocks.append(_all_measures(site, system, measures))
    return blocks


def _member(site: Site, system: System) -> bool:
    return any(
        system.name in view.incomplete or any(p.system == system.name for p in view.places)
        for view in site.views
    )


def _means(site: Site, system: System) -> Table:
    rows = []
    for view in site.views:
        place = next((place for place in view.places if place.system == system.name), None)
        if place is not None:
            cells = (
                Cell(figure(place.mean, site.digits), place.mean),
                Cell(interval_text(place.interval, site.digits)),
                _rank(place, view.places),
                Cell(ranks_text(place.rank_interval)),
                Cell(""),
            )
        elif system.name in view.incomplete:
            cells = (
                Cell("–", ""),
                Cell("–", ""),
                Cell("–", ""),
                Cell("–", ""),
                Cell(view.incomplete[system.name]),
            )
        else:
            continue
        rows.append((Cell(view.name), *cells))
    columns = (
        Column("suite"),
        Column("mean", True),
        Column(f"{1 - site.level:.0%} interval", True),
        Column("rank", True),
        Column("ranks", True),
        Column("what it lacks"),
    )
    return Table("means", f"Mean {site.measure}", columns, tuple(rows))


def _each(site: Site, system: System, boards: dict[str, Board], addresses: dict[str, str]) -> Table:
    rows = []
    for one in system.results:
        board = boards[one.board]
        place = next(place for place in board.places if place.system == system.name)
        rows.append(
            (
                Cell(board.key, href=f"../index.html#{addresses[board.key]}"),
                Cell(figure(place.mean, site.digits), place.mean),
                Cell(interval_text(place.interval, site.digits), place.interval[0] if place.interval else ""),
                _rank(place, board.places),
                Cell(ranks_text(place.rank_interval), -place.rank_interval[0] if place.rank_interval else ""),
                training_cell(board.training.get(system.name, "")),
                Cell(one.source),
            )
        )
    columns = (
        Column("dataset"),
        Column(site.measure, True),
        Column(f"{1 - site.level:.0%} interval", True),
        Column("rank", True),
        Column("ranks", True, "Between which ranks it lies when queries are drawn again"),
        Column("training"),
        Column("where it was submitted"),
    )
    return Table("each", f"{site.measure} by dataset", columns, tuple(rows), filtered=len(rows) > 5)


def _rank(place: Place, places: Sequence[Place]) -> Cell:
    """A rank among how many, marked where others share it."""
    shared = sum(other.rank == place.rank for other in places) > 1
    return Cell(f"{place.rank}{'=' if shared else ''} of {len(places)}", -place.rank)


def _measures(system: System) -> list[str]:
    return list(dict.fromkeys(name for one in system.results for name in one.means))


def _all_measures(site: Site, system: System, measures: list[str]) -> Table:
    def cells(one: Result) -> tuple[Cell, ...]:
        values = [one.means.get(name) for name in measures]
        return tuple(Cell(figure(value, site.digits), "" if value is None else value) for value in values)

    rows = tuple((Cell(one.board), *cells(one)) for one in system.results)
    columns = (Column("dataset"), *(Column(name, True) for name in measures))
    return Table("measures", "Every measure that was kept", columns, rows)


def _about(system: System) -> list[Block]:
    about = system.about
    facts = (
        ("parameters", count_text(about.parameters)),
        ("licence of the model", about.licence or NOT_STATED),
        ("date", about.date or NOT_STATED),
        ("submitted by", about.by or NOT_STATED),
        ("more about it", about.link or NOT_STATED),
    )
    rows = tuple((Cell(name), Cell(value)) for name, value in facts)
    return [
        Table(
            "facts",
            "As its configuration, its model's file or its submitter states",
            (Column("what"), Column("value")),
            rows,
        )
    ]


def _how(site: Site, system: System) -> list[Block]:
    blocks: list[Block] = []
    if system.tested:
        blocks.append(Sentences((f"Protocol {site.protocol}: {site.rules}.",)))
    else:
        blocks.append(Sentences(("It is shown as others state it; how it was run is not known.",)))
    if system.prompts:
        rows = tuple((Cell(place), Cell(text)) for place, text in system.prompts.items())
        columns = (Column("setting"), Column("value"))
        blocks.append(Table("prompts", "Prompts, templates and lengths", columns, rows))
    if system.manifests:
        blocks.append(Heading("Manifests" if system.tested else "The model's file"))
        text = json.dumps(system.manifests, ensure_ascii=False, indent=1, allow_nan=True)
        blocks.append(Folded(f"How {system.name} was run" if system.tested else "model_meta.json", text))
    return blocks
