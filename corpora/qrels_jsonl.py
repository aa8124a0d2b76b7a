"""Judgments as JSON lines: one object each, under the names that a table's header may have."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from beirkit.corpora.errors import DataError
from beirkit.corpora.files import byte_lines
from beirkit.corpora.findings import Refused
from beirkit.corpora.ids import id_problem
from beirkit.corpora.json_keys import repeated_key
from beirkit.corpora.qrels_lines import column_role, parse_grade
from beirkit.corpora.records import Judgment

_decode = msgspec.json.Decoder().decode


def jsonl_rows(path: Path) -> Iterator[tuple[int, Judgment]]:
    """Each judgment with the number of its line; blank lines are skipped, other keys are ignored.

    Raises:
        DataError: a line is no object with one query id, one document id and one grade; with path and line.
    """
    for number, line in byte_lines(path):
        if not line.strip():
            continue
        try:
            yield number, _judgment(line)
        except Refused as refused:
            raise DataError(refused.found, path=path, line=number, hint=refused.todo) from refused


def _judgment(line: bytes) -> Judgment:
    try:
        fields: Any = _decode(line)
    except (ValueError, RecursionError) as error:
        raise Refused("BK002", f"is not JSON: {error}", "the line is damaged or cut") from None
    if not isinstance(fields, dict):
        raise Refused("BK003", "is not a JSON object", "each line holds one judgment")
    if twice := repeated_key(line):
        todo = "keep one of the two: readers of JSON keep the last without a word"
        raise Refused("BK045", f"the key {twice!r} stands twice in one object", todo)
    values = {}
    for role in ("query", "document", "grade"):
        keys = [key for key in fields if column_role(key) == role]
        if len(keys) != 1:
            have = ", ".join(repr(key) for key in fields) or "none"
            raise Refused(
                "BK005",
                f"has {len(keys)} keys for the {role}; its keys: {have}",
                "name them query_id, doc_id and relevance",
            )
        values[role] = fields[keys[0]]
    query_id, doc_id = judged_id("query", values["query"]), judged_id("document", values["document"])
    grade = values["grade"]
    if isinstance(grade, bool) or not isinstance(grade, int | float):
        raise Refused("BK023", f"the grade is {grade!r}, not a number", "map grades to whole numbers first")
    return Judgment(query_id, doc_id, parse_grade(repr(grade)))


def judged_id(what: str, value: Any) -> str:
    """A value as an id: text as it stands, an integer as its decimal text.

    Raises:
        Refused: it is neither, or is empty or holds a control character.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise Refused("BK004", f"the {what} id is {value!r}, not a string", "write ids as strings")
    problem = id_problem(value)
    if problem:
        raise Refused("BK007", f"{what} id {value!r} {problem}", "give it another id")
    return value
