"""Questions of HotpotQA's form: the pages that support the answer, and those shown beside the question."""

from __future__ import annotations

from collections.abc import Iterator
from html import unescape
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from beirkit.converters.reading.json_stream import json_records
from beirkit.converters.reading.rows import Row
from beirkit.corpora.records import Query

_METADATA = ("answer", "type", "level")


class Question(NamedTuple):
    """One question.

    Attributes:
        query: its id and text, with its answer, type and level.
        titles: of the pages that support the answer, each once, with ``&amp;`` and its like resolved.
        context: the pages shown beside it: title and sentences.
    """

    query: Query
    titles: list[str]
    context: list[tuple[str, list[str]]]


def read_questions(path: Path) -> Iterator[Question]:
    """The questions of a JSON array or of JSON lines, with pairs or with columns.

    Raises:
        DataError: the file is damaged, or a question has no supporting fact; with path and line.
    """
    for row in json_records(path):
        query_id = row.id("_id" if "_id" in row.cells else "id")
        metadata = {key: row.cells[key] for key in _METADATA if row.cells.get(key)}
        titles = [unescape(title) for title, _ in _pairs(row, "supporting_facts", "sent_id")]
        if not titles:
            raise row.error("has no supporting fact")
        shown = _pairs(row, "context", "sentences") if "context" in row.cells else ()
        context = [(title, Row(row.path, row.line, {title: page}).texts(title)) for title, page in shown]
        yield Question(Query(query_id, row.text("question"), metadata), list(dict.fromkeys(titles)), context)


def _pairs(row: Row, column: str, second: str) -> Iterator[tuple[str, Any]]:
    """Pairs of a title and something else: as such, or as two columns of equal length."""
    value = row.cell(column)
    if isinstance(value, dict):
        columns = Row(row.path, row.line, value)
        value = list(zip_longest(columns.list("title"), columns.list(second)))
    for pair in value if isinstance(value, list) else [value]:
        if not isinstance(pair, list | tuple) or len(pair) != 2 or None in pair:
            raise row.error(f"column {column!r} holds {str(pair)[:60]}", "needed are pairs with a title")
        yield row.as_text(column, pair[0]), pair[1]
