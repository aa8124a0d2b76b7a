"""A late-interaction model that is made on the spot."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.retrievers.tiny_bert import WORDS, save_bert


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a BERT without any layer behind it."""
    pytest.importorskip("sentence_transformers")
    folder = tmp_path_factory.mktemp("tiny-bert")
    save_bert(folder, [*WORDS, "[unused0]", "[unused1]", "[Q]", "[D]"])
    return folder


@pytest.fixture(scope="session")
def tiny_late(tiny_bert: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As ColBERT: queries expanded to 12 tokens, documents cut at 10, 16 dimensions, no full stops kept."""
    from sentence_transformers import MultiVectorEncoder
    from sentence_transformers.base.modules import Dense, Normalize, Transformer
    from sentence_transformers.multi_vector_encoder.modules import MultiVectorMask
    from torch import nn

    transformer = Transformer(
        str(tiny_bert), document_length=10, query_expansion={"strategy": "fixed", "length": 12}
    )
    projection = Dense(
        32, 16, bias=False, activation_function=nn.Identity(), module_input_name="token_embeddings"
    )
    model = MultiVectorEncoder(
        modules=[
            transformer,
            projection,
            MultiVectorMask(skiplist_words=[".", ","]),
            Normalize(module_input_name="token_embeddings"),
        ],
        prompts={"query": "query : ", "document": "passage : "},
        device="cpu",
    )
    folder = tmp_path_factory.mktemp("tiny-late")
    model.save(str(folder))
    return folder
