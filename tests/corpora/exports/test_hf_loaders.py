"""The loaders that a dataset repository is made for, where they are installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from beirkit.corpora.collection import Collection
from beirkit.corpora.exports.catalog import export_folder
from tests.corpora.exports.samples import FACTS, records

pytest.importorskip("pyarrow")
pytestmark = pytest.mark.slow


@pytest.fixture
def repository(weather: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An exported repository, and a hub that cannot be reached."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets")
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    datasets.disable_progress_bars()
    export_folder(weather, "hf-dataset", tmp_path / "weather", FACTS)
    return tmp_path / "weather"


@pytest.mark.parametrize("streaming", [False, True])
def test_datasets_loads_each_configuration(weather: Collection, repository: Path, streaming: bool) -> None:
    import datasets

    def load(config: str, split: str) -> list[dict[str, Any]]:
        return list(datasets.load_dataset(str(repository), config, split=split, streaming=streaming))

    documents, queries, judgments = records(weather)
    assert [(r["_id"], r["title"], r["text"]) for r in load("corpus", "corpus")] == [
        (document.doc_id, document.title, document.text) for document in documents
    ]
    assert [(r["_id"], r["text"]) for r in load("queries", "queries")] == [
        (q.query_id, q.text) for q in queries
    ]
    for split, rows in judgments.items():
        assert [tuple(row.values()) for row in load("default", split)] == [
            (row.query_id, row.doc_id, row.relevance) for row in rows
        ]


def test_beirs_loader_takes_it_for_corpus_and_qrels(weather: Collection, repository: Path) -> None:
    loaders = pytest.importorskip("beir.datasets.data_loader_hf")
    loader = loaders.HFDataLoader(hf_repo=str(repository), hf_repo_qrels=str(repository))
    corpus, queries, qrels = loader.load("test")
    assert [row["text"] for row in corpus] == [document.text for document in weather.documents()]
    assert [row["id"] for row in queries] == ["q1", "q2"]
    assert {query: dict(row) for query, row in qrels.items()} == weather.qrels("test")


def test_mtebs_loader_takes_it(weather: Collection, repository: Path) -> None:
    loaders = pytest.importorskip("mteb.abstasks.retrieval_dataset_loaders")
    loaded = loaders.RetrievalDatasetLoader(hf_repo=str(repository), revision=None, split="test").load()
    assert [row["id"] for row in loaded["corpus"]] == [document.doc_id for document in weather.documents()]
    assert [row["text"] for row in loaded["queries"]] == ["what moves the sea", "warm\twind"]
    assert loaded["relevant_docs"] == weather.qrels("test")
