"""The scores of one run as mteb computes them: the full set of its retrieval measures, nAUC included."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache

import msgspec

from beirkit.corpora.errors import UsageError
from beirkit.corpora.records import Qrels
from beirkit.corpora.run import Run
from beirkit.evaluate.abstention import CONFIDENCES, abstention, sureness
from beirkit.evaluate.engine import evaluate
from beirkit.evaluate.exports.base import Entry
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.protocol import get_protocol
from beirkit.evaluate.ranking import without_self_matches

CUTOFFS = (1, 3, 5, 10, 20, 100, 1000)
DEPTH = 1000
"""Results per query that mteb asks a model for."""

_FAMILIES = {
    "ndcg": "nDCG",
    "map": "AP",
    "recall": "R",
    "precision": "P",
    "mrr": "RR",
    "hit_rate": "Success",
}
_WITH_NAUC = ("ndcg", "map", "recall", "precision", "mrr")
_ROUNDED = {"mrr": 6}  # decimals; mteb rounds the others to 5 before its file rounds all to 6


def mteb_scores(
    qrels: Qrels, run: Run, *, remove_self: bool, main_score: str = ""
) -> dict[str, float | None]:
    """The scores of one subset of one split, in mteb's order and with its rounding.

    Args:
        qrels: the judgments.
        run: in any order; the first 1,000 results count, and of them, where the task asks for it, those are
            taken out whose id is the query's.
        remove_self: whether the task asks for it.
        main_score: the task's main measure; at a cut-off of its own every measure is given, as LIMIT has
            ``recall_at_2``.

    Returns:
        The values by mteb's names; None where there is none: an nAUC of queries that are all alike.
    """
    rules = get_protocol("mteb:self_match=keep")
    ranked = run.ordered().select(qrels).top(DEPTH)
    ranked, _ = without_self_matches(ranked, "remove" if remove_self else "keep", None)
    cutoffs = _cutoffs(main_score)
    measures = dict(_measures(cutoffs))
    scores = evaluate(qrels, ranked, list(measures.values()), rules)
    sure = sureness([ranked])
    means = {key: scores.mean(measure) for key, measure in measures.items()}
    found: dict[str, float | None] = {}
    for name in _FAMILIES:
        if name == "hit_rate":
            for nauc_name in _WITH_NAUC:
                for k in cutoffs:
                    values = abstention(scores, sure, measures[f"{nauc_name}_at_{k}"])
                    for how in CONFIDENCES:
                        found[f"nauc_{nauc_name}_at_{k}_{how}"] = _rounded(values[how], 6)
        for k in cutoffs:
            found[f"{name}_at_{k}"] = _rounded(means[f"{name}_at_{k}"], _ROUNDED.get(name, 5))
        if name == "recall":
            found["accuracy"] = found["recall_at_1"]
    return found


@cache
def score_names(main_score: str = "") -> frozenset[str]:
    """Every key that :func:`mteb_scores` gives for a task of that main measure."""
    cutoffs = _cutoffs(main_score)
    naucs = {f"nauc_{name}_at_{k}_{how}" for name in _WITH_NAUC for k in cutoffs for how in CONFIDENCES}
    return frozenset({key for key, _ in _measures(cutoffs)} | naucs | {"accuracy"})


def _cutoffs(main_score: str) -> tuple[int, ...]:
    family, _, k = main_score.rpartition("_at_")
    own = {int(k)} if family in _FAMILIES and k.isdecimal() and 0 < int(k) <= DEPTH else set()
    return tuple(sorted({*CUTOFFS, *own}))


def require_depth(entry: Entry) -> None:
    """Refuse a result whose lists were cut above rank 1,000: it has no recall_at_1000 and another nAUC.

    Raises:
        UsageError: names the depth that was kept.
    """
    k = entry.depth
    if k is None or k >= DEPTH:
        return
    longest = max((int(size) for size in entry.run.offsets[1:] - entry.run.offsets[:-1]), default=0)
    if longest >= k:
        raise UsageError(
            f"{entry.label} holds {k} results per query, and mteb's measures look at {DEPTH:,}",
            hint=f"run it again with -k {DEPTH}",
        )


def _measures(cutoffs: tuple[int, ...]) -> Iterator[tuple[str, Measure]]:
    for name, family in _FAMILIES.items():
        for k in cutoffs:
            yield f"{name}_at_{k}", Measure(family, k)


def _rounded(value: float | None, digits: int) -> float | None:
    if value is None or math.isnan(value):
        return None
    return round(value, digits) + 0.0  # never -0.0


class Aggregate(msgspec.Struct, frozen=True):
    """The mean of an aggregate's parts, and what is missing of them."""

    mean: float | None
    missing: tuple[str, ...]


def aggregate(parts: tuple[str, ...], values: dict[str, float]) -> Aggregate:
    """The unweighted mean of all parts; with any of them missing there is none."""
    missing = tuple(part for part in parts if part not in values)
    if missing:
        return Aggregate(None, missing)
    return Aggregate(math.fsum(values[part] for part in parts) / len(parts), ())
