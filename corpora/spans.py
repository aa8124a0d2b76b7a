"""Spans of documents that answer a query: ``qrels/<split>.spans.jsonl``, beside the judgments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from beirkit.corpora.errors import DataError
from beirkit.corpora.files import byte_lines
from beirkit.corpora.findings import Refused
from beirkit.corpora.ids import id_problem

SUFFIX = ".spans.jsonl"


class SpanJudgment(
    msgspec.Struct, frozen=True, gc=False, rename={"query_id": "query-id", "doc_id": "corpus-id"}
):
    """A stretch of a document that answers a query, wholly or in part.

    Attributes:
        query_id: the query.
        doc_id: the document, whole as its source has it, however a corpus cuts it.
        start: where the stretch begins in the document's text, in code points.
        end: where it ends there.
    """

    query_id: str
    doc_id: str
    start: int
    end: int


def read_spans(path: Path) -> Iterator[SpanJudgment]:
    """The spans of one file, in its order.

    Raises:
        DataError: a line is no span; with path and line.
    """
    for number, line in byte_lines(path):
        if not line.strip():
            continue
        try:
            yield parse_span(line)
        except Refused as refused:
            raise DataError(refused.found, path=path, line=number, hint=refused.todo) from refused


def parse_span(line: bytes) -> SpanJudgment:
    """The span on one line.

    Raises:
        Refused: there is none.
    """
    try:
        span = msgspec.json.decode(line, type=SpanJudgment)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        todo = 'write {"query-id": "q", "corpus-id": "d", "start": 3, "end": 5}'
        raise Refused("BK060", f"is no span: {error}", todo) from error
    if not 0 <= span.start < span.end:
        todo = "a span begins at 0 or later and ends after its beginning"
        raise Refused("BK060", f"a span from {span.start} to {span.end} is none", todo)
    if problem := id_problem(span.query_id) or id_problem(span.doc_id):
        raise Refused("BK060", f"an id {problem}")
    return span


def span_lines(spans: Iterable[SpanJudgment]) -> Iterator[bytes]:
    """The lines of a file of spans."""
    for span in spans:
        record = msgspec.json.format(msgspec.json.encode(span), indent=0)  # separators as in corpus.jsonl
        yield record + b"\n"
