"""Fusing runs: the arithmetic, by itself.

Every method gives a document the sum, over the runs, of the run's weight times a value: its score, its score
normalised within the list, or 1 / (k + rank). A sum is taken over its parts in ascending order, so the order
in which runs are given changes no bit of it, and documents whose parts are equal are tied.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Literal, get_args

import msgspec
import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import ConfigError, DataError, UsageError
from beirkit.corpora.run import Run

_log = logging.getLogger(__name__)

Method = Literal["rrf", "minmax", "zscore", "sum"]
Direction = Literal["higher", "lower"]
Missing = Literal["zero", "lowest"]
Floats = npt.NDArray[np.float64]

CONSTANT = 1.0
"""What min-max makes of every score of a list whose scores are all equal, a list of one among them."""


class Fusion(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How runs are fused.

    Attributes:
        method: ``rrf``, reciprocal ranks (Cormack, Clarke and Büttcher 2009); ``minmax``, scores moved to 0…1
            within each list; ``zscore``, scores less their mean by their standard deviation (of the whole
            list, not of a sample); ``sum``, the scores as they are.
        k: of ``rrf``: a document at rank r, from 1, counts 1 / (k + r).
        weights: of the runs, in their order; empty: 1 for each.
        directions: whether higher or lower scores of each run are better; empty: higher. Where lower ones
            are, as for distances, scores change their sign first.
        depth: results of each run's list that count; ``None``: all.
        missing: what a document counts in a list of the query that it is not in: nothing (``zero``), or as
            much as the last one there (``lowest``); ``None``: ``lowest`` for ``zscore``, where 0 would be
            better than half of the list, else ``zero``.
    """

    method: Method = "rrf"
    k: float = 60
    weights: list[float] = []
    directions: list[Direction] = []
    depth: int | None = None
    missing: Missing | None = None

    def check(self, runs: int) -> None:
        """Refuse what cannot be done with so many runs.

        Raises:
            ConfigError: a value is impossible or means nothing for the method.
        """
        if self.method not in get_args(Method):
            raise ConfigError(f"method is {self.method!r}", hint=f"one of {', '.join(get_args(Method))}")
        for name in ("weights", "directions"):
            given = len(getattr(self, name))
            if given not in (0, runs):
                raise ConfigError(f"{given} {name} for {runs} runs", hint="give one for each, in their order")
        if not all(np.isfinite(weight) and weight >= 0 for weight in self.weights):
            raise ConfigError(f"weights are {self.weights}", hint="weights are 0 or greater")
        if self.weights and not any(self.weights):
            raise ConfigError("every weight is 0, which ranks nothing")
        if not (np.isfinite(self.k) and self.k >= 0):
            raise ConfigError(f"k is {self.k}", hint="60 is the customary value")
        if self.k != 60 and self.method != "rrf":
            raise ConfigError(f"k means nothing for {self.method}", hint="take k out")
        if self.missing is not None and self.method == "rrf":
            raise ConfigError("missing means nothing for rrf", hint="take missing out")
        if self.depth is not None and self.depth < 1:
            raise ConfigError(f"depth is {self.depth}", hint="at least 1 result of each list must count")

    def describe(self, runs: int) -> dict[str, object]:
        """All that the result depends on besides the runs, defaults spelled out."""
        return {
            "method": self.method,
            **({"k": float(self.k)} if self.method == "rrf" else {"missing": self.absent}),
            "weights": [float(weight) for weight in self.weights] or [1.0] * runs,
            "directions": list(self.directions) or ["higher"] * runs,
            "depth": self.depth,
        }

    @property
    def absent(self) -> Missing:
        """What ``missing`` stands for."""
        return self.missing or ("lowest" if self.method == "zscore" else "zero")


