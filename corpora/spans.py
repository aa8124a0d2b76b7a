"""Spans of documents that answer a query: ``qrels/<split>.spans.jsonl``, beside the judgments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from beirkit.corpora.errors import DataError
from beirkit.corpora.files import byte_lines
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
            span = msgspec.json.decode(line, type=SpanJudgment)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            hint = 'write {"query-id": "q", "corpus-id": "d", "start": 3, "end": 5}'
            raise DataError(f"is no span: {error}", path=path, line=number, hint=hint) from error
        if not 0 <= span.start < span.end:
            raise DataError(f"a span from {span.start} to {span.end} is none", path=path, line=number)
        if problem := id_problem(span.query_id) or id_problem(span.doc_id):
            raise DataError(f"an id {problem}", path=path, line=number)
        yield span


def span_lines(spans: Iterable[SpanJudgment]) -> Iterator[bytes]:
    """The lines of a file of spans."""
    for span in spans:
        record = msgspec.json.format(msgspec.json.encode(span), indent=0)  # separators as in corpus.jsonl
        yield record + b"\n"
