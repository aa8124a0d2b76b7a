"""Candidates of a search as numbers, and the greatest of many: parts of numba's kernels.

A candidate is one number: its score in the upper 32 bits, turned so that greater is better, and below it the
place of its id, turned likewise. Greater keys are better results, by the one ordering rule; no two are equal.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from beirkit.retrievers.lexical.compiling import part

BUCKETS = 1024
"""Ranges of keys that are counted to find the range of the last one wanted."""

_FEW = 256  # keys that are not worth counting

Array = Any  # a numpy array


@part
def turned(bits: int) -> Any:
    """The bits of a float32 as a number that is greater for a greater float."""
    if bits < 0:
        return np.uint64(~bits)
    return np.uint64(bits) | np.uint64(0x80000000)


@part
def unturned(key: int) -> Any:
    """The bits of the float32 of a key."""
    high = key >> np.uint64(32)
    if high & np.uint64(0x80000000):
        return np.int32(high & np.uint64(0x7FFFFFFF))
    return ~np.int32(high)


@part
def select(keys: Array, n: int, k: int, counts: Array) -> None:
    """Bring the ``k`` greatest of the first ``n`` keys to the front; the last of them is the least.

    What is in a range of keys that is surely wanted, or surely not, is told by counting the keys of each
    range; only the range that the last wanted one is in has to be looked at key by key.

    Args:
        keys: ``(>= n,) uint64``; those behind the first ``n`` are left as they are.
        n: how many there are, at least ``k``.
        k: how many are wanted, at least 1.
        counts: ``(BUCKETS,) int64``, for work.
    """
    if n < _FEW:
        _quickselect(keys, 0, n - 1, k - 1)
        return
    least, most = keys[0], keys[0]
    for place in range(n):
        least, most = min(least, keys[place]), max(most, keys[place])
    shift = np.uint64(0)
    while (most - least) >> shift >= np.uint64(BUCKETS):
        shift += np.uint64(1)
    counts[:] = 0
    for place in range(n):
        counts[(keys[place] - least) >> shift] += 1
    above, bucket = 0, BUCKETS - 1
    while above + counts[bucket] < k:
        above += counts[bucket]
        bucket -= 1
    lower = least + (np.uint64(bucket) << shift)
    upper = lower + (np.uint64(1) << shift)
    left = _gather(keys, n, lower)
    _quickselect(keys, _gather(keys, left, upper), left - 1, k - 1)


@part
def _gather(keys: Array, n: int, bound: int) -> int:
    """Bring the keys that are not below the bound to the front, without a branch; how many they are."""
    end = 0
    for place in range(n):
        key = keys[place]
        keys[place] = keys[end]
        keys[end] = key
        end += key >= bound
    return end


@part
def _quickselect(keys: Array, low: int, high: int, wanted: int) -> None:
    """Put the key that belongs to the place ``wanted`` there, by Hoare's way; greater ones come before it.

    The middle of three keys is the pivot.
    """
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
