"""What every lexical retriever does around its model: read documents in blocks, collect lists into a run."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter

import numpy as np
import numpy.typing as npt

from beirkit.corpora.progress import Progress
from beirkit.corpora.records import Document, Query
from beirkit.corpora.run import Run
from beirkit.retrievers.base import Facts
from beirkit.retrievers.calls import empty_corpus, known_length, require_distinct, require_results
from beirkit.retrievers.lexical import native
from beirkit.retrievers.lexical.counts import CountsBuilder, TermCounts
from beirkit.retrievers.lexical.scoring import Ranked
from beirkit.retrievers.lexical.text_analyzer import TextAnalyzer
from beirkit.retrievers.lexical.together import SHARE, at_once
from beirkit.retrievers.store import blocks
from beirkit.retrievers.template import Template

logger = logging.getLogger(__name__)


def count_terms(
    documents: Iterable[Document], template: Template, analyzer: TextAnalyzer, progress: Progress
) -> tuple[list[str], TermCounts]:
    """The ids of a stream of documents, and how often each term stands in each.

    Raises:
        DataError: there is no document, or an id occurs twice.
    """
    doc_ids, (counts,) = count_fields(documents, [template], analyzer, progress)
    return doc_ids, counts


def count_fields(
    documents: Iterable[Document], templates: Sequence[Template], analyzer: TextAnalyzer, progress: Progress
) -> tuple[list[str], list[TermCounts]]:
    """The ids of a stream of documents, and the term counts of several texts of each, apart from each other.

    Raises:
        DataError: there is no document, or an id occurs twice.
    """
    doc_ids: list[str] = []
    builders = [CountsBuilder(analyzer) for _ in templates]
    with progress("index", known_length(documents), "documents") as advance:
        for block in blocks(documents):
            doc_ids.extend(document.doc_id for document in block)
            for builder, template in zip(builders, templates, strict=True):
                builder.add([template.render(document) for document in block])
            advance(len(block))
    require_ids(doc_ids)
    counted = [builder.build() for builder in builders]
    if not any(counts.vocabulary for counts in counted):
        warn_without_terms(len(doc_ids))
    return doc_ids, counted


def warn_without_terms(n_docs: int) -> None:
    """Say that no document has anything a query could match."""
    logger.warning("none of the %d documents has a term: every query will be without results", n_docs)


def require_ids(doc_ids: Sequence[str]) -> None:
    """Refuse a corpus that nothing can be ranked in.

    Raises:
        DataError: there is no document, or an id occurs twice.
    """
    if not doc_ids:
        raise empty_corpus()
    require_distinct(doc_ids)


def search_each(
    queries: Iterable[Query],
    k: int,
    doc_ids: Sequence[str],
    terms: Callable[[str], list[str]],
    search: Callable[[list[str]], Ranked],
    *,
    tag: str,
    progress: Progress,
    seconds: list[float] | None = None,
    by_kernels: bool = False,
    together: Callable[[list[list[str]]], list[Ranked]] | None = None,
) -> tuple[Run, int]:
    """Search query by query, or several at once.

    Args:
        queries: what to search for.
        k: results asked for, only to be checked.
        doc_ids: ids of the ordinals that ``search`` gives.
        terms: the terms of the text of a query; called in this thread alone.
        search: ranks the documents for the terms of one query.
        tag: name of the system in the run.
        progress: opens a progress display.
        seconds: the time that each query took is appended to it.
        by_kernels: whether ``search`` and ``together`` may use compiled kernels, and then several threads; no
            result depends on it.
        together: ranks the documents for the terms of each of some queries, as ``search`` does, in less time;
            each counts as an equal part of it.

    Returns:
        The run, with every query in its order, and the number of queries without results.

    Raises:
        UsageError: ``k`` is less than 1.
    """
    require_results(k)
    query_ids: list[str] = []
    docs: list[npt.NDArray[np.int32]] = []
    scores: list[npt.NDArray[np.float32]] = []

    def several(asked: list[list[str]]) -> tuple[list[Ranked], list[float]]:
        if together is None or len(asked) == 1:
            ranked, took = [], []
            for one in asked:
                start = perf_counter()
                ranked.append(search(one))
                took.append(perf_counter() - start)
            return ranked, took
        start = perf_counter()
        ranked = together(asked)
        return ranked, [(perf_counter() - start) / len(asked)] * len(asked)

    threads = 1
    if by_kernels:
        native.prepare(len(doc_ids), known_length(queries) or 0)
        threads = native.threads(len(doc_ids))
    some = at_once(len(doc_ids), k) if together is not None else SHARE
    with progress("search", known_length(queries), "queries") as advance, ThreadPoolExecutor(threads) as pool:
        for block in blocks(queries):
            analysed = (terms(query.text) for query in block)  # as it is asked for, while others are searched
            query_ids.extend(query.query_id for query in block)
            # A thread takes several at a time: handing one over takes as long as a short search.
            share = some if threads == 1 else max(1, min(some, len(block) // (4 * threads)))
            for ranked, took in (map if threads == 1 else pool.map)(several, blocks(analysed, share)):
                if seconds is not None:
                    seconds.extend(took)
                docs.extend(found for found, _ in ranked)
                scores.extend(values for _, values in ranked)
                advance(len(ranked))
    unmatched = warn_unmatched(query_ids, docs)
    return Run.from_lists(query_ids, doc_ids, docs, scores, tag=tag), unmatched


def warn_unmatched(query_ids: Sequence[str], docs: Sequence[npt.NDArray[np.int32]]) -> int:
    """Say which queries have no results; how many."""
    empty = [query_id for query_id, found in zip(query_ids, docs, strict=True) if not len(found)]
    if empty:
        logger.warning(
            "%d of %d queries share no term with any document and have no results: %s",
            len(empty),
            len(query_ids),
            ", ".join(empty[:3]) + (", ..." if len(empty) > 3 else ""),
        )
    return len(empty)


def latency(seconds: Sequence[float]) -> Facts:
    """Median and 95th percentile of the time of single queries, in milliseconds; nothing without any."""
    if not seconds:
        return {}
    median, high = (np.quantile(seconds, [0.5, 0.95]) * 1000).round(3).tolist()
    return {"latency_ms": {"p50": median, "p95": high, "queries": len(seconds)}}
