"""The exact best ``k`` documents by MaxSim, over token vectors in blocks that need not fit into memory.

The score of a document is the sum, over the vectors of the query, of the greatest inner product with a vector
of the document (Khattab and Zaharia 2020, ColBERT, equation 3). It depends on the vectors of that query and
that document alone: on no other one, on no size of a block and on no number of threads. For that, quick
float32 products only propose. Their last bits depend on the shape of the matrices they are computed in, but
their distance from the true ones has a proven bound; so the greatest of a document is among the few that come
within twice that bound of the greatest float32 one. These few are computed again in float64, each by itself;
their greatest are summed in the order of the query's vectors, and the sum is rounded to float32 once. The
same bound tells whether a document that was not proposed could belong to the best ``k``; if so, the query is
searched again with more candidates.

Blocks of documents are shared out among threads, which run beside each other since numpy lets go of the
interpreter; the library behind its matrix product is kept to one thread in each of them meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Protocol, TypeVar

import numpy as np

from beirkit.corpora.progress import Advance
from beirkit.corpora.run import ranking_order
from beirkit.retrievers.dense.encoder import Vectors
from beirkit.retrievers.dense.exact import Ordinals, processors, single_threaded_products
from beirkit.retrievers.late.scores import (
    DOCUMENT_TOKENS,
    DocumentBlock,
    Offsets,
    Queries,
    Wide,
    document_scores,
    groups,
    starts_of,
)

QUERY_TOKENS = 512
"""Vectors of queries multiplied at once."""

_EXTRA = 16
_SELECT = 4096

ResultT = TypeVar("ResultT")
ItemT = TypeVar("ItemT")


def _untold(n: int = 1, /) -> None:
    """Stands for a display where there is none."""


def maxsim_top_k(
    queries: Queries,
    documents: Sequence[DocumentBlock],
    ranks: Ordinals,
    k: int,
    *,
    mean: bool = False,
    threads: int | None = None,
    advance: Advance = _untold,
) -> list[tuple[Ordinals, Vectors]]:
    """The best documents of each query, in ranking order; documents without vectors are no results.

    Args:
        queries: those that are searched.
        documents: ``n_docs`` in all.
        ranks: ``(n_docs,)`` value of :func:`beirkit.corpora.run.id_ranks`, which breaks ties.
        k: how many are wanted, at least 1.
        mean: divide a score by the number of the query's vectors.
        threads: how many work side by side, None: as many as there are processors; the result is the same.
        advance: told of each block that was compared with all queries.

    Returns:
        For each query at most ``k`` document ordinals, and their scores.
    """
    with _workers(threads) as each:
        return _Search(queries, documents, ranks, mean, each).best(k, advance)


class _Each(Protocol):
    def __call__(self, work: Callable[[ItemT], ResultT], items: Sequence[ItemT], /) -> Iterator[ResultT]: ...


class _Search:
    def __init__(
        self,
        queries: Queries,
        documents: Sequence[DocumentBlock],
        ranks: Ordinals,
        mean: bool,
        each: _Each,
    ) -> None:
        self._queries, self._documents, self._ranks, self._mean = queries, documents, ranks, mean
        self._each = each
        self._firsts = np.cumsum([0, *(len(block.counts) for block in documents)])
        counts = np.concatenate([block.counts for block in documents])
        self._scored = np.flatnonzero(counts).astype(np.int32)
        self._longest = max(block.norm for block in documents)

    def best(self, k: int, advance: Advance) -> list[tuple[Ordinals, Vectors]]:
        queries, n_docs = self._queries, len(self._scored)
        k = min(k, n_docs)
        found = [(np.empty(0, dtype=np.int32), np.empty(0, dtype=np.float32))] * len(queries)
        slack = queries.sums(queries.products_error(self._longest))
        unsure, extra = np.arange(len(queries)), _EXTRA
        while len(unsure) and k:
            kept = min(k + extra, n_docs)
            some = queries.take(unsure)
            if kept == n_docs:  # each document is a candidate: nothing is to be proposed
                proposed = np.broadcast_to(self._scored, (len(some), n_docs))
                lowest = np.full(len(some), -np.inf)
            else:
                proposed, lowest = self._propose(some, kept, advance)
                advance = _untold  # blocks are counted once
            exact = self._exact(some, proposed, advance)
            advance = _untold
            last = np.empty(len(some))
            for row, query in enumerate(unsure.tolist()):
                scores = self._rounded(exact[row], int(queries.counts[query]))
                order = ranking_order(scores, self._ranks[proposed[row]])[:k]
                found[query] = proposed[row][order], scores[order]
                last[row] = exact[row, order[-1]]
            if kept == n_docs:
                break
            unsure = unsure[last <= lowest + slack[unsure]]
            extra *= 8
        return found

    def _rounded(self, scores: Wide, count: int) -> Vectors:
        rounded: Vectors = (scores / count if self._mean else scores).astype(np.float32)
        return rounded

    def _propose(self, queries: Queries, kept: int, advance: Advance) -> tuple[Ordinals, Wide]:
        """``(n, kept)`` documents of each query, and the lowest of their scores, which no other's exceeds."""
        best = _Best(len(queries), kept)
        parts = [queries.take(part) for part in groups(queries.counts, QUERY_TOKENS)]

        def compare(block: DocumentBlock) -> Wide:
            scores = np.full((len(queries), len(block.counts)), -np.inf)
            for docs, vectors, starts in _pieces(block):
                row = 0
                for group in parts:
                    # Queries in rows: the greatest of a document's products is one of neighbours in memory.
                    greatest = np.maximum.reduceat(group.vectors @ vectors.T, starts, axis=1)
                    sums = np.add.reduceat(greatest, group.starts[:-1], axis=0, dtype=np.float64)
                    scores[row : row + len(group), docs] = sums
                    row += len(group)
            block.release()
            return scores

        for first, scores in zip(
            self._firsts[:-1].tolist(), self._each(compare, self._documents), strict=True
        ):
            best.add(first, scores)
            advance(1)
        return best.result()

    def _exact(self, queries: Queries, docs: Ordinals, advance: Advance) -> Wide:
        """``(n, m)`` scores of each query with each of its documents, in float64."""
        found = np.empty(docs.shape)
        order = np.argsort(docs, axis=1)
        inside = np.arange(len(docs))[:, None], order
        sorted_docs = docs[inside]
        borders = np.array([np.searchsorted(row, self._firsts) for row in sorted_docs])
        parts = [queries.take(np.array([query])) for query in range(len(queries))]

        def score(number: int) -> None:
            block = self._documents[number]
            for query, (first, last) in enumerate(borders[:, number : number + 2].tolist()):
                if first < last:
                    chosen = sorted_docs[query, first:last] - self._firsts[number]
                    found[query, order[query, first:last]] = document_scores(parts[query], block, chosen)
            block.release()

        for _ in self._each(score, range(len(self._documents))):
            advance(1)
        return found


