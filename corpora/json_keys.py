"""The keys of a record as they stand in its line, which a decoded record no longer shows."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

_KEYS = ("_id", "title", "text")
_QUOTED = re.compile(rb'"(?:_id|title|text)"')
OTHER_IDS = ("id", "docid", "doc_id", "doc-id", "docno", "pid", "corpus-id", "qid", "query_id", "query-id")
"""What other formats call the id of a record."""


def repeated_key(line: bytes) -> str:
    """The first of ``_id``, ``title`` and ``text`` that stands twice in a record; empty where none does."""
    seen = _QUOTED.findall(line)  # for nearly every line all that is done
    if len(seen) == len(set(seen)):
        return ""
    try:
        # the outermost object is the last to be made a list of its pairs
        pairs = json.loads(line, object_pairs_hook=list)
    except (ValueError, RecursionError):
        return ""
    names = [name for name, _ in pairs]
    return next((key for key in _KEYS if names.count(key) > 1), "")


def is_wrapped(fields: Mapping[str, Any]) -> bool:
    """Whether the metadata of a record is no object, and so is read as one that holds it."""
    return not isinstance(fields.get("metadata"), dict | None)


def other_id_key(line: bytes) -> str:
    """Under which key a record without ``_id`` has its id, as far as that is known; else empty."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(fields, dict) or "_id" in fields:
        return ""
    return next((key for key in OTHER_IDS if key in fields), "")


def convert_hint(option: str, key: str) -> str:
    """What to do with a file whose records have their id under another key."""
    return f"rename the key {key!r} to '_id', or: beirkit convert beir FOLDER --set {option}._id={key}"


def ends_in_cr(line: bytes, records: Sequence[bytes]) -> bool:
    """Whether the records of one line are parted by carriage returns alone, as old Macintosh files are."""
    return line.rstrip(b"\r").count(b"\r") >= len(records) - 1
