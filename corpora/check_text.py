"""What is looked at in one record that could be read: its id and its texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from beirkit.corpora.ids import are_sound, has_white_space
from beirkit.corpora.json_keys import is_wrapped, repeated_key
from beirkit.corpora.records import Document, Metadata, Query
from beirkit.corpora.unique import record_ids

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")  # all but tab, line feed and carriage return
# How one can stand in JSON: escaped, or (beyond U+001F) as it is, U+0080 to U+009F behind the byte C2.
_ESCAPED_CONTROL = re.compile(rb"\\(?:u00[0189]|[bf])")
_LATE_CONTROL = re.compile(rb"\xc2[\x80-\x9f]")

_ESCAPED_LETTER = re.compile(rb"\\u00[567]")
_KEY = re.compile(rb'"(?:_id|title|text|metadata)"')
_DOCUMENT_KEYS = [b'"_id"', b'"title"', b'"text"']
_QUERY_KEYS = [b'"_id"', b'"text"']
_METADATA = [b'"metadata"']


class Look(NamedTuple):
    """One thing that was seen in a record.

    Attributes:
        code: what it is.
        key: the record's id.
        found: what was found; empty where all such records of a file are told together.
        todo: what to do about it.
    """

    code: str
    key: str
    found: str = ""
    todo: str = ""


def nothing_in_documents(documents: Sequence[Document], lines: Sequence[bytes]) -> bool:
    """Whether :func:`look_at_document` surely has nothing to say about any of some documents.

    They were decoded at once, so their ids, titles and texts are strings in their lines, and the ids
    printable. Most blocks are so, and a look at one takes a fifth of the time of one at each of its records.
    """
    return _have_usual_fields(documents) and _has_usual_keys(lines, _DOCUMENT_KEYS)


def nothing_in_queries(queries: Sequence[Query], lines: Sequence[bytes]) -> bool:
    """Whether :func:`look_at_query` surely has nothing to say; see :func:`nothing_in_documents`."""
    return _have_usual_fields(queries) and _has_usual_keys(lines, _QUERY_KEYS)


def nothing_in_written(records: Sequence[Document] | Sequence[Query], block: bytes) -> bool:
    """Whether a look at each record surely has nothing to say about records of one kind.

    Args:
        records: that were just written, so that the usual keys stand in every line.
        block: the lines, in beirkit's own writing.
    """
    return are_sound(record_ids(records)) and _have_usual_fields(records) and not _can_hold_control(block)


def _have_usual_fields(records: Sequence[Document] | Sequence[Query]) -> bool:
    """Whether all have a text, and none metadata or a blank in its id."""
    texts = [record.text for record in records]
    return (
        all(texts)
        and not any(map(str.isspace, texts))
        and not any(record.metadata for record in records)
        and " " not in "".join(record_ids(records))
    )


def _has_usual_keys(lines: Sequence[bytes], keys: list[bytes]) -> bool:
    """Whether lines hold the usual keys in the usual order, each once, and no control character.

    As every record has an ``_id`` and a text, the order of the keys of all tells that of each. Metadata stand
    at the end of every line or of none.
    """
    block = b"".join(lines)
    found = _KEY.findall(block)
    return (
        (found == keys * len(lines) or found == (keys + _METADATA) * len(lines))
        and not (b"\\" in block and _ESCAPED_LETTER.search(block))  # of a key, perhaps
        and not _can_hold_control(block)
    )


def look_at_document(document: Document, line: bytes) -> Sequence[Look]:
    """What there is to say about a document; mostly nothing."""
    key, title, text = document.doc_id, document.title, document.text
    looks: list[Look] = []
    if not key.isprintable() or " " in key or key.isdigit():
        looks += _look_at_id(key, line)
    looks += _look_at_keys(key, document.metadata, line)
    if not title or not text:
        looks += _look_at_absence(document, line)
    if not text.strip() and not title.strip():
        found = f"document {key!r} has neither title nor text"
        looks.append(Look("BK010", key, found, "it can never be found"))
    if b"\\" in line or b"\x7f" in line or not line.isascii():
        looks += _look_at_control(key, {"title": title, "text": text}, line)
    return looks


def look_at_query(query: Query, line: bytes) -> Sequence[Look]:
    """What there is to say about a query; mostly nothing."""
    key = query.query_id
    looks: list[Look] = []
    if not key.isprintable() or " " in key or key.isdigit():
        looks += _look_at_id(key, line)
    looks += _look_at_keys(key, query.metadata, line)
    if not query.text.strip():
        looks.append(Look("BK011", key, f"query {key!r} has no text", "it can find nothing"))
    if b"\\" in line or b"\x7f" in line or not line.isascii():
        looks += _look_at_control(key, {"text": query.text}, line)
    return looks


def _look_at_id(key: str, line: bytes) -> Sequence[Look]:
    if key.isdigit():
        return [] if f'"{key}"'.encode() in line or _value(line, "_id") == key else [Look("BK042", key)]
    if has_white_space(key):
        todo = "TREC runs and qrels end an id at white space; use other ids to exchange such files"
        return [Look("BK016", key, f"id {key!r} holds white space", todo)]
    if not key.isprintable():
        hidden = next(char for char in key if not char.isprintable())
        found = f"id {key!a} holds the invisible character U+{ord(hidden):04X}"
        return [Look("BK018", key, found, "who types the id will not match it; remove the character")]
    return []


def _look_at_keys(key: str, metadata: Metadata, line: bytes) -> Sequence[Look]:
    looks = []
    twice = repeated_key(line)
    if twice:
        found = f"the key {twice!r} stands twice in the record that is read as {key!r}"
        looks.append(Look("BK045", key, found, "readers differ in which they take; remove one"))
    if "metadata" in metadata and is_wrapped(msgspec.json.decode(line)):
        found = f"the metadata of {key!r} is no object"
        looks.append(Look("BK058", key, found, "it is read as an object that holds it; write an object"))
    return looks


def _look_at_absence(document: Document, line: bytes) -> Sequence[Look]:
    looks = []
    for name, value in (("title", document.title), ("text", document.text)):
        if not value and b"null" in line and _value(line, name) is None:
            found = f"the {name} of document {document.doc_id!r} is null"
            looks.append(Look("BK012", document.doc_id, found, "write an empty string"))
        elif name == "title" and not value and not _has_title(line):
            looks.append(Look("BK041", document.doc_id))
    return looks


def _has_title(line: bytes) -> bool:
    place, metadata = line.find(b'"title"'), line.find(b'"metadata"')
    if place < 0 or metadata < 0 or place < metadata:
        return place >= 0
    return bool("title" in msgspec.json.decode(line))  # or only its metadata has one


def _look_at_control(key: str, texts: dict[str, str], line: bytes) -> Sequence[Look]:
    if not _can_hold_control(line):
        return []
    looks = []
    for name, text in texts.items():
        found = _CONTROL.findall(text)
        if found:
            more = f" and {len(found) - 1} more" if len(found) > 1 else ""
            told = f"the {name} of {key!r} holds the control character U+{ord(found[0]):04X}{more}"
            looks.append(Look("BK017", key, told, "a tokenizer may split at it or keep it"))
    return looks


def _can_hold_control(line: bytes) -> bool:
    return (
        b"\x7f" in line
        or (b"\\" in line and _ESCAPED_CONTROL.search(line) is not None)
        or (b"\xc2" in line and _LATE_CONTROL.search(line) is not None)
    )


def _value(line: bytes, key: str) -> Any:
    """The value of a key; the empty string where there is none."""
    value: Any = msgspec.json.decode(line)
    return value.get(key, "")
