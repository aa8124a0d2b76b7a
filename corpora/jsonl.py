"""One line of corpus.jsonl or queries.jsonl: from bytes to a record."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import msgspec

from beirkit.corpora.blocks import (
    Batch,
    Decode,
    are_blank,
    bare,
    batches,
    common_documents,
    common_queries,
    documents_with_more,
    keyed_documents,
    keyed_queries,
    line_blocks,
)
from beirkit.corpora.errors import DataError
from beirkit.corpora.findings import Refused
from beirkit.corpora.ids import id_problem
from beirkit.corpora.notices import Warn, warn
from beirkit.corpora.records import Document, Metadata, Query
from beirkit.corpora.unique import unique


class _DocumentLine(msgspec.Struct, gc=False, forbid_unknown_fields=True, rename={"doc_id": "_id"}):
    doc_id: str
    text: str
    title: str = ""
    metadata: Metadata = {}


class _QueryLine(msgspec.Struct, gc=False, forbid_unknown_fields=True, rename={"query_id": "_id"}):
    query_id: str
    text: str
    metadata: Metadata = {}


_document_line = msgspec.json.Decoder(_DocumentLine)
_query_line = msgspec.json.Decoder(_QueryLine)
_any_line = msgspec.json.Decoder()
_MISSING = object()

RecordT = TypeVar("RecordT", Document, Query)
Keys = Mapping[str, str]
"""Under which keys a file has what BEIR calls ``_id``, ``title`` and ``text``, such as ``{"_id": "id"}``."""


class WithoutId(Refused):
    """A record has no id: no key, null, or an empty text."""


def parse_document(line: bytes, keys: Keys | None = None) -> Document:
    """A document from one line.

    The common shape is decoded straight into a structure; whatever does not fit is looked at again, piece
    by piece, to accept the variants that lose nothing and to say exactly what is wrong with the rest.

    Raises:
        Refused: the line is no document.
    """
    try:
        raw = None if keys else _document_line.decode(line)
    except (ValueError, RecursionError):
        raw = None
    if raw is None:
        fields = _renamed(_object(line), keys)
        doc_id = _record_id(fields)
        title = _text(fields, "title", default="")
        text = _text(fields, "text", null="")
        return Document(doc_id, title, text, _metadata(fields, ("_id", "title", "text")))
    if not raw.doc_id.isprintable() or not raw.doc_id:
        _require_id(raw.doc_id)
    return Document(raw.doc_id, raw.title, raw.text, raw.metadata)


def parse_query(line: bytes, keys: Keys | None = None) -> Query:
    """A query from one line.

    Raises:
        Refused: the line is no query.
    """
    try:
        raw = None if keys else _query_line.decode(line)
    except (ValueError, RecursionError):
        raw = None
    if raw is None:
        fields = _renamed(_object(line), keys)
        query_id = _record_id(fields)
        return Query(query_id, _text(fields, "text"), _metadata(fields, ("_id", "text")))
    if not raw.query_id.isprintable() or not raw.query_id:
        _require_id(raw.query_id)
    return Query(raw.query_id, raw.text, raw.metadata)


def read_documents(
    path: Path,
    *,
    repair: bool = False,
    skip_without_id: bool = False,
    keys: Keys | None = None,
    warn: Warn = warn,
) -> Iterator[Document]:
    """The documents of a ``corpus.jsonl``, each id once, in file order.

    Args:
        path: the file.
        repair: take apart lines on which several records stand.
        skip_without_id: leave out records without an id, and count them.
        keys: how the file calls ``_id``, ``title`` and ``text``, where it has other names for them.
        warn: told of what was dropped.

    Raises:
        DataError: a line is damaged or no document, or an id stands for two texts; with path and line.
    """
    rows = partial(
        _batches,
        path,
        partial(parse_document, keys=keys) if keys else parse_document,
        [keyed_documents(keys) if keys else common_documents, documents_with_more(keys)],
        repair=repair,
        skip_without_id=skip_without_id,
        warn=warn,
    )
    return _each_once(rows, path, warn)


def read_queries(
    path: Path,
    *,
    repair: bool = False,
    skip_without_id: bool = False,
    keys: Keys | None = None,
    warn: Warn = warn,
) -> Iterator[Query]:
    """The queries of a ``queries.jsonl``, each id once, in file order; see :func:`read_documents`."""
    rows = partial(
        _batches,
        path,
        partial(parse_query, keys=keys) if keys else parse_query,
        [keyed_queries(keys) if keys else common_queries],
        repair=repair,
        skip_without_id=skip_without_id,
        warn=warn,
    )
    return _each_once(rows, path, warn)


def _each_once(rows: Callable[[], Iterable[Batch[RecordT]]], path: Path, warn: Warn) -> Iterator[RecordT]:
    return unique(rows, place="line", path=path, warn=warn)


def _batches(
    path: Path,
    parse: Callable[[bytes], RecordT],
    decoders: Sequence[Decode[RecordT] | None],
    *,
    repair: bool,
    skip_without_id: bool,
    warn: Warn,
) -> Iterator[Batch[RecordT]]:
    """The records with their line numbers: whole blocks where a decoder can, line by line elsewhere."""
    skipped: list[int] | None = [] if skip_without_id else None
    for number, lines in line_blocks(path):
        if are_blank(lines):
            continue
        found = (decode(lines) for decode in decoders if decode is not None)
        records = next((records for records in found if records is not None), None)
        if records is None:
            yield from batches(_numbered(enumerate(lines, number), path, parse, repair, skipped))
        else:
            yield Batch(range(number, number + len(lines)), records)
    if skipped:
        plural = "record" if len(skipped) == 1 else "records"
        where = ", ".join(map(str, skipped[:3]))
        warn(f"{path}: {len(skipped)} {plural} without an id left out (line {where})")


def _numbered(
    lines: Iterable[tuple[int, bytes]],
    path: Path,
    parse: Callable[[bytes], RecordT],
    repair: bool,
    skipped: list[int] | None,
) -> Iterator[tuple[int, RecordT]]:
    """Each record with its line number; blank lines are skipped.

    Args:
        lines: numbered lines.
        path: the file, for messages.
        parse: reads one line.
        repair: take apart lines on which several records stand.
        skipped: told the lines of records without an id, which are then left out; None: they are refused.
    """
    for number, end_and_all in lines:
        line = bare(end_and_all)
        try:
            record = parse(line)
        except Refused as refused:
            if not line.strip():
                continue
            if skipped is not None and isinstance(refused, WithoutId):
                skipped.append(number)
                continue
            parts = records_on(line) if repair else []
            if len(parts) < 2:
                raise DataError(refused.found, path=path, line=number, hint=refused.todo) from refused
            yield from ((number, _part(parse, part, path, number)) for part in parts)
        else:
            yield number, record


def _part(parse: Callable[[bytes], RecordT], part: bytes, path: Path, number: int) -> RecordT:
    try:
        return parse(part)
    except Refused as refused:
        raise DataError(refused.found, path=path, line=number, hint=refused.todo) from refused


def records_on(line: bytes) -> list[bytes]:
    """The parts of a line on which whole JSON objects follow each other; empty where that is not so."""
    text = line.decode("utf-8", "replace").rstrip()
    decoder = json.JSONDecoder()
    parts: list[bytes] = []
    end = 0
    while end < len(text):
        start = end
        while text[start].isspace():
            start += 1
        try:
            _, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            return []
        parts.append(text[start:end].encode("utf-8", "surrogatepass"))
    return parts


def _object(line: bytes) -> dict[str, Any]:
    try:
        value = _any_line.decode(line)
    except (ValueError, RecursionError) as error:
        _explain(line, error)
    if not isinstance(value, dict):
        kind = {list: "an array", str: "a string", type(None): "null"}.get(type(value), "a bare value")
        raise Refused("BK003", f"is not a JSON object but {kind}", "each line holds one object")
    return value


def _renamed(fields: dict[str, Any], keys: Keys | None) -> dict[str, Any]:
    """A record under BEIR's own keys; what a file has under such a key and means otherwise gets a ``_``."""
    if not keys:
        return fields
    names = {theirs: ours for ours, theirs in keys.items()}
    return {
        names.get(key, f"{key}_" if key in keys and keys[key] in fields else key): value
        for key, value in fields.items()
    }


