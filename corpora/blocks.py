"""Records read by the thousand: what makes a large file quick to read while its memory stays small."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from beirkit.corpora.errors import DataError
from beirkit.corpora.files import BOM, is_utf16, open_bytes
from beirkit.corpora.ids import are_sound
from beirkit.corpora.records import Document, Metadata, Query

RecordT = TypeVar("RecordT", Document, Query)

_MANY = 4096  # lines or records of a block
_LONG = 1 << 20  # bytes or characters of a block
_STEP = 128  # lines read at a time
_FEW = 32  # records taken at a time

_METADATA: tuple[str, Any, Any] = ("metadata", Metadata, msgspec.field(default_factory=dict))

_documents = msgspec.json.Decoder(Document)
_fields = msgspec.json.Decoder(dict[str, Any])
_queries = msgspec.json.Decoder(Query)


Decode = Callable[[Sequence[bytes]], list[RecordT] | None]
"""Decodes some lines at once, or none of them."""


class Batch(NamedTuple, Generic[RecordT]):
    """Records that follow each other, with the number of each: its line, or its place."""

    numbers: Sequence[int]
    records: Sequence[RecordT]


def line_blocks(path: Path | str) -> Iterator[tuple[int, list[bytes]]]:
    r"""The number of a first line, from 1, and the lines from there on as they stand, ends included.

    Lines end at ``\n`` only. The first block has one line, without the byte-order mark it may start with. A
    block is complete before an error of the file is raised.

    Raises:
        DataError: the file cannot be read to its end, or is UTF-16.
    """
    number, lines, length = 1, list[bytes](), 0
    with open_bytes(path) as stream:
        try:
            for first in islice(stream, 1):
                if is_utf16(first):
                    raise DataError("is UTF-16, not UTF-8", path=path, line=1, hint="save it as UTF-8")
                yield 1, [first.removeprefix(BOM)]
                number = 2
            while True:
                had = len(lines)
                lines.extend(islice(stream, _STEP))
                if len(lines) == had:
                    break
                length += sum(map(len, lines[had:]))
                if len(lines) >= _MANY or length >= _LONG:
                    yield number, lines
                    number, lines, length = number + len(lines), [], 0
        except DataError:
            if lines:
                yield number, lines
            raise
    if lines:
        yield number, lines


def bare(line: bytes) -> bytes:
    """A line without its end."""
    return line.removesuffix(b"\n").removesuffix(b"\r")


def are_blank(lines: Sequence[bytes]) -> bool:
    """Whether all lines of a block are blank, as those of a file of filler are, by the thousand."""
    return lines[0].isspace() and not b"".join(lines).strip()


def common_documents(lines: Sequence[bytes]) -> list[Document] | None:
    """The documents of some lines where all have BEIR's very shape and sound ids, else None."""
    try:
        documents = [*map(_documents.decode, lines)]
    except (ValueError, RecursionError):
        return None
    if not are_sound([document.doc_id for document in documents]):
        return None
    return documents if _have_texts([document.text for document in documents], lines) else None


def common_queries(lines: Sequence[bytes]) -> list[Query] | None:
    """The queries of some lines where all have BEIR's very shape and sound ids, else None."""
    try:
        queries = [*map(_queries.decode, lines)]
    except (ValueError, RecursionError):
        return None
    return queries if are_sound([query.query_id for query in queries]) else None


def keyed_documents(keys: Mapping[str, str]) -> Decode[Document] | None:
    """:func:`common_documents` for a file that calls things otherwise.

    Args:
        keys: what the file calls ``_id``, ``title`` and ``text``, where it has other names for them.

    Returns:
        None where one name of the file is taken for two things, which only a look at each record sorts out.
    """
    line = _line_of(keys, [("doc_id", str), ("text", str), ("title", str, ""), _METADATA])
    if line is None:
        return None
    decode_line = msgspec.json.Decoder(line).decode

    def decode(lines: Sequence[bytes]) -> list[Document] | None:
        try:
            found: list[Any] = [*map(decode_line, lines)]
        except (ValueError, RecursionError):
            return None
        documents = [Document(one.doc_id, one.title, one.text, one.metadata) for one in found]
        return documents if are_sound([document.doc_id for document in documents]) else None

    return decode


