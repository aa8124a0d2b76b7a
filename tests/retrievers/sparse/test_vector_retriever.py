"""Vectors from files as a retriever: values by hand, what is missing, what is unknown."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from beirkit.configs.spec import parse_retriever
from beirkit.corpora.errors import ConfigError, DataError, UsageError
from beirkit.corpora.records import Document, Query
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.catalog import create
from beirkit.retrievers.sparse.vector_retriever import SparseVectorsOptions, SparseVectorsRetriever

Vectors = Mapping[str, Mapping[str, float]]

CORPUS: Vectors = {
    "d1": {"owl": 2.0, "night": 0.5},
    "d2": {"owl": 1.0, "vole": 3.0},
    "d3": {"kestrel": 1.0},
    "d4": {},
}
TOPICS: Vectors = {"q1": {"owl": 1.5, "vole": 1.0}, "q2": {"zyxwv": 4.0}, "q3": {"kestrel": 2, "night": 1}}


def documents(*ids: str) -> list[Document]:
    return [Document(doc_id, "", "its text is not looked at") for doc_id in ids or CORPUS]


def queries(*ids: str) -> list[Query]:
    return [Query(query_id, "") for query_id in ids or TOPICS]


def lines(path: Path, vectors: Vectors) -> str:
    path.write_text(
        "".join(json.dumps({"id": key, "vector": row}) + "\n" for key, row in vectors.items()),
        encoding="utf-8",
    )
    return str(path)


def made(
    folder: Path, corpus: Vectors = CORPUS, topics: Vectors = TOPICS, **options: Any
) -> SparseVectorsRetriever:
    given = SparseVectorsOptions(
        documents=lines(folder / "d.jsonl", corpus), queries=lines(folder / "q.jsonl", topics), **options
    )
    return SparseVectorsRetriever(given, Workplace())


def test_scores_by_hand(tmp_path: Path) -> None:
    retriever = made(tmp_path)
    retriever.index(documents())
    assert retriever.search(queries(), 10).to_dict() == {
        "q1": {"d2": 4.5, "d1": 3.0},
        "q2": {},
        "q3": {"d3": 2.0, "d1": 0.5},
    }
    assert retriever.report() == {
        "document": {"texts": 4, "active_dims": 1.25, "empty": 1, "missing": 0, "dropped": 0},
        "query": {"texts": 3, "active_dims": 1.667, "empty": 0, "missing": 0},
        "flops": round((3 + 0 + 2) / 12, 6),
    }


def test_a_negative_weight_lowers_a_score_and_a_document_stays_a_match(tmp_path: Path) -> None:
    retriever = made(tmp_path, {"a": {"x": -1.0}, "b": {"x": 2.0, "y": 0.0}}, {"q": {"x": 1, "y": 5}})
    retriever.index(documents("a", "b"))
    assert list(retriever.search(queries("q"), 5).lists()) == [("q", [("b", 2.0), ("a", -1.0)])]
    assert retriever.report()["document"]["active_dims"] == 1.0


def test_queries_may_be_pseudo_text(tmp_path: Path) -> None:
    (tmp_path / "q.tsv").write_text("q\tvole owl vole\n", encoding="utf-8")
    options = SparseVectorsOptions(
        documents=lines(tmp_path / "d.jsonl", CORPUS), queries=str(tmp_path / "q.tsv")
    )
    retriever = SparseVectorsRetriever(options)
    retriever.index(documents())
    assert retriever.search([Query("q", "")], 5).to_dict() == {"q": {"d2": 7.0, "d1": 2.0}}


def test_more_queries_than_are_asked_for_may_be_there(tmp_path: Path) -> None:
    retriever = made(tmp_path)
    retriever.index(documents())
    assert list(retriever.search(queries("q3"), 5).query_ids) == ["q3"]
    assert retriever.report()["query"]["texts"] == 1


def test_the_order_of_the_file_is_no_matter(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    first.mkdir()
    second.mkdir()
    found = []
    for folder, corpus in ((first, CORPUS), (second, dict(reversed([*CORPUS.items()])))):
        retriever = made(folder, corpus)
        retriever.index(documents())
        found.append(list(retriever.search(queries(), 10).lists()))
    assert found[0] == found[1]


def test_documents_without_a_vector_are_refused_or_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(DataError, match=r"d\.jsonl: 2 of 6 documents have no vector, such as 'd5'"):
        made(tmp_path).index(documents(*CORPUS, "d5", "d6"))
    retriever = made(tmp_path, missing="empty")
    retriever.index(documents(*CORPUS, "d5", "d6"))
    assert list(retriever.search(queries("q1"), 10).doc_ids) == [*CORPUS, "d5", "d6"]
    assert retriever.report()["document"] == {
        "texts": 6, "active_dims": 0.833, "empty": 3, "missing": 2, "dropped": 0,
    }  # fmt: skip
    assert "2 of 6 documents have no vector, such as 'd5'; they match nothing" in caplog.text


def test_queries_without_a_vector_are_refused_or_have_no_results(tmp_path: Path) -> None:
    retriever = made(tmp_path)
    retriever.index(documents())
    with pytest.raises(DataError, match=r"q\.jsonl: 1 of 2 queries have no vector, such as 'q9'"):
        retriever.search(queries("q1", "q9"), 5)
    lenient = made(tmp_path, missing="empty")
    lenient.index(documents())
    assert lenient.search(queries("q9", "q1"), 1).to_dict() == {"q9": {}, "q1": {"d2": 4.5}}
    assert lenient.report()["query"]["missing"] == 1


def test_vectors_of_other_documents_are_refused_or_dropped(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(DataError, match=r"d\.jsonl:2: the corpus has no document 'd2'"):
        made(tmp_path).index(documents("d1", "d3", "d4"))
    retriever = made(tmp_path, unknown="drop")
    retriever.index(documents("d1", "d3", "d4"))
    assert retriever.search(queries("q1"), 5).to_dict() == {"q1": {"d1": 3.0}}
    assert retriever.report()["document"]["dropped"] == 1
    assert "1 vectors are of no document of the corpus and left out" in caplog.text


def test_a_document_that_stands_twice_in_the_corpus(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="'d1' occurs twice"):
        made(tmp_path).index(documents("d1", "d1"))


def test_the_scheme_finds_the_files_of_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "splade"
    (folder / "corpus").mkdir(parents=True)
    lines(folder / "corpus" / "vectors.jsonl", CORPUS)
    (folder / "queries.tsv").write_text("q1\towl\n", encoding="utf-8")
    config = parse_retriever(f"vectors:{folder}")
    assert (config.name, config.kind) == ("splade", "sparse-vectors")
    retriever = create(config)
    retriever.index(documents())
    assert retriever.search([Query("q1", "")], 1).to_dict() == {"q1": {"d1": 2.0}}
    lines(folder / "queries.jsonl", TOPICS)  # weights are taken before pseudo-text
    assert parse_retriever(f"vectors:{folder}").options["queries"] == str(folder / "queries.jsonl")


def test_a_folder_without_vectors_is_told_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="vectors: names no folder"):
        parse_retriever("vectors:")
    with pytest.raises(UsageError, match=r"corpus: there is no such file or folder of vectors"):
        create(parse_retriever(f"vectors:{tmp_path}")).identity()


def test_absent_files_are_told_before_any_work(tmp_path: Path) -> None:
    retriever = made(tmp_path)
    (tmp_path / "q.jsonl").unlink()
    with pytest.raises(UsageError, match=r"q\.jsonl: there is no such file or folder of vectors"):
        retriever.identity()


@pytest.mark.parametrize("options", [{"missing": "keep"}, {"unknown": "keep"}])
def test_other_values_are_refused(options: dict[str, str]) -> None:
    config = parse_retriever("bm25")
    import msgspec

    given = {"documents": "d", "queries": "q", **options}
    with pytest.raises(ConfigError, match="Invalid enum value 'keep'"):
        create(msgspec.structs.replace(config, kind="sparse-vectors", options=given))
