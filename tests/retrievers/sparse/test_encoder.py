"""A sparse model's weights, against sentence-transformers itself."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, get_args

import numpy as np
import numpy.typing as npt
import pytest

from beirkit.corpora.errors import ConfigError, DataError, UsageError
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.dense.encoder import Role
from beirkit.retrievers.sparse.encoder import SparseEncoderOptions, SparseModel
from beirkit.retrievers.sparse.rows import Rows
from tests.retrievers.sparse.conftest import VOCABULARY

pytestmark = pytest.mark.dense

TEXTS = ["barn owls hunt voles at night", "the kestrel", "", "owls", "falcon birds eat birds", "owls"]
LONG = "owl " * 40


def model(folder: Path, **options: Any) -> SparseModel:
    return SparseModel(
        SparseEncoderOptions(model=str(folder), **options), Workplace(device="cpu", offline=True)
    )


def dense(rows: Rows) -> npt.NDArray[np.float32]:
    """The rows with their zeros."""
    made = np.zeros((len(rows.counts), len(VOCABULARY)), dtype=np.float32)
    made[np.repeat(np.arange(len(rows.counts)), rows.counts), rows.terms] = rows.weights
    return made


def theirs(folder: Path, texts: list[str], role: Role, **options: Any) -> npt.NDArray[np.float32]:
    """What sentence-transformers gives for each text alone."""
    from sentence_transformers import SparseEncoder

    encoder = SparseEncoder(str(folder), device="cpu")
    encode = encoder.encode_query if role == "query" else encoder.encode_document
    options = {"convert_to_sparse_tensor": False, "show_progress_bar": False, **options}
    made: npt.NDArray[np.float32] = np.stack([encode([text], **options)[0].numpy() for text in texts])
    return made


def encode(encoder: SparseModel, texts: list[str], role: Role = "document") -> Rows:
    return encoder.encode(texts, role, lambda n=1: None)


@pytest.mark.parametrize("role", get_args(Role))
@pytest.mark.parametrize("name", ["tiny_splade", "tiny_static_queries"])
def test_weights_are_those_of_sentence_transformers(
    name: str, role: Role, request: pytest.FixtureRequest
) -> None:
    folder: Path = request.getfixturevalue(name)
    rows = encode(model(folder), TEXTS, role)
    expected = theirs(folder, TEXTS, role)
    np.testing.assert_allclose(dense(rows), expected, atol=2e-5)
    assert rows.counts.tolist() == (expected != 0).sum(axis=1).tolist()
    assert rows.counts.sum() > 10
    assert all(
        np.diff(rows.terms[a:b]).min(initial=1) > 0
        for a, b in zip(rows.indptr, rows.indptr[1:], strict=False)
    )


def test_static_queries_are_the_table(tiny_static_queries: Path) -> None:
    rows = encode(model(tiny_static_queries), ["owl hunt owl", ""], "query")
    owl, hunt = VOCABULARY.index("owl"), VOCABULARY.index("hunt")
    assert rows.counts.tolist() == [2, 0]
    assert dict(zip(rows.terms.tolist(), rows.weights.tolist(), strict=True)) == {
        owl: (owl + 1) / 8,
        hunt: (hunt + 1) / 8,
    }


def test_only_the_greatest_weights_are_kept_where_that_is_asked_for(tiny_splade: Path) -> None:
    rows = encode(model(tiny_splade, max_active_dims=3), TEXTS)
    np.testing.assert_allclose(
        dense(rows), theirs(tiny_splade, TEXTS, "document", max_active_dims=3), atol=2e-5
    )
    assert set(rows.counts.tolist()) <= {0, 1, 2, 3}


def test_what_the_model_itself_keeps_is_part_of_its_identity(tiny_splade: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cut"
    shutil.copytree(tiny_splade, folder)
    path = folder / "config_sentence_transformers.json"
    settings = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**settings, "max_active_dims": 2}), encoding="utf-8")
    assert encode(model(folder), TEXTS).counts.max() == 2
    assert model(folder).identity() != model(tiny_splade).identity()
    assert model(folder).identity() == {**model(tiny_splade).identity(), "max_active_dims": 2}


def test_a_prompt_stands_before_the_texts_of_its_role(tiny_splade: Path) -> None:
    prompted = model(tiny_splade, prompts={"query": "find : "})
    plain = model(tiny_splade)
    np.testing.assert_array_equal(
        dense(encode(prompted, ["owls"], "query")), dense(encode(plain, ["find : owls"], "query"))
    )
    np.testing.assert_array_equal(dense(encode(prompted, ["owls"])), dense(encode(plain, ["owls"])))


@pytest.mark.parametrize("name", ["tiny_splade", "tiny_static_queries"])
def test_texts_are_cut_at_the_length_and_counted(name: str, request: pytest.FixtureRequest) -> None:
    folder: Path = request.getfixturevalue(name)
    short = model(folder, max_length=4)
    texts = ["owl hunt voles night birds", "owl hunt", "owl", "owl hunt voles night birds"]
    # [CLS] and [SEP] are two of the four; a static query has neither
    kept = "owl hunt voles night" if name == "tiny_static_queries" else "owl hunt"
    np.testing.assert_allclose(
        dense(encode(short, texts, "query"))[0], dense(encode(model(folder), [kept], "query"))[0], atol=2e-5
    )
    assert short.count_truncated(texts, "query") == 2
    assert model(folder).count_truncated(texts, "query") == 0
    assert model(folder).count_truncated([LONG, "owl"], "document") == 1


def test_a_prompt_counts_as_tokens(tiny_splade: Path) -> None:
    texts = ["owl hunt"]  # four tokens with the special ones
    assert model(tiny_splade, max_length=4).count_truncated(texts, "query") == 0
    assert model(tiny_splade, max_length=4, prompts={"query": "find "}).count_truncated(texts, "query") == 1


def test_a_length_beyond_the_model_is_refused(tiny_splade: Path) -> None:
    with pytest.raises(ConfigError, match="max_length 65 is more than the 64 positions"):
        model(tiny_splade, max_length=65).identity()


def test_equal_texts_are_encoded_once_and_progress_counts_all(
    tiny_splade: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder, batches, done = model(tiny_splade, batch_size=2), [], []
    whole = SparseModel._encode

    def noted(self: SparseModel, batch: list[str], role: Role) -> Rows:
        batches.append(batch)
        return whole(self, batch, role)

    monkeypatch.setattr(SparseModel, "_encode", noted)
    rows = encoder.encode(TEXTS, "document", lambda n=1: done.append(n))
    assert sorted(text for batch in batches for text in batch) == sorted(set(TEXTS))
    assert max(map(len, batches)) == 2
    assert [len(batch[0]) for batch in batches] == sorted((len(b[0]) for b in batches), reverse=True)
    assert sum(done) == len(TEXTS)
    assert dense(rows)[3].tolist() == dense(rows)[5].tolist()


def test_what_was_encoded_before_changes_nothing(tiny_splade: Path) -> None:
    """Counts of tokens are remembered; a part of the texts must not bring the others back."""
    encoder = model(tiny_splade)
    encode(encoder, TEXTS)
    rows = encode(encoder, TEXTS[1:2])
    assert rows.counts.shape == (1,)
    assert dense(rows).tolist() == dense(encode(model(tiny_splade), TEXTS[1:2])).tolist()


def test_threads_change_no_bit(tiny_splade: Path) -> None:
    import torch

    before = torch.get_num_threads()
    made = []
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            made.append(encode(model(tiny_splade), TEXTS))
    finally:
        torch.set_num_threads(before)
    assert [part.weights.tobytes() for part in made] == [made[0].weights.tobytes()] * 2
    assert [part.terms.tobytes() for part in made] == [made[0].terms.tobytes()] * 2


def test_weights_that_are_not_finite_are_refused(tiny_splade: Path) -> None:
    import torch

    encoder = model(tiny_splade)
    with torch.no_grad():
        next(encoder._model.parameters()).fill_(float("nan"))
    with pytest.raises(DataError, match=r"NaN or infinity for 1 of 1 texts, such as the query 'owls'"):
        encode(encoder, ["owls"], "query")


def test_terms_are_called_by_their_tokens(tiny_splade: Path, tiny_static_queries: Path) -> None:
    for folder in (tiny_splade, tiny_static_queries):
        names = model(folder).term_names([VOCABULARY.index("owl"), VOCABULARY.index("voles"), 999])
        assert names == ["owl", "voles", "[dimension 999]"]


def test_identities_tell_models_apart(tiny_splade: Path, tiny_static_queries: Path, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere"
    shutil.copytree(tiny_static_queries, moved)
    assert model(moved).identity() == model(tiny_static_queries).identity()
    assert model(tiny_splade).identity() != model(tiny_static_queries).identity()
    table = next(moved.glob("query_0_*/model.safetensors"))
    table.write_bytes(table.read_bytes()[:-1] + b"?")
    assert model(moved).identity() != model(tiny_static_queries).identity()


def test_a_route_that_leads_nowhere_is_refused(tiny_static_queries: Path, tmp_path: Path) -> None:
    folder = tmp_path / "bad"
    shutil.copytree(tiny_static_queries, folder)
    path = folder / "router_config.json"
    routes = json.loads(path.read_text(encoding="utf-8"))
    for broken, message in (
        ({**routes, "structure": {"query": ["gone"]}}, "has a route without a module"),
        ({"types": []}, "does not list routes"),
        ({**routes, "structure": {"document": routes["structure"]["document"]}}, "no way for a query"),
    ):
        path.write_text(json.dumps(broken), encoding="utf-8")
        with pytest.raises((DataError, UsageError), match=message):
            model(folder).identity("query")


def test_a_damaged_model_is_one_error(tiny_splade: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cut"
    shutil.copytree(tiny_splade, folder)
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:100])
    with pytest.raises(UsageError, match="cannot be loaded"):
        encode(model(folder), ["owls"])


def test_other_models_are_refused(tiny_model: Path) -> None:
    with pytest.raises(UsageError, match="no sparse encoder; kind dense is for it"):
        model(tiny_model).identity()


def test_the_pinned_weights_are_held_to(tiny_splade: Path) -> None:
    with pytest.raises(UsageError, match="not the pinned 00"):
        model(tiny_splade, weights_sha256="00").identity()


@pytest.mark.parametrize("options", [{"batch_size": 0}, {"max_active_dims": 0}])
def test_impossible_numbers_are_refused(options: dict[str, int], tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="at least 1"):
        model(tmp_path, **options)
