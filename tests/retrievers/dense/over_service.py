"""Retrievers over the embedding service of the tests, and what they find there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from beirkit.configs.schema import RetrieverConfig
from beirkit.corpora.records import Document, Query
from beirkit.retrievers.base import Retriever, Workplace
from beirkit.retrievers.catalog import create
from tests.retrievers.dense.local_embeddings import LocalEmbeddings, word_counts

DOCUMENTS = [Document(f"d{i:02}", "", f"owl {i} vole {i % 5} barn") for i in range(40)]
QUERIES = [Query("q1", "owl 7"), Query("q2", "vole 3"), Query("q3", "barn owl")]
KEY = "sesame-7351-open"
_OF_THE_RETRIEVER = ("prompts", "batch_size", "model")

Lists = dict[str, dict[str, float]]


def made(
    service: LocalEmbeddings, cache: Path | None = None, *, offline: bool = False, **changed: Any
) -> Retriever[Any]:
    """A retriever over the service, with options changed: those of ``service``, and some of the retriever."""
    own = {"batch_size": 8, **{key: changed.pop(key) for key in _OF_THE_RETRIEVER if key in changed}}
    asked = {"url": service.url, "backoff": 0, "timeout": 10, "concurrency": 1, **changed}
    options = {"model": "service:words", **own, "service": asked}
    config = RetrieverConfig(name="web", kind="dense", options=options)
    return create(config, Workplace(cache=cache, offline=offline))


def run(retriever: Retriever[Any], documents: list[Document] | None = None) -> Lists:
    """The five best documents of each query."""
    retriever.index(iter(DOCUMENTS if documents is None else documents))
    return retriever.search(QUERIES, 5).to_dict()


def expected() -> Lists:
    """The five best cosines of each query, by document id."""

    def unit(text: str) -> Any:
        vector = np.array(word_counts(text))
        return vector / np.linalg.norm(vector)

    lists: Lists = {}
    for query in QUERIES:
        scores = {d.doc_id: round(float(unit(d.text) @ unit(query.text)), 6) for d in DOCUMENTS}
        best = sorted(scores, key=lambda doc: (scores[doc], doc), reverse=True)[:5]
        lists[query.query_id] = {doc: scores[doc] for doc in best}
    return lists


def rounded(lists: Lists) -> Lists:
    """The same to six digits."""
    return {query: {doc: round(score, 6) for doc, score in row.items()} for query, row in lists.items()}
