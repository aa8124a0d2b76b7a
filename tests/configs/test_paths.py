"""Relative paths of a configuration file start at its folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from beirkit.configs.load import load_retriever, load_suite, read_config
from beirkit.configs.schema import RetrieverConfig, SuiteConfig
from beirkit.configs.spec import parse_retriever


def _options(folder: Path, options: str) -> dict[str, Any]:
    (folder / "mine.yaml").write_text(f"name: mine\nkind: beir\noptions: {options}\n")
    return read_config(folder / "mine.yaml", RetrieverConfig).options


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("mysearch.py:X", "{}/mysearch.py:X"),
        ("./lib/mysearch.py:X", "{}/lib/mysearch.py:X"),
        ("../mysearch.py:X", "{}/../mysearch.py:X"),
        ("./folder", "{}/folder"),
        ("models/there", "{}/models/there"),
        ("owner/name", "owner/name"),
        ("package.module:X", "package.module:X"),
        ("hub:owner/name@0", "hub:owner/name@0"),
        ("env:NAME", "env:NAME"),
        ("package:name/folder", "package:name/folder"),
        ("/absolute/x.py:X", "/absolute/x.py:X"),
        ("/absolute", "/absolute"),
        ("~/x.py:X", "~/x.py:X"),
    ],
)
def test_places_of_a_retriever(given: str, read: str, tmp_path: Path) -> None:
    (tmp_path / "models" / "there").mkdir(parents=True)
    expected = read.format(tmp_path)
    assert _options(tmp_path, f'{{class: "{given}", model: {{model: ["{given}"]}}}}') == {
        "class": expected,
        "model": {"model": [expected]},
    }


def test_other_options_and_values_are_left_alone(tmp_path: Path) -> None:
    options = {"model": None, "class": 3, "template": "./x", "arguments": {"index": "./x"}}
    assert _options(tmp_path, "{model: null, class: 3, template: ./x, arguments: {index: ./x}}") == options


def test_options_on_the_command_line_start_at_the_current_folder(tmp_path: Path) -> None:
    _options(tmp_path, "{class: a.py:X}")
    file = tmp_path / "mine.yaml"
    assert parse_retriever(f"{file}").options["class"] == f"{tmp_path}/a.py:X"
    assert parse_retriever(f"{file}:class=./b.py:X").options["class"] == "./b.py:X"


def test_entries_of_a_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    datasets = ["scifact", "./scifact", "data/own", "/absolute/own", "~/own"]
    retrievers = ["bm25", "mine.yaml", "./mine.yml:k1=1", "bm25:analyzer.pattern=a/b"]
    (tmp_path / "suite.yaml").write_text(f"name: s\ndatasets: {datasets}\nretrievers: {retrievers}\n")
    suite = read_config(tmp_path / "suite.yaml", SuiteConfig)
    assert suite.datasets == [
        "scifact", f"{tmp_path}/scifact", f"{tmp_path}/data/own", "/absolute/own", "~/own"
    ]  # fmt: skip
    assert suite.retrievers == [
        "bm25", f"{tmp_path}/mine.yaml", f"{tmp_path}/mine.yml:k1=1", "bm25:analyzer.pattern=a/b"
    ]  # fmt: skip
    monkeypatch.chdir(tmp_path)
    suite = read_config(Path("suite.yaml"), SuiteConfig)
    assert suite.datasets[:3] == ["scifact", "./scifact", "./data/own"]
    assert suite.retrievers[1:3] == ["./mine.yaml", "./mine.yml:k1=1"]
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "suite.yaml").write_text("name: s\ndatasets: [../own]\nretrievers: [mine.yaml]\n")
    suite = read_config(Path("in/suite.yaml"), SuiteConfig)
    assert (suite.datasets, suite.retrievers) == (["./in/../own"], ["./in/mine.yaml"])


def test_what_is_shipped_names_no_path() -> None:
    assert load_suite("demo").retrievers == ["bm25", "rank-bm25", "minilm"]
    assert load_retriever("beir-dres").options["class"] == (
        "beir.retrieval.search.dense:DenseRetrievalExactSearch"
    )
