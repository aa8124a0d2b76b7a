"""The terms of texts as numbers, each distinct word analysed once."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt

from beirkit.retrievers.lexical import native
from beirkit.retrievers.lexical.analysis import word_break
from beirkit.retrievers.lexical.analysis.pipeline import LONGEST_CHUNK, plain_word
from beirkit.retrievers.lexical.analysis.word_numbers import MOST_WORDS, Numbered, WordNumbers
from beirkit.retrievers.lexical.text_analyzer import TextAnalyzer

MOST_CHUNKS = 1 << 18
"""Chunks of text between blanks that are remembered; with more the memory starts anew."""

Terms = npt.NDArray[np.int32]


class Occurrences:
    """Numbers terms in the order in which they are first met.

    A word is analysed when it is first met; each later occurrence is one look-up. From some documents on,
    where numba is installed, words are found and looked up by compiled code; numbers are the same.

    Args:
        analyzer: splits texts into words and words into terms.
        most: distinct words that are remembered; with more the memory starts anew, so that it is bounded.

    Attributes:
        vocabulary: number of each term.
    """

    def __init__(self, analyzer: TextAnalyzer, most: int = MOST_WORDS) -> None:
        self.vocabulary: dict[str, int] = {}
        self._analyzer = analyzer
        self._most = most
        self._known = _TermsOfWords(analyzer, self.vocabulary)
        self._chunks = _TermsOfChunks(self._known) if analyzer.splits_by_rules else None
        self._seen = 0
        self._numbered: _Numbered | None = None

    def of(self, texts: Sequence[str]) -> tuple[Terms, npt.NDArray[np.int64]]:
        """The terms of some texts, one text behind the other.

        Returns:
            ``(n,) int32`` terms, and ``(texts,) int64`` where those of each text end.
        """
        self._seen += len(texts)
        if len(self._known) > self._most:
            self._known.clear()
        if self._chunks is not None and len(self._chunks) > MOST_CHUNKS:
            self._chunks.clear()
        if self._numbered is None and self._analyzer.splits_by_rules and native.use_numba(self._seen):
            self._numbered = _Numbered(self._known, self._most)
        if self._numbered is None:
            found = array("i")
            ends = np.empty(len(texts), dtype=np.int64)
            for place, text in enumerate(texts):
                found.extend(self._terms(text))
                ends[place] = len(found)
            return np.array(found, dtype=np.int32), ends
        pieces, lengths = [np.empty(0, dtype=np.int32)], [np.empty(0, dtype=np.int64)]
        prepared = [self._analyzer.prepared(text) for text in texts]
        first = 0
        for split in self._numbered.split(prepared):
            for start, end in _stretches(split.hard):
                if split.hard[start]:
                    terms = np.array(list(self._terms(texts[first + start])), dtype=np.int32)
                    pieces.append(terms)
                    lengths.append(np.array([len(terms)]))
                else:
                    terms, sizes = self._numbered.terms(split, start, end)
                    pieces.append(terms)
                    lengths.append(sizes)
            first += split.texts
        return np.concatenate(pieces), np.cumsum(np.concatenate(lengths), dtype=np.int64)

    def _terms(self, text: str) -> Iterator[int]:
        if self._chunks is not None:
            # No word of Unicode's rules goes over a blank.
            chunks = self._analyzer.prepared(text).split(" ")
            return chain.from_iterable(map(self._chunks.__getitem__, chunks))
        return chain.from_iterable(map(self._known.__getitem__, self._analyzer.words(text)))


class _TermsOfWords(dict[str, tuple[int, ...]]):
    """Numbers of the terms of each word met so far; none for one that is dropped."""

    def __init__(self, analyzer: TextAnalyzer, vocabulary: dict[str, int]) -> None:
        super().__init__()
        self._terms_of = analyzer.terms_of
        self._vocabulary = vocabulary

    def __missing__(self, word: str) -> tuple[int, ...]:
        vocabulary = self._vocabulary
        found = tuple(vocabulary.setdefault(term, len(vocabulary)) for term in self._terms_of(word))
        self[word] = found
        return found


class _TermsOfChunks(dict[str, tuple[int, ...]]):
    """Numbers of the terms of what stands between two blanks: a look-up in place of finding words again."""

    def __init__(self, known: _TermsOfWords) -> None:
        super().__init__()
        self._known = known

    def __missing__(self, chunk: str) -> tuple[int, ...]:
        word = plain_word(chunk)
        if word is not None:
            found = self._known[word]
        else:
            found = tuple(chain.from_iterable(map(self._known.__getitem__, word_break.words(chunk))))
        if len(chunk) <= LONGEST_CHUNK:
            self[chunk] = found
        return found


class _Numbered:
    """The terms of words that have numbers: those of word ``n`` are ``flat[starts[n]:starts[n + 1]]``."""

    def __init__(self, known: _TermsOfWords, most: int) -> None:
        self._words = WordNumbers(most)
        self._known = known
        self._flat, self._starts = array("i"), array("q", [0])

    def split(self, texts: Sequence[str]) -> Iterator[Numbered]:
        for split in self._words.split(texts):
            if split.renewed:
                self._flat, self._starts = array("i"), array("q", [0])
            yield split

    def terms(self, split: Numbered, first: int, last: int) -> tuple[Terms, npt.NDArray[np.int64]]:
        """Terms of the texts from ``first`` on and before ``last``, and how many each has."""
        self._learn(int(split.known[last - 1]))
        ends = split.ends[first:last]
        begin = int(split.ends[first - 1]) if first else 0
        numbers = split.numbers[begin : ends[-1]]
        starts, flat = np.array(self._starts), np.array(self._flat, dtype=np.int32)
        sizes = np.diff(starts)[numbers]
        behind = np.concatenate(([0], np.cumsum(sizes)))
        places = np.repeat(starts[numbers] - behind[:-1], sizes) + np.arange(behind[-1])
        return flat[places], np.diff(behind[ends - begin], prepend=0)

    def _learn(self, words: int) -> None:
        for number in range(len(self._starts) - 1, words):
            self._flat.extend(self._known[self._words.word(number)])
            self._starts.append(len(self._flat))


def _stretches(hard: npt.NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Neighbours that are not hard, together, and each hard text by itself, in order."""
    first = 0
    for place in np.flatnonzero(hard).tolist():
        if first < place:
            yield first, place
        yield place, place + 1
        first = place + 1
    if first < len(hard):
        yield first, len(hard)
