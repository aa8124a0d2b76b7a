"""A look at judgments: how many of which grade, and how they are spread over the queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from statistics import median
from typing import Any

import msgspec

from beirkit.corpora.manifest import ContentId
from beirkit.corpora.records import Judgment, Qrels


class Spread(msgspec.Struct, frozen=True):
    """How a number is distributed over the queries."""

    least: int
    median: float
    mean: float
    most: int


class QrelsCounts(msgspec.Struct, frozen=True):
    """A look at judgments.

    Attributes:
        judgments: pairs.
        queries: judged queries.
        documents: different judged documents.
        grades: pairs by grade, ascending.
        queries_by_grade: queries that have the grade at least once.
        judged: judgments per query; None where nothing is judged.
        relevant: relevant documents (grade 1 or more) per query; None where nothing is judged.
        without_relevant: queries none of whose documents is relevant.
        content_id: of the judgments; see :class:`beirkit.corpora.manifest.ContentId`.
    """

    judgments: int
    queries: int
    documents: int
    grades: dict[int, int]
    queries_by_grade: dict[int, int]
    judged: Spread | None
    relevant: Spread | None
    without_relevant: int
    content_id: str

    def to_dict(self) -> dict[str, Any]:
        """The counts, for JSON."""
        data: dict[str, Any] = msgspec.to_builtins(self, str_keys=True)
        return data


def count_judgments(qrels: Qrels) -> QrelsCounts:
    """Count judgments by grade and by query."""
    content = ContentId()
    grades: Counter[int] = Counter()
    queries_by_grade: Counter[int] = Counter()
    documents: set[str] = set()
    for judgment in judgments_of(qrels):
        content.add_judgment(judgment)
    for row in qrels.values():
        grades.update(row.values())
        queries_by_grade.update(set(row.values()))
        documents.update(row)
    relevant = [sum(grade > 0 for grade in row.values()) for row in qrels.values()]
    return QrelsCounts(
        judgments=sum(grades.values()),
        queries=len(qrels),
        documents=len(documents),
        grades=dict(sorted(grades.items())),
        queries_by_grade=dict(sorted(queries_by_grade.items())),
        judged=_spread([len(row) for row in qrels.values()]),
        relevant=_spread(relevant),
        without_relevant=relevant.count(0),
        content_id=content.hexdigest(),
    )


def _spread(numbers: list[int]) -> Spread | None:
    if not numbers:
        return None
    return Spread(min(numbers), float(median(numbers)), sum(numbers) / len(numbers), max(numbers))


def judgments_of(qrels: Qrels) -> Iterator[Judgment]:
    """Every judgment of a table, in its order."""
    return (
        Judgment(query_id, doc_id, grade) for query_id, row in qrels.items() for doc_id, grade in row.items()
    )
