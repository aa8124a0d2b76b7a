"""pytrec_eval as the engine for every measure it has, fed block by block with the order already decided."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from beirkit.corpora.records import Qrels
from beirkit.corpora.run import Run
from beirkit.evaluate.measures import Measure

# Queries per call: bounds how much of the run exists as Python objects at a time.
BLOCK = 256

# What trec_eval takes for the logarithm of a value of 0 (its least geometric mean).
_LEAST = math.log(0.00001)


# Stands for the judgments of a query that has negative ones only; no reader lets such an id through.
_NOBODY = "\x01"


def trec_values(
    run: Run, qrels: Qrels, query_ids: Sequence[str], measures: Sequence[Measure]
) -> npt.NDArray[np.float64]:
    """The values of measures that pytrec_eval computes.

    Args:
        run: ordered lists; scores are not looked at, only the order is.
        qrels: checked judgments, of at least ``query_ids``.
        query_ids: rows of the result; a query without results gets what trec_eval -c gives it.
        measures: columns; :attr:`Measure.trec_name` of each is known.

    Returns:
        ``(len(query_ids), len(measures)) float64``.
    """
    values = np.empty((len(query_ids), len(measures)))
    for column, measure in enumerate(measures):
        values[:, column] = _value_without_results(measure, qrels, query_ids)
    lists = {query_id: i for i, query_id in enumerate(run.query_ids)}
    rows = [(row, lists[q]) for row, q in enumerate(query_ids) if q in lists]
    rows = [(row, i) for row, i in rows if run.offsets[i + 1] > run.offsets[i]]
    deepest = int(np.diff(run.offsets).max(initial=0))
    scores = [float(-rank) for rank in range(deepest)]  # whole numbers: no ties in float32
    keys: dict[int, list[tuple[int, str]]] = {}  # level → columns and what pytrec_eval calls them
    for column, measure in enumerate(measures):
        keys.setdefault(measure.level, []).append((column, str(measure.trec_key)))
    for start in range(0, len(rows), BLOCK):
        block = rows[start : start + BLOCK]
        part = {query_ids[row]: _list(run, i, scores) for row, i in block}
        judged = {query_id: _bearable(qrels[query_id]) for query_id in part}
        for level, columns in keys.items():
            found = _ask([measures[c] for c, _ in columns], judged, part, level)
            for row, _ in block:
                one = found[query_ids[row]]
                for column, key in columns:
                    values[row, column] = one[key]
    return values


def _list(run: Run, index: int, scores: list[float]) -> dict[str, float]:
    docs, _ = run.results(index)
    return dict(zip(map(run.doc_ids.__getitem__, docs.tolist()), scores, strict=False))


def _bearable(row: dict[str, int]) -> dict[str, int]:
    """Judgments with -1, trec_eval's "pooled but not judged", for every negative grade.

    pytrec_eval 0.5.11 crashes on lower ones, and may never return where no grade is 0 or more.
    """
    if min(row.values()) >= 0:
        return row
    if max(row.values()) < 0:
        return {_NOBODY: 0}
    return {doc_id: max(grade, -1) for doc_id, grade in row.items()}


def _ask(
    measures: Sequence[Measure], judged: Qrels, lists: dict[str, dict[str, float]], level: int
) -> dict[str, dict[str, float]]:
    import pytrec_eval

    names = {str(measure.trec_name) for measure in measures}
    evaluator = pytrec_eval.RelevanceEvaluator(judged, names, relevance_level=level)
    found: dict[str, dict[str, float]] = evaluator.evaluate(lists)
    return found


def _value_without_results(
    measure: Measure, qrels: Qrels, query_ids: Sequence[str]
) -> float | npt.NDArray[np.float64]:
    if measure.family == "NumQ":
        return 1.0
    if measure.about.total == "geometric":
        return _LEAST
    if measure.family == "NumRel":
        return np.array([sum(g >= measure.level for g in qrels[q].values()) for q in query_ids], dtype=float)
    return 0.0
