"""A sentence-transformers model small enough to be made on the spot, with weights drawn by chance."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.retrievers.dense.local_embeddings import LocalEmbeddings

WORDS = """
[PAD] [UNK] [CLS] [SEP] [MASK] owl owls barn hunt hunts voles at night the kestrel falcon bird birds eat
query passage find : . , a b c d e f g h i j k l m n o p q r s t u v w x y z
"""


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a BERT with two layers of width 32 that reads 16 tokens: mean pooling, unit length."""
    pytest.importorskip("sentence_transformers")
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer

    transformers: Any = import_module("transformers")
    base = tmp_path_factory.mktemp("base")
    torch.manual_seed(7)
    config = transformers.BertConfig(
        vocab_size=len(WORDS.split()), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=64, initializer_range=0.5,
    )  # fmt: skip
    transformers.BertModel(config).save_pretrained(base)
    (base / "vocab.txt").write_text("\n".join(WORDS.split()) + "\n", encoding="utf-8")
    transformers.BertTokenizerFast(str(base / "vocab.txt")).save_pretrained(base)
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
