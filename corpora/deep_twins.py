"""Unjudged documents that are nearly the same as relevant ones, and what they could do to the scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from beirkit.corpora.check_qrels import readable_rows
from beirkit.corpora.findings import Report

Twins = dict[str, dict[str, float]]
"""For every id the ids of documents that are the same or nearly so, with their similarity."""

_DEPTH = 10  # of nDCG
_RECALL = 100


class Bound(NamedTuple):
    """By how much a score of one query could fall and rise at most, were its unjudged twins relevant.

    That holds for every run: with the gains a run has it falls by what the ideal ranking grows, most for the
    perfect run; it rises by the twins' gains, most when they stand first.
    """

    fall: float
    rise: float

    def __str__(self) -> str:
        """In words."""
        return f"fall by {self.fall:.4f} or rise by {self.rise:.4f} at most"


def check_twins(split: str, path: Path, name: str, twins: Twins, report: Report) -> None:
    """Tell each unjudged twin of a relevant document, and the bounds of the split's mean scores.

    Args:
        split: what the file judges.
        path: the file.
        name: its name in messages.
        twins: documents that are nearly the same.
        report: told of every defect.
    """
    judged: dict[str, dict[str, tuple[int, int]]] = {}
    for number, row in readable_rows(path):
        judged.setdefault(row.query_id, {}).setdefault(row.doc_id, (row.relevance, number))
    ndcg, recall = list[Bound](), list[Bound]()
    for query_id, documents in judged.items():
        relevant = [grade for grade, _ in documents.values() if grade > 0]
        unjudged: dict[str, int] = {}  # grade each would have
        for doc_id, (grade, line) in documents.items():
            for twin, similarity in sorted(twins.get(doc_id, {}).items()):
                if grade > 0 and twin not in documents:
                    unjudged[twin] = max(grade, unjudged.get(twin, 0))
                    like = "the same text as" if similarity == 1 else f"{similarity:.0%} the same as"
                    twin_of = f"is {like} the relevant {doc_id!r}"
                    found = f"document {twin!r}, not judged for query {query_id!r}, {twin_of}"
                    todo = "it counts as not relevant wherever it is found"
                    report.add("BK052", name, line, found, todo, key=f"{query_id}\t{doc_id}\t{twin}")
        if unjudged:
            ndcg.append(ndcg_bound(relevant, list(unjudged.values())))
            recall.append(recall_bound(len(relevant), len(unjudged)))
    if ndcg:
        found = (
            f"{len(ndcg)} of {len(judged)} queries of split {split!r} have unjudged twins of relevant "
            f"documents; were they relevant, a run's mean nDCG@{_DEPTH} could {_mean(ndcg, len(judged))}, "
            f"its R@{_RECALL} {_mean(recall, len(judged))}"
        )
        todo = "differences between runs that are smaller may come of it"
        report.add("BK056", name, None, found, todo, count=len(ndcg))


def ndcg_bound(relevant: Sequence[int], twins: Sequence[int]) -> Bound:
    """The bound of nDCG@10 with linear gains, as trec_eval has them.

    Args:
        relevant: grades of the relevant documents.
        twins: grades that their unjudged twins would have.
    """
    ideal = _dcg([*relevant, *twins])
    return Bound(1 - _dcg(relevant) / ideal, _dcg(twins) / ideal)


def recall_bound(relevant: int, twins: int) -> Bound:
    """The bound of R@100."""
    found = min(relevant, _RECALL)
    return Bound(found / relevant - found / (relevant + twins), min(twins, _RECALL) / (relevant + twins))


def _dcg(grades: Sequence[int]) -> float:
    """Of the grades in their best order."""
    best = sorted(grades, reverse=True)[:_DEPTH]
    return sum(grade / math.log2(rank + 1) for rank, grade in enumerate(best, 1))


def _mean(bounds: Sequence[Bound], queries: int) -> Bound:
    return Bound(sum(bound.fall for bound in bounds) / queries, sum(bound.rise for bound in bounds) / queries)