def _record_id(fields: dict[str, Any]) -> str:
    value = fields.get("_id", _MISSING)
    if value is _MISSING:
        keys = ", ".join(repr(key) for key in fields) or "none"
        todo = 'rename the key "id" to "_id"' if "id" in fields else "every record needs one"
        raise WithoutId("BK005", f'has no "_id"; its keys: {keys}', todo)
    if value is None:
        raise WithoutId("BK004", '"_id" is null, neither a string nor an integer', "every record needs an id")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise Refused(
            "BK004", f'"_id" is {_shown(value)}, neither a string nor an integer', "write ids as strings"
        )
    _require_id(value)
    return value


def _require_id(value: str) -> None:
    problem = id_problem(value)
    if not value:
        raise WithoutId("BK007", f"id {value!r} {problem}", "give the record an id")
    if problem:
        raise Refused("BK007", f"id {value!r} {problem}", "give the record an id without it")


def _text(fields: dict[str, Any], key: str, *, default: str | None = None, null: str | None = None) -> str:
    value = fields.get(key, _MISSING)
    if isinstance(value, str):
        return value
    fallback = default if null is None else null
    if value is None and fallback is not None:
        return fallback
    if value is _MISSING:
        if default is not None:
            return default
        keys = ", ".join(repr(name) for name in fields)
        raise Refused(
            "BK005", f'has no "{key}"; its keys: {keys}', "an empty text is written as an empty string"
        )
    raise Refused("BK004", f'"{key}" is not a string but {_shown(value)}', "write it as a string")


