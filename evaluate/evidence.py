"""What some measures go by beside grades: spans that answer a query, sets of evidence, places of results."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property

from beirkit.corpora.collection import Collection as Records
from beirkit.corpora.errors import DataError
from beirkit.corpora.records import Document, Query
from beirkit.corpora.spans import SpanJudgment
from beirkit.evaluate.spans import Intervals, Place, places_in, targets_of

EVIDENCE = "evidence"
"""Key of a query's metadata: sets of documents, each of which is enough to answer it."""


class Evidence:
    """Read when a measure asks for it, and not before.

    Args:
        spans: starts a pass over what answers the queries, in places of whole documents; None: there is none.
        queries: starts a pass over the queries, whose metadata hold sets of evidence.
        documents: starts a pass over the corpus, which tells the place of each result.
    """

    def __init__(
        self,
        spans: Callable[[], Iterable[SpanJudgment]] | None,
        queries: Callable[[], Iterable[Query]],
        documents: Callable[[], Iterable[Document]],
    ) -> None:
        self._spans, self._queries, self._documents = spans, queries, documents
        self._places: dict[str, Place] = {}

    @classmethod
    def of(cls, collection: Records, split: str) -> Evidence:
        """That of one split of a collection."""
        return cls(collection.spans.get(split), collection.queries, collection.documents)

    @cached_property
    def targets(self) -> dict[str, dict[str, Intervals]]:
        """By query and document, the stretches that answer it; empty where there are no spans."""
        return targets_of(self._spans()) if self._spans is not None else {}

    @cached_property
    def sets(self) -> dict[str, list[frozenset[str]]]:
        """By query, the pages of each set of evidence that has any.

        Raises:
            DataError: the metadata of a query hold something else under the name.
        """
        found = {}
        for query in self._queries():
            sets = query.metadata.get(EVIDENCE)
            if not sets:
                continue
            if not isinstance(sets, list) or not all(map(_are_ids, sets)):
                raise DataError(
                    f"the {EVIDENCE} of query {query.query_id!r} is {sets!r:.60}",
                    hint="write a list of lists of document ids",
                )
            found[query.query_id] = [frozenset(map(page_of, ids)) for ids in sets if ids]
        return found

    def places(self, doc_ids: Collection[str]) -> Mapping[str, Place]:
        """The place of each of these results, and of others that were asked for before.

        Raises:
            DataError: one of them is neither of the corpus nor a chunk of a document.
        """
        new = [doc_id for doc_id in doc_ids if doc_id not in self._places]
        if new:
            self._places |= places_in(self._documents(), new)
        return self._places


def page_of(doc_id: str) -> str:
    """The page that a document is, or is a paragraph of: ``12`` for ``12#3``."""
    return doc_id.partition("#")[0]


def _are_ids(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)
