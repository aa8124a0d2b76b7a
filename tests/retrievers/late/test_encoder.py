"""Token vectors are those of sentence-transformers, for every way in which such a model is saved."""

from __future__ import annotations

import json
import logging
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from beirkit.corpora.errors import ConfigError, UsageError
from beirkit.corpora.progress import silent
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.dense.encoder import Role, Vectors
from beirkit.retrievers.late.encoder import LateEncoderOptions, LateModel, TokenVectors

pytestmark = pytest.mark.dense

TEXTS = ["the owl hunts voles at night .", "owl", "", "a kestrel , a falcon , a bird", "owl"]
WORKPLACE = Workplace(device="cpu", offline=True)


def _model(folder: Path, **options: Any) -> LateModel:
    return LateModel(LateEncoderOptions(model=str(folder), **options), WORKPLACE)


def _encode(model: LateModel, role: Role, texts: list[str] = TEXTS) -> TokenVectors:
    with silent("", None, "") as advance:
        return model.encode(texts, role, advance)


def _texts(made: TokenVectors) -> list[Vectors]:
    return np.split(made.vectors, np.cumsum(made.counts)[:-1])


def _theirs(folder: Path, role: Role, texts: list[str] = TEXTS) -> list[Vectors]:
    from sentence_transformers import MultiVectorEncoder

    model = MultiVectorEncoder(str(folder), device="cpu", local_files_only=True)
    encode = model.encode_query if role == "query" else model.encode_document
    return [np.asarray(vectors) for vectors in encode(texts, convert_to_numpy=True)]


def _change(folder: Path, name: str, **settings: Any) -> None:
    path = folder / name
    known = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    path.write_text(json.dumps({**known, **settings}), encoding="utf-8")


def _same(ours: list[Vectors], theirs: list[Vectors]) -> None:
    assert [vectors.shape for vectors in ours] == [vectors.shape for vectors in theirs]
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one, other, atol=2e-6)


@pytest.fixture
def pylate(tiny_late: Path, tmp_path: Path) -> Path:
    """The same model as PyLate 1 to 3 save it: two modules, and all settings beside them."""
    folder = tmp_path / "pylate"
    shutil.copytree(tiny_late, folder)
    listed = json.loads((folder / "modules.json").read_text(encoding="utf-8"))[:2]
    listed[0]["type"] = "sentence_transformers.models.Transformer"
    listed[1]["type"] = "pylate.models.Dense.Dense"
    (folder / "modules.json").write_text(json.dumps(listed), encoding="utf-8")
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 31, "do_lower_case": false}')
    _change(
        folder, "config_sentence_transformers.json", model_type="ColBERT", similarity_fn_name="MaxSim",
        prompts={"query": "find ", "document": ""}, query_prefix="[Q] ", document_prefix="[D] ",
        query_length=9, document_length=11, attend_to_expansion_tokens=False, skiplist_words=["the", "."],
    )  # fmt: skip
    return folder


@pytest.fixture
def colbert(tiny_bert: Path, tmp_path: Path) -> Path:
    """A model as the authors of ColBERT save it: the projection among the weights of the encoder."""
    from safetensors.numpy import load_file, save_file

    folder = tmp_path / "colbert"
    shutil.copytree(tiny_bert, folder)
    weights = {f"bert.{name}": values for name, values in load_file(folder / "model.safetensors").items()}
    weights["linear.weight"] = np.random.default_rng(3).standard_normal((8, 32)).astype(np.float32)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    _change(folder, "config.json", architectures=["HF_ColBERT"])
    _change(
        folder, "artifact.metadata", query_token_id="[unused0]", doc_token_id="[unused1]", query_maxlen=14,
        doc_maxlen=13, mask_punctuation=True, attend_to_mask_tokens=False,
    )  # fmt: skip
    return folder


