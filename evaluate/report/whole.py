"""A report as one file of limited size, and what it has no room for."""

from __future__ import annotations

from collections.abc import Mapping

from beirkit.evaluate.report.blocks import Page, Queries
from beirkit.evaluate.report.model import DatasetPart, QuerySet, Report
from beirkit.evaluate.report.page import render
from beirkit.evaluate.report.queries import as_lines, fitted
from beirkit.evaluate.report.sections import counted, sections_of, systems_of

SIZE = 4_900_000
"""Bytes that a page may take, so that it can be sent by mail."""

MOST_QUERIES = 200
"""Queries of a dataset that a page shows."""

DEPTH = 10
"""Results of each system that are shown of a query."""


def render_report(
    report: Report, *, most: int = MOST_QUERIES, size: int = SIZE, beside: str = ""
) -> tuple[str, list[str]]:
    """The page, and the lines of the file beside it: queries that are not in the page.

    Tables and charts are always whole; queries share the room that these leave.

    Args:
        report: what it says.
        most: queries of a dataset that the page shows.
        size: bytes that the page may take, where tables and charts take less.
        beside: the name of the file beside it, for the page to point to.

    Raises:
        MissingExtraError: jinja2 is not installed.
    """
    looked_at = {place: part.queries for place, part in enumerate(report.parts) if part.queries is not None}
    bare = render(_page(report, {place: _browser(report, place, "") for place in looked_at}, {}))
    share = max(0, size - len(bare.encode())) // max(1, len(looked_at)) - 200  # of words about queries
    data: dict[int, str] = {}
    browsers: dict[int, Queries] = {}
    rest: list[str] = []
    for place, queries in looked_at.items():
        data[place], shown = fitted(queries, share, most=most, depth=DEPTH)
        left = queries.views[shown:]
        rest += as_lines(report.parts[place].dataset, left, queries.texts)
        browsers[place] = _browser(report, place, _shown(queries, shown, beside))
    return render(_page(report, browsers, data)), rest


def _page(report: Report, browsers: Mapping[int, Queries], data: Mapping[int, str]) -> Page:
    measures = dict.fromkeys(str(table.measure) for part in report.parts for table in part.tables)
    systems, datasets = counted(len(systems_of(report)), "system"), counted(len(report.parts), "dataset")
    return Page(
        report.title,
        f"{systems}, {datasets}, {', '.join(measures)}",
        sections_of(report, browsers),
        _banner(report),
        tuple((browsers[place].name, text) for place, text in data.items()),
    )


def _browser(report: Report, place: int, about: str) -> Queries:
    return Queries(f"queries-{place + 1}", about, str(report.parts[place].tables[0].measure))


def _banner(report: Report) -> str:
    holding = [part for part in report.parts if _has_text(part)]
    if not holding:
        return ""
    told = [f"{part.dataset} ({part.licence})" for part in holding if part.licence]
    licences = f" Licences: {'; '.join(told)}." if told else ""
    return (
        "This page holds texts of queries and documents. Look at their licences before you pass it on."
        f"{licences} --no-text makes one without them."
    )


def _has_text(part: DatasetPart) -> bool:
    return part.queries is not None and bool(
        part.queries.texts or any(one.text for one in part.queries.views)
    )


def _shown(queries: QuerySet, shown: int, beside: str) -> str:
    total = counted(queries.total, "query", "queries")
    if shown == queries.total:
        return f"{total}."
    left = f" The other {queries.total - shown:,} are in {beside}." if beside else ""
    return f"{shown:,} of {total}, those on which systems disagree most.{left}"
