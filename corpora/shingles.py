"""Texts as sets of five words in a row, each row as 64 bits: what near-duplicates are told by."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt

from beirkit.corpora.words import words as words_of

Shingles = npt.NDArray[np.uint64]

WIDTH = 5

_MOST_WORDS = 200_000  # remembered at once
_STEP = np.uint64(0x9E3779B97F4A7C15)


class Shingler:
    """Makes shingles of texts; equal words have equal bits in every process, so results can be told again."""

    def __init__(self) -> None:
        self._words: dict[str, int] = {}

    def shingles(self, texts: Sequence[str]) -> tuple[Shingles, npt.NDArray[np.int64]]:
        """The shingles of all texts, one text after the other.

        A text of fewer than five words is one shingle, one without words none. What comes twice in a text is
        there twice.

        Returns:
            ``(n,) uint64`` and ``(n_texts,) int64`` how many are of each text.
        """
        return shingles_of(*self.words(texts))

    def words(self, texts: Sequence[str]) -> tuple[Shingles, npt.NDArray[np.int64]]:
        """The words of all texts as 64 bits each, one text after the other.

        Returns:
            ``(n,) uint64`` and ``(n_texts,) int64`` how many are of each text.
        """
        rows = [self._hashes(text) for text in texts]
        lengths = np.array([len(row) for row in rows], np.int64)
        words = np.fromiter(chain.from_iterable(rows), np.uint64, int(lengths.sum()))
        return words, lengths

    def _hashes(self, text: str) -> list[int]:
        words = self._words
        row = []
        for word in words_of(text):
            bits = words.get(word)
            if bits is None:
                if len(words) >= _MOST_WORDS:
                    words.clear()
                digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
                bits = words[word] = int.from_bytes(digest, "little")
            row.append(bits)
        return row


def shingles_of(words: Shingles, lengths: npt.NDArray[np.int64]) -> tuple[Shingles, npt.NDArray[np.int64]]:
    """The shingles of texts of which the words are known; see :meth:`Shingler.shingles`."""
    padded = np.maximum(lengths, WIDTH)  # short texts are filled up with zeros
    padded[lengths == 0] = 0
    filled = np.zeros(int(padded.sum()), np.uint64)
    shift = (np.cumsum(padded) - padded) - (np.cumsum(lengths) - lengths)
    filled[np.repeat(shift, lengths) + np.arange(len(words))] = words
    return windows(filled, padded, WIDTH)


def windows(
    words: Shingles, lengths: npt.NDArray[np.int64], width: int
) -> tuple[Shingles, npt.NDArray[np.int64]]:
    """Every ``width`` words in a row, as 64 bits; a text of fewer words has none.

    Args:
        words: of all texts, one after the other.
        lengths: how many are of each text.
        width: words in a row.

    Returns:
        ``(n,) uint64`` and ``(n_texts,) int64`` how many are of each text.
    """
    counts = np.maximum(lengths - width + 1, 0)
    starts = np.cumsum(lengths) - lengths
    total = int(counts.sum())
    first = np.repeat(starts - (np.cumsum(counts) - counts), counts) + np.arange(total)
    made = np.zeros(total, np.uint64)
    for offset in range(width):
        made = made * _STEP + words[first + offset]
    return mixed(made), counts


def mixed(values: Shingles) -> Shingles:
    """Every bit made to depend on every bit (the finaliser of SplitMix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def jaccard(one: Shingles, two: Shingles) -> float:
    """The share of two sorted sets that is in both."""
    both = np.intersect1d(one, two, assume_unique=True).size
    return float(both / (one.size + two.size - both)) if both else 0.0
