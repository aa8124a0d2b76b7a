"""What is wrong with a BEIR folder, all of it: no defect hides the next one."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

import msgspec

from beirkit.corpora.errors import DataError
from beirkit.corpora.files import open_bytes
from beirkit.corpora.findings import Finding, Refused, Report
from beirkit.corpora.jsonl import parse_document, parse_query, records_on
from beirkit.corpora.keys import IdSet
from beirkit.corpora.layout import find_qrels
from beirkit.corpora.manifest import has_manifest, verify_manifest
from beirkit.corpora.qrels_lines import QrelsParser
from beirkit.corpora.records import Document, Judgment, Query
from beirkit.corpora.unique import record_id

RecordT = TypeVar("RecordT", Document, Query)


def check_folder(path: Path | str) -> list[Finding]:
    """Every defect of a BEIR folder, file by file in the order of their lines.

    Args:
        path: the folder.

    Returns:
        the findings; empty for a folder without fault. The sum of their ``count`` is the number of defects.

    Raises:
        DataError: ``path`` is no folder.
    """
    folder = Path(path)
    if not folder.is_dir():
        raise DataError("is not a folder" if folder.exists() else "does not exist", path=folder)
    report = Report()
    documents = _check_records(folder, "corpus.jsonl", _Kind(parse_document, _look_at_document), report)
    queries = _check_records(folder, "queries.jsonl", _Kind(parse_query, _look_at_query), report)
    try:
        qrels = find_qrels(folder)
    except DataError as error:
        report.add("BK001", "qrels", None, error.found, error.hint)
        qrels = {}
    if not qrels:
        report.add(
            "BK031", "qrels", None, "there is no qrels/<split>.tsv", "without judgments nothing is scored"
        )
    for split, file in qrels.items():
        _check_qrels(split, file, file.relative_to(folder).as_posix(), documents, queries, report)
    _check_manifest(folder, report)
    return report.findings()


@dataclass(frozen=True)
class _Kind(Generic[RecordT]):
    """How one kind of record is parsed, and what else is looked at in it: code, found, to do."""

    parse: Callable[[bytes], RecordT]
    look: Callable[[RecordT, bytes], Iterator[tuple[str, str, str]]]


def _look_at_document(document: Document, line: bytes) -> Iterator[tuple[str, str, str]]:
    if not document.title.strip() and not document.text.strip():
        yield "BK010", f"document {document.doc_id!r} has neither title nor text", "it can never be found"
    if not document.title and b"null" in line and _is_null(line, "title"):
        yield "BK012", f"the title of document {document.doc_id!r} is null", "write an empty string"
    if not document.text and b"null" in line and _is_null(line, "text"):
        yield "BK012", f"the text of document {document.doc_id!r} is null", "write an empty string"


def _look_at_query(query: Query, line: bytes) -> Iterator[tuple[str, str, str]]:
    if not query.text.strip():
        yield "BK011", f"query {query.query_id!r} has no text", "it can find nothing"


def _is_null(line: bytes, key: str) -> bool:
    value: Any = msgspec.json.decode(line)
    return value.get(key, "") is None


def _check_records(folder: Path, name: str, kind: _Kind[RecordT], report: Report) -> IdSet | None:
    """Check one JSON lines file; the ids it holds, None where it cannot be read."""
    plain, packed = folder / name, folder / f"{name}.gz"
    if plain.is_file() and packed.is_file():
        report.add("BK001", name, None, f"both {name} and {name}.gz are there", "remove the one out of date")
    path = plain if plain.is_file() else packed
    if not path.is_file():
        report.add("BK001", name, None, "is missing", "a BEIR folder needs it")
        return None
    ids = IdSet()
    again: set[str] = set()
    try:
        for number, line in _lines(path, path.name, report):
            for record in _parsed(line, number, path.name, kind, report):
                if not ids.add(record_id(record)):
                    again.add(record_id(record))
        if again:
            _tell_repeats(path, again, kind, report)
    except DataError as error:
        report.add("BK001", path.name, error.line, error.found, error.hint)
        return None  # what was not read may hold every id that seems to be missing
    return ids


def _parsed(line: bytes, number: int, name: str, kind: _Kind[RecordT], report: Report) -> Iterator[RecordT]:
    """The records of a line: one, or none with a finding, or several with one finding for their being so."""
    try:
        record = kind.parse(line)
    except Refused as refused:
        report.add(refused.code, name, number, refused.found, refused.todo)
        parts = records_on(line)
        if len(parts) > 1:  # their ids count, so that judgments are not called orphans for this
            for part in parts:
                yield from _parsed(part, number, name, kind, report)
        return
    for code, found, todo in kind.look(record, line):
        report.add(code, name, number, found, todo)
    yield record


def _tell_repeats(path: Path, again: set[str], kind: _Kind[RecordT], report: Report) -> None:
    """A second pass over a file in which ids come more than once, to say where and with what."""
    first: dict[str, tuple[int, bytes]] = {}
    silent = Report()
    for number, line in _lines(path, path.name, silent):
        for record in _parsed(line, number, path.name, kind, silent):
            key = record_id(record)
            if key not in again:
                continue
            digest = repr(msgspec.structs.astuple(record)[:-1]).encode()
            if key not in first:
                first[key] = (number, digest)
                continue
            line_of_first, known = first[key]
            if known == digest:
                found = f"id {key!r} is repeated, as on line {line_of_first}"
                report.add("BK009", path.name, number, found, "one copy counts; remove the others")
            else:
                found = f"id {key!r} stands on lines {line_of_first} and {number} with different texts"
                report.add("BK006", path.name, number, found, "give them different ids")


def _check_qrels(
    split: str, path: Path, name: str, documents: IdSet | None, queries: IdSet | None, report: Report
) -> None:
    parser = QrelsParser()
    judged: dict[str, dict[str, tuple[int, int]]] = {}
    try:
        for number, line in _lines(path, name, report):
            quoted = parser.quoted
            try:
                judgment = parser.parse(line)
            except Refused as refused:
                report.add(refused.code, name, number, refused.found, refused.todo)
                continue
            if judgment is None:
                continue
            if parser.quoted > quoted:
                report.add(
                    "BK029", name, number, "an id stands in quotes", "if they are no part of it, remove them"
                )
            _check_pair(judgment, number, name, judged, report)
    except DataError as error:
        report.add("BK001", name, error.line, error.found, error.hint)
    if parser.form == "trec":
        todo = "write query-id, corpus-id and score between tabs; BEIR's own reader knows no other form"
        report.add("BK019", name, 1, "has TREC's four columns", todo)
    elif parser.form == "table" and parser.header is None:
        report.add(
            "BK020", name, 1, "has no header", "BEIR's own reader skips the first line, a judgment here"
        )
    elif not parser.in_order:
        found = f"the header is {' '.join(parser.header or [])!r}; the columns are taken by their names"
        report.add("BK021", name, 1, found, "other readers take query, document and grade in this order")
    elif not parser.header_known:
        found = f"the header is {' '.join(parser.header or [])!r}; the columns are taken in BEIR's order"
        report.add("BK021", name, 1, found, "name them query-id, corpus-id, score")
    if not judged:
        report.add("BK030", name, None, f"split {split!r} holds no judgments", "remove the file or fill it")
    _check_coverage(judged, name, documents, queries, report)


def _check_pair(
    judgment: Judgment, number: int, name: str, judged: dict[str, dict[str, tuple[int, int]]], report: Report
) -> None:
    row = judged.setdefault(judgment.query_id, {})
    pair = f"query {judgment.query_id!r} and document {judgment.doc_id!r}"
    known = row.get(judgment.doc_id)
    if known is None:
        row[judgment.doc_id] = (number, judgment.relevance)
    elif known[1] == judgment.relevance:
        found = f"{pair} are judged again, as on line {known[0]}"
        report.add("BK024", name, number, found, "one copy counts; remove the others")
    else:
        found = f"{pair} are judged {known[1]} on line {known[0]} and {judgment.relevance} here"
        report.add("BK025", name, number, found, "keep one of the grades")


def _check_coverage(
    judged: dict[str, dict[str, tuple[int, int]]],
    name: str,
    documents: IdSet | None,
    queries: IdSet | None,
    report: Report,
) -> None:
    """Judged ids that exist nowhere, as far as the other file could be read; queries without positives."""
    for query_id, row in judged.items():
        first = min(line for line, _ in row.values())
        if queries is not None and query_id not in queries:
            found = f"query {query_id!r} is judged and has no text"
            todo = _twin(query_id, queries) or "add it to queries.jsonl or remove its judgments"
            report.add("BK027", name, first, found, todo)
        if not any(grade > 0 for _, grade in row.values()):
            found = f"query {query_id!r} has no relevant document"
            report.add("BK028", name, first, found, "it scores 0 whatever is found")
        if documents is None:
            continue
        for doc_id, (line, _) in row.items():
            if doc_id not in documents:
                found = f"document {doc_id!r}, judged for query {query_id!r}, is not in the corpus"
                todo = _twin(doc_id, documents) or "it stays in the ideal ranking, so 1.0 is out of reach"
                report.add("BK026", name, line, found, todo)


def _twin(value: str, ids: IdSet) -> str:
    """A hint at an id that looks the same and is composed of other characters."""
    forms: tuple[Literal["NFC", "NFD"], ...] = ("NFC", "NFD")
    for form in forms:
        twin = unicodedata.normalize(form, value)
        if twin != value and twin in ids:
            return f"the same id is there in Unicode form {form}; ids are compared byte for byte"
    return ""


def _check_manifest(folder: Path, report: Report) -> None:
    if not has_manifest(folder):
        return
    try:
        differences = verify_manifest(folder)
    except DataError:  # another tool's manifest, or a folder whose missing files are told already
        return
    for difference in differences:
        report.add("BK040", "manifest.json", None, difference, "convert again, or remove manifest.json")


def _lines(path: Path, name: str, report: Report) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with what is odd about their ends told once for the file."""
    crlf = 0
    with open_bytes(path) as stream:
        for number, line in enumerate(stream, 1):
            if number == 1 and line.startswith(b"\xef\xbb\xbf"):
                line = line[3:]
                report.add(
                    "BK013", name, 1, "starts with a byte-order mark", "harmless here; other readers stumble"
                )
            text = line.removesuffix(b"\n")
            if text.endswith(b"\r"):
                text = text[:-1]
                crlf += 1
            if text.strip():
                yield number, text
    if crlf:
        report.add(
            "BK014", name, None, f"{crlf} lines end with CR LF", "harmless here; other readers keep the CR"
        )
