"""A run file as a retriever."""

from __future__ import annotations

from pathlib import Path

import pytest

from beirkit.configs.schema import RetrieverConfig
from beirkit.configs.spec import parse_retriever
from beirkit.corpora.errors import ConfigError, DataError, UsageError
from beirkit.corpora.records import Document, Query
from beirkit.retrievers.catalog import create

DOCUMENTS = [Document(name) for name in ("a", "b", "c")]
QUERIES = [Query("q2", "x"), Query("q1", "y"), Query("q3", "z")]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "lucene.trec"
    path.write_text("q1 Q0 a 1 1.5 x\nq1 Q0 b 2 1.5 x\nq2 Q0 c 1 3 x\nq9 Q0 a 1 1 x\n", encoding="utf-8")
    return path


def test_lists_are_those_of_the_file(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    config = parse_retriever(f"run:{file}")
    assert (config.name, config.kind) == ("lucene", "run")
    retriever = create(config)
    retriever.index(DOCUMENTS)
    found = retriever.search(QUERIES, 5)
    assert [(query, list(row)) for query, row in found.to_dict().items()] == [
        ("q2", ["c"]), ("q1", ["b", "a"]), ("q3", []),
    ]  # fmt: skip
    assert retriever.report() == {"tag": "x", "queries_missing": ["q3"], "unknown": 0}
    assert "has no list for 1 of 3 queries, such as 'q3'" in caplog.text


def test_another_file_is_another_identity(file: Path) -> None:
    before = create(parse_retriever(f"run:{file}")).identity()
    file.write_text("q1 Q0 a 1 1.5 x\n", encoding="utf-8")
    assert create(parse_retriever(f"run:{file}")).identity() != before


def test_results_that_the_corpus_lacks(file: Path) -> None:
    retriever = create(parse_retriever(f"run:{file}"))
    retriever.index(DOCUMENTS[:2])
    with pytest.raises(DataError, match=r"1 results are documents that the corpus lacks, such as 'c'"):
        retriever.search(QUERIES, 5)
    options = {"path": str(file), "unknown": "keep"}
    keeping = create(RetrieverConfig(name="r", kind="run", options=options))  # fmt: skip
    keeping.index(DOCUMENTS[:2])
    assert keeping.search(QUERIES, 5).to_dict()["q2"] == {"c": 3.0}
    assert keeping.report()["unknown"] == 1


def test_another_split_is_refused(file: Path) -> None:
    retriever = create(parse_retriever(f"run:{file}"))
    retriever.index(DOCUMENTS)
    with pytest.raises(DataError, match="has none of the 1 queries, such as 'other'"):
        retriever.search([Query("other", "")], 5)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no such run file"):
        create(parse_retriever(f"run:{tmp_path / 'none.trec'}")).identity()
    with pytest.raises(ConfigError, match="run:PATH"):
        parse_retriever("run:")
