"""The inner loops of a search, compiled by numba.

They do what :mod:`beirkit.retrievers.lexical.scoring` does with numpy: the same operations on every score, in
the same order. Documents are looked at window by window, so that the sums stay in the processor's cache.

A sum that no term has added to is -0: adding gives +0 for whatever adds up to nothing, so that bit alone
tells a document without any term of the query from one whose score is 0.

Candidates are the keys of :mod:`beirkit.retrievers.lexical.selection`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from beirkit.retrievers.lexical.compiling import kernel, part
from beirkit.retrievers.lexical.selection import select, turned, unturned

WINDOW = 1 << 15
"""Documents whose sums are in work at once, 8 bytes each."""

STRIDE = 128
"""Sums that are compared with the score to beat at once; the processor is slow at fewer."""

FEW = 32
"""Sums of those that are looked at one by one where some of them are wanted."""

GAINS = 256
"""Postings whose gains are worked out at once."""

SPARE = WINDOW // 8
"""Candidates beyond the ``k`` wanted ones that are collected, at least, before the best are selected."""

_GROUPS = 4
"""Groups of documents for each of the ``k`` results, by whose best a first score to beat is found."""

_IN_GROUP = 8
"""Documents of such a group, at least, so that there is room for them in :data:`SPARE`."""

_LEAST = np.float32(1.401298464324817e-45)  # the least number above 0

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
    whole: bool,
    sums: Array,
    gains: Array,
) -> None:
    """Add what the terms of a query add to the documents from ``first`` on and below ``last``.

    ``whole``: no document comes behind ``last``. Gains that hold a division are worked out some at a time,
    which the processor does for several at once.
    """
    begin = np.uint64(first)
    for term in range(len(cursors)):
        at, end, weight = cursors[term], ends[term], query[term]
        if not whole:
            end = _first_from(docs, at, end, last)
        cursors[term] = end
        if saturating:
            while at < end:
                size = min(GAINS, end - at)
                for place in range(size):
                    gains[place] = weight - weight / weights[at + place]
                for place in range(size):
                    sums[np.uint64(docs[at + place]) - begin] += np.float64(gains[place])
                at += size
        else:
            exact = np.float64(weight)
            for place in range(at, end):
                added = exact * np.float64(weights[place]) + 0.0  # never -0
                sums[np.uint64(docs[place]) - begin] += added


@part
def _first_from(docs: Array, low: int, high: int, bound: int) -> int:
    """The first place from ``low`` on whose document is not below the bound; ``high`` where there is none."""
    while low < high:
        middle = (low + high) // 2
        if docs[middle] < bound:
            low = middle + 1
        else:
            high = middle
    return low


@part
def _floor(
    sums: Array, n: int, k: int, keys: Array, maxima: Array, scores: Array, bits: Array, counts: Array
) -> Any:
    """A key that the ``k`` best of the first ``n`` documents are above; 0 where none was found.

    Documents are taken in groups: the best of ``k`` groups are ``k`` documents. Their scores are positive.
    """
    groups = min(max(_GROUPS * k, STRIDE), n // _IN_GROUP)
    greatest = maxima[:groups]
    greatest[:] = sums[:groups]
    for start in range(groups, n - groups + 1, groups):
        others = sums[start : start + groups]
        for group in range(groups):  # written so that the processor compares several at once
            one, other = greatest[group], others[group]
            greatest[group] = other if other > one else one
    for group in range(groups):
        scores[0] = np.float32(greatest[group]) + np.float32(0)  # no -0
        keys[group] = turned(bits[0]) << np.uint64(32)
    select(keys, groups, k, counts)
    bits[0] = unturned(keys[k - 1])
    return keys[k - 1] - np.uint64(1) if scores[0] > 0 else np.uint64(0)


@part
def _any_above(sums: Array, start: int, n: int, base: float, bound: float) -> Any:
    """Whether one of ``n`` sums is above a bound."""
    found: Any = False
    for place in range(n):
        found |= sums[np.uint64(start + place)] + base > bound
    return found


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
    maxima: Array,
    scores: Array,
    bits: Array,
    counts: Array,
) -> None:
    """Take the documents of a window among the candidates that may be of the ``k`` best; clear the sums."""
    n: Any = np.int64(state[0])
    floor, size = state[1], last - first
    if floor == 0 and only_add and n == 0 and size >= 2 * _IN_GROUP * k:
        floor = _floor(sums, size, k, keys, maxima, scores, bits, counts)
    # The lowest score that may be wanted, and a bound that the sums of all such scores are above.
    least = _LEAST if only_add else np.float32(-np.inf)
    if floor > 0:
        bits[0] = unturned(floor + np.uint64(1))
        least = scores[0]
    bound = np.float64(np.nextafter(least, np.float32(-np.inf)))
    for start in range(0, size, STRIDE):  # what is behind the last document is -0
        if not _any_above(sums, start, STRIDE, base, bound):
            continue
        for begin in range(start, min(start + STRIDE, size), FEW):
            if not _any_above(sums, begin, FEW, base, bound):
                continue
            for place in range(FEW):
                scores[place] = np.float32(sums[begin + place] + base) + np.float32(0)  # no -0
            for place in range(min(FEW, size - begin)):
                one = sums[begin + place]
                match = only_add or not (one == 0 and np.signbit(one))
                rank = np.uint64(0xFFFFFFFF) - np.uint64(ranks[first + begin + place])
                key = (turned(bits[place]) << np.uint64(32)) | rank
                keys[n] = key  # counted where it is wanted: without a branch, half of which would be missed
                n += match & (scores[place] >= least) & (key > floor)
            if n > len(keys) - FEW:
                select(keys, n, k, counts)
                n = k
                floor = keys[k - 1]
                bits[0] = unturned(floor)
                least = scores[0]
                bound = np.float64(np.nextafter(least, np.float32(-np.inf)))
    sums[:size] = -0.0
    state[0] = n
    state[1] = floor


_CLAUSES = f"{_I32}, {_F32}, int64[::1], {_I64}, {_F32}, {_I64}, boolean"


@kernel(
    f"void({_CLAUSES}, {_CLAUSES}, {_F64}, {_BOOL}, {_I32}, int64, float64[::1], uint64[::1], "
    "uint64[::1], float32[::1], float64[::1], float32[::1], int32[::1], int64[::1], uint64[:, ::1], "
    "int64[::1])"
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
    gains: Array,
    maxima: Array,
    scores: Array,
    bits: Array,
    counts: Array,
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
        keys: ``(k + SPARE + FEW or more,) uint64``, for candidates.
        state: ``(2,) uint64``, for work: number of candidates, and the key that must be beaten.
        gains: ``(GAINS,) float32``, for work.
        maxima: ``(SPARE,) float64``, for work.
        scores: ``(FEW,) float32``, for work.
        bits: the same memory as ``scores``, as int32.
        counts: ``(BUCKETS,) int64``, for work.
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
            whole = last == len(ranks)
            _accumulate(
                docs, weights, cursors[a:b], ends[a:b], query[a:b], saturating,
                first, last, whole, sums, gains,
            )  # fmt: skip
            _accumulate(
                other_docs, other_weights, other_cursors[c:d], other_ends[c:d], other_query[c:d],
                other_saturating, first, last, whole, sums, gains,
            )  # fmt: skip
            _scan(
                sums, first, last, base[asked], only_add[asked], ranks, k,
                keys, state, maxima, scores, bits, counts,
            )  # fmt: skip
        n: Any = np.int64(state[0])
        if n > k:
            select(keys, n, k, counts)
            n = np.int64(k)
        best[asked, :n] = keys[:n]
        best[asked, n:] = 0
        found[asked] = n


@kernel(f"void(uint64[:, ::1], {_I64}, {_I32}, int32[::1], float32[::1])")
def unpack(best: Array, found: Array, docs: Array, places: Array, scores: Array) -> None:
    """What the keys of results stand for, list behind list.

    Args:
        best: ``(queries, k) uint64``, each row ascending, with 0 where there is none.
        found: ``(queries,) int64`` how many there are in each.
        docs: ``(n_docs,) int32`` the document at each place of the order of ids.
        places: ``(found.sum(),) int32``, written: the documents, in ranking order.
        scores: ``(found.sum(),) float32``, written: their scores.
    """
    bits = scores.view(np.int32)
    at = 0
    for query in range(len(found)):
        for place in range(best.shape[1] - 1, best.shape[1] - 1 - found[query], -1):
            key = best[query, place]
            places[at] = docs[np.uint64(0xFFFFFFFF) - (key & np.uint64(0xFFFFFFFF))]
            bits[at] = unturned(key)
            at += 1
