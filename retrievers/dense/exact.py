"""The exact best ``k`` documents by inner product, over vectors in blocks that need not fit into memory.

Quick float32 products propose and arithmetic of our own decides. The float32 product of two vectors
depends, in its last bits, on the shape of the matrices it is computed in: on how many queries are searched
together, where a document stands, and the number of threads. So some more candidates than are asked for are
proposed, their products are computed again in float64 and rounded to float32 once, and these scores make the
ranking. Equal vectors get equal scores, and a query's results do not depend on other queries. A proven bound
on the error of the float32 products tells whether a document that was not proposed could have belonged to
the best ``k``; if so, the query is searched again with more candidates.

Queries are shared out among threads, which run beside each other since numpy lets go of the interpreter; the
library behind its matrix product is kept to one thread in each of them meanwhile.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from beirkit.corpora.run import ranking_order
from beirkit.retrievers.dense.encoder import Vectors
from beirkit.retrievers.dense.proposals import propose
from beirkit.retrievers.dense.vectors import VectorBlock

_PAIRS = 512  # products computed at once: few enough to stay in the processor's cache
_EXTRA = 16
_UNIT_ROUNDOFF = 2.0**-24
_QUERIES = 16  # fewer are not worth a thread

Ordinals = npt.NDArray[np.int32]


def exact_top_k(
    queries: Vectors, documents: Sequence[VectorBlock], ranks: Ordinals, k: int, *, threads: int | None = None
) -> tuple[Ordinals, Vectors]:
    """The best documents of each query, in ranking order.

    Args:
        queries: ``(n_queries, dim)``.
        documents: their vectors, ``n_docs`` in all.
        ranks: ``(n_docs,)`` value of :func:`beirkit.corpora.run.id_ranks`, which breaks ties.
        k: how many are wanted, at least 1.
        threads: how many work side by side, None: as many as there are processors; the result is the same.

    Returns:
        ``(n_queries, min(k, n_docs))`` document ordinals, and their scores.
    """
    with single_threaded_products() as limited:
        wanted = threads or (processors() if limited else 1)
        n_parts = max(1, min(wanted, len(queries) // _QUERIES))
        borders = [len(queries) * part // n_parts for part in range(n_parts + 1)]
        with ThreadPoolExecutor(n_parts) as pool:
            found = list(
                pool.map(
                    lambda ends: _top_k(queries[ends[0] : ends[1]], documents, ranks, k), pairwise(borders)
                )
            )
    return np.concatenate([docs for docs, _ in found]), np.concatenate([scores for _, scores in found])


def _top_k(
    queries: Vectors, documents: Sequence[VectorBlock], ranks: Ordinals, k: int
) -> tuple[Ordinals, Vectors]:
    n_docs = len(ranks)
    k = min(k, n_docs)
    docs = np.empty((len(queries), k), dtype=np.int32)
    scores = np.empty((len(queries), k), dtype=np.float32)
    longest = max(block.norm for block in documents)
    # |computed - true| <= dim u |q||d| to first order, however it is summed (Higham, Accuracy and Stability
    # of Numerical Algorithms, section 3.1); the 8 more cover the rest and the rounding of the exact score.
    slack = (
        (queries.shape[1] + 8) * _UNIT_ROUNDOFF * longest * np.linalg.norm(queries.astype(np.float64), axis=1)
    )
    unsure, extra = np.arange(len(queries)), _EXTRA
    while len(unsure):
        kept = min(k + extra, n_docs)
        proposed, lowest = propose(queries[unsure], documents, kept)
        exact = _products(queries[unsure], documents, proposed)
        for row, query in enumerate(unsure.tolist()):
            order = ranking_order(exact[row], ranks[proposed[row]])[:k]
            docs[query], scores[query] = proposed[row, order], exact[row, order]
        if kept == n_docs:
            break
        unsure = unsure[scores[unsure, -1] <= lowest.astype(np.float64) + slack[unsure]]
        extra *= 8
    return docs, scores


@contextmanager
def single_threaded_products() -> Iterator[bool]:
    """Keep the library of matrix products to one thread per call; gives whether that could be done."""
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        yield False
        return
    with threadpool_limits(1, user_api="blas"):
        yield True


def processors() -> int:
    """How many processors this process may use."""
    available = getattr(os, "sched_getaffinity", None)
    return len(available(0)) if available else os.cpu_count() or 1


def _products(queries: Vectors, documents: Sequence[VectorBlock], docs: Ordinals) -> Vectors:
    """The inner product of each query with each of its documents, rounded once.

    Args:
        queries: ``(n, dim)``.
        documents: the vectors.
        docs: ``(n, m)`` document ordinals.

    Returns:
        ``(n, m)`` float32.
    """
    wide = queries.astype(np.float64)
    flat = docs.ravel()
    order = np.argsort(flat, kind="stable")  # each block is read once, from front to back
    found = np.empty(len(flat), dtype=np.float32)
    # Buffers made once: fresh memory for each part would cost as much as the arithmetic.
    narrow = np.empty((_PAIRS, queries.shape[1]), dtype=np.float32)
    left, right = np.empty_like(narrow, dtype=np.float64), np.empty_like(narrow, dtype=np.float64)
    start = 0
    for block in documents:
        end = start + len(block.vectors)
        vectors = np.asarray(block.vectors)
        first, last = np.searchsorted(flat, (start, end), sorter=order).tolist()
        for place in range(first, last, _PAIRS):
            pairs = order[place : min(place + _PAIRS, last)]
            size = len(pairs)
            np.take(vectors, flat[pairs] - start, axis=0, out=narrow[:size], mode="clip")
            left[:size] = narrow[:size]
            np.take(wide, pairs // docs.shape[1], axis=0, out=right[:size], mode="clip")
            # einsum sums each row by itself and in one order, unlike a matrix product.
            found[pairs] = np.einsum("nd,nd->n", left[:size], right[:size])
        block.stored.release()
        start = end
    return found.reshape(docs.shape)