def keyed_queries(keys: Mapping[str, str]) -> Decode[Query] | None:
    """:func:`common_queries` for a file that calls things otherwise; see :func:`keyed_documents`."""
    line = _line_of(keys, [("query_id", str), ("text", str), _METADATA])
    if line is None:
        return None
    decode_line = msgspec.json.Decoder(line).decode

    def decode(lines: Sequence[bytes]) -> list[Query] | None:
        try:
            found: list[Any] = [*map(decode_line, lines)]
        except (ValueError, RecursionError):
            return None
        queries = [Query(one.query_id, one.text, one.metadata) for one in found]
        return queries if are_sound([query.query_id for query in queries]) else None

    return decode


def documents_with_more(keys: Mapping[str, str] | None = None) -> Decode[Document]:
    """A decoder of documents that have keys of their own beside BEIR's, which become their metadata.

    Args:
        keys: what the file calls ``_id``, ``title`` and ``text``, where it has other names for them.
    """
    keys = keys or {}
    names = id_key, title_key, text_key = [keys.get(key, key) for key in ("_id", "title", "text")]
    renamed = frozenset((*keys, "metadata")) - set(names)  # what only a closer look can place
    read = _fields.decode

    def decode(lines: Sequence[bytes]) -> list[Document] | None:
        documents = []
        for line in lines:
            try:
                fields = read(line)
            except (ValueError, RecursionError):
                return None
            if not renamed.isdisjoint(fields):
                return None
            take = fields.pop
            doc_id, title, text = take(id_key, None), take(title_key, ""), take(text_key, None)
            if not (isinstance(doc_id, str) and isinstance(title, str) and isinstance(text, str)):
                return None
            documents.append(Document(doc_id, title, text, fields))
        return documents if are_sound([document.doc_id for document in documents]) else None

    return decode


def _line_of(keys: Mapping[str, str], fields: Sequence[Any]) -> type[msgspec.Struct] | None:
    """The structure of a line in which BEIR's keys have other names; None where two get one name."""
    beirs = {"doc_id": "_id", "query_id": "_id"}
    names = {name: keys.get(beirs.get(name, name), beirs.get(name, name)) for name, *_ in fields}
    if len(set(names.values())) < len(names):
        return None
    return msgspec.defstruct("Line", fields, rename=names, forbid_unknown_fields=True, gc=False)


def counted(records: Iterable[RecordT]) -> Iterator[Batch[RecordT]]:
    """Records in batches of some thousand, or of some million characters, numbered from 1.

    An error of the source comes after the records before it.
    """
    source = iter(records)
    first, batch, length = 1, list[RecordT](), 0
    try:
        while True:
            had = len(batch)
            batch.extend(islice(source, _FEW))
            if len(batch) == had:
                break
            length += sum([len(record.text) for record in batch[had:]])
            if len(batch) >= _MANY or length > _LONG:
                yield Batch(range(first, first + len(batch)), batch)
                first, batch, length = first + len(batch), [], 0
    except DataError:
        if batch:
            yield Batch(range(first, first + len(batch)), batch)
        raise
    if batch:
        yield Batch(range(first, first + len(batch)), batch)


def batches(records: Iterable[tuple[int, RecordT]]) -> Iterator[Batch[RecordT]]:
    """Numbered records in batches that grow from a few to some thousand, or to some million characters.

    An error of the source comes after the records before it.
    """
    numbers, batch = list[int](), list[RecordT]()
    size, length = 16, 0
    try:
        for number, record in records:
            numbers.append(number)
            batch.append(record)
            length += len(record.text)
            if len(batch) >= size or length > _LONG:
                yield Batch(numbers, batch)
                numbers, batch, length = [], [], 0
                size = min(2 * size, _MANY)
    except DataError:
        if batch:
            yield Batch(numbers, batch)
        raise
    if batch:
        yield Batch(numbers, batch)


def _have_texts(texts: Sequence[str], lines: Sequence[bytes]) -> bool:
    """Whether every document has the key; to the decoder a text that is missing is an empty one."""
    if all(texts):
        return True
    return all(text or b'"text"' in line for text, line in zip(texts, lines, strict=True))
