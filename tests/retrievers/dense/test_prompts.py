"""Prompts: the option, the model's own, the registry of families; and a loud word where one is missing."""

from __future__ import annotations

import json
import logging
import shutil
from pathlib import Path
from typing import Any

import pytest

from beirkit.configs.families import find_family, model_families
from beirkit.corpora.errors import ConfigError
from beirkit.corpora.records import Document
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.dense.retriever import DenseOptions, DenseRetriever
from beirkit.retrievers.dense.sentence_transformer import EncoderOptions, SentenceTransformerEncoder

TINY = Path(__file__).parents[2] / "fixtures" / "models" / "tiny"


def _model(folder: Path, name: str, prompts: dict[str, str] | None = None, **config: Any) -> Path:
    """A copy of the small model under a name, with other prompts."""
    made = Path(shutil.copytree(TINY, folder / name))
    settings = {"prompts": prompts or {}, "similarity_fn_name": "cosine"}
    (made / "config_sentence_transformers.json").write_text(json.dumps(settings), encoding="utf-8")
    kept = json.loads((made / "config.json").read_text(encoding="utf-8"))
    (made / "config.json").write_text(json.dumps({**kept, **config}), encoding="utf-8")
    return made


def _encoder(folder: Path, **options: Any) -> SentenceTransformerEncoder:
    place = Workplace(device="cpu", offline=True)
    return SentenceTransformerEncoder(EncoderOptions(model=str(folder), **options), place)


def _prompts(encoder: SentenceTransformerEncoder) -> tuple[str, str]:
    told = encoder.identity()["prompts"]
    return told["query"], told["document"]


E5 = ("query: ", "passage: ")


@pytest.mark.parametrize("own", [{}, {"query": "", "document": ""}])
def test_the_registry_knows_what_the_model_does_not_say(tmp_path: Path, own: dict[str, str]) -> None:
    encoder = _encoder(_model(tmp_path, "multilingual-e5-small", own))
    assert _prompts(encoder) == E5
    assert encoder.report()["prompts_from"] == {"query": "registry (e5)", "document": "registry (e5)"}
    assert encoder.prompts.warnings == []


def test_the_model_goes_before_the_registry(tmp_path: Path) -> None:
    encoder = _encoder(_model(tmp_path, "e5-small-v2", {"query": "ask: ", "passage": "text: "}))
    assert _prompts(encoder) == ("ask: ", "text: ")
    assert encoder.report()["prompts_from"] == {"query": "model", "document": "model"}


def test_options_go_before_both(tmp_path: Path) -> None:
    folder = _model(tmp_path, "e5-small-v2", {"query": "ask: ", "passage": "text: "})
    encoder = _encoder(folder, prompts={"query": "q: ", "document": "d: "})
    assert _prompts(encoder) == ("q: ", "d: ")
    assert encoder.report()["prompts_from"] == {"query": "options", "document": "options"}


def test_a_model_that_speaks_of_one_role_wants_nothing_for_the_other(tmp_path: Path) -> None:
    encoder = _encoder(_model(tmp_path, "snowflake-arctic-embed-m", {"query": "find: "}))
    assert _prompts(encoder) == ("find: ", "")
    assert encoder.report()["prompts_from"] == {"query": "model", "document": "model"}


def test_half_of_a_pair_is_made_whole(tmp_path: Path) -> None:
    encoder = _encoder(_model(tmp_path, "e5-base", {"query": "query: "}))
    assert _prompts(encoder) == E5
    assert encoder.report()["prompts_from"] == {"query": "model", "document": "registry (e5)"}


def test_a_model_nobody_knows_has_no_prompts_and_no_warning(tmp_path: Path) -> None:
    encoder = _encoder(_model(tmp_path, "mine"))
    assert _prompts(encoder) == ("", "")
    assert encoder.report()["prompts_from"] == {"query": "nobody", "document": "nobody"}
    assert encoder.prompts.warnings == []


