"""Searches by numba's kernels; :mod:`beirkit.retrievers.lexical.scoring` says what they compute."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from beirkit.retrievers.lexical import kernels
from beirkit.retrievers.lexical.scoring import Clauses, Places, Ranked

_SPARE = 1024
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


def best(parts: Sequence[Clauses], places: Places, k: int, *, base: float, only_add: bool) -> Ranked:
    """The ``k`` best documents, in ranking order.

    Args:
        parts: terms in one index or in two.
        places: of the documents.
        k: how many, at most the number of documents.
        base: what is added to the score of every match.
        only_add: whether a score of 0 is no match.
    """
    room, ranks = _room, places.ranks
    size = k + max(k, _SPARE) + kernels.STRIDE
    if len(room.keys) != size:
        room.keys = np.empty(size, dtype=np.uint64)
    room.state[:] = 0
    first, second = (*parts, _NOTHING)[:2]
    arguments: Any = (
        *_arguments(first),
        *_arguments(second),
        *(base, only_add, ranks, k),
        *(room.sums, room.keys, room.state, room.scores, room.bits),
    )
    kernels.search(*arguments)
    keys = np.sort(room.keys[: int(room.state[0])])[::-1][:k]
    turned = (keys >> np.uint64(32)).astype(np.uint32)
    bits = np.where(turned >= _SIGN, turned ^ _SIGN, ~turned)
    docs = places.docs[np.uint32(0xFFFFFFFF) - keys.astype(np.uint32)]
    return docs, bits.view(np.float32)


def _arguments(part: Clauses) -> tuple[Any, ...]:
    return part.docs, part.weights, part.starts.copy(), part.ends, part.query, part.saturating
