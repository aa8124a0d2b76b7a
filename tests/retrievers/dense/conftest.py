"""A sentence-transformers model small enough to be made on the spot, with weights drawn by chance."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from beirkit.retrievers.store import blocks
from tests.retrievers.dense.local_embeddings import LocalEmbeddings
from tests.retrievers.tiny_bert import save_bert


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a BERT with two layers of width 32 that reads 16 tokens: mean pooling, unit length."""
    pytest.importorskip("sentence_transformers")
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer

    base = tmp_path_factory.mktemp("base")
    save_bert(base)
    folder = tmp_path_factory.mktemp("tiny-model")
    transformer = Transformer(str(base), max_seq_length=16)
    model = SentenceTransformer(modules=[transformer, Pooling(32, "mean"), Normalize()], device="cpu")
    model.save(str(folder))
    settings = folder / "config_sentence_transformers.json"
    kept = json.loads(settings.read_text(encoding="utf-8"))
    kept["prompts"] = {"query": "find : ", "document": ""}
    settings.write_text(json.dumps(kept), encoding="utf-8")
    return folder


@pytest.fixture
def service() -> Iterator[LocalEmbeddings]:
    """An embedding service on this machine."""
    made = LocalEmbeddings()
    yield made
    made.close()


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The dense retriever encodes three texts at a time."""
    monkeypatch.setattr("beirkit.retrievers.dense.retriever.blocks", lambda items: blocks(items, 3))