@pytest.mark.parametrize("role", ["query", "document"])
@pytest.mark.parametrize("kind", ["tiny_late", "pylate", "colbert"])
def test_vectors_are_those_of_sentence_transformers(
    kind: str, role: Role, request: pytest.FixtureRequest
) -> None:
    folder: Path = request.getfixturevalue(kind)
    _same(_texts(_encode(_model(folder), role)), _theirs(folder, role))


@pytest.mark.parametrize(
    ("kind", "prompts", "query", "document"),
    [
        ("tiny_late", {"query": "query : ", "document": "passage : "}, 12, 10),
        ("pylate", {"query": "[Q] find ", "document": "[D] "}, 9, 11),
        ("colbert", {"query": "[unused0] ", "document": "[unused1] "}, 14, 13),
    ],
)
def test_prompts_and_lengths_are_the_models(
    kind: str, prompts: dict[Role, str], query: int, document: int, request: pytest.FixtureRequest
) -> None:
    model = _model(request.getfixturevalue(kind))
    assert model.identity()["prompts"] == prompts
    assert (_encode(model, "query").limit, _encode(model, "document").limit) == (query, document)
    assert _encode(model, "query").counts.tolist() == [query] * len(TEXTS)  # expanded with masks


def test_a_document_has_a_vector_for_each_token_that_is_not_skipped(tiny_late: Path) -> None:
    made = _encode(_model(tiny_late), "document", ["owl", "owl . owl", "", "a b c d e f g h i"])
    # [CLS] passage : … [SEP]; the last is cut to 10 tokens
    assert made.counts.tolist() == [5, 6, 4, 10]
    assert made.truncated == 1


def test_expansion_that_only_fills_up_leaves_long_queries_whole(tiny_late: Path, tmp_path: Path) -> None:
    folder = tmp_path / "least"
    shutil.copytree(tiny_late, folder)
    _change(folder, "sentence_bert_config.json", query_expansion={"strategy": "min", "length": 12})
    queries = ["owl", " ".join("abcdefghijklmno")]
    made = _encode(_model(folder), "query", queries)
    assert made.counts.tolist() == [12, 19]
    assert (made.limit, made.truncated) == (64, 0)
    _same(_texts(made), _theirs(folder, "query", queries))


def test_lengths_of_ones_own(tiny_late: Path) -> None:
    model = _model(tiny_late, query_length=20, document_length=6)
    assert _encode(model, "query").counts.tolist() == [20] * len(TEXTS)
    documents = _encode(model, "document")
    assert documents.counts.max() <= 6
    assert (documents.limit, documents.truncated) == (6, 2)
    with pytest.raises(ConfigError, match="document_length 65 is more than the 64 positions"):
        _model(tiny_late, document_length=65).identity()


def test_prompts_of_ones_own(tiny_late: Path) -> None:
    from sentence_transformers import MultiVectorEncoder

    theirs = MultiVectorEncoder(str(tiny_late), device="cpu").encode(
        TEXTS, prompt="find : ", task="document", convert_to_numpy=True
    )
    ours = _texts(_encode(_model(tiny_late, prompts={"document": "find : "}), "document"))
    _same(ours, [np.asarray(vectors) for vectors in theirs])
    assert not np.array_equal(ours[0], _texts(_encode(_model(tiny_late), "document"))[0])


