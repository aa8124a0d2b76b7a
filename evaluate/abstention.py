"""Whether a system knows when it fails: the normalised area under the abstention curve (arXiv 2402.12997)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np
import numpy.typing as npt

from beirkit.corpora.run import Run
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.scores import Scores

Confidence = Literal["max", "std", "diff1"]
"""How sure a system is of a query: its best score, the deviation of its scores, the lead of its best."""

CONFIDENCES: tuple[Confidence, ...] = ("max", "std", "diff1")
Sureness = dict[Confidence, dict[str, float]]
"""For each kind of confidence that of every query with results."""

RATES = tuple(step / 10 for step in range(10))


def sureness(parts: Iterable[Run]) -> Sureness:
    """How sure a system is of each query that it has results for.

    Args:
        parts: lists in any order, of each query in one part; their scores are looked at, but for NaN.
    """
    found: Sureness = {how: {} for how in CONFIDENCES}
    for part in parts:
        for place, query_id in enumerate(part.query_ids):
            scores = np.sort(part.results(place)[1].astype(np.float64))[::-1]
            scores = scores[~np.isnan(scores)]
            if len(scores):
                for how in CONFIDENCES:
                    found[how][query_id] = _confidence(scores, how)
    return found


def nauc(values: npt.NDArray[np.float64], confidence: npt.NDArray[np.float64]) -> float | None:
    """How much of what is gained by an oracle is gained by abstaining on the least confident queries.

    The measure's mean is taken over the queries that are left when a share of 0, 10, … 90 % is abstained on,
    one query at least; the area under that curve is scaled so that 0 is abstaining by chance and 1 is
    abstaining on the worst queries. Of equally confident queries each counts their mean, which is what
    abstaining on some of them, drawn by lot, comes to.

    Args:
        values: ``(n,)`` the measure per query, without NaN.
        confidence: ``(n,)`` of each query.

    Returns:
        at most 1; None where there are no values, or they leave nothing to gain.
    """
    if not len(values):
        return None
    reached, best = _area(values, confidence), _area(values, values)
    flat = float(np.mean(values)) * (RATES[-1] - RATES[0])
    if np.isclose(best, flat, rtol=0.0, atol=1e-12):
        return None
    return (reached - flat) / (best - flat)


def abstention(
    scores: Scores, sure: Sureness | Run, measure: Measure | str
) -> dict[Confidence, float | None]:
    """:func:`nauc` of one measure for each kind of confidence; queries without a value play no part.

    A query without results is the least certain of all. Under the protocol ``mteb`` its confidence is 0, as
    there, which a list of negative scores stays below.

    Args:
        scores: of a run.
        sure: how sure the system is, by the lists that were scored; or these lists.
        measure: one that was computed.
    """
    if isinstance(sure, Run):
        sure = sureness([sure])
    values = scores.of(measure)
    kept = ~np.isnan(values)
    least = 0.0 if scores.protocol.name.partition(":")[0] == "mteb" else -np.inf
    return {
        how: nauc(values[kept], np.array([sure[how].get(one, least) for one in scores.query_ids])[kept])
        for how in CONFIDENCES
    }


def _confidence(scores: npt.NDArray[np.float64], how: Confidence) -> float:
    """Of scores in descending order, at least one; infinite ones neither lead nor deviate by any number."""
    if how == "max":
        return float(scores[0])
    with np.errstate(invalid="ignore"):
        found = np.std(scores) if how == "std" else scores[0] - scores[1] if len(scores) > 1 else 0.0
    return -np.inf if np.isnan(found) else float(found)


def _area(values: npt.NDArray[np.float64], order_by: npt.NDArray[np.float64]) -> float:
    order, n = np.argsort(order_by, kind="stable"), len(values)
    _, group, sizes = np.unique(order_by[order], return_inverse=True, return_counts=True)
    evened = (np.bincount(group, weights=values[order]) / sizes)[group]
    curve = [float(np.mean(evened[min(round(rate * n), n - 1) :])) for rate in RATES]
    return float(np.trapezoid(curve, RATES))
