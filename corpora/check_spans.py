"""What is wrong with the spans that stand beside judgments, by themselves and against corpus and queries."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from beirkit.corpora.check_qrels import Judged
from beirkit.corpora.check_records import DOCUMENTS, Ids, line_key, readable
from beirkit.corpora.errors import DataError
from beirkit.corpora.files import byte_lines
from beirkit.corpora.findings import Refused, Report
from beirkit.corpora.layout import find_spans
from beirkit.corpora.progress import Progress
from beirkit.corpora.spans import SpanJudgment, parse_span

Ends = dict[str, int]
"""How far the text of each document goes: its length, or where the last of its passages ends."""


def check_spans(
    folder: Path,
    corpus: Path | None,
    documents: Ids | None,
    queries: Ids | None,
    splits: Mapping[str, Judged],
    report: Report,
    progress: Progress,
) -> None:
    """Check ``qrels/<split>.spans.jsonl`` of every split; the corpus is read once more where there are any.

    Args:
        folder: the BEIR folder.
        corpus: its documents.
        documents: the ids of the corpus; None where it could not be read.
        queries: the ids of the queries; None where they could not be read.
        splits: what the judgments of each split are; files of spans without one are no part of the folder.
        report: told of every defect.
        progress: told of every document.
    """
    files = {split: path for split, path in find_spans(folder).items() if split in splits}
    spans = {split: _read(path, path.relative_to(folder).as_posix(), report) for split, path in files.items()}
    if not any(spans.values()):
        return
    ends = None
    if corpus is not None and documents is not None and documents.complete:
        wanted = {span.doc_id for found in spans.values() for span in found}
        ends = _ends(corpus, wanted, report, progress)
    for split, found in spans.items():
        name = files[split].relative_to(folder).as_posix()
        _check_queries(found, name, queries, splits[split], report)
        if ends is not None:
            _check_texts(found, name, ends, report)


Spans = dict[SpanJudgment, int]
"""The spans of a file, each with the line it stands on first."""


def _read(path: Path, name: str, report: Report) -> Spans:
    spans: Spans = {}
    try:
        for number, line in byte_lines(path):
            if not line.strip():
                continue
            try:
                span = parse_span(line)
            except Refused as refused:
                report.add(refused.code, name, number, refused.found, refused.todo, key=line_key(line))
                continue
            first = spans.setdefault(span, number)
            if first != number:
                found = f"{_told(span)} stands again, as on line {first}"
                report.add("BK064", name, number, found, "its characters count once", key=_key(span))
    except DataError as error:
        report.add("BK001", name, error.line, error.found, error.hint)
    return spans


def _ends(corpus: Path, wanted: set[str], report: Report, progress: Progress) -> Ends:
    """How far the texts of some documents go; passages whose place is not as long as their text are told."""
    ends: Ends = {}
    with progress(f"comparing {corpus.name} with spans", None, "documents") as advance:
        for numbers, records in readable(corpus, DOCUMENTS):
            advance(len(records))
            for number, document in zip(numbers, records, strict=True):
                if document.doc_id in wanted:
                    ends[document.doc_id] = max(ends.get(document.doc_id, 0), len(document.text))
                whole, start, end = (document.metadata.get(key) for key in ("doc", "start", "end"))
                if whole not in wanted or type(start) is not int or type(end) is not int:
                    continue
                ends[whole] = max(ends.get(whole, 0), end)
                if end - start != len(document.text):
                    found = (
                        f"passage {document.doc_id!r} is {len(document.text):,} characters long, and its "
                        f"place in {whole!r} is from {start} to {end}"
                    )
                    todo = "start and end count code points of the whole document; cut it again"
                    report.add("BK065", corpus.name, number, found, todo, key=document.doc_id)
    return ends


def _check_queries(spans: Spans, name: str, queries: Ids | None, judged: Judged, report: Report) -> None:
    asked: dict[str, int] = {}
    for span, number in spans.items():
        asked.setdefault(span.query_id, number)
    there = [True] * len(asked) if queries is None else queries.exact.has(list(asked)).tolist()
    for (query_id, number), is_there in zip(asked.items(), there, strict=True):
        if not is_there:
            if queries is not None and queries.complete:
                found = f"a span answers query {query_id!r}, which has no text"
                todo = "add it to queries.jsonl or remove its spans"
                report.add("BK061", name, number, found, todo, key=query_id)
        elif (
            judged.first.get(query_id, 1) > 0 and query_id not in judged.refused
        ):  # negative: with a positive
            found = f"query {query_id!r} has a span and no relevant document in this split"
            todo = "judge the document that the span is of, or remove the span"
            report.add("BK066", name, number, found, todo, key=query_id)


def _check_texts(spans: Spans, name: str, ends: Ends, report: Report) -> None:
    for span, number in spans.items():
        end = ends.get(span.doc_id)
        if end is None:
            found = f"{_told(span)} is of no document of the corpus"
            todo = "nothing that is found can cover it, so a span recall of 1 is out of reach"
            report.add("BK063", name, number, found, todo, key=_key(span))
        elif span.end > end:
            found = f"{_told(span)} ends beyond the text, which has {end:,} characters"
            todo = "offsets count code points of the text alone, without the title"
            report.add("BK062", name, number, found, todo, key=_key(span))


def _told(span: SpanJudgment) -> str:
    return f"the span {span.start}–{span.end} of {span.doc_id!r} for query {span.query_id!r}"


def _key(span: SpanJudgment) -> str:
    return "\t".join(map(str, msgspec.structs.astuple(span)))
