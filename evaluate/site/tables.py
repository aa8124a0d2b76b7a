"""The tables of a leaderboard's site: systems in rows, with what the filters look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from beirkit.evaluate.leaderboard import Leaderboard, Place
from beirkit.evaluate.report.blocks import Cell, Choice, Column, Filters, Table
from beirkit.evaluate.report.figures import figure
from beirkit.evaluate.report.tables import leaderboard_table, training_cell
from beirkit.evaluate.site.model import About, System

NOT_STATED = "not stated"

_SIZES = (10, 35, 120, 350, 1000)  # millions of parameters


def count_text(parameters: int | None) -> str:
    """Parameters for people: 22.7 M."""
    if parameters is None:
        return NOT_STATED
    for size, letter in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if parameters >= size:
            return f"{parameters / size:.3g} {letter}"
    return "none" if parameters == 0 else str(parameters)


def link_to(system: System) -> str:
    """From the index to a system's page."""
    return f"systems/{system.slug}.html"


def facts_of(about: About, status: str) -> dict[str, str]:
    """What the filters look at."""
    return {
        "parameters": NOT_STATED if about.parameters is None else str(about.parameters),
        "licence": _plain(about.licence),
        "date": about.date,
        "training": status or "unknown",
    }


def filters_for(systems: Sequence[System]) -> Filters:
    """The lists and days that choose among these systems."""
    licences = sorted({_plain(one.about.licence) for one in systems})
    bounds = [low * 10**6 for low in (0, *_SIZES)]
    sizes = [
        (
            f"{low + 1}-{high}",
            f"up to {count_text(high)}" if not low else f"{count_text(low)} to {count_text(high)}",
        )
        for low, high in pairwise(bounds)
    ]
    return Filters(
        "systems",
        (
            Choice(
                "training",
                "Training",
                (
                    ("", "any"),
                    ("zero-shot", "zero-shot: on no dataset of the table"),
                    ("in-domain", "in-domain: on one or more of them"),
                    ("unknown", "not known"),
                ),
            ),
            Choice(
                "parameters",
                "Parameters",
                (
                    ("", "any"),
                    ("0-0", "none: no model"),
                    *sizes,
                    (f"{bounds[-1] + 1}-", f"more than {count_text(bounds[-1])}"),
                    (NOT_STATED, NOT_STATED),
                ),
            ),
            Choice("licence", "Licence", (("", "any"), *((one, one) for one in licences))),
        ),
        (("date", "Date"),),
        "Ranks are those among all systems of a table; filters hide rows and rank nothing anew.",
    )


def over_boards(statuses: Sequence[str]) -> tuple[str, str]:
    """What is known of training over several datasets: for the filters, and as it is read."""
    trained = statuses.count("in-domain")
    if trained:
        whole = trained == len(statuses)
        return "in-domain", "in-domain" if whole else f"in-domain on {trained} of {len(statuses)}"
    unknown = sum(status != "zero-shot" for status in statuses)
    if unknown:
        return "unknown", "unknown" if unknown == len(
            statuses
        ) else f"unknown on {unknown} of {len(statuses)}"
    return "zero-shot", "zero-shot"


def ranking_table(
    name: str,
    caption: str,
    places: Sequence[Place],
    systems: Mapping[str, System],
    training: Mapping[str, tuple[str, str]],
    *,
    tested: bool,
    level: float,
    digits: int,
) -> Table:
    """Systems in order, each with its page and what is known of it.

    Args:
        name: of the table.
        caption: what it is of.
        places: the systems.
        systems: by name.
        training: of each system, for the filters and as it is read.
        tested: whether there are intervals.
        level: of the tests.
        digits: decimals.
    """
    read = {system: text for system, (_, text) in training.items()}
    board = Leaderboard(places=tuple(places), adjacent=(), level=level)
    made = leaderboard_table(name, caption, board, digits, read)
    kept = range(7) if tested else (0, 1, 2, 6)
    bars = _bars(places) if tested else {}
    rows = []
    for place, row in zip(places, made.rows, strict=True):
        system = systems[place.system]
        cells = [row[column] for column in kept]
        cells[0] = replace(cells[0], href=link_to(system))
        if tested:
            cells[3] = replace(cells[3], bar=bars.get(place.system))
        rows.append((*cells, *about_cells(system.about)))
    facts = tuple(facts_of(systems[p.system].about, training.get(p.system, ("", ""))[0]) for p in places)
    columns = (*(made.columns[column] for column in kept), *ABOUT_COLUMNS)
    return Table(name, caption, columns, tuple(rows), facts=facts)


