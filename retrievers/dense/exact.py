"""The exact best ``k`` documents by inner product, over vectors in blocks that need not fit into memory.

faiss proposes and arithmetic of our own decides. The float32 product of two vectors depends, in its last
bits, on the shape of the matrices it is computed in: on how many queries are searched together, where a
document stands, and the number of threads. So faiss selects some more candidates than are asked for, their
products are computed again in float64 and rounded to float32 once, and these scores make the ranking. Equal
vectors get equal scores, and a query's results do not depend on other queries. A proven bound on the error
of the float32 products tells whether a document that was not proposed could have belonged to the best ``k``;
if so, the query is searched again with more candidates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import MissingExtraError
from beirkit.corpora.run import ranking_order
from beirkit.retrievers.dense.encoder import Vectors
from beirkit.retrievers.dense.vectors import VectorBlock

_SPAN_BYTES = 128 << 20  # vectors that faiss gets at once: selecting from large parts is much faster
_QUERIES = 1024
_PAIRS = 512  # products computed at once: few enough to stay in the processor's cache
_EXTRA = 16
_UNIT_ROUNDOFF = 2.0**-24

Ordinals = npt.NDArray[np.int32]


def exact_top_k(
    queries: Vectors, documents: Sequence[VectorBlock], ranks: Ordinals, k: int
) -> tuple[Ordinals, Vectors]:
    """The best documents of each query, in ranking order.

    Args:
        queries: ``(n_queries, dim)``.
        documents: their vectors, ``n_docs`` in all.
        ranks: ``(n_docs,)`` value of :func:`beirkit.corpora.run.id_ranks`, which breaks ties.
        k: how many are wanted, at least 1.

    Returns:
        ``(n_queries, min(k, n_docs))`` document ordinals, and their scores.
    """
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
        proposed, lowest = _propose(queries[unsure], documents, kept)
        exact = _products(queries[unsure], documents, proposed)
        for row, query in enumerate(unsure.tolist()):
            order = ranking_order(exact[row], ranks[proposed[row]])[:k]
            docs[query], scores[query] = proposed[row, order], exact[row, order]
        if kept == n_docs:
            break
        unsure = unsure[scores[unsure, -1] <= lowest.astype(np.float64) + slack[unsure]]
        extra *= 8
    return docs, scores


def _propose(queries: Vectors, documents: Sequence[VectorBlock], kept: int) -> tuple[Ordinals, Vectors]:
    """Each query's best ``kept`` documents by float32 products, unordered, and the lowest such product."""
    try:
        import faiss
    except ImportError as error:
        raise MissingExtraError("vector search", "dense") from error

    best: list[npt.NDArray[np.int64]] = [np.empty((0, 0), dtype=np.int64)] * -(-len(queries) // _QUERIES)
    for start, vectors in _spans(documents):
        for part in range(len(best)):
            some = queries[part * _QUERIES : (part + 1) * _QUERIES]
            products, places = faiss.knn(
                some, vectors, min(kept, len(vectors)), metric=faiss.METRIC_INNER_PRODUCT
            )
            # faiss fills up with -1 where it finds too few; there are never too few here.
            assert places.min(initial=0) >= 0
            keys = _keys(products, places + start)
            merged = keys if not best[part].size else np.concatenate((best[part], keys), axis=1)
            if merged.shape[1] > kept:
                merged = np.partition(merged, merged.shape[1] - kept, axis=1)[:, -kept:]
            best[part] = merged
    keys = np.concatenate(best)
    return (keys & 0x7FFFFFFF).astype(np.int32), _scores(keys.min(axis=1))


def _spans(documents: Sequence[VectorBlock]) -> Iterator[tuple[int, Vectors]]:
    """Consecutive blocks put together, with the ordinal of their first document."""
    if len(documents) == 1:
        yield 0, documents[0].vectors
        return
    rows, dim = max(len(block.vectors) for block in documents), documents[0].vectors.shape[1]
    at_once = max(1, _SPAN_BYTES // (rows * dim * 4))
    buffer = np.empty((min(at_once, len(documents)) * rows, dim), dtype=np.float32)
    start = 0
    for first in range(0, len(documents), at_once):
        filled = 0
        for block in documents[first : first + at_once]:
            size = len(block.vectors)
            block.stored.read_into(buffer[filled : filled + size])
            filled += size
        yield start, buffer[:filled]
        start += filled


def _keys(products: Vectors, ordinals: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Product and document in one number that sorts like the product."""
    bits = products.view(np.int32)
    # Negative floats sort backwards by their bits; turning all but the sign over mends that.
    return (np.where(bits < 0, bits ^ 0x7FFFFFFF, bits).astype(np.int64) << 32) | ordinals


def _scores(keys: npt.NDArray[np.int64]) -> Vectors:
    bits = (keys >> 32).astype(np.int32)
    return np.where(bits < 0, bits ^ 0x7FFFFFFF, bits).astype(np.int32).view(np.float32)


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
