"""JSON of two levels, ``{query_id: {doc_id: value}}``: dictionaries of judgments and runs, dumped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from beirkit.corpora.errors import DataError
from beirkit.corpora.files import open_bytes
from beirkit.corpora.ids import id_problem


def read_table(path: Path, what: str) -> dict[str, dict[str, Any]]:
    """Read the whole file; values are not looked at.

    Args:
        path: the file.
        what: what a value is, for messages.

    Raises:
        DataError: this is no such JSON, a key stands twice in one object (a dictionary would keep the last),
            or an id is empty, holds a control character or is no Unicode.
    """
    with open_bytes(path) as stream:
        content = stream.read()
    try:
        table: Any = json.loads(content.decode("utf-8-sig"), object_pairs_hook=_distinct)
    except _TwiceError as error:
        raise DataError(
            f"the key {error.key!r} stands twice in one object",
            path=path,
            hint="keep one of the two: readers of JSON keep the last without a word",
        ) from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"is not JSON: {error}", path=path) from error
    if not isinstance(table, dict):
        raise DataError("is not an object of query ids", path=path)
    for query_id, row in table.items():
        _require(query_id, "query", path)
        if not isinstance(row, dict):
            raise DataError(f"query {query_id!r} has no object of document ids and {what}", path=path)
        for doc_id in row:
            _require(doc_id, "document", path)
    return table


class _TwiceError(ValueError):
    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _TwiceError(next(key for place, key in enumerate(keys) if key in keys[:place]))
    return made


def _require(value: str, what: str, path: Path) -> None:
    if value and value.isprintable():
        return
    problem = id_problem(value)
    if not problem and any("\ud800" <= char <= "\udfff" for char in value):
        problem = "holds half of a surrogate pair"
    if problem:
        raise DataError(f"{what} id {value!r} {problem}", path=path, hint="give it another id")