def _metadata(fields: dict[str, Any], known: tuple[str, ...]) -> Metadata:
    """The metadata object with every other key of the record beside it; nothing is lost."""
    given = fields.get("metadata")
    metadata: Metadata
    if given is None:
        metadata = {}
    elif isinstance(given, dict):
        metadata = dict(given)
    else:  # a table or text in the place of the object
        metadata = {"metadata": given}
    for key, value in fields.items():
        if key in known or key == "metadata":
            continue
        if key in metadata and metadata[key] != value:
            while key in metadata:  # both have it and differ: the one from outside gets another name
                key += "_"
        metadata[key] = value
    return metadata


def _shown(value: Any) -> str:
    return msgspec.json.encode(value).decode()[:60]


def _not_finite(value: Any) -> str:
    """The first number within a value that is NaN or infinite; empty where none is."""
    if isinstance(value, float):
        return "" if value - value == 0 else str(value)
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next(filter(None, map(_not_finite, inner)), "")


def _explain(line: bytes, error: Exception) -> NoReturn:
    """Say what is wrong with a line that is not JSON, in the words of whoever wrote it."""
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as problem:
        raise Refused(
            "BK008", f"is not UTF-8 at byte {problem.start + 1} of the line", "save it as UTF-8"
        ) from None
    start = len(text) - len(text.lstrip())
    try:
        value, end = json.JSONDecoder().raw_decode(text, start)
    except json.JSONDecodeError as problem:
        found = f"is not JSON at column {problem.colno}: {problem.msg}"
        raise Refused("BK002", found, "the line is damaged or cut") from None
    except (ValueError, RecursionError):
        found = "is nested too deeply, or holds a number of thousands of digits"
        raise Refused("BK002", found, "the line is damaged, or needs flatter metadata") from None
    rest = text[end:].lstrip()
    if rest.startswith(("{", "[")):
        column_of_next = len(text) - len(rest) + 1
        raise Refused(
            "BK002",
            f"several records on one line: the second starts at column {column_of_next}",
            "put each record on its own line, or open the folder with repair",
        ) from None
    if rest:
        raise Refused(
            "BK002", f"is not JSON: {rest[:20]!r} follows the record", "the line is damaged"
        ) from None
    if isinstance(value, dict):
        for key, field in value.items():
            if isinstance(field, float) and field - field != 0:  # NaN or infinite
                kind = "a string" if key in ("_id", "title", "text") else "JSON"
                raise Refused("BK004", f'"{key}" is not {kind} but {field}', "JSON knows no NaN") from None
            if odd := _not_finite(field):
                found = f'"{key}" holds {odd}, which is no JSON'
                raise Refused("BK004", found, "JSON knows no NaN and no infinity") from None
    if "\\u" in text and any("\ud800" <= char <= "\udfff" for char in json.dumps(value, ensure_ascii=False)):
        raise Refused(
            "BK008", "holds half of a surrogate pair, which is no character", "write whole characters"
        )
    raise Refused("BK002", f"is not JSON: {error}", "the line is damaged") from None
