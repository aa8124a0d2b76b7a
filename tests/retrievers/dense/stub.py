"""An encoder made by hand, and searches with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from beirkit.corpora.progress import Advance
from beirkit.corpora.records import Document, Query
from beirkit.corpora.run import Run
from beirkit.retrievers.base import Facts
from beirkit.retrievers.dense.encoder import Role, Similarity, Vectors
from beirkit.retrievers.dense.retriever import DenseRetriever


class Stub:
    """Looks vectors up by text; counts white-space words for truncation."""

    def __init__(
        self,
        vectors: Mapping[str, Sequence[float]] | None = None,
        *,
        similarity: Similarity = "cosine",
        prompts: Mapping[Role, str] | None = None,
        max_length: int = 1000,
        dtype: str = "float32",
        **facts: Any,
    ) -> None:
        self.vectors = vectors
        self.given_similarity: Similarity = similarity
        self.prompts = {"query": "", "document": "", **(prompts or {})}
        self.max_length = max_length
        self.dtype = dtype
        self.facts = facts
        self.inputs: list[tuple[Role, str]] = []
        self.calls = 0

    def identity(self) -> Facts:
        return {"model": "stub", "prompts": self.prompts, "max_length": self.max_length, **self.facts}

    @property
    def similarity(self) -> Similarity:
        return self.given_similarity

    def encode(self, texts: Sequence[str], role: Role, advance: Advance | None = None) -> Vectors:
        self.calls += 1
        self.inputs += [(role, self.prompts[role] + text) for text in texts]
        if advance is not None:
            advance(len(texts))
        rows = [self.vector(text, role) for text in texts]
        return np.array(rows, dtype=np.float32)

    def vector(self, text: str, role: Role) -> Sequence[float]:
        return [len(text), 1.0] if self.vectors is None else self.vectors[text]

    def count_truncated(self, texts: Sequence[str], role: Role) -> int:
        return sum(len((self.prompts[role] + text).split()) > self.max_length for text in texts)


def named(*names: str) -> list[Document]:
    return [Document(name, "", name) for name in names]


def ranked(run: Run) -> dict[str, list[str]]:
    return {query_id: [doc_id for doc_id, _ in row] for query_id, row in run.lists()}


def searched(encoder: Stub, documents: Sequence[Document], queries: Mapping[str, str], k: int) -> Run:
    retriever = DenseRetriever.over(encoder)
    retriever.index(documents)
    return retriever.search([Query(query_id, text) for query_id, text in queries.items()], k)
