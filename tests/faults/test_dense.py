"""K02-03, K14, K15 and K17: vectors, what they are compared by, and what an encoder must say about itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.records import Document
from beirkit.corpora.run import Run
from beirkit.evaluate import evaluate
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.dense.encoder import Role
from beirkit.retrievers.dense.faiss_index import without_padding
from beirkit.retrievers.dense.retriever import DenseOptions, DenseRetriever
from tests.faults.cases import Case, case, check
from tests.faults.stubs import Stub, ids, lists, over_vectors

pytest.importorskip("faiss")


@case("K02-03")
def test_k_results_remain_when_the_query_itself_is_removed(case: Case) -> None:
    given, expected = case["input"], case["expected"]["values"]
    retriever = over_vectors(given["doc_vectors"], given["query_vectors"], similarity=given["similarity"])
    found = lists(retriever, list(given["query_vectors"]), given["k"] + 1)  # as the runner searches
    run = {query_id: dict(pairs) for query_id, pairs in found.items()}
    scores = evaluate(given["qrels"], run, ["R@1", "RR@1"], "beir", depth=given["k"])
    check(scores, expected["metrics"])
    assert scores.counts.self_matches_removed == 1
    assert [d for d in ids(found)["a"] if d != "a"][: given["k"]] == expected["ranking"]["a"]


@case("K14-01")
def test_the_similarity_is_chosen_and_stored(case: Case) -> None:
    given = case["input"]
    for similarity in given["variants"]:
        expected = case["expected"]["values"][similarity]
        retriever = over_vectors(given["doc_vectors"], given["query_vectors"], similarity=similarity)
        (found,) = lists(retriever, ["q"], given["k"]).values()
        assert [doc_id for doc_id, _ in found] == expected["ranking"]
        assert [value for _, value in found] == pytest.approx(expected["scores"], abs=1e-6)
        assert retriever.identity()["similarity"] == similarity


@case("K14-02")
def test_no_padding_becomes_a_result(case: Case) -> None:
    given, expected = case["input"], case["expected"]["values"]["results"][0]
    output = {name: np.array(rows[0]) for name, rows in given["index_output"].items()}
    docs, scores = without_padding(output["I"].astype(np.int64), output["D"].astype(np.float32))
    assert [given["ids"][doc] for doc in docs] == expected
    assert len(output["I"]) - len(scores) == 3
    # An exact search never asks for more than there are.
    vectors = {doc_id: [score, 1.0] for doc_id, score in zip(given["ids"], (0.4, 0.1, 0.9), strict=True)}
    retriever = over_vectors(vectors, {"q": [1.0, 0.0]}, similarity="dot")
    found = ids(lists(retriever, ["q"], len(given["index_output"]["I"][0])))["q"]
    assert found == ["d3", "d1", "d2"]
    assert found[:2] == expected


def test_results_that_an_index_does_not_find_are_counted_and_told(caplog: pytest.LogCaptureFixture) -> None:
    """The same through a whole index: fewer results, told, and no document twice."""
    rng = np.random.default_rng(1)
    vectors = {f"d{i}": vector.tolist() for i, vector in enumerate(rng.standard_normal((400, 8)))}
    stub = Stub(lambda text, role: vectors.get(text, vectors["d0"]), similarity="dot")
    options = DenseOptions(model=[], index="IVF8,Flat")
    retriever = DenseRetriever(options, encoder=stub)
    retriever.index([Document(doc_id, text=doc_id) for doc_id in vectors])
    found = ids(lists(retriever, ["d0"], 400))["d0"]
    assert 0 < len(set(found)) == len(found) < 400
    assert retriever.report()["missing_results"] == 400 - len(found)
    assert f"gave {400 - len(found)} results fewer than were asked for" in caplog.text


@case("K14-04")
def test_documents_keep_their_ids_whatever_order_they_are_encoded_in(case: Case) -> None:
    given = case["input"]
    retriever = DenseRetriever.over(
        Stub(lambda text, role: [float(len(text) == size) for size in (1, 3, 5)], similarity="dot")
    )
    retriever.index([Document(doc_id, text=text) for doc_id, text in given["corpus"].items()])
    assert ids(lists(retriever, given["queries"], given["k"])) == case["expected"]["values"]["ranking"]


@case("K14-06")
def test_half_precision_makes_no_ties(case: Case) -> None:
    given, expected = case["input"], case["expected"]["values"]
    retriever = over_vectors(
        given["doc_vectors"], given["query_vectors"], similarity=given["similarity"], dtype=given["dtype"]
    )
    run = retriever.search([], given["k"])
    assert run.n_results == 0
    found = lists(retriever, ["q"], given["k"])
    assert ids(found) == expected["ranking"]
    (first, second) = (value for _, value in found["q"])
    assert first > second
    scores = evaluate(given["qrels"], {"q": dict(found["q"])}, "mrr@10")
    assert scores.mean("mrr@10") == expected["mrr@10"]


@case("K14-08")
def test_the_cosine_with_a_zero_vector_is_0_and_told(case: Case, caplog: pytest.LogCaptureFixture) -> None:
    given, expected = case["input"], case["expected"]["values"]
    retriever = over_vectors(given["doc_vectors"], given["query_vectors"], similarity=given["similarity"])
    found = lists(retriever, ["q"], given["k"])
    assert ids(found) == expected["ranking"]
    assert [value for _, value in found["q"]] == pytest.approx(expected["scores"]["q"], abs=1e-5)
    assert "1 zero vector among 3 documents" in caplog.text
    assert retriever.report()["document"]["zero_vectors"] == 1


@case("K14-09")
def test_any_depth_is_searched(case: Case) -> None:
    given = case["input"]
    values = np.random.default_rng(1).permutation(given["n_docs"]) / given["n_docs"]
    vectors = {f"d{i}": [value, 1.0] for i, value in enumerate(values.tolist())}
    retriever = over_vectors(vectors, {"q": [1.0, 0.0]}, similarity="dot")
    found = ids(lists(retriever, ["q"], given["k"]))["q"]
    assert found == sorted(vectors, key=lambda doc_id: -vectors[doc_id][0])[: given["k"]]
    assert len(set(found)) == given["k"] == 3000


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_vectors_that_are_not_finite_are_refused(value: float) -> None:
    with pytest.raises(DataError, match=r"NaN or infinity for 1 of 2 texts \(document 'b'\)"):
        over_vectors({"a": [1.0, 0.0], "b": [value, 0.0]}, {})


@case("K15-01")
def test_prompts_never_reach_the_other_role(case: Case) -> None:
    """The encoder puts its prompt before a text; the retriever tells it the role and stores the prompts."""
    given = case["input"]
    prompts = {"query": given["query_prompt"], "document": given["doc_prompt"]}
    read: dict[Role, list[str]] = {"query": [], "document": []}

    def vector(text: str, role: Role) -> list[float]:
        read[role].append(prompts[role] + text)
        return [1.0, 0.0]

    retriever = DenseRetriever.over(Stub(vector, facts={"prompts": prompts}))
    retriever.index([Document(doc_id, text=text) for doc_id, text in given["corpus"].items()])
    lists(retriever, given["queries"], 1)
    expected = case["expected"]["values"]["encoder_inputs"]
    assert read == {"query": expected["queries"], "document": expected["documents"]}
    assert retriever.identity()["encoder"]["prompts"] == prompts


@case("K15-03")
def test_truncated_texts_are_counted_and_told(case: Case, caplog: pytest.LogCaptureFixture) -> None:
    given, expected = case["input"], case["expected"]["values"]["truncated"]
    retriever = DenseRetriever.over(Stub(lambda text, role: [1.0], longest=4))
    retriever.index([Document(doc_id, text=text) for doc_id, text in given["corpus"].items()])
    lists(retriever, given["queries"], 1)
    report = retriever.report()
    assert report["query"]["truncated"] == expected["queries"]
    assert report["document"]["truncated"] == expected["documents"]
    assert "1 of 2 queries are longer than the 4 tokens" in caplog.text
    assert retriever.identity()["encoder"]["max_length"] == 4


@case("K15-05")
def test_a_sparse_encoder_is_no_dense_one(case: Case) -> None:
    assert "kind=sparse" in case["input"]["encoder"]
    declared = DenseRetriever.over(Stub(lambda text, role: [1.0], facts={"kind": "sparse"}))
    with pytest.raises(UsageError, match=r"kind 'sparse' .*needs the sparse retriever"):
        declared.index([Document("d", text="x")])
    silent = Stub(lambda text, role: {"token": 1.0}, dtype="object")
    with pytest.raises(UsageError, match=r"not one vector for each .*needs the sparse retriever"):
        DenseRetriever.over(silent).index([Document("d", text="x")])


@case("K15-06")
def test_a_corpus_and_queries_of_two_poolings_never_meet(case: Case, tmp_path: Path) -> None:
    # docs/decisions/0009: nobody has to be warned of the mixture, because it cannot come about.
    stored, asked = case["input"]["cache_meta"], case["input"]["query_config"]
    assert (stored["pooling"], asked["pooling"]) == ("cls", "mean")
    place = Workplace(cache=tmp_path)
    encoders = [Stub(lambda text, role: [1.0, 2.0, 3.0, 4.0], facts=facts) for facts in (stored, asked)]
    for encoder in encoders:
        retriever = DenseRetriever.over(encoder, place)
        retriever.index([Document("d", text="x")])
        assert encoder.seen["document"] == ["x"]  # each encodes the corpus itself, nothing is shared
    assert len(list((tmp_path / "embeddings").iterdir())) == 2


@case("K17-01")
def test_the_best_of_all_chunks_remain(case: Case) -> None:
    given, expected = case["input"], case["expected"]["values"]
    vectors = {f"d{i}": [(7 * i % 10) / 10] for i in range(given["n_docs"])}
    retriever = over_vectors(vectors, {"q": [1.0]}, similarity="dot")
    found = ids(lists(retriever, ["q"], given["k"]))["q"]
    assert found == expected["ranking"]
    assert len(found) == expected["n_results"]


def test_the_best_of_several_blocks_remain(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same with blocks of three documents, so that the search has four parts to merge."""
    from beirkit.retrievers import store

    original = store.blocks
    monkeypatch.setattr(
        "beirkit.retrievers.dense.retriever.blocks", lambda items: original(items, 3), raising=True
    )
    vectors = {f"d{i}": [(7 * i % 10) / 10] for i in range(10)}
    retriever = over_vectors(vectors, {"q": [1.0]}, similarity="dot")
    assert ids(lists(retriever, ["q"], 2))["q"] == ["d7", "d4"]


def test_a_run_knows_its_own_type() -> None:
    """Scores of a dense run are float32 however the vectors came."""
    retriever = over_vectors({"a": [1.0]}, {"q": [1.0]}, dtype="float16")
    from beirkit.corpora.records import Query

    run = retriever.search([Query("q", "q")], 1)
    assert isinstance(run, Run)
    assert run.scores.dtype == np.float32
