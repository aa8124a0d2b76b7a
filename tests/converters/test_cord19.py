"""TREC-COVID: queries as BEIR has them, judgments as the track has them, papers of several rows."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from beirkit.configs.load import load_dataset
from beirkit.converters.catalog import convert
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError
from beirkit.corpora.folder import write_folder
from beirkit.corpora.qrels import read_qrels
from tests.house.published import published_queries

RAW = Path(__file__).parent.parent / "fixtures" / "cord19" / "raw"


@pytest.fixture
def covid(shared: Path, tmp_path: Path) -> Path:
    """The track's topics and judgments beside somebody's sample of papers."""
    raw = shared / "data" / "trec_covid" / "raw"
    shutil.copy(raw / "topics.covid-round5.xml", tmp_path)
    shutil.copy(raw / "qrels.covid-complete.txt", tmp_path)
    sample = shared / "data" / "raw_formats" / "anserini_fixtures" / "sample_docs" / "cord19" / "sample1"
    shutil.copy(sample / "metadata.csv", tmp_path)
    return tmp_path


def test_the_queries_are_beirs_byte_for_byte(covid: Path, shared: Path) -> None:
    beir = shared / "data" / "trec_covid" / "beir"
    collection = convert("cord19", covid, load_dataset("trec-covid").options)
    queries = {query.query_id: query.text for query in collection.queries()}
    assert len(queries) == 50
    assert queries == published_queries(beir / "topics.beir-v1.0.0-trec-covid.test.tsv.gz")
    assert "  " in queries["16"]


def test_the_judgments_differ_from_beirs_as_is_known(covid: Path, shared: Path) -> None:
    collection = convert("cord19", covid, load_dataset("trec-covid").options)
    ours = {(row.query_id, row.doc_id): row.relevance for row in collection.judgments("test")}
    published = read_qrels(shared / "data/trec_covid/beir/qrels.beir-v1.0.0-trec-covid.test.txt")
    beirs = {
        (query_id, doc_id): grade for query_id, row in published.items() for doc_id, grade in row.items()
    }
    assert Counter(ours.values()) == {-1: 2, 0: 42652, 1: 11055, 2: 15609}
    assert Counter(beirs.values()) == {0: 41661, 1: 10456, 2: 14217}  # this copy lacks the two of grade -1
    assert len(ours.keys() - beirs.keys()) == 9245
    rounds = (shared / "data/trec_covid/raw").glob("qrels.covid-round*.txt")
    official = {(q, d) for path in rounds for q, row in read_qrels(path).items() for d in row} | ours.keys()
    assert len(beirs.keys() - official) == 6261
    assert sum(ours[pair] != beirs[pair] for pair in ours.keys() & beirs.keys()) == 348


def test_beirs_own_judgments_can_be_given(covid: Path, shared: Path, tmp_path: Path) -> None:
    beirs = shared / "data/trec_covid/beir/qrels.beir-v1.0.0-trec-covid.test.txt"
    shutil.copy(beirs, covid / "test.txt")
    collection = convert("cord19", covid, {"qrels": {"test": "test.txt"}})
    assert collection.qrels("test") == read_qrels(beirs)


def test_a_sample_of_the_papers_loads(covid: Path) -> None:
    first, *others = convert("cord19", covid).documents()
    assert (first.doc_id, first.metadata["pubmed_id"]) == ("xqhn0vbp", "12525263")
    assert first.title.startswith("Airborne rhinovirus detection")
    assert len(first.text) == 1692
    assert [(paper.doc_id, paper.text) for paper in others] == [("ipllfog3", ""), ("a8cps3ko", "")]


def opened(dedupe: str) -> Collection:
    return convert("cord19", RAW, {"dedupe": dedupe})


def test_rows_of_one_id_are_one_document_with_its_abstract() -> None:
    documents = [(paper.doc_id, paper.text) for paper in opened("cord_uid").documents()]
    assert documents == [
        ("ab1", "They help,\nmostly."), ("cd2", "Another abstract."), ("ef3", "No title."), ("gh4", ""),
    ]  # fmt: skip
    judged = [(row.doc_id, row.relevance) for row in opened("cord_uid").judgments("test")]
    assert judged == [("ab1", 1), ("cd2", 2), ("gh4", -1), ("ef3", 0)]


def test_rows_of_one_title_are_one_document_and_so_are_their_judgments(
    caplog: pytest.LogCaptureFixture,
) -> None:
    collection = opened("title")
    assert [paper.doc_id for paper in collection.documents()] == ["ab1", "ef3", "gh4"]
    assert [(row.doc_id, row.relevance) for row in collection.judgments("test")] == [
        ("ab1", 2), ("gh4", -1), ("ef3", 0),
    ]  # fmt: skip
    assert "rows of papers that another row stands for (title), left out: 2" in caplog.text
    assert "became one document: 1, of which 1 have another grade; the higher one counts" in caplog.text


def test_the_row_that_stands_for_a_title_gives_its_id_to_the_judgments(tmp_path: Path) -> None:
    for path in RAW.iterdir():
        shutil.copy(path, tmp_path)
    rows = (RAW / "metadata.csv").read_text().replace('"They help,\nmostly."', "")
    (tmp_path / "metadata.csv").write_text(rows)
    collection = convert("cord19", tmp_path, {"dedupe": "title"})
    assert [paper.doc_id for paper in collection.documents()] == ["cd2", "ef3", "gh4"]
    assert collection.qrels("test") == {"1": {"cd2": 2, "gh4": -1, "ef3": 0}}


def test_rows_as_they_are_have_an_id_twice_which_is_refused(tmp_path: Path) -> None:
    assert [paper.doc_id for paper in opened("none").documents()] == ["ab1", "ab1", "cd2", "ef3", "gh4"]
    with pytest.raises(DataError, match="ab1"):
        write_folder(opened("none"), tmp_path / "out")


def test_a_missing_table_is_named(tmp_path: Path) -> None:
    shutil.copy(RAW / "topics.xml", tmp_path)
    with pytest.raises(DataError, match=r"has no file metadata\.csv, which holds the papers .*topics\.xml"):
        convert("cord19", tmp_path)


def test_a_row_without_an_id_is_refused_with_its_line(tmp_path: Path) -> None:
    for path in RAW.iterdir():
        shutil.copy(path, tmp_path)
    table = tmp_path / "metadata.csv"
    table.write_text(table.read_text().replace("cd2,", ","))
    with pytest.raises(DataError, match=r"metadata\.csv:5: has no id in column 'cord_uid'"):
        list(convert("cord19", tmp_path).documents())
