"""Texts as rows of a sparse matrix: for each text its terms and their weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Rows:
    """Texts as rows of a sparse matrix.

    Attributes:
        counts: ``(n,) int64`` terms of each text.
        terms: ``(sum of counts,) int32`` numbers of the terms, each once within a text.
        weights: ``(sum of counts,) float32``, none of them 0.
    """

    counts: npt.NDArray[np.int64]
    terms: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float32]

    @property
    def indptr(self) -> npt.NDArray[np.int64]:
        """``(n + 1,)`` where each text begins."""
        return np.concatenate(([0], np.cumsum(self.counts))).astype(np.int64)

    def take(self, places: Sequence[int]) -> Rows:
        """Some of the texts, in this order."""
        starts = self.indptr
        parts = [np.arange(starts[place], starts[place + 1]) for place in places]
        chosen = np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)
        return Rows(self.counts[list(places)], self.terms[chosen], self.weights[chosen])

    @staticmethod
    def concatenate(parts: Sequence[Rows]) -> Rows:
        """The texts of several, one after the other."""
        return Rows(
            np.concatenate([part.counts for part in parts]),
            np.concatenate([part.terms for part in parts]),
            np.concatenate([part.weights for part in parts]),
        )
