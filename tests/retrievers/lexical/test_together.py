"""Several queries at once give what each gives by itself, bit for bit."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from beirkit.configs.spec import parse_retriever
from beirkit.corpora.records import Document, Query
from beirkit.retrievers.catalog import create
from beirkit.retrievers.lexical import together
from beirkit.retrievers.lexical.builder import PostingsBuilder

WORDS = [f"w{number}" for number in range(60)]
NAMES = [
    "bm25", "bm25-lucene-multifield", "bm25-lucene:k1=0", "bm25-rm3", "bm25f",
    "bm25-mteb", "bm25-mteb:variant=bm25+", "bm25-mteb:variant=robertson",
]  # fmt: skip


def _corpus(documents: int, seed: int) -> tuple[list[Document], list[Query]]:
    drawn = random.Random(seed)

    def text(most: int) -> str:
        return " ".join(
            drawn.choices(WORDS, [1 / (1 + place) for place in range(60)], k=drawn.randrange(most))
        )

    ids = drawn.sample(
        [f"{number}é" if number % 7 else f"d{number}" for number in range(documents)], documents
    )
    made = [Document(doc_id, text(4), text(12)) for doc_id in ids]
    # Equal documents tie, also at k; some queries have no term, or none that is known.
    made = [made[place % 40] if place % 3 else document for place, document in enumerate(made)]
    made = [Document(doc_id, row.title, row.text) for doc_id, row in zip(ids, made, strict=True)]
    queries = [Query(f"q{number}", text(9)) for number in range(70)]
    return made, [*queries, Query("none", "zyxwv"), Query("empty", ""), Query("twice", "w3 w5 w3 w3 w1")]


def _bytes(name: str, documents: list[Document], queries: list[Query], k: int) -> Any:
    retriever = create(parse_retriever(name))
    retriever.index(documents)
    run = retriever.search(queries, k)
    return run.offsets.tobytes(), run.docs.tobytes(), run.scores.tobytes(), list(run.query_ids)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("documents", "k"), [(700, 10), (700, 1), (700, 100), (700, 5000), (12, 3), (1, 1)])
def test_blocks_of_any_size_give_the_same_bytes(
    monkeypatch: pytest.MonkeyPatch, name: str, documents: int, k: int
) -> None:
    made, queries = _corpus(documents, k)
    monkeypatch.setenv("BEIRKIT_NUMBA", "0")
    monkeypatch.setattr(together, "SUMS", 0)
    expected = _bytes(name, made, queries, k)
    for sums in (2 * documents, 13 * documents, 1 << 20):
        monkeypatch.setattr(together, "SUMS", sums)
        assert _bytes(name, made, queries, k) == expected


def test_kernels_give_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    made, queries = _corpus(700, 5)
    for k in (10, 1000):
        found = []
        for switch in "01":
            monkeypatch.setenv("BEIRKIT_NUMBA", switch)
            found.append(_bytes("bm25", made, queries, k))
        assert found[0] == found[1]


def test_several_are_searched_in_one_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """The faster way is taken, and where what is added may be 0 or less it is not."""
    monkeypatch.setenv("BEIRKIT_NUMBA", "0")
    asked: list[int] = []
    whole = together._ranked

    def counted(scores: Any, places: Any, k: int) -> Any:
        asked.append(len(scores))
        return whole(scores, places, k)

    monkeypatch.setattr(together, "_ranked", counted)
    made, queries = _corpus(100, 1)
    _bytes("bm25", made, queries, 10)
    assert asked == [len(queries)]
    _bytes("bm25-mteb:variant=bm25+", made, queries, 10)
    assert asked == [len(queries)]


def test_weights_below_zero_are_searched_one_by_one() -> None:
    builder = PostingsBuilder()
    builder.add("a", {"x": -1.0, "y": 2.0})
    builder.add("b", {"x": 1.0})
    postings = builder.build()
    for terms, (docs, scores) in zip(
        (["x"], ["y", "x"], []), postings.search_each([["x"], ["y", "x"], []], 5), strict=True
    ):
        expected = postings.search(terms, 5)
        np.testing.assert_array_equal(docs, expected[0])
        np.testing.assert_array_equal(scores, expected[1])


def test_a_floor_is_reached_by_k_documents_and_by_few_more() -> None:
    drawn = np.random.default_rng(1)
    scores = drawn.random((5, 5000), dtype=np.float32) * (drawn.random((5, 5000)) < 0.3)
    for k in (1, 10, 100):
        floors = together._floors(scores.astype(np.float32), k)
        reached = (scores >= floors).sum(axis=1)
        assert (reached >= k).all()
        assert (reached <= 4 * k + 10).all()
    assert (together._floors(np.zeros((2, 5000), dtype=np.float32), 10) > 0).all()
