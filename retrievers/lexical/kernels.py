"""The inner loops of a search, compiled by numba.

They do what :mod:`beirkit.retrievers.lexical.scoring` does with numpy: the same operations on every score, in
the same order. Documents are looked at window by window, so that the sums stay in the processor's cache.

A sum that no term has added to is -0: adding gives +0 for whatever adds up to nothing, so that bit alone
tells a document without any term of the query from one whose score is 0.

A candidate is one number: its score in the upper 32 bits, turned so that greater is better, and below it the
place of its id, turned likewise. Greater keys are better results, by the one ordering rule; no two are equal.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from beirkit.retrievers.lexical.compiling import kernel, part

WINDOW = 1 << 15
"""Documents whose sums are in work at once, 8 bytes each."""

STRIDE = 32
"""Sums that are compared with the score to beat at once."""

_I32 = "Array(int32, 1, 'C', readonly=True)"
_F32 = "Array(float32, 1, 'C', readonly=True)"
_F64 = "Array(float64, 1, 'C', readonly=True)"
_BOOL = "Array(boolean, 1, 'C', readonly=True)"
_I64 = "Array(int64, 1, 'C', readonly=True)"

Array = Any  # a numpy array; numba reads the types from the signatures


@part
def _accumulate(
    docs: Array,
    weights: Array,
    cursors: Array,
    ends: Array,
    query: Array,
    saturating: bool,
    first: int,
    last: int,
    sums: Array,
) -> None:
    """Add what the terms of a query add to the documents from ``first`` on and below ``last``."""
    for term in range(len(cursors)):
        at, end, weight = cursors[term], ends[term], query[term]
        if saturating:
            while at < end and docs[at] < last:
                sums[docs[at] - first] += np.float64(weight - weight / weights[at])
                at += 1
        else:
            exact = np.float64(weight)
            while at < end and docs[at] < last:
                sums[docs[at] - first] += exact * np.float64(weights[at]) + 0.0  # never -0
                at += 1
        cursors[term] = at


@part
def _turned(bits: int) -> Any:
    """The bits of a float32 as a number that is greater for a greater float."""
    if bits < 0:
        return np.uint64(~bits)
    return np.uint64(bits) | np.uint64(0x80000000)


@part
def _unturned(key: int) -> Any:
    """The bits of the float32 of a key."""
    high = key >> np.uint64(32)
    if high & np.uint64(0x80000000):
        return np.int32(high & np.uint64(0x7FFFFFFF))
    return ~np.int32(high)


@part
def _select(keys: Array, n: int, k: int) -> None:
    """Bring the ``k`` greatest of the first ``n`` keys to the front; the last of them is the least.

    Hoare's quickselect, with the middle of three as its pivot.
    """
    low, high, wanted = 0, n - 1, k - 1
    while low < high:
        middle = (low + high) // 2
        a, b, c = keys[low], keys[middle], keys[high]
        pivot = max(min(a, b), min(max(a, b), c))
        left, right = low, high
        while left <= right:
            while keys[left] > pivot:
                left += 1
            while keys[right] < pivot:
                right -= 1
            if left <= right:
                keys[left], keys[right] = keys[right], keys[left]
                left += 1
                right -= 1
        if wanted <= right:
            high = right
        elif wanted >= left:
            low = left
        else:
            break


@part
def _scan(
    sums: Array,
    first: int,
    last: int,
    base: float,
    only_add: bool,
    ranks: Array,
    k: int,
    keys: Array,
    state: Array,
    scores: Array,
    bits: Array,
) -> None:
    """Take the documents of a window among the candidates that may be of the ``k`` best; clear the sums."""
    n: Any = np.int64(state[0])
    floor = state[1]
    # The lowest score that may be wanted; what is written here is the least number above 0.
    least = np.float32(1.401298464324817e-45) if only_add else np.float32(-np.inf)
    if floor > 0:
        bits[0] = _unturned(floor)
        least = scores[0]
    for start in range(0, last - first, STRIDE):  # what is behind the last document is -0
        wanted: Any = False
        for place in range(start, start + STRIDE):
            wanted |= np.float32(sums[place] + base) >= least
        if wanted:
            for place in range(start, start + STRIDE):
                score = np.float32(sums[place] + base)
                if score >= least and (only_add or not (sums[place] == 0 and np.signbit(sums[place]))):
                    scores[0] = score + np.float32(0)  # no -0
                    rank = np.uint64(0xFFFFFFFF) - np.uint64(ranks[first + place])
                    key = (_turned(bits[0]) << np.uint64(32)) | rank
                    if key > floor:
                        keys[n] = key
                        n += 1
            if n > len(keys) - STRIDE:
                _select(keys, n, k)
                n = k
                floor = keys[k - 1]
                bits[0] = _unturned(floor)
                least = scores[0]
        for place in range(start, start + STRIDE):
            sums[place] = -0.0
    state[0] = n
    state[1] = floor


_CLAUSES = f"{_I32}, {_F32}, int64[::1], {_I64}, {_F32}, {_I64}, boolean"


@kernel(
    f"void({_CLAUSES}, {_CLAUSES}, {_F64}, {_BOOL}, {_I32}, int64, float64[::1], uint64[::1], "
    "uint64[::1], float32[::1], int32[::1], uint64[:, ::1], int64[::1])"
)
def search(
    docs: Array,
    weights: Array,
    cursors: Array,
    ends: Array,
    query: Array,
    bounds: Array,
    saturating: bool,
    other_docs: Array,
    other_weights: Array,
    other_cursors: Array,
    other_ends: Array,
    other_query: Array,
    other_bounds: Array,
    other_saturating: bool,
    base: Array,
    only_add: Array,
    ranks: Array,
    k: int,
    sums: Array,
    keys: Array,
    state: Array,
    scores: Array,
    bits: Array,
    best: Array,
    found: Array,
) -> None:
    """The ``k`` best documents of each of some queries, in one index or in two.

    Args:
        docs: ``(n_postings,) int32``.
        weights: ``(n_postings,) float32``.
        cursors: ``(n,) int64`` the first posting of each term, query after query; moved on to ``ends``.
        ends: ``(n,) int64``.
        query: ``(n,) float32``.
        bounds: ``(queries + 1,) int64`` where the terms of each query begin.
        saturating: see :class:`~beirkit.retrievers.lexical.scoring.Clauses`.
        other_docs: the same of another index of the same documents; empty where there is none.
        other_weights: likewise.
        other_cursors: likewise.
        other_ends: likewise.
        other_query: likewise.
        other_bounds: likewise.
        other_saturating: likewise.
        base: ``(queries,) float64`` added to every score.
        only_add: ``(queries,) bool`` a score of 0 is no match.
        ranks: ``(n_docs,) int32``.
        k: how many are wanted, at most ``n_docs``.
        sums: ``(WINDOW,) float64``, all -0 before and after.
        keys: room for more than ``k + STRIDE`` candidates.
        state: ``(2,) uint64``, for work: number of candidates, and the key that must be beaten.
        scores: ``(STRIDE,) float32``, for work.
        bits: the same memory as ``scores``, as int32.
        best: ``(queries, k) uint64``, written: keys in any order, and 0 where there is none.
        found: ``(queries,) int64`` how many there are of each, written.
    """
    for asked in range(len(bounds) - 1):
        a, b = bounds[asked], bounds[asked + 1]
        c, d = other_bounds[asked], other_bounds[asked + 1]
        state[0] = state[1] = 0
        if a == b and c == d:
            found[asked] = 0
            continue
        for first in range(0, len(ranks), WINDOW):
            last = min(first + WINDOW, len(ranks))
            _accumulate(docs, weights, cursors[a:b], ends[a:b], query[a:b], saturating, first, last, sums)
            _accumulate(
                other_docs,
                other_weights,
                other_cursors[c:d],
                other_ends[c:d],
                other_query[c:d],
                other_saturating,
                first,
                last,
                sums,
            )
            _scan(sums, first, last, base[asked], only_add[asked], ranks, k, keys, state, scores, bits)
        n: Any = np.int64(state[0])
        if n > k:
            _select(keys, n, k)
            n = np.int64(k)
        best[asked, :n] = keys[:n]
        best[asked, n:] = 0
        found[asked] = n
