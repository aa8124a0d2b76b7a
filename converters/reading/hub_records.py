"""Records of the tables that hub repositories and mteb's tasks hold, whatever their columns are called."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

import msgspec

from beirkit.converters.reading.rows import Row
from beirkit.corpora.errors import nearest
from beirkit.corpora.findings import Refused
from beirkit.corpora.qrels_lines import column_role, parse_grade
from beirkit.corpora.records import Document, Judgment, Query

_PLAIN = (str, int, float, bool)


def document(row: Row, warn: Callable[[str], None]) -> Document:
    """A row of a corpus: ``_id`` or ``id``, ``title`` where there is one, ``text``; the rest is metadata."""
    title = row.text("title") if "title" in row.cells else ""
    return Document(_id(row), title, row.text("text"), _metadata(row, warn, "title"))


def query(row: Row, warn: Callable[[str], None], more: Mapping[str, Mapping[str, Any]]) -> Query:
    """A row of queries: ``_id`` or ``id``, and ``text``; the rest is metadata.

    Args:
        row: the row.
        warn: told what is left out.
        more: further metadata by key and query id, such as ``{"instruction": {"q1": "…"}}``.
    """
    query_id = _id(row)
    given = {key: values[query_id] for key, values in more.items() if query_id in values}
    return Query(query_id, row.text("text"), {**_metadata(row, warn), **given})


def judgment(row: Row, warn: Callable[[str], None]) -> Judgment:
    """A row of judgments: a query id, a document id and a grade, under any of their usual names.

    A grade that is written as a decimal number, such as 1.0, is the whole number. Without a column for it, as
    in NanoBEIR, the pair is relevant.
    """
    columns = tuple(row.cells)
    roles = _roles(columns)
    if "query" not in roles or "document" not in roles:
        missing = "query-id" if "query" not in roles else "corpus-id"
        raise row.error(f"has no column {missing}", f"its columns: {', '.join(columns)}")
    query_id, doc_id = row.id(roles["query"]), row.id(roles["document"])
    if "grade" not in roles:
        warn(f"{row.path}: there is no column for the score: every pair has grade 1")
        return Judgment(query_id, doc_id, 1)
    value = row.cells[roles["grade"]]
    if isinstance(value, int) and not isinstance(value, bool) and -1000 <= value <= 1000:
        return Judgment(query_id, doc_id, value)
    try:
        return Judgment(query_id, doc_id, parse_grade("" if value is None else str(value)))
    except Refused as refused:
        raise row.error(refused.found, refused.todo) from refused


def by_query(rows: Iterable[Row], *columns: str) -> dict[str, Any]:
    """What a table says of each query, such as its instruction: the first of the given columns."""
    found: dict[str, Any] = {}
    for row in rows:
        roles = _roles(tuple(row.cells))
        column = next((column for column in columns if column in row.cells), columns[0])
        found[row.id(roles.get("query", "query-id"))] = row.cell(column)
    return found


def _id(row: Row) -> str:
    for column in ("_id", "id"):
        if column in row.cells:
            return row.id(column)
    raise row.error("has no column _id or id", nearest("_id", list(row.cells)))


def _metadata(row: Row, warn: Callable[[str], None], *taken: str) -> dict[str, Any]:
    """The other columns, with those of the column ``metadata`` beside them; what is null is left out.

    Parquet gives every row every key of a structure, null where JSON lines had none: so both give the same.
    Where ``metadata`` is a JSON object as text, as ``beirkit export`` writes it, that is taken whole.
    """
    cells: dict[str, Any] = {}
    written: dict[str, Any] = {}
    for key, value in row.cells.items():
        if key == "metadata" and (isinstance(value, dict) or value is None):
            cells.update(value or {})
        elif key == "metadata" and isinstance(value, str) and (parsed := _json_object(value)) is not None:
            written = parsed
        elif key not in ("_id", "id", "text", *taken):
            cells[key] = value
    found: dict[str, Any] = {}
    for key, value in cells.items():
        if isinstance(value, bytes) or (isinstance(value, dict) and _holds_bytes(value)):
            warn(f"{row.path}: column {key!r} holds bytes, such as images, and is left out")
        elif value is not None:
            found[key] = value if isinstance(value, _PLAIN) else msgspec.to_builtins(value)
    return {**found, **written}


def _json_object(text: str) -> dict[str, Any] | None:
    """The object that a text is in JSON; None where it is none."""
    try:
        value = json.loads(text) if text.startswith("{") else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _holds_bytes(value: dict[Any, Any]) -> bool:
    return any(isinstance(inner, bytes) for inner in value.values())


@lru_cache(maxsize=64)
def _roles(columns: tuple[str, ...]) -> dict[str, str]:
    """The column of each role; of several for one role the first."""
    found: dict[str, str] = {}
    for column in columns:
        if role := column_role(column):
            found.setdefault(role, column)
    return found
