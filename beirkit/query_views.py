"""Queries as every system answered them: texts, judgments and ranked lists brought together for people."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from beirkit.corpora.records import Document, Qrels
from beirkit.corpora.run import Run
from beirkit.evaluate.counted import counted_lists
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.report.model import QueryView, Returned, Text, spread_of
from beirkit.evaluate.scores import Scores

MOST_CHARACTERS = 1200
"""Of a document, what is kept to be shown."""


@dataclass(frozen=True)
class Answers:
    """Systems on one dataset, and what can be shown of them.

    Attributes:
        scores: by system, of the same judgments.
        measure: whose values are shown.
        runs: what was scored; read anew whenever one is asked for.
        self_match_ids: by system, as given to ``evaluate``.
        qrels: the judgments; empty where they are not here.
        queries: texts by id; empty where they are not here.
    """

    scores: Mapping[str, Scores]
    measure: Measure
    runs: Mapping[str, Run]
    self_match_ids: Mapping[str, Collection[str] | None]
    qrels: Qrels
    queries: Mapping[str, str]

    def values(self) -> dict[str, dict[str, float | None]]:
        """The value of every system, by query and system; queries ascending."""
        found: dict[str, dict[str, float | None]] = {}
        for system, scores in self.scores.items():
            column = scores.of(self.measure)
            for query_id, value in zip(scores.query_ids, column.tolist(), strict=True):
                found.setdefault(query_id, {})[system] = None if np.isnan(value) else value
        return dict(sorted(found.items()))

    def views(self, query_ids: Sequence[str], depth: int) -> list[QueryView]:
        """Some queries, in the order given, with the first results of each system."""
        values = self.values()
        lists = {system: self._lists(system, query_ids, depth) for system in self.scores}
        return [
            QueryView(
                query_id,
                self.queries.get(query_id, ""),
                values[query_id],
                self.qrels.get(query_id, {}),
                {system: found.get(query_id, ()) for system, found in lists.items()},
            )
            for query_id in query_ids
        ]

    def _lists(self, system: str, query_ids: Sequence[str], depth: int) -> dict[str, tuple[Returned, ...]]:
        scores = self.scores[system]
        most = depth if scores.depth is None else min(depth, scores.depth)
        run = counted_lists(
            self.runs[system], query_ids, scores.protocol,
            self_match_ids=self.self_match_ids.get(system), depth=most, measure=self.measure,
        )  # fmt: skip
        found = {}
        for place, query_id in enumerate(run.query_ids):
            docs, values = run.results(place)
            found[query_id] = tuple(
                Returned(run.doc_ids[doc], float(value))
                for doc, value in zip(docs.tolist(), values.tolist(), strict=True)
            )
        return found


def by_disagreement(values: Mapping[str, Mapping[str, float | None]]) -> list[str]:
    """Queries on which systems are furthest apart first, equal ones by id."""
    return sorted(values, key=lambda query_id: (-round(spread_of(values[query_id]), 12), query_id))


def by_value(values: Mapping[str, Mapping[str, float | None]]) -> list[str]:
    """Queries whose mean over the systems is lowest first, equal ones by id; those without a value last."""

    def mean(query_id: str) -> float:
        known = [value for value in values[query_id].values() if value is not None]
        return round(sum(known) / len(known), 12) if known else 2.0

    return sorted(values, key=lambda query_id: (mean(query_id), query_id))


def shown_documents(views: Iterable[QueryView]) -> set[str]:
    """The documents that some views are about: returned, or judged relevant."""
    found: set[str] = set()
    for view in views:
        found.update(one.doc_id for ranking in view.rankings.values() for one in ranking)
        found.update(doc_id for doc_id, grade in view.judged.items() if grade > 0)
    return found


def texts_of(
    documents: Iterable[Document], wanted: Collection[str], *, whole: bool = False
) -> dict[str, Text]:
    """Titles and beginnings of some documents; the corpus is read once, up to the last of them.

    Args:
        documents: the corpus.
        wanted: ids.
        whole: keep the whole texts.
    """
    found: dict[str, Text] = {}
    for document in documents if wanted else ():
        if document.doc_id in wanted:
            found[document.doc_id] = Text(
                document.title, document.text if whole else document.text[:MOST_CHARACTERS]
            )
            if len(found) == len(wanted):
                break
    return found