def fuse(runs: Sequence[Run], how: Fusion, *, tag: str = "fusion", names: Sequence[str] = ()) -> Run:
    """One run out of several: all their queries, all their documents, in ranking order.

    Ties inside a run are put into order, by the one rule, before ranks are counted. A query that a run lacks
    is told; the run counts nothing for it.

    Args:
        runs: at least one.
        how: method, weights and the rest.
        tag: name of the new run.
        names: of the runs, for messages; as a rule ``run 1``, ``run 2``, …

    Returns:
        Scores are float64.

    Raises:
        UsageError: there is no run.
        ConfigError: the method does not fit so many runs.
        DataError: a score is not finite, or a document stands twice in a list.
    """
    if not runs:
        raise UsageError("there is nothing to fuse", hint="name at least one run")
    how.check(len(runs))
    names = names or [f"run {number}" for number in range(1, len(runs) + 1)]
    queries = list(dict.fromkeys(query_id for run in runs for query_id in run.query_ids))
    documents = list(dict.fromkeys(doc_id for run in runs for doc_id in run.doc_ids))
    query_places = {query_id: place for place, query_id in enumerate(queries)}
    places = {doc_id: place for place, doc_id in enumerate(documents)}
    _tell_missing(runs, names, queries)
    keys, values, lowest = [], [], []
    directions: list[Direction] = how.directions or ["higher"] * len(runs)
    for run, name, direction in zip(runs, names, directions, strict=True):
        part = _facing(run, direction).ordered()
        part = part if how.depth is None else part.top(how.depth)
        own = np.asarray([query_places[query_id] for query_id in part.query_ids], dtype=np.int64)
        docs = np.asarray([places[doc_id] for doc_id in part.doc_ids], dtype=np.int64)
        key = own[part.groups] * len(documents) + docs[part.docs] if part.n_results else own[:0]
        if len(np.unique(key)) < len(key):
            raise DataError("a document stands twice in one list", path=run.source or name)
        counted, last = _values(part, how)
        low = np.zeros(len(queries))
        low[own] = last
        keys.append(key)
        values.append(counted)
        lowest.append(low)
    pairs, where = np.unique(np.concatenate(keys), return_inverse=True)
    groups, docs = np.divmod(pairs, max(1, len(documents)))
    parts = np.stack([low[groups] for low in lowest], axis=1)
    ends = np.cumsum([0, *map(len, keys)])
    for column, counted in enumerate(values):
        parts[where[ends[column] : ends[column + 1]], column] = counted
    offsets = np.concatenate(([0], np.cumsum(np.bincount(groups, minlength=len(queries))))).astype(np.int64)
    scores = _sums(parts * np.asarray(how.weights or [1.0] * len(runs)))
    return Run(queries, documents, offsets, docs.astype(np.int32), scores, tag, distinct=True).ordered()


def _facing(run: Run, direction: Direction) -> Run:
    """The run with greater scores as the better ones, in float64."""
    run.require_finite()
    scores = run.scores.astype(np.float64)
    return _with_scores(run, -scores if direction == "lower" else scores)


def _with_scores(run: Run, scores: Floats) -> Run:
    """The same lists with other scores."""
    return Run(run.query_ids, run.doc_ids, run.offsets, run.docs, scores, run.tag, run.source)


def _values(run: Run, how: Fusion) -> tuple[Floats, Floats]:
    """What each result counts, and what a document counts that is not in a query's list.

    Returns:
        ``(n_results,)`` and ``(n_queries,)`` float64.
    """
    sizes = np.diff(run.offsets)
    full = sizes > 0
    none = np.zeros(len(run))
    scores: Floats = run.scores.astype(np.float64)
    if how.method == "rrf":
        places = np.arange(run.n_results) - np.repeat(run.offsets[:-1], sizes)
        ranked: Floats = np.divide(1.0, how.k + 1.0 + places, dtype=np.float64)
        return ranked, none
    starts = run.offsets[:-1][full]
    if not len(starts):
        return scores, none
    counted = scores
    if how.method == "minmax":
        low, high = np.minimum.reduceat(scores, starts), np.maximum.reduceat(scores, starts)
        width = np.repeat(high - low, sizes[full])
        moved = scores - np.repeat(low, sizes[full])
        counted = np.divide(moved, width, out=np.full_like(scores, CONSTANT), where=width > 0)
    elif how.method == "zscore":
        mean = np.add.reduceat(scores, starts) / sizes[full]
        away = scores - np.repeat(mean, sizes[full])
        spread = np.sqrt(np.add.reduceat(away * away, starts) / sizes[full])
        # the mean of equal scores may differ from them in its last bit
        same = np.minimum.reduceat(scores, starts) == np.maximum.reduceat(scores, starts)
        spread = np.repeat(np.where(same, 0.0, spread), sizes[full])
        counted = np.divide(away, spread, out=np.zeros_like(scores), where=spread > 0)
    last = none
    if how.absent == "lowest":
        last[full] = np.minimum.reduceat(counted, starts)
    return counted, last


def _sums(parts: Floats) -> Floats:
    """The sum of each row, over its values in ascending order."""
    parts = np.sort(parts, axis=1)
    total: Floats = np.zeros(len(parts))
    for column in range(parts.shape[1]):
        total = total + parts[:, column]
    return total


def _tell_missing(runs: Sequence[Run], names: Sequence[str], queries: Sequence[str]) -> None:
    for name, missing in zip(names, missing_queries(runs, queries), strict=True):
        if missing:
            _log.warning(
                "%s has no list for %d of %d queries and counts nothing for them: %s%s",
                name, len(missing), len(queries), ", ".join(map(repr, missing[:3])),
                ", …" if len(missing) > 3 else "",
            )  # fmt: skip


def missing_queries(runs: Sequence[Run], queries: Sequence[str]) -> list[list[str]]:
    """For each run, the queries that it has no list for; a list without results is one."""
    return [[query for query in queries if query not in have] for have in (set(r.query_ids) for r in runs)]
