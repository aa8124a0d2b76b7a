"""The measures that go by evidence, not by grades: SpanRecall@k, SpanPrecision@k, PageRprec."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import UsageError
from beirkit.corpora.packed_ids import take
from beirkit.evaluate.evidence import page_of
from beirkit.evaluate.spans import span_shares

if TYPE_CHECKING:
    from beirkit.evaluate.measures import Measure
    from beirkit.evaluate.own_measures import Graded


def span_recall(graded: Graded, measure: Measure) -> npt.NDArray[np.float64]:
    """Characters of a query's spans in its top k / characters of its spans; NaN for a query without spans."""
    return _shares(graded, measure)[:, 0]


def span_precision(graded: Graded, measure: Measure) -> npt.NDArray[np.float64]:
    """Characters of a query's spans in its top k / distinct characters there; NaN for one without spans."""
    return _shares(graded, measure)[:, 1]


def page_rprec(graded: Graded, measure: Measure) -> npt.NDArray[np.float64]:
    """R-precision over distinct pages, of the set of evidence for which it is best; NaN without evidence.

    KILT's (Petroni et al., 2021): of a set of R pages, the share that is among the first R pages.
    """
    sets = {} if graded.evidence is None else graded.evidence.sets
    if not sets:
        raise UsageError(
            f"{measure} needs queries with sets of evidence in their metadata",
            hint="score against the BEIR folder of a task of KILT",
        )
    lists = _lists(graded, np.ones(len(graded.place), dtype=bool))
    values = np.full(len(graded.query_ids), np.nan)
    for row, query_id in enumerate(graded.query_ids):
        if query_id not in sets:
            continue
        pages = list(dict.fromkeys(map(page_of, lists.get(row, ()))))
        values[row] = max(
            len(wanted.intersection(pages[: len(wanted)])) / len(wanted) for wanted in sets[query_id]
        )
    return values


def _shares(graded: Graded, measure: Measure) -> npt.NDArray[np.float64]:
    """``(n_queries, 2) float64`` recall and precision by characters."""
    evidence = graded.evidence
    if evidence is None or not evidence.targets:
        raise UsageError(
            f"{measure} needs spans that answer the queries",
            hint="score against a BEIR folder with qrels/<split>.spans.jsonl, as asmachta and squad write it",
        )
    targets = evidence.targets
    lists = _lists(graded, graded.top(measure.at))
    asked = {row: ids for row, ids in lists.items() if graded.query_ids[row] in targets}
    places = evidence.places(dict.fromkeys(doc_id for ids in asked.values() for doc_id in ids))
    values = np.full((len(graded.query_ids), 2), np.nan)
    for row, query_id in enumerate(graded.query_ids):
        if query_id in targets:
            values[row] = span_shares((places[doc_id] for doc_id in asked.get(row, ())), targets[query_id])
    return values


def _lists(graded: Graded, mask: npt.NDArray[np.bool_]) -> dict[int, list[str]]:
    """The documents of the results under a mask, in order, by row."""
    found: dict[int, list[str]] = {}
    doc_ids = take(graded.run.doc_ids, graded.run.docs[mask])
    for row, doc_id in zip(graded.rows[mask].tolist(), doc_ids, strict=True):
        found.setdefault(row, []).append(doc_id)
    return found
