"""Encoders whose vectors are known beforehand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from beirkit.corpora.progress import Advance
from beirkit.corpora.records import Document, Query
from beirkit.retrievers.dense.encoder import Role, Similarity, Vectors
from beirkit.retrievers.dense.retriever import DenseRetriever


class Stub:
    """Gives each text the vector that a function says.

    Args:
        vector: from text and role to a vector.
        similarity: how vectors are compared.
        facts: what the encoder says about itself.
        longest: white-space words it reads.
        dtype: of the vectors it gives.

    Attributes:
        seen: the texts it was given, by role.
    """

    def __init__(
        self,
        vector: Callable[[str, Role], Any],
        *,
        similarity: Similarity = "cosine",
        facts: Mapping[str, Any] | None = None,
        longest: int | None = None,
        dtype: str = "float32",
    ) -> None:
        self._vector = vector
        self._similarity: Similarity = similarity
        self._facts = {"model": "stub", "max_length": longest, **(facts or {})}
        self._longest = longest
        self._dtype = dtype
        self.seen: dict[Role, list[str]] = {"query": [], "document": []}

    def identity(self) -> dict[str, Any]:
        """All that the vectors depend on."""
        return dict(self._facts)

    @property
    def similarity(self) -> Similarity:
        """How two vectors are compared."""
        return self._similarity

    def encode(self, texts: Sequence[str], role: Role, advance: Advance | None = None) -> Vectors:
        """The vector of each text."""
        self.seen[role] += texts
        made: Vectors = np.array([self._vector(text, role) for text in texts], dtype=self._dtype)
        return made

    def count_truncated(self, texts: Sequence[str], role: Role) -> int:
        """How many texts have more words than it reads."""
        return 0 if self._longest is None else sum(len(text.split()) > self._longest for text in texts)


def over_vectors(
    documents: Mapping[str, Sequence[float]],
    queries: Mapping[str, Sequence[float]],
    **options: Any,
) -> DenseRetriever:
    """A dense retriever that has indexed documents whose text is their id."""
    table = {"document": documents, "query": queries}
    retriever = DenseRetriever.over(Stub(lambda text, role: table[role][text], **options))
    retriever.index([Document(doc_id, text=doc_id) for doc_id in documents])
    return retriever


def lists(
    retriever: DenseRetriever, queries: Sequence[str] | Mapping[str, str], k: int
) -> dict[str, list[tuple[str, float]]]:
    """The ranked lists of queries, whose texts are their ids unless given."""
    texts = queries if isinstance(queries, Mapping) else {query_id: query_id for query_id in queries}
    return dict(retriever.search([Query(query_id, text) for query_id, text in texts.items()], k).lists())


def ids(found: Mapping[str, list[tuple[str, float]]]) -> dict[str, list[str]]:
    """Only the documents."""
    return {query_id: [doc_id for doc_id, _ in pairs] for query_id, pairs in found.items()}
