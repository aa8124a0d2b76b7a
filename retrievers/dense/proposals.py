"""Which documents may be among the best of a query: the quick half of an exact search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from beirkit.retrievers.dense.encoder import Vectors
from beirkit.retrievers.dense.vectors import VectorBlock

_QUERIES = 512
_DOCUMENTS = 1024  # products of so many queries and documents stay near the processor
_ROOM = 512
_NOTHING = np.int64(np.iinfo(np.int64).min)  # sorts before every product

Keys = npt.NDArray[np.int64]


def propose(
    queries: Vectors, documents: Sequence[VectorBlock], kept: int
) -> tuple[npt.NDArray[np.int32], Vectors]:
    """Each query's best documents by float32 products, and a bound for all others.

    Every block of documents is multiplied with the queries, and what lies above the query's ``kept``-th best
    product so far is remembered. So most products are only ever compared with one number.

    Args:
        queries: ``(n, dim)``.
        documents: their vectors; each block is read once, whatever the number of queries.
        kept: how many are wanted, from 1 to the number of documents.

    Returns:
        ``(n, kept)`` document ordinals, unordered, and ``(n,)`` the lowest of their products, which no other
        document's product exceeds.
    """
    parts = [_Part(queries[start : start + _QUERIES], kept) for start in range(0, len(queries), _QUERIES)]
    # Memory that is had once: the system would clear it anew for each product.
    products = np.empty(min(len(queries), _QUERIES) * _DOCUMENTS, dtype=np.float32)
    above = np.empty(len(products), dtype=np.bool_)
    for start, vectors in _pieces(documents):
        for part in parts:
            part.add(start, vectors, products, above)
    keys = np.concatenate([part.best() for part in parts])
    return (keys & 0x7FFFFFFF).astype(np.int32), _products(keys.min(axis=1))


class _Part:
    """Some queries and the best that was found for them so far.

    Args:
        queries: ``(n, dim)``.
        kept: how many are wanted of each.
    """

    def __init__(self, queries: Vectors, kept: int) -> None:
        self._queries = queries
        self._kept = kept
        # Selecting costs as much as there are places, so they are selected from only when they are full.
        self._found = np.full((len(queries), 2 * kept + _ROOM), _NOTHING)
        self._filled = np.zeros(len(queries), dtype=np.int64)
        self._least = np.full(len(queries), -np.inf, dtype=np.float32)

    def add(self, start: int, vectors: Vectors, products: Vectors, above: npt.NDArray[np.bool_]) -> None:
        """Look at more documents.

        Args:
            start: ordinal of the first.
            vectors: ``(m, dim)``.
            products: room for at least ``n * m`` numbers.
            above: room for as many.
        """
        shape = len(vectors), len(self._queries)
        size = shape[0] * shape[1]
        # This way round the matrix product is quicker by a fifteenth than the other.
        found = np.matmul(vectors, self._queries.T, out=products[:size].reshape(shape))
        self._take(start, found, np.greater(found, self._least, out=above[:size].reshape(shape)))

    def _take(self, start: int, products: Vectors, higher: npt.NDArray[np.bool_]) -> None:
        above, counts = self._of_queries(higher)
        if (self._filled + counts).max() > self._found.shape[1]:
            self._select()
            if len(products) > _ROOM:  # of a first piece, everything is above the least
                for first in range(0, len(products), _ROOM):
                    some = products[first : first + _ROOM]
                    self._take(start + first, some, some > self._least)
                return
            above, counts = self._of_queries(products > self._least)
        width = self._found.shape[1]
        firsts = np.cumsum(counts) - counts
        places = np.arange(len(above))
        places += np.repeat(np.arange(len(counts)) * width + self._filled - firsts, counts)
        self._found.ravel()[places] = _keys(products.ravel()[above], above // len(counts) + start)
        self._filled += counts

    def _of_queries(
        self, higher: npt.NDArray[np.bool_]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Where products are higher, query by query, and how many there are of each query."""
        above, n_queries = np.flatnonzero(higher), len(self._queries)
        # a remainder without division, and a sort that counts since the numbers are narrow
        queries = (above - above // n_queries * n_queries).astype(np.uint16)
        return above[np.argsort(queries, kind="stable")], np.bincount(queries, minlength=n_queries)

    def _select(self) -> None:
        """Keep the best only; from now on others must exceed the least of them."""
        kept = self._kept
        used = int(self._filled.max())
        if used <= kept:
            return
        self._found[:, :kept] = np.partition(self._found[:, :used], used - kept, axis=1)[:, -kept:]
        self._found[:, kept:used] = _NOTHING
        np.minimum(self._filled, kept, out=self._filled)
        full = self._filled == kept
        self._least[full] = _products(self._found[full, :kept].min(axis=1))

    def best(self) -> Keys:
        """``(n, kept)`` the best there are."""
        self._select()
        return self._found[:, : self._kept]


def _pieces(documents: Sequence[VectorBlock]) -> Iterator[tuple[int, Vectors]]:
    """Vectors of consecutive documents, with the ordinal of the first of them."""
    start = 0
    for block in documents:
        vectors = block.vectors
        for first in range(0, len(vectors), _DOCUMENTS):
            yield start + first, np.asarray(vectors[first : first + _DOCUMENTS])
        block.stored.release()
        start += len(vectors)


def _keys(products: Vectors, ordinals: npt.NDArray[np.int64]) -> Keys:
    """Product and document in one number that sorts like the product."""
    bits = products.view(np.int32)
    # Negative floats sort backwards by their bits; turning all but the sign over mends that.
    keys: Keys = (bits ^ ((bits >> 31) & 0x7FFFFFFF)).astype(np.int64)
    keys <<= 32
    keys |= ordinals
    return keys


def _products(keys: Keys) -> Vectors:
    bits = (keys >> 32).astype(np.int32)
    return np.where(bits < 0, bits ^ 0x7FFFFFFF, bits).astype(np.int32).view(np.float32)
