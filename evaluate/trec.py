"""pytrec_eval as the engine for every measure it has, fed block by block with the order already decided."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from beirkit.corpora.records import Qrels
from beirkit.corpora.run import Run
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.ranking import judged_results

# Queries per call: bounds how much of the run exists as Python objects at a time.
BLOCK = 256

# What trec_eval takes for the logarithm of a value of 0 (its least geometric mean).
_LEAST = math.log(0.00001)


# Families to which nothing behind the last judged result matters; all others get the whole list.
BY_RANK = frozenset(
    (
        "nDCG",
        "AP",
        "RR",
        "R",
        "P",
        "Success",
        "Rprec",
        "Bpref",
        "infAP",
        "IPrec",
        "SetR",
        "NumRelRet",
        "NumRel",
    )
)

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
    rows = {query_id: row for row, query_id in enumerate(query_ids)}
    lists = [i for i, query_id in enumerate(run.query_ids) if query_id in rows]
    lists = [i for i in lists if run.offsets[i + 1] > run.offsets[i]]
    keys: dict[int, list[tuple[int, str]]] = {}  # level → columns and what pytrec_eval calls them
    for column, measure in enumerate(measures):
        keys.setdefault(measure.level, []).append((column, str(measure.trec_key)))
    named = _Lists(run, qrels, whole=any(measure.family not in BY_RANK for measure in measures))
    for start in range(0, len(lists), BLOCK):
        part = {run.query_ids[i]: named.list(i) for i in lists[start : start + BLOCK]}
        judged = {query_id: _bearable(qrels[query_id]) for query_id in part}
        for level, columns in keys.items():
            found = _ask([measures[c] for c, _ in columns], judged, part, level)
            for query_id, one in found.items():
                for column, key in columns:
                    values[rows[query_id], column] = one[key]
    return values


class _Lists:
    """The lists of a run as pytrec_eval takes them.

    It looks at an id only to see whether it is judged, so a document that is not gets the name of its rank,
    the same text in every list; and for most measures nothing behind the last judged result counts.

    Args:
        run: ordered lists.
        qrels: the judgments.
        whole: keep what stands behind the last judged result.
    """

    def __init__(self, run: Run, qrels: Qrels, *, whole: bool) -> None:
        self._offsets = run.offsets.tolist()
        at, self._ids = judged_results(run, qrels)
        self._bounds = np.searchsorted(at, run.offsets).tolist()
        self._at: list[int] = at.tolist()
        self._whole = whole
        self._deepest = int(np.diff(run.offsets).max(initial=0))
        self._scores = [float(-rank) for rank in range(self._deepest)]  # whole: no ties in float32
        mark, text = _NOBODY, "\n".join(self._ids)
        while mark in text:
            mark += _NOBODY
        # From the greatest name to the least, the order in which pytrec_eval is quickest to sort them.
        digits = len(str(self._deepest))
        self._names = [f"{mark}{self._deepest - rank:0{digits}}" for rank in range(self._deepest)]
        self._blanks: dict[int, dict[str, float]] = {}

    def list(self, index: int) -> dict[str, float]:
        """The list of one query: ids, and scores that fall by one from rank to rank."""
        start, size = self._offsets[index], self._offsets[index + 1] - self._offsets[index]
        hits = range(self._bounds[index], self._bounds[index + 1])
        if not self._whole:
            size = min(_rounded(self._at[hits[-1]] - start + 1 if hits else 1), self._deepest)
        made = self._blank(size).copy()
        for hit in hits:
            rank = self._at[hit] - start
            del made[self._names[rank]]
            made[self._ids[hit]] = self._scores[rank]
        return made

    def _blank(self, size: int) -> dict[str, float]:
        """A list of documents that nobody judged; a copy is made in a fifth of the time it takes."""
        found = self._blanks.get(size)
        if found is None:
            found = dict(zip(self._names[:size], self._scores, strict=False))
            if not self._whole or size == self._deepest:  # those of whole lists may be of any size
                self._blanks[size] = found
        return found


def _rounded(size: int) -> int:
    """A size up to an eighth larger, so that there are few of them: no more than four binary digits."""
    step = 1 << max(size.bit_length() - 4, 0)
    return -(-size // step) * step


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
