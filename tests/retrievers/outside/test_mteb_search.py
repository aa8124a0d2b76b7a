"""mteb's search protocol, with the mteb that is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from beirkit.configs.schema import RetrieverConfig
from beirkit.corpora.errors import UnknownNameError, UsageError
from beirkit.corpora.records import Document, Query
from beirkit.retrievers.catalog import create
from beirkit.retrievers.outside.mteb_search import as_mteb

pytestmark = pytest.mark.full

DOCUMENTS = [
    Document("d1", "Owls", "Barn owls hunt voles at night."),
    Document("d2", "Kestrels", "The kestrel hovers before it strikes."),
    Document("d3", "", "Voles are eaten by owls and foxes; owls eat most of them."),
    Document("d4", "Falcons", "Peregrine falcons strike other birds in the air."),
]
QUERIES = [Query("q1", "what do owls eat"), Query("q2", "kestrel")]


@pytest.fixture(autouse=True)
def _mteb() -> None:
    pytest.importorskip("mteb")


def test_a_search_model_of_mteb_is_a_retriever() -> None:
    pytest.importorskip("bm25s")
    retriever = create(RetrieverConfig(name="m", kind="mteb", options={"model": "mteb/baseline-bm25s"}))
    retriever.index(iter(DOCUMENTS))
    run = retriever.search(QUERIES, 2).to_dict()
    assert list(run) == ["q1", "q2"]
    assert next(iter(run["q1"])) in ("d1", "d3")
    assert next(iter(run["q2"])) == "d2"


def test_an_unknown_model_is_told() -> None:
    retriever = create(RetrieverConfig(name="m", kind="mteb", options={"model": "mteb/baseline-bm26s"}))
    with pytest.raises(UnknownNameError, match="did you mean 'mteb/baseline-bm25s'"):
        retriever.index(DOCUMENTS)


def test_a_retriever_is_a_search_model_of_mteb(tmp_path: Path) -> None:
    import datasets
    import mteb
    from mteb.abstasks.retrieval import AbsTaskRetrieval
    from mteb.abstasks.task_metadata import TaskMetadata
    from mteb.models.models_protocols import SearchProtocol

    class Birds(AbsTaskRetrieval):  # type: ignore[misc]  # where mteb is not followed, it is Any
        metadata = TaskMetadata(
            name="BirdsRetrieval", description="birds", type="Retrieval", prompt=None, modalities=["text"],
            dataset={"path": "beirkit/birds", "revision": "1"}, eval_splits=["test"], eval_langs=["eng-Latn"],
            main_score="ndcg_at_10",
        )  # fmt: skip

        def load_data(self, num_proc: int | None = None, **_: object) -> None:
            self.dataset: dict[str, Any] = {"default": {}}
            corpus = [{"id": d.doc_id, "title": d.title, "text": d.text} for d in DOCUMENTS]
            queries = [{"id": q.query_id, "text": q.text} for q in QUERIES]
            self.dataset["default"]["test"] = {
                "corpus": datasets.Dataset.from_list(corpus),
                "queries": datasets.Dataset.from_list(queries),
                "relevant_docs": {"q1": {"d3": 1}, "q2": {"d4": 1}},
                "top_ranked": None,
            }
            self.data_loaded = True

    bm25 = create(RetrieverConfig(name="bm25", kind="bm25-lucene"))
    model = as_mteb(bm25, "bm25")
    assert isinstance(model, SearchProtocol)
    result = mteb.evaluate(model, Birds(), cache=None)
    (scores,) = result.task_results[0].scores["test"]
    bm25.index(DOCUMENTS)
    own = bm25.search(QUERIES, 10).to_dict()
    rank = list(own["q1"]).index("d3") + 1
    assert "d4" not in own["q2"]
    assert scores["mrr_at_10"] == pytest.approx((1 / rank + 0) / 2, abs=1e-5)
    assert result.model_name == "beirkit/bm25"


def test_candidates_are_not_served() -> None:
    model = as_mteb(create(RetrieverConfig(name="bm25", kind="bm25-lucene")), "bm25")
    model.index([{"id": "d", "text": "owl"}])
    with pytest.raises(UsageError, match="candidates"):
        model.search([{"id": "q", "text": "owl"}], top_k=1, top_ranked={"q": ["d"]})
    with pytest.raises(UsageError, match="more than a text"):
        model.search([{"id": "q", "text": "owl", "instruction": "find"}], top_k=1)
