"""A run scored under any setting; what settings have in common is computed once."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import msgspec
import numpy as np
import numpy.typing as npt

from beirkit.corpora.packed_ids import take
from beirkit.corpora.records import Qrels
from beirkit.corpora.run import Run
from beirkit.evaluate.explain.settings import Mean, Setting
from beirkit.evaluate.judgments import checked_qrels
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.protocol import BEIR_SKIPS, get_protocol
from beirkit.evaluate.ranking import judged_results, places, without_duplicates, without_self_matches
from beirkit.evaluate.tally import Tally, Task

LEAST = 0.00001
"""What trec_eval takes for 0 in a geometric mean."""

_ANY = Measure("nDCG")  # lists are the same for every measure


@dataclass(frozen=True)
class Outcome:
    """What a setting gives.

    Attributes:
        value: the number; None: no query counts.
        values: of the queries that count.
        divided_by: what the sum was divided by: queries, or their weights.
        sum: that sum: of the values, of the weighted ones, or of their logarithms.
        mean: over what.
    """

    value: float | None
    values: dict[str, float]
    divided_by: float
    sum: float = math.nan
    mean: Mean = "queries"


class Scorer:
    """Scores one run.

    Args:
        run: ranked lists; a query that was searched and found nothing has an empty one.
        judgments: by name; every setting names one of them.
        self_match_ids: the queries whose document of the same id is the query itself; ``None``: not known.
        queries: how many the dataset has, judged or not; ``None``: not known.
        decimals: that figures are printed with.
    """

    def __init__(
        self,
        run: Run,
        judgments: Mapping[str, Qrels],
        *,
        self_match_ids: Collection[str] | None = None,
        queries: int | None = None,
        decimals: int = 4,
    ) -> None:
        self.run = run
        self.judgments = {name: checked_qrels(qrels) for name, qrels in judgments.items()}
        self.self_match_ids = self_match_ids
        self.queries = queries
        self.decimals = decimals
        self.sizes = dict(zip(run.query_ids, np.diff(run.offsets).tolist(), strict=True))
        self._lists: dict[Setting, Run] = {}
        self._columns: dict[Setting, npt.NDArray[np.float64]] = {}

    def score(self, setting: Setting) -> Outcome:
        """The number and what it is made of."""
        qrels = self.judgments[setting.qrels]
        column = self._column(setting)
        counted = {
            query_id: value
            for query_id, value in zip(qrels, column.tolist(), strict=True)
            if not math.isnan(value) and self._counts(query_id, setting)
        }
        if setting.rounding == "each query":
            counted = {query_id: round(value, self.decimals) for query_id, value in counted.items()}
        return self._mean(counted, setting)

    def _counts(self, query_id: str, setting: Setting) -> bool:
        if setting.denominator == "with a relevant document" and not self.relevant_of(query_id, setting):
            return False
        if setting.missing == "zero":
            return True
        if setting.missing == "skip-trec" and setting.measure.family not in BEIR_SKIPS:
            return True
        return self.sizes.get(query_id, 0) > 0 if setting.missing == "skip-empty" else query_id in self.sizes

    def relevant_of(self, query_id: str, setting: Setting) -> int:
        """The number of relevant documents of a judged query."""
        row = self.judgments[setting.qrels][query_id]
        return sum(grade >= setting.measure.level for grade in row.values())

    def _mean(self, values: dict[str, float], setting: Setting) -> Outcome:
        if not values:
            return Outcome(None, values, 0)
        by: float = len(values)
        if setting.denominator == "all queries" and self.queries is not None:
            by = max(by, self.queries)
        if setting.mean == "relevant documents":
            weights = {query_id: self.relevant_of(query_id, setting) for query_id in values}
            by = sum(weights.values())
            if not by:
                return Outcome(None, values, 0)
            total = math.fsum(values[query_id] * weight for query_id, weight in weights.items())
        elif setting.mean == "geometric":
            total = math.fsum(math.log(max(one, LEAST)) for one in values.values())
        else:
            total = math.fsum(values.values())
        value = math.exp(total / by) if setting.mean == "geometric" else total / by
        if setting.rounding == "cut off":
            value = math.floor(value * 10**self.decimals + 1e-9) / 10**self.decimals
        return Outcome(value, values, by, total, setting.mean)

    def _column(self, setting: Setting) -> npt.NDArray[np.float64]:
        """The value of every judged query, by id ascending; without results that of an empty list."""
        key = msgspec.structs.replace(
            setting, missing="zero", denominator="judged", mean="queries", rounding="none"
        )
        if key not in self._columns:
            self._columns[key] = self._computed(key)
        return self._columns[key]

    def _computed(self, setting: Setting) -> npt.NDArray[np.float64]:
        qrels = self.judgments[setting.qrels]
        measure = setting.measure
        if setting.grades == "binary":
            qrels = {q: {d: int(g >= measure.level) for d, g in row.items()} for q, row in qrels.items()}
            measure = msgspec.structs.replace(measure, level=1)
        lists = self._ordered(setting)
        if setting.relevant == "found":
            qrels = _found(lists, qrels, setting)
        rules = get_protocol("beirkit:self_match=keep,precision=float64")
        task = Task(qrels, (measure,), rules, None, setting.depth, strict=False, outside=False)
        tally = Tally.of(task, [lists], tuple(qrels), source="")
        column: npt.NDArray[np.float64] = tally.values()[:, 0]
        if setting.divisor == "at most k" and measure.cutoff is not None:
            most = measure.cutoff
            relevant = np.array([self.relevant_of(query_id, setting) for query_id in qrels])
            column = column * np.maximum(relevant, 1) / np.clip(relevant, 1, most)
        return column

    def _ordered(self, setting: Setting) -> Run:
        """The lists that are looked at, in order, their scores replaced by ranks so that the order stays."""
        blind = setting.ties not in ("relevant first", "relevant last")
        key = Setting(
            measure=setting.measure if setting.removed_after else _ANY,
            qrels=setting.qrels,
            self_match=setting.self_match,
            removed_after=setting.removed_after,
            ties=setting.ties,
            precision=setting.precision,
            depth=setting.depth if setting.removed_after else None,
        )
        if key not in self._lists:
            lists = self.run.select(self.judgments[setting.qrels])
            if not setting.removed_after:
                lists, _ = without_self_matches(lists, setting.self_match, self.self_match_ids)
            order = _order(lists, setting, None if blind else self.judgments[setting.qrels])
            lists = replace(lists, docs=lists.docs[order], scores=lists.scores[order])
            lists, _ = without_duplicates(lists, strict=False)
            if setting.removed_after:
                cuts = [one for one in (setting.measure.cutoff, setting.depth) if one is not None]
                lists = lists.top(min(cuts)) if cuts else lists
                lists, _ = without_self_matches(lists, setting.self_match, self.self_match_ids)
            falling = -np.arange(lists.n_results, dtype=np.float64)
            self._lists[key] = replace(lists, scores=falling, distinct=True, source="")
        return self._lists[key]


def _found(lists: Run, qrels: Qrels, setting: Setting) -> Qrels:
    """The judgments, without a grade for what does not stand among the results that a measure looks at."""
    at, doc_ids = judged_results(lists, qrels)
    ranks = places(lists)[at]
    seen = ranks < (lists.n_results if setting.depth is None else setting.depth)
    if setting.measure.judged_only:  # the ranks that are left when the others are taken out
        groups = lists.groups[at]
        ranks = np.arange(len(at)) - np.searchsorted(groups, groups)
    if setting.measure.cutoff is not None:
        seen &= ranks < setting.measure.cutoff
    there: dict[str, set[str]] = {query_id: set() for query_id in qrels}
    for group, doc_id, inside in zip(lists.groups[at].tolist(), doc_ids, seen.tolist(), strict=True):
        if inside:
            there[lists.query_ids[group]].add(doc_id)
    return {
        query_id: {
            doc_id: grade if doc_id in there[query_id] else min(grade, 0) for doc_id, grade in row.items()
        }
        for query_id, row in qrels.items()
    }


def _order(lists: Run, setting: Setting, qrels: Qrels | None) -> npt.NDArray[np.intp]:
    """The permutation that a setting's rule for equal scores makes; only tied results are sorted by it."""
    with np.errstate(over="ignore"):
        keys = -lists.scores.astype(setting.precision)
    order = np.arange(lists.n_results)
    within = lists.groups[1:] == lists.groups[:-1]
    if bool((within & (keys[1:] < keys[:-1])).any()):
        order = np.lexsort((keys, lists.groups))  # stable, so that ties stay as they stand
    ties = within & (keys[order][1:] == keys[order][:-1])
    if setting.ties == "file" or not ties.any():
        return order
    tied = np.append(ties, False) | np.append(False, ties)
    at = np.flatnonzero(tied)
    stretch = np.cumsum(np.append(True, ~ties))[at]
    found = order[at]
    places = _id_places(lists, found)
    if setting.ties == "id ascending":
        places = -places
    if qrels is None:
        order[at] = found[np.lexsort((places, stretch))]
        return order
    grades = np.zeros(lists.n_results, dtype=np.int64)
    judged, doc_ids = judged_results(lists, qrels)
    groups = lists.groups[judged].tolist()
    grades[judged] = [
        qrels[lists.query_ids[group]][doc_id] for group, doc_id in zip(groups, doc_ids, strict=True)
    ]
    best = -grades[found] if setting.ties == "relevant first" else grades[found]
    order[at] = found[np.lexsort((places, best, stretch))]
    return order


def _id_places(lists: Run, results: npt.NDArray[np.intp]) -> npt.NDArray[np.int64]:
    """``(len(results),)`` places of their documents among each other, ids descending by UTF-8 bytes."""
    distinct, where = np.unique(lists.docs[results], return_inverse=True)
    ids = take(lists.doc_ids, distinct)
    places = np.empty(len(ids), dtype=np.int64)
    places[sorted(range(len(ids)), key=ids.__getitem__, reverse=True)] = np.arange(len(ids))
    found: npt.NDArray[np.int64] = places[where]
    return found
