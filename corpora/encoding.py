"""Records as lines of corpus.jsonl and queries.jsonl, one at a time or many."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from json.encoder import encode_basestring_ascii
from typing import Any, cast

import msgspec

from beirkit.corpora.errors import DataError
from beirkit.corpora.ids import are_sound, id_problem
from beirkit.corpora.records import Document, Query

_END = b', "metadata": {}}\n'
_quoted = msgspec.json.Encoder().encode  # writes a text as json.dumps does, in a fifth of the time


def encoder(*, ascii: bool) -> Callable[[Document | Query], str]:
    """A function that writes a record as one line, without its end.

    Keys stand in BEIR's order, separators are ``", "`` and ``": "``, as Python's ``json.dumps`` writes them.

    Args:
        ascii: escape everything beyond ASCII; otherwise characters stand as they are.
    """
    dumps = json.JSONEncoder(ensure_ascii=ascii, allow_nan=False).encode

    def encode(record: Document | Query) -> str:
        fields: dict[str, Any]
        if isinstance(record, Document):
            fields = {"_id": record.doc_id, "title": record.title, "text": record.text}
        else:
            fields = {"_id": record.query_id, "text": record.text}
        fields["metadata"] = record.metadata
        problem = id_problem(fields["_id"])
        if problem:
            raise DataError(f"the id of record {fields['_id']!r} {problem}", hint="give it another id")
        try:
            line = dumps(fields)
            if not line.isascii():
                line.encode()
            elif "\\ud" in line:  # perhaps half of a surrogate pair, which nobody could read back
                json.dumps(fields, ensure_ascii=False).encode()
        except (TypeError, ValueError) as error:
            raise DataError(
                f"record {fields['_id']!r} cannot be written as JSON in UTF-8: {error}",
                hint="texts must be Unicode without lone surrogates, metadata must be finite JSON values",
            ) from error
        return line

    return encode


def block_encoder(*, ascii: bool) -> Callable[[Sequence[Document] | Sequence[Query]], bytes]:
    """A function that writes records of one kind as lines: the bytes of :func:`encoder`, line end included.

    Args:
        ascii: escape everything beyond ASCII.
    """
    one = encoder(ascii=ascii)
    quoted: Callable[[str], bytes] = _quoted_ascii if ascii else _quoted
    metadata = json.JSONEncoder(ensure_ascii=ascii, allow_nan=False).encode

    def encode(records: Sequence[Document] | Sequence[Query]) -> bytes:
        columns = _columns(records)
        if are_sound(columns[0][1]):
            try:
                step = 2 * len(columns) + 1  # parts of a line
                parts = [part for key, _ in columns for part in (key, b"")] + [_END]
                parts *= len(records)
                for place, (_, texts) in enumerate(columns):
                    parts[2 * place + 1 :: step] = map(quoted, texts)
                for place, rest in enumerate([record.metadata for record in records], 1):
                    if rest:
                        parts[place * step - 1] = b', "metadata": %b}\n' % _whole(metadata(rest))
                return b"".join(parts)
            except (TypeError, ValueError):
                pass
        return b"".join([f"{one(record)}\n".encode() for record in records])  # which says what is wrong

    return encode


def _columns(
    records: Sequence[Document] | Sequence[Query],
) -> list[tuple[bytes, list[str]]]:
    """What stands before each text of a line, and the texts."""
    if records and isinstance(records[0], Document):
        documents = cast("Sequence[Document]", records)
        return [
            (b'{"_id": ', [document.doc_id for document in documents]),
            (b', "title": ', [document.title for document in documents]),
            (b', "text": ', [document.text for document in documents]),
        ]
    queries = cast("Sequence[Query]", records)
    return [
        (b'{"_id": ', [query.query_id for query in queries]),
        (b', "text": ', [query.text for query in queries]),
    ]


def _quoted_ascii(text: str) -> bytes:
    return _whole(encode_basestring_ascii(text))


def _whole(text: str) -> bytes:
    """The bytes of JSON without half a surrogate pair, which nobody could read back.

    Raises:
        ValueError: there may be one.
    """
    if "\\ud" in text and text.isascii():
        raise ValueError("an escaped surrogate")
    return text.encode()
