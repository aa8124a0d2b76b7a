"""What unjudged documents could do to the scores of systems, and whether they could turn a verdict."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import fsum
from typing import Any

import msgspec

from beirkit.corpora.errors import UsageError
from beirkit.corpora.records import Qrels
from beirkit.corpora.run import Run
from beirkit.evaluate.comparable import comparable_values
from beirkit.evaluate.counted import counted_lists, documents_by_query
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.scores import Scores
from beirkit.evaluate.unjudged import FAMILIES, NOTHING, Found, greatest_difference


class SystemBounds(msgspec.Struct, frozen=True, kw_only=True):
    """One system.

    Attributes:
        system: its name.
        mean: as scored: what is not judged is not relevant.
        low: the lowest mean that grades of its own unjudged results could bring.
        high: the highest.
        unjudged: the share of its results, down to where the measure looks, that has no judgment for the
            query; mean over the queries with results. None where no query has any.
    """

    system: str
    mean: float
    low: float
    high: float
    unjudged: float | None


class DifferenceBounds(msgspec.Struct, frozen=True, kw_only=True):
    """Two systems; a document that both found has one grade in both.

    Attributes:
        system: its name.
        other: what it is compared with.
        difference: mean minus the other's, as scored.
        low: the lowest difference that grades of the unjudged results of both could bring.
        high: the highest.
    """

    system: str
    other: str
    difference: float
    low: float
    high: float

    @property
    def settled(self) -> bool:
        """Whether the same system is ahead whatever the grades of unjudged documents are."""
        return self.low > 0 or self.high < 0


class BoundsTable(msgspec.Struct, frozen=True, kw_only=True):
    """Bounds of one measure.

    Attributes:
        measure: what is bounded.
        queries: how many the means are over.
        highest: the highest grade that an unjudged document may have: that of the judgments.
        exact: whether the bounds of differences are reached by some grades; those of AP are wider.
        systems: in the order given.
        rows: the differences to the baseline.
    """

    measure: Measure
    queries: int
    highest: int
    exact: bool
    systems: tuple[SystemBounds, ...]
    rows: tuple[DifferenceBounds, ...]

    def to_dict(self) -> dict[str, Any]:
        """The table for JSON, with what is settled."""
        rows = [{**msgspec.to_builtins(row), "settled": row.settled} for row in self.rows]
        return {**msgspec.to_builtins(self), "measure": str(self.measure), "rows": rows}


def has_bounds(measure: Measure) -> bool:
    """Whether :func:`bounds` knows the measure; a condensed list has no unjudged results."""
    return measure.family in FAMILIES and not measure.judged_only


def bounds(
    scores: Mapping[str, Scores],
    runs: Mapping[str, Run],
    qrels: Qrels,
    measure: str | Measure,
    baseline: str,
    *,
    self_match_ids: Mapping[str, Collection[str] | None] | None = None,
) -> BoundsTable:
    """The bounds of each system's mean, and of each difference to the baseline.

    They hold for any grades of the unjudged documents that stand in the compared lists, from 0 to the highest
    grade in the judgments, with everything else as it is judged. They say nothing of documents that no list
    holds, and nothing of chance: the bootstrap interval does that.

    Args:
        scores: by system, of these judgments under one protocol.
        runs: by system, what was scored.
        qrels: the judgments.
        measure: what is bounded.
        baseline: a key of ``scores``.
        self_match_ids: by system, as given to ``evaluate``.

    Raises:
        UsageError: the measure has no bounds here, or the scores are not comparable.
    """
    wanted = Measure.parse(measure)
    if not has_bounds(wanted):
        raise UsageError(f"{wanted} has no bounds", hint=f"measures with bounds: {', '.join(FAMILIES)}")
    names = [baseline, *(name for name in scores if name != baseline)]
    queries, values = comparable_values(scores, wanted, names)
    top = max((grade for row in qrels.values() for grade in row.values()), default=0)
    highest = max(top, wanted.level)
    own = self_match_ids or {}
    found = {n: _found(scores[n], runs[n], qrels, wanted, queries, own.get(n)) for n in names}

    def extremes(ours: Sequence[Found], theirs: Sequence[Found]) -> tuple[float, float]:
        pairs = [(qrels[q], a, b) for q, a, b in zip(queries, ours, theirs, strict=True)]
        low = fsum(-greatest_difference(wanted, row, b, a, highest) for row, a, b in pairs)
        high = fsum(greatest_difference(wanted, row, a, b, highest) for row, a, b in pairs)
        return low / len(queries), high / len(queries)

    means = {name: fsum(values[name].tolist()) / len(queries) for name in names}
    systems, rows = [], []
    for name in names:
        low, high = extremes(found[name], [NOTHING] * len(queries))
        systems.append(
            SystemBounds(system=name, mean=means[name], low=low, high=high, unjudged=_share(found[name]))
        )
        if name != baseline:
            low, high = extremes(found[name], found[baseline])
            difference = means[name] - means[baseline]
            rows.append(
                DifferenceBounds(system=name, other=baseline, difference=difference, low=low, high=high)
            )
    return BoundsTable(
        measure=wanted,
        queries=len(queries),
        highest=highest,
        exact=wanted.family != "AP",
        systems=tuple(systems),
        rows=tuple(rows),
    )


def _found(
    scores: Scores,
    run: Run,
    qrels: Qrels,
    measure: Measure,
    queries: Sequence[str],
    self_match_ids: Collection[str] | None,
) -> list[Found]:
    """What a system holds of each query."""
    lists = counted_lists(
        run, queries, scores.protocol, self_match_ids=self_match_ids, depth=scores.depth, measure=measure
    )
    held = {q: Found.of(docs, qrels[q]) for q, docs in documents_by_query(lists, measure.cutoff)}
    return [held.get(query_id, NOTHING) for query_id in queries]


def _share(found: Sequence[Found]) -> float | None:
    shares = [len(one.unjudged) / size for one in found if (size := len(one.unjudged) + len(one.graded))]
    return fsum(shares) / len(shares) if shares else None
