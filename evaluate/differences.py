"""The queries on which two systems differ most: where to look first."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import msgspec
import numpy as np

from beirkit.corpora.records import Qrels
from beirkit.corpora.run import Run
from beirkit.evaluate.comparable import comparable_values
from beirkit.evaluate.counted import counted_lists
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.pairs import NOISE
from beirkit.evaluate.ranking import judged_results, places
from beirkit.evaluate.scores import Scores


class QueryDifference(msgspec.Struct, frozen=True, kw_only=True):
    """One query.

    Attributes:
        query_id: its id.
        text: empty where it is not known.
        value: of the system.
        other_value: of the one it is compared with.
        first: rank from 1 of the system's first relevant result; None where no relevant one counts.
        other_first: the same of the other.
    """

    query_id: str
    text: str
    value: float
    other_value: float
    first: int | None
    other_first: int | None

    @property
    def difference(self) -> float:
        """The system's value minus the other's."""
        return self.value - self.other_value


class Differences(msgspec.Struct, frozen=True, kw_only=True):
    """Where one system differs most from another.

    Attributes:
        measure: by which.
        system: its name.
        other: what it is compared with.
        queries: the largest differences first, equal ones by query id; none that are 0.
    """

    measure: Measure
    system: str
    other: str
    queries: tuple[QueryDifference, ...]

    def to_dict(self) -> dict[str, Any]:
        """For JSON, with the differences."""
        rows = [{**msgspec.to_builtins(one), "difference": one.difference} for one in self.queries]
        return {**msgspec.to_builtins(self), "measure": str(self.measure), "queries": rows}


def largest_differences(
    scores: Mapping[str, Scores],
    runs: Mapping[str, Run],
    qrels: Qrels,
    measure: str | Measure,
    baseline: str,
    *,
    count: int = 10,
    queries: Mapping[str, str] | None = None,
    self_match_ids: Mapping[str, Collection[str] | None] | None = None,
) -> tuple[Differences, ...]:
    """For each system the queries on which it differs most from the baseline, in either direction.

    Args:
        scores: by system, of these judgments under one protocol.
        runs: by system, what was scored.
        qrels: the judgments.
        measure: by which they differ.
        baseline: a key of ``scores``.
        count: how many queries at most.
        queries: texts by id, where they are known.
        self_match_ids: by system, as given to ``evaluate``.

    Raises:
        UsageError: the scores are not comparable.
    """
    wanted = Measure.parse(measure)
    names = [baseline, *(name for name in scores if name != baseline)]
    ids, values = comparable_values(scores, wanted, names)
    texts, own = queries or {}, self_match_ids or {}
    chosen: dict[str, list[int]] = {}
    for name in names[1:]:
        apart = np.abs(values[name] - values[baseline])
        # rounded, so that differences that are equal but for the order of additions are in the order of ids
        order = np.argsort(-np.round(apart, 12), kind="stable")[:count].tolist()
        chosen[name] = [place for place in order if apart[place] > NOISE]
    looked_at = {ids[place] for rows in chosen.values() for place in rows}
    firsts = {n: _firsts(scores[n], runs[n], qrels, wanted, looked_at, own.get(n)) for n in names}
    return tuple(
        Differences(
            measure=wanted,
            system=name,
            other=baseline,
            queries=tuple(
                QueryDifference(
                    query_id=(query_id := ids[place]),
                    text=texts.get(query_id, ""),
                    value=float(values[name][place]),
                    other_value=float(values[baseline][place]),
                    first=firsts[name].get(query_id),
                    other_first=firsts[baseline].get(query_id),
                )
                for place in rows
            ),
        )
        for name, rows in chosen.items()
    )


def _firsts(
    scores: Scores,
    run: Run,
    qrels: Qrels,
    measure: Measure,
    query_ids: Collection[str],
    self_match_ids: Collection[str] | None,
) -> dict[str, int]:
    """The rank of the first relevant result of each query, as deep as results count."""
    lists = counted_lists(
        run, query_ids, scores.protocol, self_match_ids=self_match_ids, depth=scores.depth, measure=measure
    )
    at, doc_ids = judged_results(lists, qrels)
    ranks = places(lists)[at] + 1
    found: dict[str, int] = {}
    for group, doc_id, rank in zip(lists.groups[at].tolist(), doc_ids, ranks.tolist(), strict=True):
        query_id = lists.query_ids[group]
        if qrels[query_id][doc_id] >= measure.level:
            found.setdefault(query_id, rank)  # results are in order
    return found
