"""The tables of a report: leaderboards, comparisons, means by dataset, costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from beirkit.evaluate.leaderboard import Leaderboard
from beirkit.evaluate.pairs import Comparison
from beirkit.evaluate.report.blocks import Cell, Column, Table
from beirkit.evaluate.report.figures import (
    bytes_text,
    figure,
    interval_text,
    p_text,
    ranks_text,
    rate_text,
)

_MARKS = {"zero-shot": "zero-shot", "in-domain": "in-domain", "unknown": "training unknown"}


def leaderboard_table(
    name: str, caption: str, board: Leaderboard, digits: int, training: Mapping[str, str]
) -> Table:
    """The systems in order, with what their ranks are worth.

    Args:
        name: of the table.
        caption: what it is of.
        board: the systems.
        digits: decimals of figures.
        training: what is known about each system's training.
    """
    shared = {rank for rank in (p.rank for p in board.places) if _times(rank, board) > 1}
    confidence = f"{1 - board.level:.0%} interval"
    columns = (
        Column("system"),
        Column("rank", True, "Shared by systems that no test separates from the first of them"),
        Column("mean", True),
        Column(confidence, True, "Bootstrap interval of the mean"),
        Column("ranks", True, "Between which ranks the system lies when queries are drawn again"),
        Column("first", True, "How probable it is that the system is first when queries are drawn again"),
        Column("training", False, "Whether it was trained on the family of the dataset, as far as declared"),
    )
    rows = tuple(
        (
            Cell(place.system),
            Cell(f"{place.rank}=" if place.rank in shared else str(place.rank), -place.rank),
            Cell(figure(place.mean, digits), place.mean),
            Cell(interval_text(place.interval, digits), place.interval[0] if place.interval else ""),
            Cell(ranks_text(place.rank_interval), -place.rank_interval[0] if place.rank_interval else ""),
            Cell(figure(place.first, 2), "" if place.first is None else place.first),
            training_cell(training.get(place.system, "")),
        )
        for place in board.places
    )
    return Table(name, caption, columns, rows, filtered=len(rows) > 5)


def training_cell(status: str) -> Cell:
    """What is known about training, as a mark; one of several datasets stands as it is."""
    if status in _MARKS:
        return Cell("", status, _MARKS[status])
    return Cell(status or "not stated", status)


def comparison_table(name: str, caption: str, rows: Sequence[Comparison], level: float, digits: int) -> Table:
    """Pairs of systems with difference, interval and p-values."""
    columns = (
        Column("system"),
        Column("compared with"),
        Column("difference", True),
        Column(f"{1 - level:.0%} interval", True),
        Column("p", True, "Two-sided"),
        Column("p adjusted", True, "For the number of comparisons in this table"),
        Column("better", True),
        Column("same", True),
        Column("worse", True),
        Column("outcome"),
    )
    return Table(
        name,
        caption,
        columns,
        tuple(
            (
                Cell(row.system),
                Cell(row.other),
                Cell(figure(row.difference, digits, "+"), row.difference),
                Cell(interval_text(row.interval, digits, "+"), row.interval[0] if row.interval else ""),
                Cell(p_text(row.p), "" if row.p is None else row.p),
                Cell(p_text(row.p_adjusted), "" if row.p_adjusted is None else row.p_adjusted),
                Cell(str(row.wins), row.wins),
                Cell(str(row.ties), row.ties),
                Cell(str(row.losses), row.losses),
                Cell(_outcome(row, level)),
            )
            for row in rows
        ),
    )


def means_table(
    name: str,
    caption: str,
    systems: Sequence[str],
    datasets: Sequence[tuple[str, str, str]],
    means: Mapping[tuple[str, str], float | None],
    training: Mapping[tuple[str, str], str],
    digits: int,
) -> Table:
    """The mean of every system on every dataset.

    Args:
        name: of the table.
        caption: what it is of.
        systems: the columns.
        datasets: of each its name, its address and the mark of its title.
        means: by dataset and system.
        training: alike.
        digits: decimals of figures.
    """
    rows = []
    for dataset, address, mark in datasets:
        cells = [Cell(dataset + mark, href=address)]
        for system in systems:
            value, status = means.get((dataset, system)), training.get((dataset, system), "")
            sign = {"in-domain": "i", "unknown": "?"}.get(status, "")
            cells.append(Cell(figure(value, digits), "" if value is None else value, sign))
        rows.append(tuple(cells))
    columns = (Column("dataset"), *(Column(system, True) for system in systems))
    return Table(name, caption, columns, tuple(rows), filtered=len(rows) > 5)


def cost_table(name: str, caption: str, rows: Sequence[tuple[Sequence[Cell], Mapping[str, Any]]]) -> Table:
    """What systems cost.

    Args:
        name: of the table.
        caption: what it is of.
        rows: for each, the cells that name it and its costs as :class:`beirkit.costs.Cost` has them.
    """
    columns = (
        Column("system"),
        Column("no.", True, "In the charts"),
        Column("on the front", False, "Of which chart no other system is better and cheaper"),
        Column("queries/s", True, "All queries searched together"),
        Column("p50 ms", True, "Median of single queries"),
        Column("p95 ms", True),
        Column("documents/s", True, "Indexing, encoding included"),
        Column("index", True, "Postings or vectors in memory"),
        Column("dimensions", True),
        Column("parameters", True),
        Column("peak memory", True, "Of the whole process"),
        Column("model's licence"),
    )
    return Table(name, caption, columns, tuple(_cost_row(lead, costs) for lead, costs in rows))


def _cost_row(lead: Sequence[Cell], costs: Mapping[str, Any]) -> tuple[Cell, ...]:
    peak = costs.get("peak_memory_mib")
    return (
        *lead,
        _rate(costs.get("queries_per_second")),
        _rate(costs.get("latency_p50")),
        _rate(costs.get("latency_p95")),
        _rate(costs.get("documents_per_second")),
        Cell(bytes_text(costs.get("index_bytes")), _sorted(costs.get("index_bytes"))),
        _count(costs.get("dimensions")),
        _count(costs.get("parameters")),
        Cell("–" if peak is None else f"{peak:,.0f} MiB", _sorted(peak)),
        Cell(str(costs.get("licence") or "not stated")),
    )


def _rate(value: float | None) -> Cell:
    return Cell(rate_text(value), _sorted(value))


def _count(value: int | None) -> Cell:
    return Cell("–" if value is None else f"{value:,}", _sorted(value))


def _sorted(value: float | None) -> float | str:
    return "" if value is None else value


def _outcome(row: Comparison, level: float) -> str:
    if row.note:
        return row.note
    if not row.separable(level):
        return "not separable"
    return "better" if row.difference > 0 else "worse"


def _times(rank: int, board: Leaderboard) -> int:
    return sum(place.rank == rank for place in board.places)
