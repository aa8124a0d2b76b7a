"""The measures that pytrec_eval lacks, over whole columns: RR@k, R_cap@k, Judged@k, Hole@k, nDCG_exp@k.

Those that go by evidence stand in evidence_measures.py.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from beirkit.corpora.packed_ids import take
from beirkit.corpora.records import Qrels
from beirkit.corpora.run import Run
from beirkit.evaluate.evidence import Evidence
from beirkit.evaluate.evidence_measures import page_rprec, span_precision, span_recall
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.ranking import judged_results, places

_UNJUDGED = np.iinfo(np.int32).min


@dataclass(frozen=True, eq=False)
class Graded:
    """Ordered lists beside their judgments.

    Attributes:
        run: the lists.
        qrels: checked judgments of every judged query, also of those not scored here.
        query_ids: rows of what is computed.
        pool: the documents that are judged for any query; only looked at by Hole.
        rows: ``(n_results,) int64`` the row of each result.
        place: ``(n_results,) int64`` its rank, from 0.
        grades: ``(n_results,) int32`` its grade; the least int32: not judged for this query.
        evidence: what measures go by beside grades, where there is any.
    """

    run: Run
    qrels: Qrels
    query_ids: Sequence[str]
    pool: Collection[str]
    rows: npt.NDArray[np.int64]
    place: npt.NDArray[np.int64]
    grades: npt.NDArray[np.int32]
    evidence: Evidence | None = None

    @classmethod
    def of(
        cls,
        run: Run,
        qrels: Qrels,
        query_ids: Sequence[str],
        pool: Collection[str],
        evidence: Evidence | None = None,
    ) -> Graded:
        """Look up the grade of each result of an ordered run whose queries are all in ``query_ids``."""
        row_of = {query_id: row for row, query_id in enumerate(query_ids)}
        rows = np.array([row_of[q] for q in run.query_ids], dtype=np.int64)[run.groups]
        at, doc_ids = judged_results(run, qrels)
        found = zip(rows[at].tolist(), doc_ids, strict=True)
        grades = np.full(run.n_results, _UNJUDGED, dtype=np.int32)
        grades[at] = [qrels[query_ids[row]][doc_id] for row, doc_id in found]
        return cls(run, qrels, query_ids, pool, rows, places(run), grades, evidence)

    def unknown(self, at: int | float | None) -> npt.NDArray[np.bool_]:
        """Which results are in the first ``at`` of their list and judged for no query at all."""
        found = np.flatnonzero(self.top(at) & (self.grades == _UNJUDGED))
        distinct, places = np.unique(self.run.docs[found], return_inverse=True)
        strange = np.array(
            [doc_id not in self.pool for doc_id in take(self.run.doc_ids, distinct)], dtype=bool
        )
        mask = np.zeros(self.run.n_results, dtype=bool)
        mask[found] = strange[places]
        return mask

    def top(self, at: int | float | None) -> npt.NDArray[np.bool_]:
        """Which results are in the first ``at`` of their list; ``None``: all."""
        return np.ones(len(self.place), dtype=bool) if at is None else self.place < at

    def count(self, mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
        """``(n_queries,)`` number of results with a true mask."""
        return np.bincount(self.rows[mask], minlength=len(self.query_ids)).astype(np.float64)

    def relevant(self, level: int) -> npt.NDArray[np.float64]:
        """``(n_queries,)`` number of relevant documents among the judgments."""
        return np.array(
            [sum(g >= level for g in self.qrels[q].values()) for q in self.query_ids], dtype=np.float64
        )


def reciprocal_rank(graded: Graded, measure: Measure) -> npt.NDArray[np.float64]:
    """1 / rank of the first relevant result within the cut-off, else 0."""
    hits = np.flatnonzero((graded.grades >= measure.level) & graded.top(measure.at))
    values = np.zeros(len(graded.query_ids))
    # lists are in order, so the last write, made first, is the best rank
    values[graded.rows[hits[::-1]]] = 1.0 / (graded.place[hits[::-1]] + 1)
    return values


def capped_recall(graded: Graded, measure: Measure) -> npt.NDArray[np.float64]:
    """Relevant results in the top k / min(k, relevant documents); NaN where none is relevant."""
    hits = graded.count((graded.grades >= measure.level) & graded.top(measure.at))
    most = np.minimum(graded.relevant(measure.level), float(measure.at or 0))
    values = np.full(len(hits), np.nan)
    np.divide(hits, most, out=values, where=most > 0)
    return values


def judged_share(graded: Graded, measure: Measure) -> npt.NDArray[np.float64]:
    """Judged results in the top k / results in the top k; 0 for a query without results."""
    top = graded.top(measure.at)
    judged, retrieved = graded.count(top & (graded.grades != _UNJUDGED)), graded.count(top)
    values = np.zeros(len(judged))
    np.divide(judged, retrieved, out=values, where=retrieved > 0)
    return values


def hole(graded: Graded, measure: Measure) -> npt.NDArray[np.float64]:
    """Results in the top k whose document is judged for no query of the split / k, as beir counts them."""
    return graded.count(graded.unknown(measure.at)) / float(measure.at or 1)


def exponential_ndcg(graded: Graded, measure: Measure) -> npt.NDArray[np.float64]:
    """The measure nDCG_exp: nDCG with the gain 2^grade - 1."""
    mask = graded.top(measure.at) & (graded.grades > 0)
    gains = (np.exp2(graded.grades[mask].astype(np.float64)) - 1) / np.log2(graded.place[mask] + 2.0)
    reached = np.bincount(graded.rows[mask], weights=gains, minlength=len(graded.query_ids))
    ideal = np.array([_ideal(graded.qrels[q], measure.cutoff) for q in graded.query_ids])
    values = np.zeros(len(ideal))
    np.divide(reached, ideal, out=values, where=ideal > 0)
    return values


def _ideal(judgments: dict[str, int], cutoff: int | None) -> float:
    grades = np.array(
        sorted((g for g in judgments.values() if g > 0), reverse=True)[:cutoff], dtype=np.float64
    )
    # summed in the order of bincount, so that an ideal list scores exactly 1
    gains = (np.exp2(grades) - 1) / np.log2(np.arange(len(grades)) + 2.0)
    return float(np.bincount(np.zeros(len(gains), dtype=np.int64), weights=gains, minlength=1)[0])


OWN: dict[str, Callable[[Graded, Measure], npt.NDArray[np.float64]]] = {
    "RR": reciprocal_rank,
    "R_cap": capped_recall,
    "Judged": judged_share,
    "Hole": hole,
    "nDCG_exp": exponential_ndcg,
    "SpanRecall": span_recall,
    "SpanPrecision": span_precision,
    "PageRprec": page_rprec,
}
"""Family → its values, ``(n_queries,) float64``; NaN where the measure has no value."""
