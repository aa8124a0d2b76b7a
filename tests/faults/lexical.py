"""BM25 over a handful of texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from beirkit.corpora.records import Document, Query
from beirkit.corpora.run import Run
from beirkit.retrievers.base import Retriever
from beirkit.retrievers.catalog import get

LEXICAL = ("bm25", "bm25-lucene", "bm25f", "bm25s", "rank-bm25")
"""The lexical kinds: what holds for one formula's ranking holds for the other's."""


def bm25(corpus: Mapping[str, str | Mapping[str, str]], kind: str = "bm25", **options: Any) -> Retriever[Any]:
    """An index of a corpus of texts, or of titles and texts."""
    made = get(kind)
    retriever = made(msgspec.convert(options, made.Options))
    retriever.index(
        [
            Document(doc_id, text=row)
            if isinstance(row, str)
            else Document(doc_id, row["title"], row["text"])
            for doc_id, row in corpus.items()
        ]
    )
    return retriever


def search(retriever: Retriever[Any], queries: Mapping[str, str], k: int) -> Run:
    """The run of these queries."""
    return retriever.search([Query(query_id, text) for query_id, text in queries.items()], k)


def ranked(corpus: Mapping[str, Any], query: str, k: int, **options: Any) -> list[str]:
    """The documents found for one query, best first."""
    run = search(bm25(corpus, **options), {"q": query}, k)
    return [doc_id for _, pairs in run.lists() for doc_id, _ in pairs]
