"""Each id once: identical copies are dropped and told, different records under one id are refused."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeVar

from beirkit.corpora.errors import DataError
from beirkit.corpora.ids import IdSet
from beirkit.corpora.notices import Warn, warn
from beirkit.corpora.records import Document, Query

RecordT = TypeVar("RecordT", Document, Query)


def unique(
    start: Callable[[], Iterable[tuple[int, RecordT]]],
    *,
    place: str,
    path: Path | str | None = None,
    warn: Warn = warn,
) -> Iterator[RecordT]:
    """The records of a pass, each id once.

    Memory is that of an :class:`IdSet` as long as no id comes twice. Only when one does are two more passes
    made, to find the first occurrence and its content for every id that repeats.

    Args:
        start: starts a pass of ``(number, record)``.
        place: what the numbers count, for messages: ``"line"`` or ``"record"``.
        path: the file, for messages.
        warn: told of what was dropped.

    Raises:
        DataError: two records under one id differ in title or text; the message names both places.
    """
    seen = IdSet()
    known: dict[str, _First] | None = None
    dropped: list[str] = []
    for ordinal, (number, record) in enumerate(start()):
        key = record_id(record)
        if seen.add(key):
            yield record
            continue
        if known is None:
            known = _repeated(start)
        first = known[key]
        if first.ordinal == ordinal:  # nothing but its hash was met before
            yield record
        elif first.digest != content_digest(record):
            what = "document" if isinstance(record, Document) else "query"
            raise DataError(
                f"{what} id {key!r} stands at {place}s {first.number} and {number} with different texts",
                path=path,
                line=number if place == "line" else None,
                hint="keep one of them, or give them different ids",
            )
        else:
            dropped.append(key)
    if dropped:
        warn(
            f"{path or 'collection'}: {len(dropped)} repeated records dropped, "
            f"the same id and text each time (e.g. {', '.join(dropped[:3])})"
        )


class _First(NamedTuple):
    """The first occurrence of an id: which record, its number for messages, its content."""

    ordinal: int
    number: int
    digest: bytes


def _repeated(start: Callable[[], Iterable[tuple[int, RecordT]]]) -> dict[str, _First]:
    """The first occurrence of every id whose bits come more than once."""
    seen = IdSet()
    again = {record_id(record) for _, record in start() if not seen.add(record_id(record))}
    first: dict[str, _First] = {}
    for ordinal, (number, record) in enumerate(start()):
        key = record_id(record)
        if key in again and key not in first:
            first[key] = _First(ordinal, number, content_digest(record))
    return first


def record_id(record: Document | Query) -> str:
    """The id of a document or a query."""
    return record.doc_id if isinstance(record, Document) else record.query_id


def content_digest(record: Document | Query) -> bytes:
    """A digest of what counts: title and text. Metadata may differ between copies."""
    digest = hashlib.blake2b(digest_size=16)
    if isinstance(record, Document):
        digest.update(f"{len(record.title)} ".encode())
        digest.update(record.title.encode("utf-8", "surrogatepass"))
    digest.update(record.text.encode("utf-8", "surrogatepass"))
    return digest.digest()
