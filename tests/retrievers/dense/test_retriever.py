"""The dense retriever over encoders made by hand: the mistakes that dense retrieval is known for."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from beirkit.corpora.errors import DataError, MissingExtraError, UsageError
from beirkit.corpora.progress import Advance
from beirkit.corpora.records import Document, Query
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.dense.encoder import Role, Similarity, Vectors
from beirkit.retrievers.dense.retriever import DenseOptions, DenseRetriever
from tests.retrievers.dense.stub import Stub, named, ranked, searched


@pytest.mark.parametrize(
    ("similarity", "expected"),
    [("cosine", [("d2", 0.995037), ("d1", 0.707107)]), ("dot", [("d1", 2.0), ("d2", 1.0)])],
)
def test_cosine_and_dot_rank_differently(similarity: Similarity, expected: list[tuple[str, float]]) -> None:
    encoder = Stub({"q": [1, 0], "d1": [2, 2], "d2": [1, 0.1]}, similarity=similarity)
    retriever = DenseRetriever.over(encoder)
    retriever.index(named("d1", "d2"))
    row = dict(retriever.search([Query("q", "q")], 2).lists())["q"]
    assert [doc_id for doc_id, _ in row] == [doc_id for doc_id, _ in expected]
    assert [score for _, score in row] == pytest.approx([score for _, score in expected], abs=1e-6)
    assert retriever.identity()["similarity"] == similarity


def test_rows_are_mapped_to_ids_in_the_order_they_were_encoded() -> None:
    lengths = {1: [1, 0, 0], 3: [0, 1, 0], 5: [0, 0, 1]}
    texts = {"d1": "a", "d2": "ccccc", "d3": "bbb"}
    queries = {"q1": "x", "q2": "yyyyy"}
    encoder = Stub({text: lengths[len(text)] for text in (*texts.values(), *queries.values())})
    documents = [Document(doc_id, "", text) for doc_id, text in texts.items()]
    assert ranked(searched(encoder, documents, queries, 1)) == {"q1": ["d1"], "q2": ["d2"]}


def test_close_cosines_are_not_tied() -> None:
    encoder = Stub({"q": [1, 0], "a": [1, 0.02], "b": [1, 0.021]})
    assert ranked(searched(encoder, named("a", "b"), {"q": "q"}, 2)) == {"q": ["a", "b"]}


def test_vectors_in_half_precision_are_scored_in_float32() -> None:
    class Half(Stub):
        def encode(self, texts: Sequence[str], role: Role, advance: Advance | None = None) -> Vectors:
            half: Any = super().encode(texts, role, advance).astype(np.float16)
            return half  # type: ignore[no-any-return]  # an encoder that breaks its promise

    encoder = Half({"q": [1, 0], "a": [1, 0.02], "b": [1, 0.021]})
    run = searched(encoder, named("a", "b"), {"q": "q"}, 2)
    assert ranked(run) == {"q": ["a", "b"]}
    assert run.scores.dtype == np.float32


def test_the_cosine_with_a_zero_vector_is_zero(caplog: pytest.LogCaptureFixture) -> None:
    encoder = Stub({"q": [1, 0], "z": [0, 0], "a": [0.2, 0.9], "b": [-1, 0]})
    retriever = DenseRetriever.over(encoder)
    with caplog.at_level(logging.WARNING):
        retriever.index(named("z", "a", "b"))
    row = dict(retriever.search([Query("q", "q")], 3).lists())["q"]
    assert [doc_id for doc_id, _ in row] == ["a", "z", "b"]
    assert [score for _, score in row] == pytest.approx([0.21693, 0.0, -1.0], abs=1e-5)
    assert retriever.report()["document"]["zero_vectors"] == 1
    assert caplog.messages == ["1 zero vector among 3 documents: similarity 0 with everything"]


@pytest.mark.usefixtures("small_blocks")
def test_the_best_k_are_kept_over_all_blocks() -> None:
    vectors: dict[str, Sequence[float]] = {f"d{i}": [7 * i % 10 / 10] for i in range(10)}
    encoder = Stub({**vectors, "q": [1]}, similarity="dot")
    run = searched(encoder, named(*vectors), {"q": "q"}, 2)
    assert ranked(run) == {"q": ["d7", "d4"]}
    assert encoder.calls == 5, "four blocks of documents and one of queries"


@pytest.mark.usefixtures("small_blocks")
def test_more_blocks_than_ten_stay_in_order() -> None:
    names = [f"d{i}" for i in range(40)]
    one_hot = np.eye(40).tolist()
    encoder = Stub({**dict(zip(names, one_hot, strict=True)), "ten": one_hot[10], "two": one_hot[2]})
    run = searched(encoder, named(*names), {"q10": "ten", "q2": "two"}, 1)
    assert ranked(run) == {"q10": ["d10"], "q2": ["d2"]}


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("k", [5, 7, 3000])
def test_k_beyond_the_corpus_pads_with_nothing(k: int) -> None:
    encoder = Stub({**{f"d{i}": [i] for i in range(5)}, "q": [1]}, similarity="dot")
    run = searched(encoder, named(*(f"d{i}" for i in range(5))), {"q": "q"}, k)
    assert ranked(run) == {"q": ["d4", "d3", "d2", "d1", "d0"]}


def test_each_role_gets_its_own_prompt() -> None:
    encoder = Stub(prompts={"query": "query: ", "document": "passage: "})
    retriever = DenseRetriever.over(encoder)
    retriever.index([Document("d", "", "bar")])
    retriever.search([Query("q", "foo")], 1)
    assert encoder.inputs == [("document", "passage: bar"), ("query", "query: foo")]
    assert retriever.identity()["encoder"]["prompts"] == {"query": "query: ", "document": "passage: "}


def test_truncated_texts_are_counted_by_role_and_told(
    caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    for turn in ("fresh", "stored"):
        caplog.clear()
        retriever = DenseRetriever.over(Stub(max_length=4), Workplace(cache=tmp_path))
        with caplog.at_level(logging.WARNING):
            retriever.index([Document("d1", "", "a b c d e")])
            retriever.search([Query("q1", "a b c"), Query("q2", "a b c d e f")], 1)
        report = retriever.report()
        assert report["document"] == {"texts": 1, "truncated": 1, "truncated_share": 1.0, "zero_vectors": 0}
        assert report["query"] == {
            "texts": 2, "truncated": 1, "truncated_share": 0.5, "zero_vectors": 0, "truncated_ids": ["q2"],
        }  # fmt: skip
        assert retriever.identity()["encoder"]["max_length"] == 4
        assert caplog.messages == [
            "1 of 1 documents are longer than the 4 tokens the model reads; their ends are not seen",
            "1 of 2 queries are longer than the 4 tokens the model reads; their ends are not seen",
        ], turn


def test_costs_tell_the_index_and_what_was_not_encoded_anew(tmp_path: Path) -> None:
    for stored in (0, 3):
        retriever = DenseRetriever.over(Stub(), Workplace(cache=tmp_path))
        retriever.index(named("a", "bb", "ccc"))
        retriever.search([Query("q1", "a" * (stored + 1))], 1)  # another text each time
        assert retriever.costs() == {
            "index_bytes": 3 * 2 * 4, "from_store": {"document": stored, "query": 0},
        }  # fmt: skip


def test_an_encoder_of_another_kind_is_refused() -> None:
    with pytest.raises(UsageError, match="of the kind 'sparse' \\(it needs the sparse retriever\\)"):
        DenseRetriever.over(Stub(kind="sparse")).index(named("d"))


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ([{"owl": 0.5}], "gave list for 1 texts.*sparse retriever"),
        (np.zeros(3, dtype=np.float32), r"gave float32 \(3,\) for 1 texts"),
        (np.zeros((2, 3), dtype=np.float32), r"gave float32 \(2, 3\) for 1 texts"),
    ],
)
def test_output_of_another_shape_is_refused(output: Any, message: str) -> None:
    encoder = Stub()
    encoder.encode = lambda texts, role, advance=None: output  # type: ignore[method-assign]  # a bad encoder
    with pytest.raises(UsageError, match=message):
        DenseRetriever.over(encoder).index(named("d"))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_vectors_that_are_not_finite_are_refused_with_the_id(bad: float) -> None:
    encoder = Stub({"d1": [0, 1], "d2": [0, bad], "q": [bad, 0]})
    with pytest.raises(DataError, match=r"NaN or infinity for 1 of 2 texts \(document 'd2'\).*float32"):
        DenseRetriever.over(encoder).index(named("d1", "d2"))
    retriever = DenseRetriever.over(encoder)
    retriever.index(named("d1"))
    with pytest.raises(DataError, match=r"\(query 'q'\)"):
        retriever.search([Query("q", "q")], 1)


def test_a_failing_encoder_is_heard() -> None:
    class Fails(Stub):
        def vector(self, text: str, role: Role) -> Sequence[float]:
            if text == "bad":
                raise RuntimeError("no vector for 'bad'")
            return [1.0]

    with pytest.raises(RuntimeError, match="'bad'"):
        DenseRetriever.over(Fails()).index(named("ok", "bad", "ok2"))


@pytest.mark.parametrize("absent", ["torch", "sentence_transformers", "faiss"])
def test_a_library_that_is_missing_comes_with_its_command(
    absent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, absent, None)
    tiny = Path(__file__).parents[2] / "fixtures" / "models" / "tiny"
    encoder = Stub() if absent == "faiss" else None
    options = DenseOptions(model=str(tiny), index="Flat" if absent == "faiss" else None)
    retriever = DenseRetriever(options, Workplace(device="cpu"), encoder=encoder)

    def work() -> None:
        retriever.index(named("d"))
        retriever.search([Query("q", "q")], 1)

    before = set(sys.modules)
    with pytest.raises(MissingExtraError, match=r"pip install 'beirkit\[dense\]'"):
        work()
    for name in set(sys.modules) - before:  # what was imported without torch would lack it in the next test
        if name.split(".")[0] in ("transformers", "sentence_transformers"):
            del sys.modules[name]


def test_an_id_that_occurs_twice_is_refused() -> None:
    with pytest.raises(DataError, match="the document id 'd' occurs twice"):
        DenseRetriever.over(Stub()).index(named("d", "e", "d"))


def test_queries_and_documents_of_two_models_are_refused() -> None:
    encoder = Stub({"d": [1, 0], "q": [1]})
    with pytest.raises(UsageError, match="queries have 1 dimensions, documents 2"):
        searched(encoder, named("d"), {"q": "q"}, 1)
