"""SPLADE models small enough to be made on the spot, with weights drawn by chance."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.retrievers.dense.conftest import tiny_model as tiny_model
from tests.retrievers.tiny_bert import WORDS, save_bert

VOCABULARY = list(WORDS)


@pytest.fixture(scope="session")
def tiny_splade(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a masked BERT with two layers of width 32 that reads 16 tokens, with SPLADE pooling."""
    return save(modules(tmp_path_factory), tmp_path_factory.mktemp("tiny-splade"))


@pytest.fixture(scope="session")
def tiny_static_queries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same for documents; the weights of a query's terms are looked up in a table."""
    pytest.importorskip("sentence_transformers")
    import torch
    from sentence_transformers.base.modules import Router
    from sentence_transformers.sparse_encoder.modules import SparseStaticEmbedding

    documents = modules(tmp_path_factory)
    weights = torch.arange(1, len(VOCABULARY) + 1) / 8
    query = SparseStaticEmbedding(tokenizer=documents[0].tokenizer, weight=weights, frozen=True)
    router = Router.for_query_document(query_modules=[query], document_modules=documents)
    return save([router], tmp_path_factory.mktemp("tiny-static-queries"))


def modules(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """A masked language model and its pooling."""
    pytest.importorskip("sentence_transformers")
    import torch
    from sentence_transformers.base.modules import Transformer
    from sentence_transformers.sparse_encoder.modules import SpladePooling

    transformers: Any = import_module("transformers")
    base = tmp_path_factory.mktemp("base")
    save_bert(base)  # its tokenizer and configuration; the head that weighs terms is drawn here
    torch.manual_seed(7)
    config = transformers.BertConfig.from_pretrained(base)
    transformers.BertForMaskedLM(config).save_pretrained(base)
    first = Transformer(str(base), max_seq_length=16, transformer_task="fill-mask")
    return [first, SpladePooling("max")]


def save(parts: list[Any], folder: Path, **settings: Any) -> Path:
    """Save a model of these modules, with other settings of its own."""
    from sentence_transformers import SparseEncoder

    SparseEncoder(modules=parts, device="cpu").save(str(folder))
    path = folder / "config_sentence_transformers.json"
    path.write_text(
        json.dumps({**json.loads(path.read_text(encoding="utf-8")), **settings}), encoding="utf-8"
    )
    return folder