class _Best:
    """The best scores of each query so far, and whose they are.

    Args:
        n_queries: how many queries there are.
        kept: how many are wanted of each.
    """

    def __init__(self, n_queries: int, kept: int) -> None:
        self._kept = kept
        self._scores = [np.empty((n_queries, 0))]
        self._docs = [np.empty((n_queries, 0), dtype=np.int32)]
        self._waiting = 0

    def add(self, first: int, scores: Wide) -> None:
        """Look at more documents, ``(n_queries, m)``, the first of which has this ordinal."""
        docs = np.arange(first, first + scores.shape[1], dtype=np.int32)
        self._scores.append(scores)
        self._docs.append(np.broadcast_to(docs, scores.shape))
        self._waiting += scores.shape[1]
        if self._waiting > max(self._kept, _SELECT):
            self._select()

    def result(self) -> tuple[Ordinals, Wide]:
        """``(n_queries, kept)`` documents, unordered, and the lowest of their scores."""
        self._select()
        return self._docs[0], self._scores[0].min(axis=1)

    def _select(self) -> None:
        scores, docs = np.concatenate(self._scores, axis=1), np.concatenate(self._docs, axis=1)
        if scores.shape[1] > self._kept:
            chosen = np.argpartition(scores, -self._kept, axis=1)[:, -self._kept :]
            scores, docs = np.take_along_axis(scores, chosen, 1), np.take_along_axis(docs, chosen, 1)
        self._scores, self._docs, self._waiting = [scores], [docs], 0


def _pieces(block: DocumentBlock) -> Iterator[tuple[Offsets, Vectors, Offsets]]:
    """Documents of a block, their vectors, and where each begins; documents without vectors left out."""
    starts = starts_of(block.counts)
    for part in groups(block.counts, DOCUMENT_TOKENS):
        docs = part[block.counts[part] > 0]
        if len(docs):
            first, last = int(starts[part[0]]), int(starts[part[-1] + 1])
            yield docs, block.rows(first, last), starts[docs] - first


@contextmanager
def _workers(threads: int | None) -> Iterator[_Each]:
    """A map over threads that hands at most two results for each of them ahead of what is taken."""
    with single_threaded_products() as limited:
        number = threads or (processors() if limited else 1)
        with ThreadPoolExecutor(number) as pool:

            def each(work: Callable[[ItemT], ResultT], items: Sequence[ItemT]) -> Iterator[ResultT]:
                waiting = [pool.submit(work, item) for item in items[: 2 * number]]
                for following in range(len(items)):
                    done = waiting.pop(0)
                    ahead = following + 2 * number
                    if ahead < len(items):
                        waiting.append(pool.submit(work, items[ahead]))
                    yield done.result()

            yield each