def test_a_known_model_without_its_prompts_is_told_loudly_and_kept_in_the_report(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    import numpy as np

    monkeypatch.setattr(
        SentenceTransformerEncoder, "encode", lambda self, texts, *_: np.ones((len(texts), 2), np.float32)
    )
    monkeypatch.setattr(SentenceTransformerEncoder, "count_truncated", lambda *_: 0)
    folder = _model(tmp_path, "multilingual-e5-small")
    options = DenseOptions(model=str(folder), prompts={"query": "", "document": "passage: "})
    retriever = DenseRetriever(options, Workplace(device="cpu"))
    with caplog.at_level(logging.WARNING):
        retriever.index([Document("d", text="x")])
        retriever.index([Document("d", text="x")])
    (message,) = caplog.messages
    assert message.startswith("MISSING PROMPT: models of the family e5 want 'query: ' before every query")
    assert "https://huggingface.co/intfloat/multilingual-e5-small" in message
    assert retriever.report()["prompt_warnings"] == [message]
    assert retriever.report()["prompts_from"]["query"] == "options"


def test_a_model_made_from_a_known_one_is_asked_about(tmp_path: Path) -> None:
    folder = _model(tmp_path, "my-legal-model", _name_or_path="intfloat/e5-base-v2")
    encoder = _encoder(folder)
    assert _prompts(encoder) == ("", ""), "it may have been trained without them"
    assert [text.split("?")[0] for text in encoder.prompts.warnings] == ["MISSING PROMPT"] * 2
    assert "name intfloat/e5-base-v2" in encoder.prompts.warnings[0]
    assert _encoder(folder, prompts={"query": "", "document": ""}).prompts.warnings == []


def test_prompts_that_no_role_uses_are_named(tmp_path: Path) -> None:
    encoder = _encoder(_model(tmp_path, "mine", {"s2p_query": "Find: ", "sts": "Same: "}))
    (warning,) = encoder.prompts.warnings
    assert "has the prompts s2p_query, sts, none of which is for queries or documents" in warning


class TestInstructions:
    def test_a_family_that_takes_one_gets_the_datasets(self, tmp_path: Path) -> None:
        encoder = _encoder(_model(tmp_path, "e5-mistral-7b-instruct"), instruction="Find the law")
        assert _prompts(encoder) == ("Instruct: Find the law\nQuery: ", "")
        assert encoder.prompts.warnings == []

    def test_it_goes_before_the_general_one_in_the_models_configuration(self, tmp_path: Path) -> None:
        folder = _model(tmp_path, "Qwen3-Embedding-0.6B", {"query": "Instruct: Search the web\nQuery:"})
        assert _prompts(_encoder(folder, instruction="Find the law"))[0] == "Instruct: Find the law\nQuery:"
        assert _prompts(_encoder(folder))[0] == "Instruct: Search the web\nQuery:"

    def test_without_one_the_model_cards_is_taken_and_told(self, tmp_path: Path) -> None:
        encoder = _encoder(_model(tmp_path, "e5-mistral-7b-instruct"))
        assert _prompts(encoder)[0].startswith("Instruct: Given a web search query")
        (warning,) = encoder.prompts.warnings
        assert warning.startswith("the dataset has no instruction; the model gets a general one: Given a web")

    def test_a_prompt_of_the_options_is_filled(self, tmp_path: Path) -> None:
        folder = _model(tmp_path, "mine")
        prompts = {"query": "Task: {instruction} | "}
        encoder = _encoder(folder, prompts=prompts, instruction="Find the law")
        assert _prompts(encoder) == ("Task: Find the law | ", "")
        with pytest.raises(ConfigError, match="wants an instruction, and the dataset has none"):
            _encoder(folder, prompts=prompts).identity()

    def test_a_model_that_takes_none_is_not_changed_by_one(self, tmp_path: Path) -> None:
        folder = _model(tmp_path, "e5-small")
        assert _encoder(folder, instruction="x").identity() == _encoder(folder).identity()


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("intfloat/e5-small-v2", "e5"),
        ("intfloat/multilingual-e5-large-instruct", "e5-instruct"),
        ("BAAI/bge-small-en-v1.5", "bge-en"),
        ("BAAI/BGE-M3", "bge-m3"),
        ("Alibaba-NLP/gte-Qwen2-7B-instruct", "gte-instruct"),
        ("Snowflake/snowflake-arctic-embed-l-v2.0", "arctic-v2"),
        ("Snowflake/snowflake-arctic-embed-m-v1.5", "arctic"),
        ("nomic-ai/nomic-embed-text-v1.5", "nomic"),
        ("sentence-transformers/all-MiniLM-L6-v2", "sentence-transformers"),
        ("somebody/e5-small-v2-legal", None),
        ("", None),
    ],
)
def test_families_are_found_by_the_whole_name(name: str, family: str | None) -> None:
    found = find_family([name])
    assert (found.name if found else None) == family


def test_every_family_has_both_prompts_and_a_source() -> None:
    assert len({family.name for family in model_families()}) == len(model_families()) > 15
    for family in model_families():
        assert set(family.prompts) == {"query", "document"}, family.name
        assert family.source.startswith("https://"), family.name
        assert ("{instruction}" in str(family.prompts)) == bool(family.instruction), family.name
