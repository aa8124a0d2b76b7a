"""Each id once: identical copies are dropped and told, different records under one id are refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar, cast

import numpy as np

from beirkit.corpora.blocks import Batch
from beirkit.corpora.errors import DataError
from beirkit.corpora.keys import Keys, KeyTable, hashes, id_keys
from beirkit.corpora.notices import Warn, warn
from beirkit.corpora.records import Document, Query

RecordT = TypeVar("RecordT", Document, Query)


def unique(
    start: Callable[[], Iterable[Batch[RecordT]]],
    *,
    place: str,
    path: Path | str | None = None,
    warn: Warn = warn,
) -> Iterator[RecordT]:
    """The records of a pass, each id once.

    As long as no id comes twice only 64 bits of each are kept. When the first one does, the pass begins again
    and keeps 64 bits of each record's content too, so that every later copy is told from a contradiction
    where it stands; what was handed out already is not handed out again.

    Args:
        start: starts a pass; see :func:`beirkit.corpora.blocks.batches` for one over single records.
        place: what the numbers count, for messages: ``"line"`` or ``"record"``.
        path: the file, for messages.
        warn: told of what was dropped.

    Raises:
        DataError: two records under one id differ in title or text; the message names both places.
    """
    table = KeyTable()
    done = 0
    for batch in start():
        new, _ = table.add(id_keys(record_ids(batch.records))[np.newaxis])
        if not new.all():
            break
        yield from batch.records
        done += len(batch.records)
    else:
        return
    del table
    yield from _with_contents(start, done, place, path, warn)


def _with_contents(
    start: Callable[[], Iterable[Batch[RecordT]]],
    done: int,
    place: str,
    path: Path | str | None,
    warn: Warn,
) -> Iterator[RecordT]:
    """A pass that compares contents; the first ``done`` records were handed out before."""
    table = KeyTable(values=1)
    apart: dict[str, int] = {}  # contents of ids that share their bits with another id
    dropped, examples = 0, list[str]()
    ordinal = -1
    for batch in start():
        rows = record_keys(batch.records)
        new, held = table.add(rows)
        for number, record, is_new, content, known in zip(
            *batch, new.tolist(), rows[1].tolist(), held[0].tolist(), strict=True
        ):
            ordinal += 1
            key = record_id(record)
            if not is_new:
                known = apart.get(key, known)
                if content != known:
                    first, first_number = _first(start, key)
                    if first < ordinal:
                        raise _contradiction(record, first_number, number, place, path)
                    apart[key] = content
                else:
                    dropped += 1
                    examples += [key] if len(examples) < 3 else []
                    continue
            if ordinal >= done:
                yield record
    if dropped:
        warn(
            f"{path or 'collection'}: {dropped} repeated records dropped, "
            f"the same id and text each time (e.g. {', '.join(examples)})"
        )


def record_keys(records: Sequence[Document | Query]) -> Keys:
    """64 bits of each id and 64 of each record's id, title and text, ``(2, n) uint64``.

    Metadata may differ between copies.
    """
    return np.stack([id_keys(record_ids(records)), hashes(map(_content, records), len(records))])


def record_ids(records: Sequence[Document | Query]) -> list[str]:
    """The ids of documents or queries, all of one kind."""
    if records and isinstance(records[0], Document):
        return [record.doc_id for record in cast("Sequence[Document]", records)]
    return [record.query_id for record in cast("Sequence[Query]", records)]


def record_id(record: Document | Query) -> str:
    """The id of a document or a query."""
    return record.doc_id if isinstance(record, Document) else record.query_id


def _content(record: Document | Query) -> tuple[str, ...]:
    if isinstance(record, Document):
        return record.doc_id, record.title, record.text
    return record.query_id, record.text


def _first(start: Callable[[], Iterable[Batch[RecordT]]], key: str) -> tuple[int, int]:
    """Which record is the first with an id, from 0, and its number for messages."""
    rows = ((number, record) for batch in start() for number, record in zip(*batch, strict=True))
    return next(
        (ordinal, number) for ordinal, (number, record) in enumerate(rows) if record_id(record) == key
    )


def _contradiction(
    record: Document | Query, first: int, number: int, place: str, path: Path | str | None
) -> DataError:
    kind = "document" if isinstance(record, Document) else "query"
    return DataError(
        f"{kind} id {record_id(record)!r} stands at {place}s {first} and {number} with different texts",
        path=path,
        line=number if place == "line" else None,
        hint="keep one of them, or give them different ids",
    )
