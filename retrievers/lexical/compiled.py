"""Searches by numba's kernels; :mod:`beirkit.retrievers.lexical.scoring` says what they compute."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from beirkit.retrievers.lexical import kernels
from beirkit.retrievers.lexical.scoring import Clauses, Places, Ranked

_SPARE = 128
"""Candidates beyond the ``k`` wanted ones that are collected before the best are selected."""

_SIGN = np.uint32(0x80000000)

_NOTHING = Clauses(
    docs=np.empty(0, dtype=np.int32),
    weights=np.empty(0, dtype=np.float32),
    starts=np.empty(0, dtype=np.int64),
    ends=np.empty(0, dtype=np.int64),
    query=np.empty(0, dtype=np.float32),
)


class _Room(threading.local):
    """Memory for the work of one thread."""

    def __init__(self) -> None:
        self.sums = np.full(kernels.WINDOW, -0.0)
        self.keys = np.empty(0, dtype=np.uint64)
        self.state = np.zeros(2, dtype=np.uint64)
        self.scores = np.zeros(kernels.STRIDE, dtype=np.float32)
        self.bits = self.scores.view(np.int32)


_room = _Room()


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
    room, queries, k = _room, len(base), min(k, len(places.ranks))
    size = k + max(k, _SPARE) + kernels.STRIDE
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
        *(room.sums, room.keys, room.state, room.scores, room.bits),
        *(keys, found),
    )
    kernels.search(*arguments)
    keys.sort(axis=1)
    keys = keys[:, ::-1]
    turned = (keys >> np.uint64(32)).astype(np.uint32)
    scores = np.where(turned >= _SIGN, turned ^ _SIGN, ~turned).view(np.float32)
    # What stands for nothing comes last and is cut off.
    ranks = np.minimum(np.uint32(0xFFFFFFFF) - keys.astype(np.uint32), np.uint32(len(places.docs) - 1))
    docs = places.docs[ranks]
    if found.sum() < docs.size:  # a part of an array holds all of it in memory
        return [(docs[row, :n].copy(), scores[row, :n].copy()) for row, n in enumerate(found.tolist())]
    return list(zip(docs, scores, strict=True))


def _arguments(part: Clauses, sizes: npt.NDArray[np.int64]) -> tuple[Any, ...]:
    bounds = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(sizes)))
    return part.docs, part.weights, part.starts.copy(), part.ends, part.query, bounds, part.saturating
