"""Scores of every document a query's terms stand in, and the best of them: what all lexical models share.

A score is the sum, in double precision and in the order of the query's terms, of what each of its terms adds,
rounded to float32 once. Numpy does it term by term; where numba is installed, its kernels do the same
operations in the same order, so that every bit is the same (:mod:`beirkit.retrievers.lexical.kernels`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from beirkit.retrievers.lexical.native import use_numba
from beirkit.retrievers.topk import top_k

Ranked = tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]
"""Document ordinals and scores of one query, in ranking order."""

_TINY = 1e-30
"""What is greater than this is greater than 0 as float32 too, whatever is added to it."""


@dataclass(frozen=True, eq=False)
class Clauses:
    """The terms of a query in one index.

    Attributes:
        docs: ``(n_postings,) int32``, of the index.
        weights: ``(n_postings,) float32``, of the index.
        starts: ``(n,) int64`` where the postings of each term begin.
        ends: ``(n,) int64`` where they end.
        query: ``(n,) float32`` the weight ``q`` of each term.
        saturating: a posting of weight ``w`` adds ``q - q / w``, in float32, and not ``q * w``.
        least: no posting of the index weighs less.
    """

    docs: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float32]
    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    query: npt.NDArray[np.float32]
    saturating: bool = False
    least: float = -np.inf

    @property
    def only_add(self) -> bool:
        """Whether whatever they add is certainly more than 0, so that a score of 0 is no match."""
        if not len(self.query):
            return True
        lowest = float(self.query.min())
        if self.saturating:
            return self.least > 1.0001 and lowest > _TINY
        return self.least > 0 and lowest > 0 and lowest * self.least > _TINY


@dataclass(frozen=True, eq=False)
class Places:
    """Where each document stands in the order of ids.

    Attributes:
        ranks: ``(n_docs,) int32`` value of :func:`beirkit.corpora.run.id_ranks`.
    """

    ranks: npt.NDArray[np.int32]

    @cached_property
    def docs(self) -> npt.NDArray[np.int32]:
        """``(n_docs,) int32`` the document at each rank."""
        docs = np.empty_like(self.ranks)
        docs[self.ranks] = np.arange(len(docs), dtype=np.int32)
        return docs

    @cached_property
    def keys(self) -> npt.NDArray[np.uint64]:
        """``(n_docs,) uint64`` below 2 ** 32, greater for a document that comes before another in a tie."""
        return np.uint64(0xFFFFFFFF) - self.ranks.astype(np.uint64)


def best(clauses: Sequence[Clauses], places: Places, k: int, *, base: float = 0.0) -> Ranked:
    """The ``k`` best of the documents that some term stands in, in ranking order.

    Args:
        clauses: terms, index by index; the indexes are of the same documents.
        places: of the documents.
        k: how many, at least 1; it may exceed the number of documents.
        base: what is added to the score of every match.
    """
    parts = [part for part in clauses if len(part.query)]
    if not parts:
        return np.empty(0, dtype=np.int32), np.empty(0, dtype=np.float32)
    only_add = base == 0 and all(part.only_add for part in parts)
    if len(parts) <= 2 and use_numba(len(places.ranks)):
        from beirkit.retrievers.lexical import compiled

        one = [(part, np.array([len(part.query)], dtype=np.int64)) for part in parts]
        (found,) = compiled.best_of_each(one, places, k, base=np.array([base]), only_add=np.array([only_add]))
        return found
    return _best(parts, places.ranks, k, base=base, only_add=only_add)


def _best(
    parts: Sequence[Clauses], ranks: npt.NDArray[np.int32], k: int, *, base: float, only_add: bool
) -> Ranked:
    pairs = [
        (part.docs[start:end], _added(part, start, end, weight))
        for part in parts
        for start, end, weight in zip(part.starts.tolist(), part.ends.tolist(), part.query, strict=True)
    ]
    docs = np.concatenate([found for found, _ in pairs])
    # It adds up in the order in which they stand.
    sums = np.bincount(docs, np.concatenate([added for _, added in pairs]), minlength=len(ranks))
    scores = (sums + base).astype(np.float32) + np.float32(0)  # no -0
    if only_add:
        return top_k(scores, ranks, k, above=0.0)
    matches = np.zeros(len(ranks), dtype=bool)
    matches[docs] = True
    scores[~matches] = -np.inf
    return top_k(scores, ranks, k, above=-np.inf)


def _added(part: Clauses, start: int, end: int, weight: np.float32) -> npt.NDArray[np.float64]:
    weights = part.weights[start:end]
    if part.saturating:
        return (weight - weight / weights).astype(np.float64)
    return weights.astype(np.float64) * np.float64(weight)
