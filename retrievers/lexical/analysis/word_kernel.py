"""The words of :mod:`~beirkit.retrievers.lexical.analysis.word_break` by machine code, each as a number.

It reads code points and their classes, so it serves texts whose words are letters, digits and what stands
between them. A text with anything else (marks, Han, Thai, emoji, a word that must be cut) is left to the
rules as they are written there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from beirkit.retrievers.lexical.compiling import kernel, part

NOTHING, LETTER, DIGIT, JOINER, IN_LETTERS, IN_DIGITS, IN_BOTH, HARD = range(8)
"""Classes of code points. What may stand within letters or digits is three behind them; the last class is for
what only the written rules know."""

Array = Any  # a numpy array; numba reads the types from the signatures

_READ = "Array({}, 1, 'C', readonly=True)"


@part
def _hash(points: Array, start: int, end: int) -> np.uint64:
    """FNV-1a over code points, its bits mixed once more."""
    value = np.uint64(14695981039346656037)
    for place in range(start, end):
        value = (value ^ np.uint64(points[place])) * np.uint64(1099511628211)
    return value ^ (value >> np.uint64(29))


@part
def _number(
    points: Array, start: int, end: int, slots: Array, hashes: Array, pool: Array, starts: Array, state: Array
) -> Any:
    """The number of a word; a new one gets the next."""
    value = _hash(points, start, end)
    mask = np.uint64(len(slots) - 1)
    slot = value & mask
    length = end - start
    while slots[slot] > 0:
        known = slots[slot] - 1
        if hashes[known] == value and starts[known + 1] - starts[known] == length:
            same = True
            for place in range(length):
                if pool[starts[known] + place] != points[start + place]:
                    same = False
                    break
            if same:
                return known
        slot = (slot + np.uint64(1)) & mask
    number = state[0]
    slots[slot] = number + 1
    hashes[number] = value
    used = starts[number]
    for place in range(length):
        pool[used + place] = points[start + place]
    starts[number + 1] = used + length
    state[0] = number + 1
    return number


@part
def _end(points: Array, classes: Array, place: int, last: int) -> int:
    """Where the word ends that begins at a letter, a digit or a joiner."""
    while place < last:
        here = classes[points[place]]
        if LETTER <= here <= JOINER:
            place += 1
            continue
        # What stands between two letters or two digits parts them not.
        before = classes[points[place - 1]]
        fits = before != JOINER and (here == before + 3 or here == IN_BOTH)
        if fits and place + 1 < last and classes[points[place + 1]] == before:
            place += 2
            continue
        break
    return place


@kernel(
    f"void({_READ.format('uint32')}, {_READ.format('int64')}, {_READ.format('uint8')}, int64, int32[::1], "
    "uint64[::1], uint32[::1], int64[::1], int64[::1], int32[::1], int64[::1], int64[::1], boolean[::1])"
)
def split(
    points: Array,
    ends: Array,
    classes: Array,
    longest: int,
    slots: Array,
    hashes: Array,
    pool: Array,
    starts: Array,
    state: Array,
    numbers: Array,
    numbers_ends: Array,
    known: Array,
    hard: Array,
) -> None:
    """Split texts that stand one behind the other.

    Args:
        points: ``(n,) uint32`` code points of all texts.
        ends: ``(t,) int64`` where each text ends.
        classes: ``(0x110000,) uint8`` class of each code point.
        longest: characters of the longest word.
        slots: ``int32``, a power of two of them, at least twice as many as words: number and 1, or 0.
        hashes: ``uint64`` of each word.
        pool: ``uint32`` code points of all words.
        starts: ``int64`` where each word begins there, and where the last one ends.
        state: ``(1,) int64`` number of words known.
        numbers: ``int32`` number of each word of the texts, filled.
        numbers_ends: ``(t,) int64`` where each text's numbers end, filled.
        known: ``(t,) int64`` words known behind each text, filled.
        hard: ``(t,) bool`` whether a text is left to the written rules, filled.
    """
    first, found = 0, 0
    for text in range(len(ends)):
        last = ends[text]
        before = found
        difficult = False
        for place in range(first, last):
            if classes[points[place]] == HARD:
                difficult = True
                break
        place = first
        while not difficult and place < last:
            here = classes[points[place]]
            if not LETTER <= here <= JOINER:
                place += 1
                continue
            start, place = place, _end(points, classes, place, last)
            if here == JOINER:  # joiners alone are no word
                some = False
                for inner in range(start, place):
                    if classes[points[inner]] != JOINER:
                        some = True
                        break
                if not some:
                    continue
            if place - start > longest:
                difficult = True
                break
            numbers[found] = _number(points, start, place, slots, hashes, pool, starts, state)
            found += 1
        if difficult:
            found = before
        hard[text] = difficult
        numbers_ends[text] = found
        known[text] = state[0]
        first = last


@kernel(f"void({_READ.format('uint64')}, int64, int32[::1])")
def place_again(hashes: Array, words: int, slots: Array) -> None:
    """Put known words into empty slots."""
    mask = np.uint64(len(slots) - 1)
    for number in range(words):
        slot = hashes[number] & mask
        while slots[slot] > 0:
            slot = (slot + np.uint64(1)) & mask
        slots[slot] = number + 1
