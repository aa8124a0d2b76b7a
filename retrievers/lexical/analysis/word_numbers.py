"""Words of many texts as numbers, by compiled code where numba is installed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from beirkit.retrievers.lexical.analysis.word_break import LONGEST
from beirkit.retrievers.lexical.analysis.word_break_table import RANGES

CountT = TypeVar("CountT", bound=np.generic)

MOST_WORDS = 1 << 20
"""Distinct words that are kept; with more the memory starts anew, so that it is bounded."""

_AT_ONCE = 1 << 18
"""Code points that are split at once, one text at least."""


@dataclass(frozen=True)
class Numbered:
    """The words of some texts.

    Attributes:
        texts: how many texts.
        numbers: ``(n,) int32`` number of each word, text by text.
        ends: ``(texts,) int64`` where each text's numbers end.
        known: ``(texts,) int64`` how many words had a number behind each text; new ones count on in the order
            in which they stand.
        hard: ``(texts,) bool`` texts that are to be split by the written rules; they have no numbers here.
        renewed: whether all numbers given before are void.
    """

    texts: int
    numbers: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int64]
    known: npt.NDArray[np.int64]
    hard: npt.NDArray[np.bool_]
    renewed: bool


class WordNumbers:
    """Numbers the words that :func:`~beirkit.retrievers.lexical.analysis.word_break.words` finds.

    Args:
        most: distinct words from which on the memory starts anew.

    Raises:
        ImportError: numba cannot be used.
    """

    def __init__(self, most: int = MOST_WORDS) -> None:
        self._kernel = import_module("beirkit.retrievers.lexical.analysis.word_kernel")
        self._classes = _classes()
        self._most = most
        self._clear()

    def word(self, number: int) -> str:
        """The word of a number."""
        part = self._pool[self._starts[number] : self._starts[number + 1]]
        return part.tobytes().decode("utf-32-le", "surrogatepass")

    def split(self, texts: Sequence[str]) -> Iterator[Numbered]:
        """The words of texts, in their order, some texts at a time."""
        for part in _parts(texts):
            renewed = int(self._state[0]) > self._most
            if renewed:
                self._clear()
            encoded = "".join(part).encode("utf-32-le", "surrogatepass")
            points = np.frombuffer(encoded, dtype=np.uint32)
            self._make_room(len(points))
            ends = np.cumsum([len(text) for text in part], dtype=np.int64)
            numbers = np.empty(len(points) // 2 + len(part) + 1, dtype=np.int32)
            number_ends, known = np.empty_like(ends), np.empty_like(ends)
            hard = np.empty(len(part), dtype=np.bool_)
            self._kernel.split(
                *(points, ends, self._classes, LONGEST),
                *(self._slots, self._hashes, self._pool, self._starts, self._state),
                *(numbers, number_ends, known, hard),
            )
            yield Numbered(len(part), numbers[: number_ends[-1]], number_ends, known, hard, renewed)

    def _clear(self) -> None:
        self._state: npt.NDArray[np.int64] = np.zeros(1, dtype=np.int64)
        self._slots: npt.NDArray[np.int32] = np.zeros(1 << 12, dtype=np.int32)
        self._hashes: npt.NDArray[np.uint64] = np.empty(0, dtype=np.uint64)
        self._starts: npt.NDArray[np.int64] = np.zeros(1, dtype=np.int64)
        self._pool: npt.NDArray[np.uint32] = np.empty(0, dtype=np.uint32)

    def _make_room(self, points: int) -> None:
        """Have room for as many new words as so many code points can have."""
        words = int(self._state[0])
        most = words + points // 2 + 1
        if len(self._hashes) < most:
            size = most + most // 2
            self._hashes = _longer(self._hashes, size)
            self._starts = _longer(self._starts, size + 1)
        used = int(self._starts[words])
        if len(self._pool) < used + points:
            self._pool = _longer(self._pool, 2 * used + points)
        if len(self._slots) < 2 * most:
            self._slots = np.zeros(1 << (2 * most).bit_length(), dtype=np.int32)
            self._kernel.place_again(self._hashes, words, self._slots)


def _longer(array: npt.NDArray[CountT], size: int) -> npt.NDArray[CountT]:
    grown = np.zeros(size, dtype=array.dtype)
    grown[: len(array)] = array
    return grown


def _parts(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """The texts, some at a time."""
    first = points = 0
    for place, text in enumerate(texts):
        points += len(text)
        if points >= _AT_ONCE:
            yield texts[first : place + 1]
            first, points = place + 1, 0
    if first < len(texts):
        yield texts[first:]


@cache
def _classes() -> npt.NDArray[np.uint8]:
    """The class of every code point, from the table of the written rules."""
    kernel = import_module("beirkit.retrievers.lexical.analysis.word_kernel")
    easy = {"A": kernel.LETTER, "1": kernel.DIGIT, "_": kernel.JOINER, "L": kernel.IN_LETTERS,
            "N": kernel.IN_DIGITS, "B": kernel.IN_BOTH, "'": kernel.IN_BOTH, '"': kernel.NOTHING,
            "#": kernel.NOTHING}  # fmt: skip
    classes = np.full(0x110000, kernel.NOTHING, dtype=np.uint8)
    for letter, ranges in RANGES.items():
        for item in ranges.split():
            first, _, last = item.partition("-")
            classes[int(first, 16) : int(last or first, 16) + 1] = easy.get(letter, kernel.HARD)
    return classes
