"""Blocks of postings become columns by term, in the memory of a part of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from beirkit.retrievers.lexical.spill import Blocks, Column

AT_ONCE = 1 << 21
"""Postings that are put into their places at once, some 30 bytes each."""


def columns(
    blocks: Blocks, indptr: npt.NDArray[np.int64], dtype: type[np.int32] | type[np.float32]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[Any]]:
    """The postings of all blocks, by term, then document; one range of terms after the other.

    Args:
        blocks: in the order of their documents.
        indptr: ``(n_terms + 1,) int64``; the postings of term ``t`` go to ``indptr[t]:indptr[t + 1]``.
        dtype: of what the postings carry.

    Returns:
        ``(n_postings,) int32`` documents and ``(n_postings,)`` values; long ones are mapped from a temporary
        file.
    """
    docs, values = Column(np.int32), Column(dtype)
    for first, last in ranges(indptr):
        start = indptr[first]
        docs_here = np.empty(indptr[last] - start, dtype=np.int32)
        values_here = np.empty(len(docs_here), dtype=dtype)
        free = indptr[first:last] - start  # where the next posting of each term goes
        for block in blocks.between(first, last):
            # Within a block the postings of a term are neighbours: shift each run to its term's free place.
            starts, terms, here = runs(block.terms)
            terms = terms - first
            place = np.arange(len(block.terms)) + np.repeat(free[terms] - starts, here)
            docs_here[place] = block.docs
            values_here[place] = block.values
            free[terms] += here
        docs.append(docs_here)
        values.append(values_here)
    return docs.array(), values.array()


def ranges(indptr: npt.NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Ranges of terms that have about ``AT_ONCE`` postings each, or are one term of more."""
    steps = np.arange(0, indptr[-1] + AT_ONCE, AT_ONCE)
    cuts = np.unique(np.searchsorted(indptr, steps).clip(max=len(indptr) - 1))
    return pairwise(cuts.tolist())


def runs(
    terms: npt.NDArray[np.int32],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Where the run of each term begins, which term it is and how long it is."""
    starts = np.flatnonzero(np.diff(terms, prepend=-1))
    return starts, terms[starts], np.diff(starts, append=len(terms))


class Frequencies:
    """Number of documents of each term, of a vocabulary that grows."""

    def __init__(self) -> None:
        self._counted = np.zeros(1024, dtype=np.int64)

    def add(self, terms: npt.NDArray[np.int32], n_terms: int) -> None:
        """Count the postings of one block.

        Args:
            terms: of each posting, ascending.
            n_terms: number of terms so far.
        """
        if n_terms > len(self._counted):
            self._counted = np.concatenate((self._counted, np.zeros(n_terms, dtype=np.int64)))
        _, distinct, here = runs(terms)
        self._counted[distinct] += here

    def indptr(self, n_terms: int) -> npt.NDArray[np.int64]:
        """``(n_terms + 1,) int64`` where the postings of each term begin and end."""
        return np.concatenate(([0], np.cumsum(self._counted[:n_terms]))).astype(np.int64)
