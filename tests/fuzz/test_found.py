"""What fuzzing has found, kept: each once let an error through that was not ours."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest

from beirkit.configs.load import read_config
from beirkit.configs.schema import RetrieverConfig
from beirkit.configs.spec import parse_retriever
from beirkit.converters.catalog import convert
from beirkit.converters.reading.trec_topics import read_topics
from beirkit.corpora.errors import BeirkitError, ConfigError, DataError, UnknownNameError, UsageError
from beirkit.corpora.manifest import read_manifest
from beirkit.corpora.qrels import read_qrels
from beirkit.corpora.qrels_where import parse_where
from beirkit.corpora.run_files import read_run
from beirkit.evaluate import evaluate
from beirkit.evaluate.measures import parse_measures
from beirkit.evaluate.score_files import read_scores, write_scores

DEEP = '{"a":' * 5000
LONG = "9" * 5000


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("q.json", read_qrels),
        ("r.json", read_run),
        ("r.jsonl", read_run),
        ("s.jsonl", read_scores),
        ("t.json", lambda path: list(convert("table", path, {"question": "q", "positive": "p"}).queries())),
        ("t.jsonl", lambda path: list(convert("table", path, {"question": "q", "positive": "p"}).queries())),
        ("manifest.json", lambda path: read_manifest(path.parent)),
    ],
)
def test_json_nested_beyond_reason(tmp_path: Path, name: str, read: Callable[[Path], object]) -> None:
    path = tmp_path / name
    for text in (DEEP, "[" * 5000, f"[{DEEP}"):
        path.write_text(text)
        with pytest.raises(DataError) as caught:
            read(path)
        assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize(
    "value", ["2026-99-99", LONG, "!!bool x", "!!int ''", "!!float ''", "!!timestamp x", "[" * 3000]
)
def test_yaml_scalars_that_are_not_what_they_promise(tmp_path: Path, value: str) -> None:
    path = tmp_path / "c.yaml"
    path.write_text(f"name: x\nkind: bm25\noptions: {{k1: {value}}}\n")
    with pytest.raises(ConfigError, match=r"c\.yaml.*: is not YAML: ."):
        read_config(path, RetrieverConfig)
    if "[" not in value:
        with pytest.raises(ConfigError, match="the value of 'k1' is not YAML"):
            parse_retriever(f"bm25:k1={value}")


def test_a_name_longer_than_any_file_may_have() -> None:
    with pytest.raises(UnknownNameError, match="no retriever is called"):
        parse_retriever("b" * 5000)


@pytest.mark.parametrize("row", ['{"q": "\\ud800", "p": "x"}', '{"q": "x", "p": "a\\udc00b"}'])
def test_half_a_surrogate_pair_in_a_table(tmp_path: Path, row: str) -> None:
    path = tmp_path / "t.json"
    path.write_text(f"[{row}]")
    with pytest.raises(DataError, match=r"t\.json:1: column '[qp]' holds half of a surrogate pair"):
        list(convert("table", path, {"question": "q", "positive": "p"}).documents())


def test_a_protocol_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    write_scores(evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, ["AP"]), path)
    path.write_text(path.read_text().replace('"remove"', '"perhaps"').replace('"dataset"', '"perhaps"'))
    with pytest.raises(DataError, match=r"s\.jsonl:1: the protocol cannot be read: .*perhaps"):
        read_scores(path)


@pytest.mark.parametrize(
    "measure", [f"P@{LONG}", f"P@0{LONG}", "P@100000000", f"P.{LONG}", f"P(rel={LONG})@5"]
)
def test_cut_offs_of_thousands_of_digits(measure: str) -> None:
    with pytest.raises(UsageError):
        parse_measures(measure)


def test_leading_zeros_of_a_cut_off_are_no_digits() -> None:
    with pytest.raises(BeirkitError, match="must be a whole number from 1"):
        parse_measures("P@000")


def test_a_model_longer_than_any_folder_may_be_called(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_text(f"name: x\nkind: dense\noptions: {{model: owner/{'b' * 5000}}}\n")
    assert read_config(path, RetrieverConfig).options == {"model": f"owner/{'b' * 5000}"}


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        # each line stands for three times, or twice, as much as the one before
        (
            ["a0: &a0 x", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12))],
            "100,000",
        ),
        (
            ["a0: &a0 {k: v}", *(f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}]}}" for n in range(1, 40))],
            "100,000",
        ),
        (["a: &a [*a]"], "an alias stands inside what it stands for"),
        (["a: &a {k: {<<: *a}}"], "an alias stands inside what it stands for"),
    ],
)
def test_aliases_that_stand_for_billions_of_values(tmp_path: Path, lines: list[str], problem: str) -> None:
    path = tmp_path / "c.yaml"
    path.write_text("name: x\nkind: bm25\noptions:\n" + "".join(f"  {line}\n" for line in lines))
    with pytest.raises(ConfigError, match=rf"c\.yaml.*: is not YAML: .*{problem}"):
        read_config(path, RetrieverConfig)


def test_aliases_of_a_few_values_are_written_out(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_text("name: x\nkind: bm25\noptions: {a: &a {k1: 1.2}, b: {<<: *a, b: 0.4}, c: [*a, *a]}\n")
    options = read_config(path, RetrieverConfig).options
    assert options == {"a": {"k1": 1.2}, "b": {"k1": 1.2, "b": 0.4}, "c": [{"k1": 1.2}, {"k1": 1.2}]}


@pytest.mark.parametrize("condition", [f"grade = {LONG}", f"query in (1, -{LONG})"])
def test_conditions_with_numbers_of_thousands_of_digits(condition: str) -> None:
    with pytest.raises(UsageError, match="a number of that many digits is no grade"):
        parse_where(condition)


@pytest.mark.parametrize("form", [None, "sgml"])
def test_topics_without_fields(tmp_path: Path, form: Literal["sgml"] | None) -> None:
    path = tmp_path / "topics.txt"
    path.write_text("<top>\n</top>\n")
    with pytest.raises(DataError, match=r"topics.txt:1: the topic has no number"):
        list(read_topics(path, form))
    path.write_text("nothing like it\n")
    with pytest.raises(DataError, match=r"topics.txt"):
        list(read_topics(path, form))
