"""The keys of a record as they stand in its line, which a decoded record no longer shows."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

_KEYS = ("_id", "title", "text")
_COLON = re.compile(rb'"\s*:')

OTHER_IDS = ("id", "docid", "doc_id", "doc-id", "docno", "pid", "corpus-id", "qid", "query_id", "query-id")
"""What other formats call the id of a record."""


def repeated_key(line: bytes) -> str:
    """A key that stands twice in one object of a record, at any depth; empty where none does.

    Of several those of the outermost object come first, and of those ``_id``, ``title`` and ``text``.
    """
    try:
        # for nearly every line all that is done: a key that is lost in reading leaves its colon behind
        if len(_COLON.findall(line)) == _keys(msgspec.json.decode(line)):
            return ""
        repeated: list[str] = []

        def note(pairs: list[tuple[str, Any]]) -> None:
            counts = Counter(key for key, _ in pairs)
            twice = sorted((key for key, count in counts.items() if count > 1), key=_is_other)
            repeated[:0] = twice  # the outermost object is the last that is made

        json.loads(line, object_pairs_hook=note, parse_int=str)
    except (ValueError, RecursionError):
        return ""
    return repeated[0] if repeated else ""


def _is_other(key: str) -> bool:
    return key not in _KEYS


def _keys(value: Any) -> int:
    """How many keys there are in a value, at every depth."""
    if isinstance(value, dict):
        return len(value) + sum([_keys(each) for each in value.values() if isinstance(each, dict | list)])
    if isinstance(value, list):
        return sum([_keys(each) for each in value if isinstance(each, dict | list)])
    return 0


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
