"""Texts as sets of five words in a row, each row as 64 bits: what near-duplicates are told by."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Shingles = npt.NDArray[np.uint64]

WIDTH = 5

_IDEOGRAMS = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"  # no blanks stand between the words of their languages
_WORD = re.compile(f"[{_IDEOGRAMS}]|[^\\W{_IDEOGRAMS}]+")
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
        rows = [self._hashes(text) for text in texts]
        lengths = np.array([len(row) for row in rows], np.int64)
        padded = np.maximum(lengths, WIDTH)  # short texts are filled up with zeros
        padded[lengths == 0] = 0
        words = np.zeros(int(padded.sum()), np.uint64)
        starts = np.cumsum(padded) - padded
        for row, start in zip(rows, starts.tolist(), strict=True):
            words[start : start + len(row)] = row
        counts = np.where(padded > 0, padded - WIDTH + 1, 0)
        total = int(counts.sum())
        first = np.repeat(starts - (np.cumsum(counts) - counts), counts) + np.arange(total)
        made = np.zeros(total, np.uint64)
        for offset in range(WIDTH):
            made = made * _STEP + words[first + offset]
        return mixed(made), counts

    def _hashes(self, text: str) -> list[int]:
        words = self._words
        row = []
        for word in _WORD.findall(text.casefold()):
            bits = words.get(word)
            if bits is None:
                if len(words) >= _MOST_WORDS:
                    words.clear()
                digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
                bits = words[word] = int.from_bytes(digest, "little")
            row.append(bits)
        return row


def mixed(values: Shingles) -> Shingles:
    """Every bit made to depend on every bit (the finaliser of SplitMix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def jaccard(one: Shingles, two: Shingles) -> float:
    """The share of two sorted sets that is in both."""
    both = np.intersect1d(one, two, assume_unique=True).size
    return float(both / (one.size + two.size - both)) if both else 0.0
