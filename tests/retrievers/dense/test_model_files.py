"""A model is one identity, wherever its files come from; what is no dense model is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.files import sha256_file
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.dense.model_files import ModelFiles
from beirkit.retrievers.dense.sentence_transformer import EncoderOptions, SentenceTransformerEncoder

TINY = Path(__file__).parents[2] / "fixtures" / "models" / "tiny"
TINY_SHA256 = "ef6904d046295f25ae9d378280ecbb9334f8c306ac49bcc620690bc521e80231"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return Path(shutil.copytree(TINY, tmp_path / "elsewhere"))


def _change(path: Path, **values: Any) -> None:
    kept = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps({**kept, **values}, indent=4))


def test_what_the_files_say(model: Path) -> None:
    files = ModelFiles(model)
    assert files.weights == {"model.safetensors": TINY_SHA256}
    assert files.max_length == 32
    assert files.similarity == "cosine"
    assert files.pooling == "cls"
    assert not files.normalized
    assert (files.prompt("query"), files.prompt("document")) == ("find: ", "")


def test_one_identity_in_two_places(model: Path) -> None:
    _change(model / "config.json", _name_or_path="another place", transformers_version="9")
    _change(model / "config_sentence_transformers.json", __version__={})
    modules = json.loads((model / "modules.json").read_text())
    modules[1]["type"] = "sentence_transformers.sentence_transformer.modules.pooling.Pooling"
    (model / "modules.json").write_text(json.dumps(modules))
    (model / "README.md").write_text("made here")
    assert ModelFiles(model).sha256 == ModelFiles(TINY).sha256


@pytest.mark.parametrize(
    "name", ["model.safetensors", "tokenizer.json", "config.json", "1_Pooling/config.json"]
)
def test_any_change_that_matters_is_another_identity(name: str, model: Path) -> None:
    if name.endswith("safetensors"):
        (model / name).write_bytes(b"other weights")
    else:
        _change(model / name, pooling_mode_mean_tokens=True)
    assert ModelFiles(model).sha256 != ModelFiles(TINY).sha256


def test_older_weights_beside_newer_ones_do_not_count(model: Path) -> None:
    (model / "pytorch_model.bin").write_bytes(b"the same, pickled")
    (model / "training_args.bin").write_bytes(b"")
    assert ModelFiles(model).sha256 == ModelFiles(TINY).sha256
    (model / "model.safetensors").unlink()
    assert list(ModelFiles(model).weights) == ["pytorch_model.bin"]


def test_weights_in_parts_and_of_later_stages_all_count(model: Path) -> None:
    (model / "model.safetensors").rename(model / "model-00001-of-00002.safetensors")
    (model / "model-00002-of-00002.safetensors").write_bytes(b"2")
    (model / "1_Pooling" / "model.safetensors").write_bytes(b"3")
    assert len(ModelFiles(model).weights) == 3


def test_no_weights_at_all(model: Path) -> None:
    (model / "model.safetensors").unlink()
    with pytest.raises(UsageError, match="holds no weights"):
        _ = ModelFiles(model).weights


@pytest.mark.parametrize(
    ("file", "values", "limit"),
    [
        ("sentence_bert_config.json", {"max_seq_length": 20}, 20),
        ("sentence_bert_config.json", {"max_seq_length": None}, 64),
        ("tokenizer_config.json", {"model_max_length": 48}, 32),
    ],
)
def test_max_length(file: str, values: dict[str, Any], limit: int, model: Path) -> None:
    _change(model / file, **values)
    assert ModelFiles(model).max_length == limit


def test_max_length_of_tokenizer_and_positions(model: Path) -> None:
    (model / "sentence_bert_config.json").unlink()
    assert ModelFiles(model).max_length == 64
    _change(model / "tokenizer_config.json", model_max_length=48)
    assert ModelFiles(model).max_length == 48
    _change(model / "tokenizer_config.json", model_max_length=10**30)
    assert ModelFiles(model).max_length == 64


@pytest.mark.parametrize(
    ("prompts", "default", "expected"),
    [
        ({"query": "q: ", "document": "d: ", "passage": "p: "}, None, ("q: ", "d: ")),
        ({"query": "q: ", "passage": "p: "}, None, ("q: ", "p: ")),
        ({"query": "q: "}, None, ("q: ", "")),
        ({"query": "q: ", "sts": "s: "}, "sts", ("q: ", "s: ")),
        ({"query": "", "document": ""}, "query", ("", "")),
        ({}, None, ("", "")),
    ],
)
def test_prompts_by_role(
    prompts: dict[str, str], default: str | None, expected: tuple[str, str], model: Path
) -> None:
    _change(model / "config_sentence_transformers.json", prompts=prompts, default_prompt_name=default)
    files = ModelFiles(model)
    assert (files.prompt("query"), files.prompt("document")) == expected


def test_similarity_of_the_model(model: Path) -> None:
    settings = model / "config_sentence_transformers.json"
    _change(settings, similarity_fn_name="dot")
    assert ModelFiles(model).similarity == "dot"
    _change(settings, similarity_fn_name=None)
    assert ModelFiles(model).similarity == "cosine"
    _change(settings, similarity_fn_name="manhattan")
    with pytest.raises(UsageError, match="'manhattan', which is not offered"):
        _ = ModelFiles(model).similarity
    _change(settings, similarity_fn_name="dot")
    encoder = SentenceTransformerEncoder(EncoderOptions(model=str(model), similarity="cosine"), Workplace())
    assert encoder.similarity == "cosine"


@pytest.mark.parametrize(
    ("model_type", "message"),
    [
        ("SparseEncoder", "a sparse encoder.*needs? the sparse retriever"),
        ("CrossEncoder", "a cross-encoder"),
        ("MultiVectorEncoder", "a late-interaction encoder"),
    ],
)
def test_other_kinds_of_models_are_refused(model_type: str, message: str, model: Path) -> None:
    _change(model / "config_sentence_transformers.json", model_type=model_type)
    with pytest.raises(UsageError, match=message) as error:
        ModelFiles(model)
    assert error.value.path == str(model)


def test_a_sparse_model_is_known_by_its_stages(model: Path) -> None:
    modules = json.loads((model / "modules.json").read_text())
    modules[1]["type"] = "sentence_transformers.sparse_encoder.models.SpladePooling"
    (model / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(UsageError, match="sparse encoder"):
        ModelFiles(model)


def test_a_cross_encoder_is_known_by_its_architecture(model: Path) -> None:
    (model / "modules.json").unlink()
    _change(model / "config.json", architectures=["BertForSequenceClassification"])
    with pytest.raises(UsageError, match="cross-encoder"):
        ModelFiles(model)


def test_a_plain_transformer_gets_mean_pooling_and_says_so(
    model: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (model / "modules.json").unlink()
    assert ModelFiles(model).pooling == "mean"
    assert caplog.messages == [f"{model} has no modules.json: mean pooling is taken"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("config.json", "{", "config.json: cannot be read as JSON"),
        ("modules.json", "[]", "modules.json: lists no module"),
        ("modules.json", '[{"idx": 0}]', "modules.json: does not list modules"),
        ("modules.json", "3", "modules.json: does not list modules"),
    ],
)
def test_broken_configuration_is_named(name: str, content: str, message: str, model: Path) -> None:
    (model / name).write_text(content)
    with pytest.raises(DataError, match=message):
        ModelFiles(model)


def test_a_pinned_hash_that_differs_names_both(model: Path) -> None:
    pinned = "0" * 64
    options = EncoderOptions(model=str(model), weights_sha256=pinned)
    with pytest.raises(UsageError) as error:
        SentenceTransformerEncoder(options, Workplace()).identity()
    assert TINY_SHA256 in str(error.value)
    assert pinned in str(error.value)
    assert str(model) in str(error.value)


def test_more_tokens_than_positions_are_refused(model: Path) -> None:
    encoder = SentenceTransformerEncoder(EncoderOptions(model=str(model), max_length=65), Workplace())
    with pytest.raises(UsageError, match="max_length 65 is more than the 64 positions"):
        encoder.identity()


def test_hashes_are_remembered_until_a_file_is_touched(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def counted(path: Path | str) -> str:
        read.append(Path(path).name)
        return sha256_file(path)

    monkeypatch.setattr("beirkit.retrievers.dense.model_files.sha256_file", counted)
    for _ in range(2):
        assert ModelFiles(model, hashes=tmp_path / "hashes").weights == {"model.safetensors": TINY_SHA256}
    assert read == ["model.safetensors"]
    (model / "model.safetensors").write_bytes(b"other weights")
    assert ModelFiles(model, hashes=tmp_path / "hashes").weights != {"model.safetensors": TINY_SHA256}
    assert read == ["model.safetensors"] * 2
