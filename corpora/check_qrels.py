"""What is wrong with one judgment file, by itself and against corpus and queries."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from beirkit.corpora.blocks import are_blank, bare, line_blocks
from beirkit.corpora.check_records import Ids, check_start, line_key, place_in_file
from beirkit.corpora.check_tally import Tally
from beirkit.corpora.errors import DataError
from beirkit.corpora.findings import Refused, Report, counted
from beirkit.corpora.keys import KeyTable, hashes
from beirkit.corpora.progress import Advance
from beirkit.corpora.qrels_lines import MAX_GRADE, QrelsParser, is_header_of_pairs, lines_within
from beirkit.corpora.records import Judgment


@dataclass
class Judged:
    """What a split judges.

    Attributes:
        path: its file.
        first: every judged query with the line of its first judgment; negative once it has a positive one.
        refused: the queries that lines which could not be read seem to judge.
    """

    path: Path
    first: dict[str, int] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)

    def add(self, judgment: Judgment, line: int) -> None:
        """Count a judgment."""
        known = self.first.setdefault(judgment.query_id, line)
        if judgment.relevance > 0 and known > 0:
            self.first[judgment.query_id] = -known


def check_qrels(
    split: str,
    path: Path,
    name: str,
    documents: Ids | None,
    queries: Ids | None,
    report: Report,
    advance: Advance,
) -> Judged:
    """Check one judgment file.

    Args:
        split: what the file judges.
        path: the file.
        name: its name in messages.
        documents: the ids of the corpus; None where it could not be read.
        queries: the ids of the queries; None where they could not be read.
        report: told of every defect.
        advance: told how many judgments were read.
    """
    parser = QrelsParser()
    pairs = KeyTable(keys=2, values=2)
    judged = Judged(path)
    try:
        for numbers, rows in _rows(path, name, parser, report, judged.refused):
            advance(len(rows))
            for number, row in zip(numbers, rows, strict=True):
                judged.add(row, number)
            new = _check_pairs(numbers, rows, name, pairs, report)
            if documents is not None:
                _check_documents(numbers, rows, new, name, documents, report)
    except DataError as error:
        report.add("BK001", name, error.line, error.found, error.hint)
    _check_form(parser, name, report)
    if not judged.first and not judged.refused:
        report.add("BK030", name, None, f"split {split!r} holds no judgments", "remove the file or fill it")
    _check_queries(judged, name, queries, report)
    return judged


def readable_rows(path: Path) -> Iterator[tuple[int, Judgment]]:
    """The judgments that can be read, with their lines; nothing is told of the others."""
    with suppress(DataError):
        for numbers, rows in _rows(path, path.name, QrelsParser(), Report(cap=0), set()):
            yield from zip(numbers, rows, strict=True)


def _rows(
    path: Path, name: str, parser: QrelsParser, report: Report, lost: set[str]
) -> Iterator[tuple[list[int], list[Judgment]]]:
    """The judgments of each block with their lines; what is wrong with a line is told.

    ``lost`` takes the queries of the lines that cannot be read.
    """
    carriage_returns = 0
    seen = {"blank": Tally(), "comment": Tally(), "decimal": Tally()}
    offset = check_start(path, name, report)
    for first, lines in line_blocks(path):
        if are_blank(lines):
            carriage_returns += sum([line.endswith(b"\r\n") for line in lines])
            offset += sum(map(len, lines))
            seen["blank"].add_blank(len(lines), first)
            continue
        numbers, rows = list[int](), list[Judgment]()
        for number, line, whole in _each(lines, first, name, report):
            carriage_returns += whole.endswith(b"\r\n")
            quoted, decimals, header = parser.quoted, parser.decimals, parser.header
            try:
                row = parser.parse(line)
            except Refused as refused:
                row = None
                if parser.form is None and is_header_of_pairs(line):
                    offset += len(whole)
                    continue
                lost.add(parser.query_of(line))
                found = refused.found + place_in_file(line, offset)
                report.add(refused.code, name, number, found, refused.todo, key=line_key(line))
            else:
                if row is None and parser.header is header:
                    if text := line.decode("utf-8", "replace").strip():
                        seen["comment"].add(text, number)
                    else:
                        seen["blank"].add_blank(1, number)
                elif row is not None and parser.decimals > decimals:
                    seen["decimal"].add(_pair(row), number)
            offset += len(whole)
            if row is None:
                continue
            numbers.append(number)
            rows.append(row)
            if parser.quoted > quoted:
                todo = "if they are no part of it, remove them"
                report.add("BK029", name, number, "an id stands in quotes", todo, key=_pair(row))
        if rows:
            yield numbers, rows
    if carriage_returns:
        found = counted(carriage_returns, "line ends", "lines end") + " with CR LF"
        report.add("BK014", name, None, found, "harmless here; other readers keep the CR")
    for code, what, one, many, todo in (
        ("BK046", "blank", "line is blank", "lines are blank", "harmless here; beir's reader stops"),
        ("BK047", "decimal", "grade is", "grades are", "write whole numbers; beir's reader stops"),
        ("BK049", "comment", "line is a comment", "lines are comments", "remove them; other readers stop"),
    ):
        tally = seen[what]
        if tally.count and (what != "decimal" or parser.form == "table"):
            found = counted(tally.count, one, many) + " written as 1.0" * (what == "decimal")
            key = tally.key if what != "blank" else ""
            report.add(code, name, tally.line, found, todo, key=key, count=tally.count)


def _each(lines: list[bytes], first: int, name: str, report: Report) -> Iterator[tuple[int, bytes, bytes]]:
    """Each line with its number, without its end and with it; one that CR alone parts is told and parted."""
    for number, whole in enumerate(lines, first):
        line = bare(whole)
        parts = lines_within(line) if b"\r" in line else []
        if not parts:
            yield number, line, whole
            continue
        found = f"its {len(parts)} lines end with CR alone, which is no line end here"
        report.add("BK059", name, number, found, "convert the line ends; --fix does", key=line_key(line))
        for part in parts:
            yield number, part, part


def _check_form(parser: QrelsParser, name: str, report: Report) -> None:
    if parser.at_blanks:
        report.add("BK048", name, 1, "has blanks between its columns", "write tabs; beir's reader stops")
    if parser.form == "trec":
        todo = "write query-id, corpus-id and score between tabs; BEIR's own reader knows no other form"
        report.add("BK019", name, 1, "has TREC's four columns", todo)
    elif parser.form == "table" and parser.header is None and not parser.unclear:
        todo = "BEIR's own reader skips the first line, a judgment here"
        report.add("BK020", name, 1, "has no header", todo)
    elif not parser.in_order:
        found = f"the header is {' '.join(parser.header or [])!r}; the columns are taken by their names"
        report.add("BK021", name, 1, found, "other readers take query, document and grade in this order")
    elif not parser.header_known:
        found = f"the header is {' '.join(parser.header or [])!r}; the columns are taken in BEIR's order"
        report.add("BK021", name, 1, found, "name them query-id, corpus-id, score")


def _check_pairs(
    numbers: list[int], rows: list[Judgment], name: str, pairs: KeyTable, report: Report
) -> npt.NDArray[np.bool_]:
    """Tell pairs that come again and grades below 0; ``(n,) bool`` whether each pair is new.

    A pair is known by 128 bits, so that one that is told is one.
    """
    there = hashes(((row.query_id, row.doc_id) for row in rows), len(rows))
    back = hashes(((row.doc_id, row.query_id, "") for row in rows), len(rows))
    grades = np.array([row.relevance for row in rows], np.int64)
    lines = np.array(numbers, np.uint64)
    new, held = pairs.add(np.stack([there, back, lines, grades.view(np.uint64)]))
    for place in np.flatnonzero(~new).tolist():
        row, number = rows[place], numbers[place]
        first, grade = int(held[0, place]), int(held[1].view(np.int64)[place])
        pair = f"query {row.query_id!r} and document {row.doc_id!r}"
        if grade == row.relevance:
            found = f"{pair} are judged again, as on line {first}"
            report.add("BK024", name, number, found, "one copy counts; remove the others", key=_pair(row))
        else:
            found = f"{pair} are judged {grade} on line {first} and {row.relevance} here"
            report.add("BK025", name, number, found, "keep one of the grades", key=_pair(row))
    for place in np.flatnonzero(new & (grades < 0)).tolist():
        row = rows[place]
        found = f"document {row.doc_id!r} is judged {row.relevance} for query {row.query_id!r}"
        todo = "trec_eval gives it no gain; map it to 0 where other tools will read it"
        report.add("BK037", name, numbers[place], found, todo, key=_pair(row))
    for place in np.flatnonzero(new & (abs(grades) > MAX_GRADE)).tolist():
        row = rows[place]
        found = f"document {row.doc_id!r} is judged {row.relevance} for query {row.query_id!r}"
        todo = f"grades beyond {MAX_GRADE} are refused when runs are scored; map them to small whole numbers"
        report.add("BK057", name, numbers[place], found, todo, key=_pair(row))
    return new


def _check_documents(
    numbers: list[int],
    rows: list[Judgment],
    new: npt.NDArray[np.bool_],
    name: str,
    documents: Ids,
    report: Report,
) -> None:
    there = documents.exact.has([row.doc_id for row in rows])
    for place in np.flatnonzero(new & ~there).tolist():
        row = rows[place]
        what = f"document {row.doc_id!r}, judged for query {row.query_id!r},"
        if documents.has_twin(row.doc_id):
            what = f"document {row.doc_id!a}, judged for query {row.query_id!r},"
            found = f"{what} is in the corpus in another Unicode form only"
            found += _named(documents.twin(row.doc_id))
            report.add("BK032", name, numbers[place], found, _SAME_FORM, key=_pair(row))
        elif documents.complete and len(documents.exact):
            todo = _spelling(row.doc_id, documents) or "it stays in the ideal ranking, so 1.0 is out of reach"
            report.add("BK026", name, numbers[place], f"{what} is not in the corpus", todo, key=_pair(row))
    for place in np.flatnonzero(new & there).tolist():
        row = rows[place]
        if row.query_id == row.doc_id and row.relevance > 0:
            found = f"query {row.query_id!r} is judged relevant to the document of its own id"
            todo = "protocols that remove a query's own id from its results (beir, mteb) remove this answer"
            report.add("BK035", name, numbers[place], found, todo, key=_pair(row))


def _check_queries(judged: Judged, name: str, queries: Ids | None, report: Report) -> None:
    """Judged queries that exist nowhere, as far as the file could be read, and those without positives."""
    asked = list(judged.first)
    there = [True] * len(asked) if queries is None else queries.exact.has(asked).tolist()
    for (query_id, line), is_there in zip(judged.first.items(), there, strict=True):
        if queries is not None and not is_there:
            if queries.has_twin(query_id):
                found = f"query {query_id!a} is judged, and its text has the id in another Unicode form"
                found += _named(queries.twin(query_id))
                report.add("BK032", name, abs(line), found, _SAME_FORM, key=query_id)
            elif queries.complete and len(queries.exact):
                todo = _spelling(query_id, queries) or "add it to queries.jsonl or remove its judgments"
                found = f"query {query_id!r} is judged and has no text"
                report.add("BK027", name, abs(line), found, todo, key=query_id)
        if line > 0 and query_id not in judged.refused:
            found = f"query {query_id!r} has no relevant document"
            report.add("BK028", name, line, found, "it scores 0 whatever is found", key=query_id)


def _named(twin: str) -> str:
    return f": {twin}" if twin else ""


_SAME_FORM = "ids are compared byte for byte; write both in one Unicode form"

# How one id comes to be written in two ways.
_SPELLINGS: tuple[Callable[[str], str], ...] = (
    str.strip,
    str.lower,
    str.upper,
    lambda value: re.sub(r"(?<!\d)0+(?=\d)", "", value),
    lambda value: value.removesuffix(".0"),
    lambda value: value.strip("\"'"),
)


def _spelling(value: str, ids: Ids) -> str:
    """A hint at an id that differs from this one in blanks, case, leading zeros, quotes or a ``.0`` only."""
    for spell in _SPELLINGS:
        other = spell(value)
        if other != value and other in ids.exact:
            return f"is it the {other!r} that is there?"
    return ""


def _pair(row: Judgment) -> str:
    return f"{row.query_id}\t{row.doc_id}"
