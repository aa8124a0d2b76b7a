"""Token vectors, and the score of a query and a document: the same bits wherever it is computed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
import numpy.typing as npt

from beirkit.retrievers.dense.encoder import Vectors

DOCUMENT_TOKENS = 4096
"""Vectors of documents multiplied at once: so few that their products stay near the processor."""

_PAIRS = 4096
_UNIT_ROUNDOFF = 2.0**-24

Offsets = npt.NDArray[np.int64]
Wide = npt.NDArray[np.float64]


class DocumentBlock(Protocol):
    """The token vectors of consecutive documents."""

    @property
    def counts(self) -> Offsets:
        """``(n,) int64`` vectors of each document."""
        ...

    @property
    def norm(self) -> float:
        """The greatest length of a vector."""
        ...

    def rows(self, start: int, end: int) -> Vectors:
        """``(end - start, dim)`` float32, consecutive vectors."""
        ...

    def release(self) -> None:
        """Give memory back that was taken to read vectors."""
        ...


class Queries:
    """The token vectors of some queries, each of which has at least one.

    Args:
        counts: ``(n,) int64`` vectors of each query.
        vectors: ``(sum of counts, dim) float32``.
    """

    def __init__(self, counts: Offsets, vectors: Vectors) -> None:
        self.counts, self.vectors = counts, vectors
        self.starts = starts_of(counts)
        self.lengths = np.sqrt(np.einsum("nd,nd->n", vectors, vectors, dtype=np.float64))

    def __len__(self) -> int:
        return len(self.counts)

    def take(self, places: npt.NDArray[np.intp]) -> Queries:
        """Some of the queries."""
        rows = [np.arange(self.starts[place], self.starts[place + 1]) for place in places.tolist()]
        return Queries(self.counts[places], self.vectors[np.concatenate(rows)])

    def sums(self, values: Wide) -> Wide:
        """``(n,)`` sums over the vectors of each query of a value for each vector."""
        found: Wide = np.add.reduceat(values, self.starts[:-1])
        return found

    def products_error(self, longest: float) -> Wide:
        """``(n_vectors,)`` how far a float32 product with a vector of at most this length may be wrong.

        |computed - true| <= dim u |q||d| to first order, however it is summed (Higham, Accuracy and Stability
        of Numerical Algorithms, section 3.1); the 8 more cover the rest and the rounding of a score.
        """
        error: Wide = (self.vectors.shape[1] + 8) * _UNIT_ROUNDOFF * longest * self.lengths
        return error


def document_scores(query: Queries, block: DocumentBlock, docs: Offsets) -> Wide:
    """The scores of one query with some documents of a block, ascending, each of which has vectors."""
    starts, found = starts_of(block.counts), np.empty(len(docs))
    for part in groups(block.counts[docs], DOCUMENT_TOKENS):
        spans = [(int(starts[doc]), int(starts[doc + 1])) for doc in docs[part].tolist()]
        vectors = np.concatenate([block.rows(start, end) for start, end in spans])
        found[part] = _pair_scores(query, vectors, block.counts[docs[part]], block.norm)
    return found


def _pair_scores(query: Queries, vectors: Vectors, counts: Offsets, longest: float) -> Wide:
    """The scores of one query with documents.

    Args:
        query: one query.
        vectors: ``(sum of counts, dim)`` those of all documents.
        counts: ``(n,)`` vectors of each document, at least one.
        longest: the greatest length of one of them.

    Returns:
        ``(n,)`` float64.
    """
    products = query.vectors @ vectors.T
    greatest = np.maximum.reduceat(products, starts_of(counts)[:-1], axis=1)
    # Twice the error is what two products may swap places by; twice that again for these float32 numbers.
    floor = greatest - 4 * query.products_error(longest)[:, None].astype(np.float32)
    # By query vector and then by document, ascending: each of these has at least its greatest.
    token, place = np.nonzero(products >= np.repeat(floor, counts, axis=1))
    left, right = query.vectors.astype(np.float64), vectors.astype(np.float64)
    exact = np.empty(len(token))
    for start in range(0, len(token), _PAIRS):
        some = slice(start, start + _PAIRS)
        # einsum sums each row by itself and in one order, unlike a matrix product.
        exact[some] = np.einsum("nd,nd->n", left[token[some]], right[place[some]])
    document = np.repeat(np.arange(len(counts)), counts)[place]
    new = np.flatnonzero(np.diff(token * len(counts) + document, prepend=-1))
    maxima = np.maximum.reduceat(exact, new).reshape(len(query.vectors), len(counts))
    total = np.zeros(len(counts))
    for row in maxima:  # one by one: how many documents there are must not change the order of a sum
        total += row
    return total


def groups(counts: Offsets, most: int) -> Iterator[npt.NDArray[np.intp]]:
    """Consecutive items that have at most so many vectors together, or a single one."""
    ends = np.cumsum(counts)
    first = 0
    while first < len(counts):
        before = ends[first] - counts[first]
        last = max(first + 1, int(np.searchsorted(ends, before + most, side="right")))
        yield np.arange(first, last)
        first = last


def starts_of(counts: Offsets) -> Offsets:
    """``(n + 1,)`` where each text begins, and where the last ends."""
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
