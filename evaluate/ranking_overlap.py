"""How alike the lists of two systems are, whatever is relevant."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from math import fsum
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from beirkit.corpora.packed_ids import ordinals, take
from beirkit.corpora.run import Run
from beirkit.evaluate.counted import counted_lists
from beirkit.evaluate.scores import Scores

PERSISTENCE = 0.9
"""Of RBO: the first 10 results have 86 % of the weight (Webber et al. 2010, table 3)."""

Ranks = npt.NDArray[np.int64]


class Overlap(msgspec.Struct, frozen=True, kw_only=True):
    """Two systems, over the queries for which both have results.

    Attributes:
        system: its name.
        other: what it is compared with.
        queries: how many both have results for.
        overlap: mean over queries of the documents in both of the first ``at`` / those in either (Jaccard).
        at: how many results ``overlap`` looks at.
        rbo: mean rank-biased overlap of the whole lists, extrapolated.
        tau: mean of Kendall's tau over the documents that both lists hold; None where no query has two.
        tau_queries: how many have two or more, over which ``tau`` is a mean.
    """

    system: str
    other: str
    queries: int
    overlap: float | None
    at: int
    rbo: float | None
    tau: float | None
    tau_queries: int

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        facts: dict[str, Any] = msgspec.to_builtins(self)
        return facts


def overlaps(
    scores: Mapping[str, Scores],
    runs: Mapping[str, Run],
    baseline: str | None = None,
    *,
    at: int = 10,
    persistence: float = PERSISTENCE,
    self_match_ids: Mapping[str, Collection[str] | None] | None = None,
) -> tuple[Overlap, ...]:
    """The lists of each system beside the baseline's, or of every pair, as they were scored.

    Args:
        scores: by system; their rules say which results count and in which order.
        runs: by system, what was scored.
        baseline: a key of ``scores``; ``None``: every pair.
        at: how many results the overlap looks at.
        persistence: of RBO, between 0 and 1; the higher, the deeper it looks.
        self_match_ids: by system, as given to ``evaluate``.
    """
    own = self_match_ids or {}
    lists = {
        name: counted_lists(
            runs[name], one.query_ids, one.protocol, self_match_ids=own.get(name), depth=one.depth
        )
        for name, one in scores.items()
    }
    pairs = combinations(lists, 2) if baseline is None else ((baseline, n) for n in lists if n != baseline)
    return tuple(_overlap(ours, lists[ours], other, lists[other], at, persistence) for other, ours in pairs)


def rbo(length: int, other_length: int, ranks: Ranks, other_ranks: Ranks, persistence: float) -> float:
    """Rank-biased overlap of two lists, extrapolated (Webber, Moffat and Zobel 2010, eq. 32).

    Args:
        length: of the first list, 1 or more.
        other_length: of the second, 1 or more.
        ranks: ``(n,)`` ranks from 0 in the first list of the documents that are in both.
        other_ranks: ``(n,)`` their ranks in the second.
        persistence: weight of each depth in proportion to the one before.
    """
    short, long = sorted((length, other_length))
    depths = np.arange(1, long + 1)
    shared = np.cumsum(np.bincount(np.maximum(ranks, other_ranks), minlength=long))
    weights = persistence**depths
    at_short = float(shared[short - 1])
    agreement = shared / depths
    # below the end of the shorter list it is taken to go on agreeing as it did
    deeper = depths[short:]
    agreement[short:] += at_short * (deeper - short) / (short * deeper)
    last = (float(shared[-1]) - at_short) / long + at_short / short
    return (1 - persistence) / persistence * float(agreement @ weights) + last * float(weights[-1])


def _overlap(name: str, ours: Run, other_name: str, theirs: Run, at: int, persistence: float) -> Overlap:
    """Every query that both have results for."""
    from scipy import stats

    row_of = {query_id: row for row, query_id in enumerate(theirs.query_ids)}
    ids = take(theirs.doc_ids, np.arange(len(theirs.doc_ids)))
    as_ours = ordinals(ours.doc_ids, ids)  # -1: the other run holds it nowhere
    shares, biased, taus = [], [], []
    for row, query_id in enumerate(ours.query_ids):
        if query_id not in row_of:
            continue
        docs, other_docs = ours.results(row)[0], as_ours[theirs.results(row_of[query_id])[0]]
        if not len(docs) or not len(other_docs):
            continue
        _, ranks, other_ranks = np.intersect1d(docs, other_docs, return_indices=True)
        both = int(((ranks < at) & (other_ranks < at)).sum())
        shares.append(both / (min(len(docs), at) + min(len(other_docs), at) - both))
        biased.append(rbo(len(docs), len(other_docs), ranks, other_ranks, persistence))
        if len(ranks) > 1:
            taus.append(float(stats.kendalltau(ranks, other_ranks).statistic))
    return Overlap(
        system=name,
        other=other_name,
        queries=len(shares),
        overlap=_mean(shares),
        at=at,
        rbo=_mean(biased),
        tau=_mean(taus),
        tau_queries=len(taus),
    )


def _mean(values: Sequence[float]) -> float | None:
    return fsum(values) / len(values) if values else None
