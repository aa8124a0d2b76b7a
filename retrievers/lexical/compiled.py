"""Searches by numba's kernels; :mod:`beirkit.retrievers.lexical.scoring` says what they compute."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from beirkit.retrievers.lexical import kernels, selection
from beirkit.retrievers.lexical.scoring import Clauses, Places, Ranked

_NOTHING = Clauses(
    docs=np.empty(0, dtype=np.int32),
    weights=np.empty(0, dtype=np.float32),
    starts=np.empty(0, dtype=np.int64),
    ends=np.empty(0, dtype=np.int64),
    query=np.empty(0, dtype=np.float32),
)


class _Room:
    """Memory for one search."""

    def __init__(self) -> None:
        self.sums = np.full(kernels.WINDOW, -0.0)
        self.keys = np.empty(0, dtype=np.uint64)
        self.state = np.zeros(2, dtype=np.uint64)
        self.gains = np.empty(kernels.GAINS, dtype=np.float32)
        self.maxima = np.empty(kernels.SPARE)
        self.scores = np.zeros(kernels.FEW, dtype=np.float32)
        self.bits = self.scores.view(np.int32)
        self.counts = np.empty(selection.BUCKETS, dtype=np.int64)


_free: list[_Room] = []
"""Memory that no search uses now, its sums all -0; there is never more than threads have used at once."""

_MOST_KEPT = 1 << 18  # candidates: what has room for more is not kept


def best_of_each(
    parts: Sequence[tuple[Clauses, npt.NDArray[np.int64]]],
    places: Places,
    k: int,
    *,
    base: npt.NDArray[np.float64],
    only_add: npt.NDArray[np.bool_],
) -> list[Ranked]:
    """The ``k`` best documents of each of some queries, in ranking order.

    Args:
        parts: terms in one index or in two, query after query, and ``(n_queries,)`` how many each query has.
        places: of the documents.
        k: how many, at least 1; it may exceed the number of documents.
        base: ``(n_queries,)`` what is added to the score of every match.
        only_add: ``(n_queries,)`` whether a score of 0 is no match.
    """
    queries, k = len(base), min(k, len(places.ranks))
    try:
        room = _free.pop()
    except IndexError:
        room = _Room()
    size = k + max(k, kernels.SPARE) + kernels.FEW
    if len(room.keys) != size:
        room.keys = np.empty(size, dtype=np.uint64)
    keys = np.empty((queries, k), dtype=np.uint64)
    found = np.empty(queries, dtype=np.int64)
    nothing = (_NOTHING, np.zeros(queries, dtype=np.int64))
    first, second = (*parts, nothing)[:2]
    arguments: Any = (
        *_arguments(*first),
        *_arguments(*second),
        *(base, only_add, places.ranks, k),
        *(room.sums, room.keys, room.state, room.gains, room.maxima, room.scores, room.bits, room.counts),
        *(keys, found),
    )
    kernels.search(*arguments)
    if len(room.keys) <= _MOST_KEPT:
        _free.append(room)
    keys.sort(axis=1)
    ends = np.cumsum(found).tolist()
    docs = np.empty(ends[-1], dtype=np.int32)
    scores = np.empty(ends[-1], dtype=np.float32)
    kernels.unpack(keys, found, places.docs, docs, scores)
    return [(docs[start:end], scores[start:end]) for start, end in pairwise((0, *ends))]


def _arguments(part: Clauses, sizes: npt.NDArray[np.int64]) -> tuple[Any, ...]:
    bounds = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(sizes)))
    return part.docs, part.weights, part.starts.copy(), part.ends, part.query, bounds, part.saturating
