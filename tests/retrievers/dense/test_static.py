"""Static embeddings: sentence-transformers' folders, model2vec's, and a bare table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from beirkit.configs.load import load_retriever
from beirkit.corpora.errors import ConfigError, UsageError
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.catalog import create
from beirkit.retrievers.dense.sentence_transformer import (
    EncoderOptions,
    SentenceTransformerEncoder,
    StaticFiles,
)

WORDS = ["[UNK]", "[CLS]", "owl", "hunts", "voles", "at", "night"]
TEXTS = ["owl hunts voles", "night owl owl", "", "a heron", "at night a heron hunts", "owl hunts voles"]


def _tokenizer() -> Any:
    tokenizers = pytest.importorskip("tokenizers")
    words = {word: number for number, word in enumerate(WORDS)}
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="[UNK]"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A", special_tokens=[("[CLS]", 1)]
    )
    return made


TABLE = np.random.default_rng(5).standard_normal((len(WORDS), 8)).astype(np.float32)


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A table and a tokenizer under names of their own."""
    from safetensors.numpy import save_file

    save_file({"embedding.weight": TABLE.astype(np.float16)}, tmp_path / "table.safetensors")
    _tokenizer().save(str(tmp_path / "words.json"))
    return tmp_path


def _encoder(folder: Path, **options: Any) -> SentenceTransformerEncoder:
    place = Workplace(device="cpu", offline=True)
    return SentenceTransformerEncoder(EncoderOptions(model=str(folder), **options), place)


FILES = StaticFiles(weights="table.safetensors", tokenizer="words.json")


def test_a_text_is_the_mean_of_its_tokens(bare: Path) -> None:
    encoder = _encoder(bare, static=FILES, prompts={"query": "night "})
    table = TABLE.astype(np.float16).astype(np.float32)
    vectors = encoder.encode(TEXTS, "document")
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors[0], table[[2, 3, 4]].mean(axis=0), rtol=1e-6)
    np.testing.assert_allclose(vectors[3], table[0], rtol=1e-6)
    assert vectors[2].tolist() == [0] * 8
    assert vectors[5].tolist() == vectors[0].tolist()
    np.testing.assert_allclose(encoder.encode(["owl"], "query")[0], table[[6, 2]].mean(axis=0), rtol=1e-6)
    assert encoder.count_truncated(["owl " * 10_000], "document") == 0


def test_its_identity_has_both_files(bare: Path) -> None:
    identity = _encoder(bare, static=FILES).identity()
    assert identity["backend"] == "static"
    assert list(identity["weights_sha256"]) == ["table.safetensors"]
    words = json.loads((bare / "words.json").read_text())
    words["model"]["vocab"]["heron"] = 99
    (bare / "words.json").write_text(json.dumps(words))
    assert _encoder(bare, static=FILES).identity()["model_sha256"] != identity["model_sha256"]


@pytest.mark.parametrize("option", [{"backend": "openvino"}, {"dtype": "bfloat16"}])
def test_there_is_nothing_to_run(bare: Path, option: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="a static model is looked up"):
        _encoder(bare, static=FILES, **option).identity()


def test_a_file_that_is_no_table_or_is_cut(bare: Path) -> None:
    from safetensors.numpy import save_file

    with pytest.raises(UsageError, match=r"words.safetensors is expected in it"):
        _encoder(bare, static=StaticFiles(weights="words.safetensors", tokenizer="words.json")).identity()
    save_file({"other": TABLE}, bare / "table.safetensors")
    with pytest.raises(UsageError, match="the weights hold other and no table of vectors"):
        _encoder(bare, static=FILES).encode(["owl"], "query")
    (bare / "table.safetensors").write_bytes(b"half")
    with pytest.raises(UsageError, match="the model cannot be loaded"):
        _encoder(bare, static=FILES).encode(["owl"], "query")


@pytest.mark.dense
@pytest.mark.parametrize("normalize", [False, True])
def test_vectors_are_those_of_sentence_transformers(tmp_path: Path, normalize: bool) -> None:
    pytest.importorskip("sentence_transformers")
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Normalize, StaticEmbedding

    stages: list[Any] = [
        StaticEmbedding(_tokenizer(), embedding_weights=TABLE),
        *([Normalize()] if normalize else []),
    ]
    theirs = SentenceTransformer(modules=stages, device="cpu")
    theirs.save(str(tmp_path / "model"))
    encoder = _encoder(tmp_path / "model")
    expected = theirs.encode(TEXTS, show_progress_bar=False)
    np.testing.assert_allclose(encoder.encode(TEXTS, "document"), expected, atol=1e-6)
    assert encoder.identity()["normalized_by_model"] == normalize
    assert encoder.identity()["backend"] == "static"


@pytest.mark.parametrize("normalize", [False, True])
def test_vectors_are_those_of_model2vec(tmp_path: Path, normalize: bool) -> None:
    model2vec = pytest.importorskip("model2vec")
    weights = np.linspace(0.5, 2, len(WORDS))
    theirs = model2vec.StaticModel(
        TABLE, _tokenizer(), config={"model_type": "model2vec"}, normalize=normalize, weights=weights
    )
    theirs.save_pretrained(tmp_path / "model")
    (tmp_path / "model" / "modules.json").unlink(missing_ok=True)
    encoder = _encoder(tmp_path / "model")
    np.testing.assert_allclose(encoder.encode(TEXTS, "document"), theirs.encode(TEXTS), atol=1e-6)
    assert encoder.identity()["normalized_by_model"] == normalize


def test_wordllama_is_found_in_its_package() -> None:
    pytest.importorskip("wordllama", reason="needs the extra 'static'")
    retriever: Any = create(load_retriever("wordllama"), Workplace(device="cpu", offline=True))
    assert retriever.identity()["encoder"]["backend"] == "static"
    vectors = retriever.encoder.encode(
        ["barn owls hunt at night", "a nocturnal bird of prey", "tax"], "query"
    )
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    assert vectors.shape == (3, 256)
    assert unit[0] @ unit[1] > unit[0] @ unit[2] + 0.1
