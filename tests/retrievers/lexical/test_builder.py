from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from beirkit.corpora.errors import DataError
from beirkit.retrievers.lexical import builder as builder_module
from beirkit.retrievers.lexical import merge, spill
from beirkit.retrievers.lexical.builder import PostingsBuilder
from beirkit.retrievers.lexical.postings import Postings

Vector = dict[str, float]
NAMES = ("indptr", "docs", "weights")

WEIGHT = st.floats(-4, 4, width=32).filter(bool)
VECTORS = st.lists(st.dictionaries(st.sampled_from("abcdef"), WEIGHT), min_size=1, max_size=12)


def _built(vectors: list[Vector]) -> Postings:
    builder = PostingsBuilder()
    for number, vector in enumerate(vectors):
        builder.add(f"d{number}", vector)
    return builder.build()


def _as_rows(vectors: list[Vector], terms: dict[str, int]) -> tuple[Any, Any, Any]:
    indptr = np.cumsum([0, *map(len, vectors)])
    numbers = [terms[term] for vector in vectors for term in vector]
    return indptr, numbers, [weight for vector in vectors for weight in vector.values()]


def _bytes(postings: Postings) -> list[bytes]:
    return [getattr(postings, name).tobytes() for name in NAMES]


@pytest.fixture
def _on_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spill, "IN_MEMORY", 2)
    monkeypatch.setattr(merge, "AT_ONCE", 3)


def test_by_hand() -> None:
    postings = _built([{"owl": 1.5, "night": 0.25}, {}, {"vole": 0.5, "owl": -2.0}])
    assert postings.doc_ids == ["d0", "d1", "d2"]
    assert postings.vocabulary == {"owl": 0, "night": 1, "vole": 2}
    assert postings.indptr.tolist() == [0, 2, 3, 4]
    assert postings.docs.tolist() == [0, 2, 0, 2]
    assert postings.weights.tolist() == [1.5, -2.0, 0.25, 0.5]
    assert postings.statistics == {"documents": 3}
    docs, scores = postings.search_weighted({"owl": 2.0, "vole": 1.0, "unknown": 9.0}, 10)
    assert docs.tolist() == [0, 2]
    assert scores.tolist() == [3.0, -3.5]
    docs, scores = postings.search_weighted({"owl": 2.0, "vole": 1.0}, 1)
    assert docs.tolist() == [0]


@given(VECTORS, st.dictionaries(st.sampled_from("abcdefgh"), WEIGHT), st.integers(1, 20))
def test_every_search_is_the_sorted_list_of_inner_products(
    vectors: list[Vector], query: Vector, k: int
) -> None:
    docs, scores = _built(vectors).search_weighted(query, k)
    expected = []
    for number, vector in enumerate(vectors):
        shared = [term for term in query if term in vector]
        total = sum(query[term] * vector[term] for term in shared)  # exact products of float32 as doubles
        if shared:
            expected.append((float(np.float32(total)), f"d{number}"))
    expected.sort(reverse=True)
    found = [(score, f"d{doc}") for doc, score in zip(docs.tolist(), scores.tolist(), strict=True)]
    assert found == expected[:k]


@given(VECTORS, st.integers(1, 5), st.integers(1, 9), st.integers(0, 9), st.integers(1, 9))
def test_blocks_files_and_ranges_change_no_byte(
    vectors: list[Vector], rows: int, postings: int, in_memory: int, at_once: int
) -> None:
    whole = _built(vectors)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(builder_module, "_AT_ONCE", postings)
        patch.setattr(spill, "IN_MEMORY", in_memory)
        patch.setattr(merge, "AT_ONCE", at_once)
        assert _bytes(_built(vectors)) == _bytes(whole)
        builder = PostingsBuilder(vocabulary=list(whole.vocabulary))
        for start in range(0, len(vectors), rows):
            part = vectors[start : start + rows]
            ids = [f"d{start + place}" for place in range(len(part))]
            builder.add_rows(ids, *_as_rows(part, whole.vocabulary))
        built = builder.build()
    assert _bytes(built) == _bytes(whole)
    assert built.doc_ids == whole.doc_ids
    assert built.vocabulary == whole.vocabulary


