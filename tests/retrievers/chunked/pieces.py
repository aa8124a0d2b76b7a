"""Corpora of random texts, retrievers over them, and the definition of a document's score by brute force."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from beirkit.configs.schema import RetrieverConfig
from beirkit.configs.spec import nested_config
from beirkit.corpora.passages import PassageRules, passages_of
from beirkit.corpora.records import Document, Query
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.catalog import create
from beirkit.retrievers.chunked.retriever import ChunkedRetriever

WORDS = ["owl", "vole", "kite", "wren", "lark", "rook", "swan", "teal", "coot", "gull"]

ENCODER = """
import hashlib
import numpy as np

def encode(texts, role):
    vectors = np.zeros((len(texts), 12))
    for row, text in enumerate(texts):
        for word in text.lower().split():
            digest = hashlib.sha256(word.encode()).digest()[:12]
            vectors[row] += np.frombuffer(digest, dtype=np.uint8).astype(float) - 128
    with open(__file__ + ".log", "a") as log:
        log.writelines(f"{role} {text}\\n" for text in texts)
    return vectors
"""


def encoder(folder: Path) -> dict[str, Any]:
    """A dense retriever over a function with similarities of both signs; it writes down what it reads."""
    file = folder / "encoder.py"
    if not file.exists():
        file.write_text(ENCODER, encoding="utf-8")
    return {"kind": "dense", "options": {"model": f"{file}:encode"}}


def corpus(seed: int, count: int = 25, longest: int = 30) -> tuple[list[Document], list[Query]]:
    """Documents of 0 to ``longest`` words, some alike, some titles, some ids like those of passages."""
    draw = random.Random(seed)
    documents = []
    for number in range(count):
        doc_id = draw.choice(["d{}", "d{}!", "d{}#0", "é{}"]).format(number)
        words = draw.choices(WORDS, k=draw.choice([0, 1, 3, longest // 2, longest]))
        documents.append(Document(doc_id, draw.choice(["", "", draw.choice(WORDS)]), " ".join(words)))
    twin = documents[draw.randrange(count)]
    documents += [Document("twin", twin.title, twin.text), Document("twi", twin.title, twin.text)]
    queries = [Query(f"q{n}", " ".join(draw.choices(WORDS, k=draw.choice([1, 2, 4])))) for n in range(7)]
    return documents, [*queries, Query("none", "zyxwv")]


def chunked(inner: Any, cache: Path | None = None, **options: Any) -> ChunkedRetriever:
    """The retriever under test."""
    config = RetrieverConfig(name="c", kind="chunked", options={"retriever": inner, "size": 5, **options})
    made = create(config, Workplace(cache=cache))
    assert isinstance(made, ChunkedRetriever)
    return made


Lists = dict[str, list[tuple[str, float]]]


def by_definition(
    inner: Any,
    documents: Sequence[Document],
    queries: Sequence[Query],
    rules: PassageRules,
    aggregation: str,
    top: int = 3,
) -> Lists:
    """Every passage scored by the retriever itself, every document by the words of the documentation."""
    cut = {document.doc_id: list(passages_of(document, rules)) for document in documents}
    if aggregation == "firstp":
        cut = {doc_id: passages[:1] for doc_id, passages in cut.items()}
    passages = [passage for of_one in cut.values() for passage in of_one]
    retriever = create(nested_config(inner), Workplace())
    retriever.index(passages)
    found = retriever.search(queries, len(passages)).to_dict()
    lists: Lists = {}
    for query in queries:
        row = []
        for doc_id, own in cut.items():
            scores = [found[query.query_id].get(passage.doc_id) for passage in own]
            there = [score for score in scores if score is not None]
            if there:
                row.append((doc_id, _score([score or 0.0 for score in scores], there, aggregation, top)))
        lists[query.query_id] = sorted(row, key=lambda one: (one[1], one[0].encode()), reverse=True)
    return lists


def _score(scores: list[float], there: list[float], aggregation: str, top: int) -> float:
    if aggregation in ("maxp", "firstp"):
        return max(there)
    best = sorted(scores, reverse=True)[: top if aggregation == "topk-mean" else None]
    return float(np.float32(sum(best) / len(best)))
