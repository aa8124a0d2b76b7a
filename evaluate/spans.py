"""How much of the spans that answer a query is in what was retrieved, however documents are cut.

Characters are counted, each once: two halves of a passage are worth what the passage is, and overlapping
passages no more than the text they cover. ``SpanRecall`` is the share of a query's span characters that the
results cover, ``SpanPrecision`` the share of the covered characters that are of a span. Both are ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.records import Document
from beirkit.corpora.run import Run
from beirkit.corpora.spans import SpanJudgment

Intervals = list[tuple[int, int]]
"""Stretches of one document, sorted, apart from each other."""

_CHUNK = re.compile(r"(.+)#([0-9]+)-([0-9]+)", re.DOTALL)


class Place(NamedTuple):
    """Where a retrieved text stands: ``document[start:end]``, in code points."""

    doc_id: str
    start: int
    end: int


class SpanScores(msgspec.Struct, frozen=True, kw_only=True):
    """Span measures of every query that has a span.

    Attributes:
        recall: by cut-off (``@10`` results, ``@2000c`` characters), then by query.
        precision: the same.
        queries: number of queries.
    """

    recall: dict[str, dict[str, float]]
    precision: dict[str, dict[str, float]]
    queries: int


def chunk_id(doc_id: str, start: int, end: int) -> str:
    """The id of a chunk of one's own that tells its place: ``DOC#START-END``."""
    return f"{doc_id}#{start}-{end}"


def places_in(documents: Iterable[Document], retrieved: Iterable[str]) -> dict[str, Place]:
    """The place of each retrieved id.

    A passage of the corpus tells it in its metadata (``doc``, ``start``, ``end``); a document that does not
    is whole. An id that the corpus does not have must be ``DOC#START-END`` with a document of it, or with one
    of which it has passages; that one ends where its last passage does.

    Args:
        documents: the corpus, read once.
        retrieved: ids of results.

    Raises:
        DataError: an id is neither, or its chunk ends beyond its document.
    """
    wanted = set(retrieved)
    chunks = {doc_id: found for doc_id in wanted if (found := _CHUNK.fullmatch(doc_id))}
    cut = {found[1] for found in chunks.values()}
    places: dict[str, Place] = {}
    lengths: dict[str, int] = {}
    for document in documents:
        if document.doc_id in wanted:
            places[document.doc_id] = _place(document)
        if document.doc_id in cut:
            lengths[document.doc_id] = len(document.text)
        elif (place := _place(document)).doc_id in cut:
            lengths[place.doc_id] = max(place.end, lengths.get(place.doc_id, 0))
    for doc_id in sorted(wanted - places.keys()):
        own = None
        if doc_id in chunks and chunks[doc_id][1] in lengths:
            own = Place(chunks[doc_id][1], int(chunks[doc_id][2]), int(chunks[doc_id][3]))
        if own is None or not own.start < own.end <= lengths[own.doc_id]:
            raise DataError(
                f"the result {doc_id!r} is no document of the corpus and no chunk of one",
                hint="a chunk of one's own is DOC#START-END, in code points of the document",
            )
        places[doc_id] = own
    return places