def test_rows_of_numbers_alone() -> None:
    builder = PostingsBuilder()
    builder.add_rows(["a", "b"], [0, 2, 3], [7, 2, 7], [1.0, 3.0, 2.0])
    postings = builder.build({"model": "tiny"})
    assert (postings.n_terms, postings.vocabulary) == (8, {})
    assert postings.statistics == {"documents": 2, "model": "tiny"}
    docs, scores = postings.search_numbers([7, 2, 99], [1.0, 1.0, 1.0], 5)
    assert [postings.doc_ids[doc] for doc in docs] == ["a", "b"]
    assert scores.tolist() == [4.0, 2.0]
    assert postings.search_numbers([99], [1.0], 5)[0].tolist() == []
    assert postings.search_numbers([7], [0.0], 5)[0].tolist() == []


def test_weights_of_zero_are_left_out() -> None:
    builder = PostingsBuilder()
    builder.add("a", {"x": 0.0, "y": 1.0, "z": 1e-60})
    builder.add_rows(["b"], [0, 2], [0, 1], [0.0, 2.0])
    assert builder.build().docs.tolist() == [0, 1]


@pytest.mark.usefixtures("_on_disk")
def test_a_large_index_is_mapped_from_a_file_and_saved_alike(tmp_path: Path) -> None:
    vectors = [{"x": 1.0, "y": 2.0}, {"y": 0.5, "z": 4.0}, {"x": 3.0}]
    postings = _built(vectors)
    assert not postings.docs.flags.writeable
    assert not postings.weights.flags.writeable
    postings.save(tmp_path / "index")
    opened = Postings.load(tmp_path / "index")
    assert _bytes(opened) == _bytes(postings)
    assert opened.search_weighted({"y": 1.0}, 9)[1].tolist() == [2.0, 0.5]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (([0, 1], [0], [float("nan")]), "'a': term 0 of weight nan"),
        (([0, 1], [-1], [1.0]), "'a': term -1 of weight 1.0"),
        (([0, 1], [3], [1.0]), "'a': term 3 of weight 1.0.*numbered from 0 to 2"),
        (([0, 2], [1, 1], [1.0, 2.0]), "'a': term 1 stands twice in it"),
        (([0, 2], [1], [1.0]), "1 documents with 2 bounds up to 2 do not fit 1 terms and 1 weights"),
        (([0], [], []), "do not fit"),
    ],
)
def test_rows_that_cannot_be(rows: tuple[Any, Any, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        PostingsBuilder(vocabulary=["x", "y", "z"]).add_rows(["a"], *rows)


@pytest.mark.parametrize("weight", [float("inf"), float("nan"), 1e39])
def test_a_weight_that_is_no_float32_is_refused(weight: float) -> None:
    with pytest.raises(DataError, match="document 'a': the weight of 'x' is"):
        PostingsBuilder().add("a", {"x": weight})


def test_a_term_beyond_the_vocabulary_is_refused() -> None:
    with pytest.raises(DataError, match="document 'a': the term 'owl' is not in the vocabulary"):
        PostingsBuilder(vocabulary=["x"]).add("a", {"owl": 1.0})


def test_no_document_and_an_id_twice_are_refused() -> None:
    with pytest.raises(DataError, match="the corpus is empty"):
        PostingsBuilder().build()
    builder = PostingsBuilder()
    builder.add("a", {"x": 1.0})
    builder.add("a", {})
    with pytest.raises(DataError, match="the document id 'a' occurs twice"):
        builder.build()


def test_documents_without_terms_are_no_matches() -> None:
    builder = PostingsBuilder()
    builder.add("a", {})
    postings = builder.build()
    assert postings.n_terms == 0
    assert postings.search_weighted({"x": 1.0}, 5)[0].tolist() == []
