"""How often each term stands in each document: what every lexical model is computed from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from beirkit.retrievers.lexical.merge import Frequencies, columns
from beirkit.retrievers.lexical.occurrences import Occurrences
from beirkit.retrievers.lexical.spill import Block, Blocks
from beirkit.retrievers.lexical.text_analyzer import TextAnalyzer


@dataclass(frozen=True, eq=False)
class CorpusStatistics:
    """What weights depend on besides the document itself.

    They are of the whole corpus: weighing a part of it by its own statistics changes the ranking.

    Attributes:
        documents: number of documents.
        length: number of terms of all documents together, repeated ones counted.
        frequencies: ``(n_terms,) int64`` number of documents each term of a vocabulary stands in.
    """

    documents: int
    length: int
    frequencies: npt.NDArray[np.int64]

    @property
    def average_length(self) -> float:
        """Terms per document."""
        return self.length / self.documents


@dataclass(frozen=True, eq=False)
class TermCounts:
    """Term frequencies in columns, by term.

    Attributes:
        vocabulary: number of each term, in the order of their first occurrence.
        indptr: ``(n_terms + 1,) int64``; the postings of term ``t`` are ``indptr[t]:indptr[t + 1]``.
        docs: ``(n_postings,) int32`` document ordinals, ascending within a term.
        counts: ``(n_postings,) int32`` how often the term stands in the document.
        lengths: ``(n_docs,) int64`` number of terms of each document, repeated ones counted.
    """

    vocabulary: dict[str, int]
    indptr: npt.NDArray[np.int64]
    docs: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int32]
    lengths: npt.NDArray[np.int64]

    @property
    def statistics(self) -> CorpusStatistics:
        """The statistics of these documents."""
        return CorpusStatistics(
            documents=len(self.lengths), length=int(self.lengths.sum()), frequencies=np.diff(self.indptr)
        )


class CountsBuilder:
    """Counts terms of documents that arrive in blocks.

    A block is reduced to one (term, document, count) triple per posting before the next is read; the
    triples are put into columns at the end, without sorting them again. Until then those of a large corpus
    wait in a temporary file, so that reading takes the memory of a block and of the vocabulary.

    Args:
        analyzer: splits texts into words and words into terms.
    """

    def __init__(self, analyzer: TextAnalyzer) -> None:
        self._occurrences = Occurrences(analyzer)
        self._blocks = Blocks()
        self._frequencies = Frequencies()
        self._lengths: list[npt.NDArray[np.int64]] = []
        self.n_docs = 0

    def add(self, texts: Sequence[str]) -> None:
        """Take in one block of documents, at most some thousands."""
        terms, ends = self._occurrences.of(texts)
        docs = np.repeat(np.arange(len(texts)), np.diff(ends, prepend=0))
        self._lengths.append(np.bincount(docs, minlength=len(texts)))
        # One integer per occurrence sorts by term, then document; equal ones are the count.
        pairs = np.sort(terms * np.int64(len(texts)) + docs)
        starts = np.flatnonzero(np.diff(pairs, prepend=-1))
        term, doc = np.divmod(pairs[starts], max(1, len(texts)))
        self._blocks.append(
            Block(
                terms=term.astype(np.int32),
                docs=(doc + self.n_docs).astype(np.int32),
                values=np.diff(starts, append=len(pairs)).astype(np.int32),
            )
        )
        self._frequencies.add(term.astype(np.int32), len(self._occurrences.vocabulary))
        self.n_docs += len(texts)

    def build(self) -> TermCounts:
        """The counts of all blocks, by term."""
        vocabulary = self._occurrences.vocabulary
        indptr = self._frequencies.indptr(len(vocabulary))
        docs, counts = columns(self._blocks, indptr, np.int32)
        lengths = np.concatenate(self._lengths) if self._lengths else np.empty(0, dtype=np.int64)
        return TermCounts(vocabulary, indptr, docs, counts, lengths.astype(np.int64))