def span_scores(
    run: Run,
    spans: Iterable[SpanJudgment],
    place_of: Callable[[str], Place],
    *,
    cutoffs: Sequence[int] = (1, 5, 10),
    characters: Sequence[int] = (),
) -> SpanScores:
    """Span recall and span precision of every query that has a span.

    Several spans of a query count together, overlapping ones once. A query that the run lacks scores 0.

    Args:
        run: ranked lists.
        spans: what answers the queries, in places of whole documents.
        place_of: the place of a result.
        cutoffs: numbers of results.
        characters: budgets of distinct characters, to compare chunkings of unequal size: results are taken
            in order, and the last one only as far as the budget goes.

    Raises:
        UsageError: a cut-off is less than 1, or there is none.
        DataError: there is no span.
    """
    if not (cutoffs or characters) or min((*cutoffs, *characters)) < 1:
        raise UsageError("span measures need cut-offs of 1 or more")
    wanted = targets_of(spans)
    if not wanted:
        raise DataError("no query has a span")
    lists = {
        query_id: [place_of(doc_id) for doc_id, _ in ranked]
        for query_id, ranked in run.ordered().lists()
        if query_id in wanted
    }
    names = [*(f"@{k}" for k in cutoffs), *(f"@{budget}c" for budget in characters)]
    recall: dict[str, dict[str, float]] = {name: {} for name in names}
    precision: dict[str, dict[str, float]] = {name: {} for name in names}
    for query_id, target in wanted.items():
        ranked = lists.get(query_id, [])
        taken = [ranked[:k] for k in cutoffs] + [list(_within(ranked, budget)) for budget in characters]
        for name, places in zip(names, taken, strict=True):
            recall[name][query_id], precision[name][query_id] = span_shares(places, target)
    return SpanScores(recall=recall, precision=precision, queries=len(wanted))


def targets_of(spans: Iterable[SpanJudgment]) -> dict[str, dict[str, Intervals]]:
    """What answers each query: by query and whole document, sorted stretches apart from each other."""
    wanted: dict[str, dict[str, list[tuple[int, int]]]] = {}
    for span in spans:
        wanted.setdefault(span.query_id, {}).setdefault(span.doc_id, []).append((span.start, span.end))
    return {
        query_id: {doc_id: _union(found) for doc_id, found in by_document.items()}
        for query_id, by_document in wanted.items()
    }


def span_shares(places: Iterable[Place], target: Mapping[str, Intervals]) -> tuple[float, float]:
    """Span recall and span precision of some results of one query; both 0 without any.

    Args:
        places: of the results.
        target: what answers the query, by document; at least one character.
    """
    covered = _covered(places)
    hit = sum(_length(_meet(covered.get(doc_id, []), found)) for doc_id, found in target.items())
    size = sum(map(_length, covered.values()))
    return hit / sum(map(_length, target.values())), hit / size if size else 0.0


def _place(document: Document) -> Place:
    doc, start, end = (document.metadata.get(key) for key in ("doc", "start", "end"))
    if isinstance(doc, str) and type(start) is int and type(end) is int:
        return Place(doc, start, end)
    return Place(document.doc_id, 0, len(document.text))


def _union(stretches: Iterable[tuple[int, int]]) -> Intervals:
    found: Intervals = []
    for start, end in sorted(stretches):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        elif start < end:
            found.append((start, end))
    return found


def _meet(one: Intervals, other: Intervals) -> Intervals:
    return [
        (max(a, c), min(b, d)) for a, b in one for c, d in other if max(a, c) < min(b, d)
    ]  # a query has few of either


def _length(stretches: Intervals) -> int:
    return sum(end - start for start, end in stretches)


def _covered(places: Iterable[Place]) -> dict[str, Intervals]:
    by_document: dict[str, list[tuple[int, int]]] = {}
    for doc_id, start, end in places:
        by_document.setdefault(doc_id, []).append((start, end))
    return {doc_id: _union(found) for doc_id, found in by_document.items()}


def _within(ranked: Sequence[Place], budget: int) -> Iterator[Place]:
    """The first results with no more than so many distinct characters, the last one cut."""
    covered: dict[str, Intervals] = {}
    left = budget
    for doc_id, start, end in ranked:
        known = covered.get(doc_id, [])
        for a, b in _gaps(known, start, end):
            stop = min(b, a + left)
            yield Place(doc_id, a, stop)
            left -= stop - a
            if not left:
                return
        covered[doc_id] = _union([*known, (start, end)])


def _gaps(known: Intervals, start: int, end: int) -> Iterator[tuple[int, int]]:
    """What of a stretch is not yet known."""
    for a, b in known:
        if start < min(a, end):
            yield start, min(a, end)
        start = max(start, b)
    if start < end:
        yield start, end
