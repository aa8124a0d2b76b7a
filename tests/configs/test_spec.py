from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from beirkit.configs.load import load_retriever
from beirkit.configs.spec import parse_retriever, parse_retrievers
from beirkit.corpora.errors import ConfigError, UnknownNameError


@pytest.mark.parametrize("name", ["bm25", "bm25-mteb", "rank-bm25"])
def test_a_name(name: str) -> None:
    assert parse_retriever(name) == load_retriever(name)
    assert parse_retriever(f" {name} ").name == name


def test_a_name_with_options() -> None:
    config = parse_retriever("bm25:k1=1.5, b = 0.75")
    assert config.name == "bm25:k1=1.5,b=0.75"
    assert config.kind == "bm25-lucene"
    assert config.options == {**load_retriever("bm25").options, "k1": 1.5, "b": 0.75}
    assert load_retriever("bm25").options["k1"] == 0.9


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("a=1", "a", 1),
        ("a=1.0", "a", 1.0),
        ("a=true", "a", True),
        ("a=null", "a", None),
        ("a=", "a", None),
        ("a=none", "a", "none"),
        ("a=x=y", "a", "x=y"),
        ("a=x:y", "a", "x:y"),
        ("a='x, y'", "a", "x, y"),
        ('a="x, y"', "a", "x, y"),
        ("a='1'", "a", "1"),
        ("a=[x, 'y, z']", "a", ["x", "y, z"]),
        ("template='{title}, {text}'", "template", "{title}, {text}"),
        ("template={title} {text}", "template", "{title} {text}"),
        ("analyzer.stemmer=none", "analyzer", {"language": "english", "stemmer": "none"}),
        ("rm3={}", "rm3", {}),
        ("new.deep.er=1", "new", {"deep": {"er": 1}}),
    ],
)
def test_values(text: str, key: str, value: Any) -> None:
    options = parse_retriever(f"bm25:{text}").options
    assert options[key] == value
    assert type(options[key]) is type(value)


def test_several_keys_of_one_option() -> None:
    options = parse_retriever("bm25:analyzer.stemmer=none,analyzer.stopwords=none,k1=2").options
    assert options["analyzer"] == {"language": "english", "stemmer": "none", "stopwords": "none"}
    assert options["k1"] == 2


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("name: mine\nkind: bm25\noptions: {k1: 1.1}\n", encoding="utf-8")
    assert parse_retriever(str(path)).options == {"k1": 1.1}
    changed = parse_retriever(f"{path}:b=0.5")
    assert changed.name == "mine:b=0.5"
    assert changed.options == {"k1": 1.1, "b": 0.5}


def test_different_retrievers_of_one_name_are_called_by_what_was_written(tmp_path: Path) -> None:
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text(
            f"name: mine\nkind: bm25\noptions: {{k1: {len(name)}}}\n", encoding="utf-8"
        )
    written = [f"{tmp_path}/a.yaml", "bm25", f"{tmp_path}/b.yaml", "bm25", " bm25"]
    assert [config.name for config in parse_retrievers(written)] == [written[0], "bm25", written[2]]
    assert [config.name for config in parse_retrievers(written[:2])] == ["mine", "bm25"]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"absent\.yaml: cannot be read: No such file"):
        parse_retriever(str(tmp_path / "absent.yaml"))


def test_an_unknown_name_gets_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"'bm52' \(did you mean 'bm25'\?\)"):
        parse_retriever("bm52")
    with pytest.raises(UnknownNameError, match=r"'bm52' \(did you mean 'bm25'\?\)"):
        parse_retriever("bm52:k1=1")


def test_a_file_with_another_ending_gets_told(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(UnknownNameError, match=r"must end in \.yaml or \.yml"):
        parse_retriever(str(path))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("bm25:", "cannot be read at ''"),
        ("bm25:k1", "cannot be read at 'k1'"),
        ("bm25:k1=1,", "cannot be read at ''"),
        ("bm25:=1", "cannot be read at '=1'"),
        ("bm25:a..b=1", "cannot be read at 'a..b=1'"),
        ("bm25:k1=1,k1=2", "sets 'k1' twice"),
        ("bm25:k1.x=1", "the option 'k1' holds a value"),
        ("bm25:template='open", "cannot be read at"),
        ("minilm:index=IVF64,Flat", 'stands in quotes, as in index="IVF64,Flat"'),
        ("bm25:k1=*x", "the value of 'k1' is not YAML"),
    ],
)
def test_refused(text: str, told: str) -> None:
    with pytest.raises(ConfigError) as error:
        parse_retriever(text)
    assert told in str(error.value)
    assert repr(text) in str(error.value)
