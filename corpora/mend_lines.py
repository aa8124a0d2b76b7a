"""The line of a mended record: as it stands, or written anew with its numbers as they stand."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

import msgspec

from beirkit.corpora.json_keys import is_wrapped
from beirkit.corpora.mend_log import CONTROL
from beirkit.corpora.records import Document, Query

_raw = msgspec.json.Decoder(dict[str, msgspec.Raw])
# Escapes of characters beyond ASCII; those of control characters stand in any file.
_BEYOND_ASCII = re.compile(rb"\\u(?!00[0-7])")

Forms = list[tuple[str, str]]


def odd_forms(line: bytes, kind: str) -> Forms:
    """What the reader takes as it is meant and a writer writes in another form: codes, and what is done."""
    fields = msgspec.json.decode(line)
    forms: Forms = []
    if not isinstance(fields["_id"], str):
        forms.append(("BK042", "id written as a string, not a number"))
    if kind == "document":
        for key in ("title", "text"):
            if key in fields and fields[key] is None:
                forms.append(("BK012", f"{key} written as an empty string, not null"))
        if "title" not in fields:
            forms.append(("BK041", "empty title written where there was none"))
    if "metadata" in fields and fields["metadata"] is None:
        forms.append(("", "metadata written as an empty object, not null"))
    elif is_wrapped(fields):
        forms.append(("BK058", "metadata that is no object put into one"))
    known = {"_id", "text", "metadata", *(["title"] if kind == "document" else [])}
    if fields.keys() - known:
        forms.append(("", "keys of the record moved into its metadata"))
    return forms


def line_of(record: Document | Query, line: bytes) -> bytes:
    """A record as a line, without its end: BEIR's keys, and the values of its metadata as they stand.

    Characters beyond ASCII are escaped where the line escapes them.

    Args:
        record: what the line says, perhaps with another id, title or text.
        line: where its metadata are taken from.
    """
    escaped = line.isascii() and _BEYOND_ASCII.search(line) is not None
    written = json.JSONEncoder(ensure_ascii=escaped).encode
    texts = {"title": record.title} if isinstance(record, Document) else {}
    id = record.doc_id if isinstance(record, Document) else record.query_id
    texts = {"_id": id, **texts, "text": record.text}
    parts = [f"{json.dumps(key)}: {written(value)}".encode() for key, value in texts.items()]
    values = _metadata_as_written(_raw.decode(line), texts)
    inner = [written(key).encode() + b": " + bytes(value) for key, value in values.items()]
    return b"{" + b", ".join([*parts, b'"metadata": {' + b", ".join(inner) + b"}"]) + b"}"


def _metadata_as_written(
    fields: Mapping[str, msgspec.Raw], known: Mapping[str, str]
) -> dict[str, msgspec.Raw]:
    """The metadata of a record, its values as they stand; every other key of the record among them."""
    given = fields.get("metadata", msgspec.Raw(b"null"))
    first = bytes(given).lstrip()[:1]
    values: dict[str, msgspec.Raw] = {}
    if first == b"{":
        values = _raw.decode(given)
    elif first != b"n":
        values = {"metadata": given}
    for key, value in fields.items():
        if key in known or key == "metadata":
            continue
        if key in values and msgspec.json.decode(values[key]) != msgspec.json.decode(value):
            while key in values:  # both have it and differ: the one from outside gets another name
                key += "_"
        values[key] = value
    return values


def without_controls_in_id(line: bytes) -> tuple[str, str, bytes] | None:
    """The id of a line, the id without control characters, and the line with that; None: there are none."""
    fields = _raw.decode(line)
    old: str = msgspec.json.decode(fields["_id"])
    new = CONTROL.sub("", old)
    if new == old:
        return None
    fields["_id"] = msgspec.Raw(json.dumps(new, ensure_ascii=line.isascii()).encode("utf-8", "surrogatepass"))
    values = (json.dumps(key).encode() + b": " + bytes(value) for key, value in fields.items())
    return old, new, b"{" + b", ".join(values) + b"}"
