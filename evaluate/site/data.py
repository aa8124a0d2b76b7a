"""The data of a leaderboard's site for machines: ``data.json`` and ``data.csv``."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict
from typing import Any

import msgspec

from beirkit.evaluate.leaderboard import Place
from beirkit.evaluate.site.model import Board, Site, System, View
from beirkit.evaluate.site.tables import link_to

FORMAT = "beirkit leaderboard 1"
"""Of ``data.json``; the number is raised when a key changes its meaning or is taken away."""

_COLUMNS = (
    "system", "page", "board", "dataset", "split", "tested", "measure", "value", "low", "high", "rank",
    "rank_low", "rank_high", "first", "training", "parameters", "licence", "date", "source",
)  # fmt: skip


def data_json(site: Site, files: list[str]) -> str:
    """Everything that the pages show in figures, in an order that depends on names only.

    Args:
        site: what it says.
        files: the names of all files of the site, this one among them.
    """
    facts = {
        "format": FORMAT,
        "beirkit": site.beirkit,
        "title": site.title,
        "measure": site.measure,
        "protocol": {"name": site.protocol, "rules": site.rules},
        "level": site.level,
        "seed": site.seed,
        "samples": site.samples,
        "systems": [_system(one) for one in site.systems],
        "boards": [_board(one) for one in site.boards],
        "suites": [_view(one) for one in site.views],
        "not_shown": [asdict(one) for one in site.refused],
        "files": files,
    }
    return json.dumps(facts, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def data_csv(site: Site) -> str:
    """One line for each system on each board; what a spreadsheet would take for a formula is quoted."""
    boards = {one.key: one for one in site.boards}
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for system in site.systems:
        for one in system.results:
            board = boards[one.board]
            place = next(place for place in board.places if place.system == system.name)
            low, high = place.interval or ("", "")
            ranks = place.rank_interval or ("", "")
            row = (
                system.name, link_to(system), board.key, board.dataset, board.split,
                "yes" if board.tested else "no", site.measure, repr(place.mean), low, high,
                place.rank, *ranks,
                "" if place.first is None else place.first, board.training.get(system.name, ""),
                "" if system.about.parameters is None else system.about.parameters, system.about.licence,
                system.about.date, one.source,
            )  # fmt: skip
            writer.writerow([_harmless(cell) for cell in row])
    return out.getvalue()


def _harmless(cell: Any) -> Any:
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell


def _system(one: System) -> dict[str, Any]:
    return {
        "name": one.name,
        "page": link_to(one),
        "tested": one.tested,
        "about": asdict(one.about),
        "results": [
            {
                "board": result.board,
                "source": result.source,
                "means": dict(result.means),
                "cost": {k: v for k, v in result.cost.items() if v not in (None, "") and k != "machine"},
                "warnings": list(result.warnings),
            }
            for result in one.results
        ],
        "prompts": dict(one.prompts),
        "warnings": list(one.warnings),
        "stands_on": [asdict(source) for source in one.behind],
    }


def _board(one: Board) -> dict[str, Any]:
    return {
        "board": one.key,
        "dataset": one.dataset,
        "split": one.split,
        "tested": one.tested,
        "queries": one.queries or None,
        "content": dict(one.content),
        "places": [{**_place(place), "training": one.training.get(place.system, "")} for place in one.places],
        "notes": list(one.notes),
    }


def _view(one: View) -> dict[str, Any]:
    return {
        "suite": one.name,
        "tested": one.tested,
        "members": one.members,
        "boards": list(one.boards),
        "missing": list(one.missing),
        "places": [_place(place) for place in one.places],
        "incomplete": dict(one.incomplete),
    }


def _place(place: Place) -> dict[str, Any]:
    facts: dict[str, Any] = msgspec.to_builtins(place)
    return facts
