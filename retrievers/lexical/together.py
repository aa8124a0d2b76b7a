"""Searches for several queries at once: few calls on long arrays in place of many on short ones.

Scores are those of :mod:`beirkit.retrievers.lexical.scoring`, bit for bit: each is the sum of what the terms
of its query add, in their order. Results are put into order as numbers, as the kernels do: the score in the
upper 32 bits, and below it the place of the id, turned so that greater is better.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from beirkit.retrievers.lexical.native import use_numba
from beirkit.retrievers.lexical.scoring import Clauses, Places, Ranked

SUMS = 1 << 17
"""Sums that are in work at once: 1 MiB, which stays in the processor's cache."""

SHARE = 32
"""Queries that a kernel, and a thread, is handed at once, at most."""

RESULTS = 1 << 20
"""Results that a kernel gives at once, at most."""

_FEW = 8  # so many times k groups of documents are looked at by their best alone

_LOW = np.uint64(0xFFFFFFFF)
_SHIFT = np.uint64(32)


@dataclass(frozen=True, eq=False)
class Together:
    """The terms of several queries in one index, query after query.

    Attributes:
        clauses: of all of them; whatever they add is more than 0.
        sizes: ``(n_queries,) int64`` how many of the terms each query has.
    """

    clauses: Clauses
    sizes: npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Counted:
    """The terms of several queries that an index has, query after query.

    Attributes:
        numbers: ``(n,) int64`` the term, each once in a query, in the order of their first occurrence.
        times: ``(n,) float32`` how often it stands in its query.
        sizes: ``(n_queries,) int64`` how many of them each query has.
    """

    numbers: npt.NDArray[np.int64]
    times: npt.NDArray[np.float32]
    sizes: npt.NDArray[np.int64]

    @classmethod
    def of(cls, queries: Sequence[Sequence[str]], vocabulary: Mapping[str, int]) -> Counted:
        """Count the terms of queries."""
        numbers = np.array([vocabulary.get(term, -1) for terms in queries for term in terms], dtype=np.int64)
        owners = np.repeat(np.arange(len(queries)), [len(terms) for terms in queries])
        known, size = numbers >= 0, max(1, len(vocabulary))
        pairs = owners[known] * size + numbers[known]
        each, first, times = np.unique(pairs, return_index=True, return_counts=True)
        order = np.argsort(first)
        each = each[order]
        return cls(
            each % size,
            times[order].astype(np.float32),
            np.bincount(each // size, minlength=len(queries)),
        )


def at_once(documents: int, k: int) -> int:
    """How many queries are searched at once among so many documents; 1: one by one is as fast."""
    if use_numba(documents):
        return max(1, min(SHARE, RESULTS // min(k, max(1, documents))))
    return max(1, SUMS // max(1, documents))


def best_of_each(parts: Sequence[Together], places: Places, k: int) -> list[Ranked]:
    """The ``k`` best documents of each query, in ranking order.

    Args:
        parts: terms, index by index; the indexes are of the same documents.
        places: of the documents.
        k: how many, at least 1; it may exceed the number of documents.
    """
    n, queries = len(places.ranks), len(parts[0].sizes)
    if use_numba(n):
        from beirkit.retrievers.lexical import compiled

        pairs = [(part.clauses, part.sizes) for part in parts]
        return compiled.best_of_each(
            pairs, places, k, base=np.zeros(queries), only_add=np.ones(queries, dtype=np.bool_)
        )
    added = [_added(part, n) for part in parts]
    cells, gains = (np.concatenate(columns) for columns in zip(*added, strict=True))
    # It adds up in the order in which they stand; a document without any of the terms keeps 0.
    sums = np.bincount(cells, gains, minlength=queries * n)
    scores = sums.astype(np.float32).reshape(queries, n)
    return list(_ranked(scores, places, k))


def _added(part: Together, n: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """For each posting its query's and document's cell, and what it adds there."""
    clauses = part.clauses
    bounds = list(zip(clauses.starts.tolist(), clauses.ends.tolist(), strict=True))
    if not bounds:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float64)
    docs = np.concatenate([clauses.docs[start:end] for start, end in bounds])
    weights = np.concatenate([clauses.weights[start:end] for start, end in bounds])
    lengths = clauses.ends - clauses.starts
    owners = np.repeat(np.arange(len(part.sizes), dtype=np.int64) * n, part.sizes)
    query = np.repeat(clauses.query, lengths)
    if clauses.saturating:
        gains = (query - query / weights).astype(np.float64)
    else:
        gains = weights.astype(np.float64) * query.astype(np.float64)
    return docs + np.repeat(owners, lengths), gains


def _ranked(scores: npt.NDArray[np.float32], places: Places, k: int) -> Iterator[Ranked]:
    """The ``k`` best of each row's positive scores."""
    queries, n = scores.shape
    few = n >= 2 * _FEW * k
    cells = np.flatnonzero(scores >= _floors(scores, k) if few else scores > 0)
    ends = np.searchsorted(cells, np.arange(1, queries + 1) * n)
    sizes = np.diff(ends, prepend=0)
    docs = (cells - np.repeat(np.arange(queries) * n, sizes)).astype(np.int32)
    found = scores.ravel()[cells]
    # The bits of a positive number are greater for a greater one.
    keys = (found.view(np.uint32).astype(np.uint64) << _SHIFT) | places.keys[docs]
    if few:
        order = np.lexsort((~keys, np.repeat(np.arange(queries), sizes)))
        docs, found = docs[order], found[order]
    start = 0
    for end in ends.tolist():
        if few:
            last = min(end, start + k)
            yield docs[start:last], found[start:last]
        else:
            row = keys[start:end]
            if len(row) > k:
                row = np.partition(row, len(row) - k)[len(row) - k :]
            row = np.sort(row)[::-1]
            ranks = (_LOW - (row & _LOW)).astype(np.int64)
            yield places.docs[ranks], (row >> _SHIFT).astype(np.uint32).view(np.float32)
        start = end


def _floors(scores: npt.NDArray[np.float32], k: int) -> npt.NDArray[np.float32]:
    """For each row a positive score that ``k`` reach, if ``k`` are positive; not far below the last of them.

    Documents are taken in groups: the ``k`` best of the groups' best are scores of ``k`` documents.
    """
    queries, n = scores.shape
    groups = n // max(2, min(16, n // (_FEW * k)))
    of_group = n // groups
    best = scores[:, : groups * of_group].reshape(queries, of_group, groups).max(axis=1)
    floors = np.partition(best, groups - k, axis=1)[:, groups - k]
    return np.maximum(floors, np.finfo(np.float32).smallest_subnormal)[:, np.newaxis]
