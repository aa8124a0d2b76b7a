"""Each id once: identical copies are dropped and told, different records under one id are refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from beirkit.corpora.blocks import Batch
from beirkit.corpora.errors import DataError
from beirkit.corpora.notices import Warn, warn
from beirkit.corpora.records import Document, Query
from beirkit.corpora.seen import Seen

if TYPE_CHECKING:
    from beirkit.corpora.keys import Keys

RecordT = TypeVar("RecordT", Document, Query)
Tell = Callable[[int, list[str]], None]


def unique(
    start: Callable[[], Iterable[Batch[RecordT]]],
    *,
    place: str,
    path: Path | str | None = None,
    warn: Warn = warn,
    tell: Tell | None = None,
) -> Iterator[RecordT]:
    """The records of a pass, each id once; see :func:`unique_blocks`.

    Args:
        start: starts a pass.
        place: what the numbers count.
        path: the file, for messages.
        warn: told of what was dropped.
        tell: given how many copies were dropped and up to three of their ids, in the place of ``warn``.
    """
    return chain.from_iterable(unique_blocks(start, place=place, path=path, warn=warn, tell=tell))


def unique_blocks(
    start: Callable[[], Iterable[Batch[RecordT]]],
    *,
    place: str,
    path: Path | str | None = None,
    warn: Warn = warn,
    tell: Tell | None = None,
    are_new: Callable[[Sequence[str]], bool] | None = None,
) -> Iterator[Sequence[RecordT]]:
    """The records of a pass, each id once, by the block.

    As long as no id comes twice only 64 bits of each are kept. When the first one does, the pass begins again
    and keeps 64 bits of each record's content too, so that every later copy is told from a contradiction
    where it stands; what was handed out already is not handed out again.

    Args:
        start: starts a pass; see :func:`beirkit.corpora.blocks.batches` for one over single records.
        place: what the numbers count, for messages: ``"line"`` or ``"record"``.
        path: the file, for messages.
        warn: told of what was dropped.
        tell: given how many copies were dropped and up to three of their ids, in the place of ``warn``.
        are_new: keeps the ids in the place of a :class:`Seen`, for a caller who needs them anyhow.

    Raises:
        DataError: two records under one id differ in title or text; the message names both places.
    """
    are_new = are_new or Seen().add
    done = 0
    for batch in start():
        if not are_new(record_ids(batch.records)):
            break
        yield batch.records
        done += len(batch.records)
    else:
        return
    del are_new
    yield from _with_contents(start, done, place, path, tell or partial(_warn_of, warn, path))


def _warn_of(warn: Warn, path: Path | str | None, copies: int, examples: list[str]) -> None:
    warn(
        f"{path or 'collection'}: {copies} repeated records dropped, "
        f"the same id and text each time (e.g. {', '.join(examples)})"
    )


def _with_contents(
    start: Callable[[], Iterable[Batch[RecordT]]],
    done: int,
    place_name: str,
    path: Path | str | None,
    tell: Tell,
) -> Iterator[Sequence[RecordT]]:
    """A pass that compares contents; the first ``done`` records were handed out before."""
    import numpy as np  # not loaded for a file without repeats, unless it is large

    from beirkit.corpora.keys import KeyTable

    table = KeyTable(values=1)
    apart: dict[str, int] = {}  # contents of ids that share their bits with another id
    dropped, examples = 0, list[str]()
    before = 0  # records of the blocks before this one
    for numbers, records in start():
        rows = record_keys(records)
        new, held = table.add(rows)
        begin = 0  # of what was not handed out of this block
        for place in np.flatnonzero(~new).tolist():
            key, content = record_id(records[place]), int(rows[1, place])
            if apart.get(key, int(held[0, place])) != content:
                first, first_number = _first(start, key)
                if first < before + place:
                    yield _beyond(records, begin, place, done - before)
                    raise _contradiction(records[place], first_number, numbers[place], path, place_name)
                apart[key] = content
                continue
            yield _beyond(records, begin, place, done - before)
            begin = place + 1
            dropped += 1
            examples += [key] if len(examples) < 3 else []
        yield _beyond(records, begin, len(records), done - before)
        before += len(records)
    if dropped:
        tell(dropped, examples)


def _beyond(records: Sequence[RecordT], start: int, end: int, done: int) -> Sequence[RecordT]:
    """The records from ``start`` to ``end`` without the first ``done`` of all."""
    return records[max(start, done, 0) : end]


def record_keys(records: Sequence[Document | Query]) -> Keys:
    """64 bits of each id and 64 of each record's id, title and text, ``(2, n) uint64``.

    Metadata may differ between copies.
    """
    import numpy as np

    from beirkit.corpora.keys import hashes, id_keys

    ids = record_ids(records)
    texts = [record.text for record in records]
    if records and isinstance(records[0], Document):
        titles = [document.title for document in cast("Sequence[Document]", records)]
        return np.stack([id_keys(ids), hashes(zip(ids, titles, texts, strict=True), len(ids))])
    return np.stack([id_keys(ids), hashes(zip(ids, texts, strict=True), len(ids))])


def record_ids(records: Sequence[Document | Query]) -> list[str]:
    """The ids of documents or queries, all of one kind."""
    if records and isinstance(records[0], Document):
        return [record.doc_id for record in cast("Sequence[Document]", records)]
    return [record.query_id for record in cast("Sequence[Query]", records)]


def record_id(record: Document | Query) -> str:
    """The id of a document or a query."""
    return record.doc_id if isinstance(record, Document) else record.query_id


def _first(start: Callable[[], Iterable[Batch[RecordT]]], key: str) -> tuple[int, int]:
    """Which record is the first with an id, from 0, and its number for messages."""
    rows = ((number, record) for batch in start() for number, record in zip(*batch, strict=True))
    return next(
        (ordinal, number) for ordinal, (number, record) in enumerate(rows) if record_id(record) == key
    )


def _contradiction(
    record: Document | Query, first: int, number: int, path: Path | str | None, place: str
) -> DataError:
    kind = "document" if isinstance(record, Document) else "query"
    return DataError(
        f"{kind} id {record_id(record)!r} stands at {place}s {first} and {number} with different texts",
        path=path,
        line=number if place == "line" else None,
        hint="keep one of them, or give them different ids",
    )