ABOUT_COLUMNS = (
    Column("parameters", True, "Of the model, as its configuration or its submitter states"),
    Column("licence", False, "Of the model, alike"),
    Column("date", False, "When the model or the submission appeared, else when its last result was made"),
)


def about_cells(about: About) -> tuple[Cell, Cell, Cell]:
    """What :data:`ABOUT_COLUMNS` have of a system."""
    size = about.parameters
    return (
        Cell(count_text(size), "" if size is None else size),
        Cell(about.licence or NOT_STATED),
        Cell(about.date or NOT_STATED, about.date or "~"),
    )


def matrix(
    name: str,
    caption: str,
    order: Sequence[str],
    columns: Sequence[tuple[str, str]],
    means: Mapping[tuple[str, str], float],
    systems: Mapping[str, System],
    training: Mapping[tuple[str, str], str],
    statuses: Mapping[str, tuple[str, str]],
    digits: int,
) -> Table:
    """The mean of every system on every dataset, systems in rows.

    Args:
        name: of the table.
        caption: what it is of.
        order: the systems.
        columns: of each board its key and what is read.
        means: by board and system.
        systems: by name.
        training: by board and system.
        statuses: of each system over all of them.
        digits: decimals.
    """
    rows = []
    for system in order:
        cells = [Cell(system, href=link_to(systems[system]))]
        for key, _ in columns:
            value = means.get((key, system))
            sign = {"in-domain": "i", "unknown": "?"}.get(training.get((key, system), ""), "")
            cells.append(
                Cell(figure(value, digits), "" if value is None else value, sign if value is not None else "")
            )
        rows.append(tuple(cells))
    heads = (Column("system"), *(Column(read, True) for _, read in columns))
    facts = tuple(facts_of(systems[one].about, statuses[one][0]) for one in order)
    return Table(name, caption, heads, tuple(rows), facts=facts)


def incomplete_table(
    name: str,
    caption: str,
    incomplete: Mapping[str, str],
    systems: Mapping[str, System],
    statuses: Mapping[str, tuple[str, str]],
) -> Table:
    """Systems without a mean, and what they lack."""
    rows = tuple(
        (Cell(one, href=link_to(systems[one])), Cell(why), training_cell(statuses[one][1]))
        for one, why in incomplete.items()
    )
    facts = tuple(facts_of(systems[one].about, statuses[one][0]) for one in incomplete)
    return Table(
        name, caption, (Column("system"), Column("what it lacks"), Column("training")), rows, facts=facts
    )


def _bars(places: Sequence[Place]) -> dict[str, tuple[float, float, float]]:
    """Intervals on one scale for all systems of a table, from 0 to 100."""
    known = [(one.system, one.mean, one.interval) for one in places if one.interval is not None]
    low = min((interval[0] for _, _, interval in known), default=0.0)
    width = max((interval[1] for _, _, interval in known), default=1.0) - low
    if width <= 0:
        return {}

    def at(value: float) -> float:
        return (value - low) / width * 100

    return {name: (at(interval[0]), at(mean), at(interval[1])) for name, mean, interval in known}


def _plain(licence: str) -> str:
    return " ".join(licence.split()).lower() or NOT_STATED
