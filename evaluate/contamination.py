"""What scores are with and without the queries that a model may have seen in training."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import msgspec
import numpy as np

from beirkit.evaluate.measures import Measure
from beirkit.evaluate.scores import Scores


class WithWithout(msgspec.Struct, frozen=True, kw_only=True):
    """The means of one measure over all queries, over those left, and over those left out.

    Attributes:
        measure: its name.
        all: over every query that has a value.
        n: how many these are.
        without: over the queries that were not seen; None where there is none.
        n_without: how many these are.
        seen: over the queries that were seen; None where there is none.
        n_seen: how many these are.
    """

    measure: str
    all: float | None
    n: int
    without: float | None
    n_without: int
    seen: float | None
    n_seen: int

    @property
    def difference(self) -> float | None:
        """By how much the mean over all queries is above that without those that were seen."""
        return None if self.all is None or self.without is None else self.all - self.without


def with_and_without(scores: Scores, measure: str | Measure, seen: Collection[str]) -> WithWithout:
    """Compare the mean over all queries with that over the queries that were not seen in training.

    Args:
        scores: per query.
        measure: one that was computed.
        seen: the queries that were; those that were not scored do not count.

    Raises:
        UsageError: the measure was not computed.
    """
    wanted, known = Measure.parse(measure), frozenset(seen)
    left = _part(scores, [query_id not in known for query_id in scores.query_ids])
    out = _part(scores, [query_id in known for query_id in scores.query_ids])
    return WithWithout(
        measure=str(wanted),
        all=scores.mean(wanted),
        n=scores.n(wanted),
        without=left.mean(wanted),
        n_without=left.n(wanted),
        seen=out.mean(wanted),
        n_seen=out.n(wanted),
    )


def _part(scores: Scores, kept: list[bool]) -> Scores:
    """Some of the queries; the counts stay those of the whole, and nobody is shown them."""
    ids = tuple(query_id for query_id, keep in zip(scores.query_ids, kept, strict=True) if keep)
    return replace(scores, query_ids=ids, values=scores.values[np.array(kept, dtype=np.bool_)])