def test_equal_texts_are_encoded_once(tiny_late: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = _model(tiny_late, batch_size=2)
    seen: list[str] = []
    encode = LateModel._encode

    def noted(self: LateModel, batch: list[str], role: Role) -> list[Vectors]:
        seen.extend(batch)
        return encode(self, batch, role)

    monkeypatch.setattr(LateModel, "_encode", noted)
    made = _texts(_encode(model, "document"))
    assert sorted(seen) == sorted(set(TEXTS))
    assert (made[1] == made[4]).all()
    assert len(seen[0]) > len(seen[-1])  # texts of similar length go together


def test_an_encoder_of_one_vector_per_text_is_refused(tiny_bert: Path) -> None:
    with pytest.raises(UsageError, match=r"one vector per text.*random.*projection: none"):
        _model(tiny_bert).identity()


def test_without_a_projection_vectors_are_those_that_leave_the_transformer(tiny_bert: Path) -> None:
    from sentence_transformers import SentenceTransformer

    plain = SentenceTransformer(str(tiny_bert), device="cpu")
    theirs: Any = plain.encode(TEXTS, output_value="token_embeddings")
    unit = [each.numpy() / np.linalg.norm(each.numpy(), axis=1, keepdims=True) for each in theirs]
    made = _encode(_model(tiny_bert, projection="none"), "document")
    _same(_texts(made), unit)
    assert (made.limit, made.truncated) == (64, 0)


def test_a_known_family_without_its_prompt_is_told(tiny_bert: Path, tmp_path: Path) -> None:
    folder = tmp_path / "e5-small-v2"
    shutil.copytree(tiny_bert, folder)
    model = _model(folder, projection="none")
    assert model.prompt("query") == "query: "
    assert not model.prompts.warnings
    silenced = _model(folder, projection="none", prompts={"query": ""})
    assert "MISSING PROMPT" in silenced.prompts.warnings[0]


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("config_sentence_transformers.json", {"model_type": "SparseEncoder"}, "sparse encoder"),
        ("config_sentence_transformers.json", {"model_type": "CrossEncoder"}, "cross-encoder"),
        ("config.json", {"architectures": ["BertForSequenceClassification"]}, "cross-encoder"),
        ("config.json", {"architectures": ["ColPaliForRetrieval"]}, "images"),
    ],
)
def test_models_of_other_kinds_are_refused(
    name: str, settings: dict[str, Any], message: str, tiny_bert: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "other"
    shutil.copytree(tiny_bert, folder)
    _change(folder, name, **settings)
    with pytest.raises(UsageError, match=message):
        _model(folder).identity()


def test_a_changed_model_is_another_model(tiny_late: Path, pylate: Path, tmp_path: Path) -> None:
    folder = tmp_path / "changed"
    shutil.copytree(tiny_late, folder)
    before = _model(tiny_late).identity()["model_sha256"]
    assert _model(folder).identity()["model_sha256"] == before
    _change(folder, "2_MultiVectorMask/config.json", skiplist_words=["owl"])
    assert _model(folder).identity()["model_sha256"] != before
    as_it_was = _model(pylate).identity()["model_sha256"]
    _change(pylate, "config_sentence_transformers.json", document_length=12)
    assert _model(pylate).identity()["model_sha256"] != as_it_was


def test_a_model_that_cannot_be_loaded_is_one_sentence(tiny_late: Path, tmp_path: Path) -> None:
    folder = tmp_path / "broken"
    shutil.copytree(tiny_late, folder)
    (folder / "1_Dense" / "model.safetensors").write_bytes(b"broken")
    with pytest.raises(UsageError, match="cannot be loaded"):
        _encode(_model(folder), "query")


@pytest.mark.parametrize(
    ("options", "place", "message"),
    [
        ({"batch_size": 0}, {}, "batch_size"),
        ({"query_length": 2}, {}, "lengths must be at least 3"),
        ({}, {"dtype": "bfloat16"}, "float32"),
        ({}, {"device": "cpu,cpu"}, "one device"),
    ],
)
def test_impossible_options(
    options: dict[str, Any], place: dict[str, Any], message: str, tiny_late: Path
) -> None:
    with pytest.raises(ConfigError, match=message):
        LateModel(LateEncoderOptions(model=str(tiny_late), **options), Workplace(**place))


def test_other_weights_than_the_pinned_ones_are_refused(tiny_late: Path) -> None:
    with pytest.raises(UsageError, match="not the pinned 00"):
        _model(tiny_late, weights_sha256="00").identity()


def test_nothing_is_said_by_the_libraries(
    tiny_late: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    with caplog.at_level(logging.WARNING):
        _encode(_model(tiny_late), "query")
    assert [record.message for record in caplog.records if record.name.startswith("beirkit")] == []
    assert capfd.readouterr().out == ""
