"""BioASQ: abstracts in a stream, pmids that repeat, and questions about missing abstracts."""

from __future__ import annotations

import json
import logging
import shutil
import tracemalloc
from pathlib import Path

import pytest

from beirkit.converters.catalog import convert
from beirkit.corpora.errors import DataError
from beirkit.corpora.qrels import read_qrels
from tests.house.published import published_queries

RAW = Path(__file__).parent.parent / "fixtures" / "bioasq" / "raw"


@pytest.fixture
def release(tmp_path: Path) -> Path:
    shutil.copytree(RAW, tmp_path / "raw")
    return tmp_path / "raw"


def test_published_ids_are_those_that_the_rule_makes(shared: Path) -> None:
    folder = shared / "data" / "bioasq" / "beir"
    qrels = read_qrels(folder / "qrels.beir-v1.0.0-bioasq.test.txt")
    assert all(len(query_id) == 24 and int(query_id, 16) for query_id in qrels)
    assert all(doc_id.isdigit() for row in qrels.values() for doc_id in row)
    assert {grade for row in qrels.values() for grade in row.values()} == {1}
    assert qrels.keys() == published_queries(folder / "topics.beir-v1.0.0-bioasq.test.tsv.gz").keys()


def test_of_abstracts_with_one_pmid_the_first_counts(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        documents = {one.doc_id: one.text for one in convert("bioasq", RAW).documents()}
    assert documents["9"].startswith("Fibre ")
    assert documents["12"] == ""
    assert "2 abstracts with a pmid that was there already left out" in caplog.text


def test_judgments_of_missing_abstracts_are_left_out_whichever_is_read_first() -> None:
    alone = convert("bioasq", RAW)
    assert alone.qrels("test") == {"5e30f638": {"9": 1}, "5e30f639": {"77": 1, "31": 1}}
    after = convert("bioasq", RAW)
    list(after.documents())
    assert after.qrels("test") == alone.qrels("test")


def test_the_sheet_of_missing_abstracts_may_be_csv_or_not_there(release: Path) -> None:
    sheet = release / "BioASQ-Task8b-Manual-Fixes.tsv"
    sheet.unlink()
    assert "77" not in convert("bioasq", release).qrels("test")["5e30f639"]
    rows = 'pmid,title,abstract\n77,"Late, ""paper""","Two\nlines."\n'
    (release / "Manual-fixes-BioASQ-Task8b.csv").write_text(rows)
    documents = {one.doc_id: one for one in convert("bioasq", release).documents()}
    assert (documents["77"].title, documents["77"].text) == ('Late, "paper"', "Two\nlines.")
    assert "pmid" not in documents


def test_encodings_read_the_bytes_that_they_know(release: Path) -> None:
    def first(encoding: str) -> str:
        return next(convert("bioasq", release, {"encoding": encoding}).documents()).text

    assert first("iso-8859-1") == "Fibre \x85 café."
    assert first("cp1252") == "Fibre … café."
    with pytest.raises(DataError, match=r"allMeSH_2020\.json:2: is not utf-8: byte 0x85"):
        first("utf-8")


def test_metadata_is_kept_where_it_is_asked_for() -> None:
    document = next(convert("bioasq", RAW, {"metadata": "true"}).documents())
    assert document.metadata == {"journal": "J Oats", "year": "2001", "meshMajor": ["Avena"]}


def test_questions_for_training_may_be_missing_and_those_for_testing_not(release: Path) -> None:
    (release / "training8b.json").unlink()
    assert convert("bioasq", release).splits == ("test",)
    shutil.rmtree(release / "Task8BGoldenEnriched")
    with pytest.raises(DataError, match=r"has no file \*_golden\.json, which holds the questions"):
        convert("bioasq", release)


def test_memory_does_not_grow_with_the_abstracts(release: Path) -> None:
    (release / "BioASQ-Task8b-Manual-Fixes.tsv").unlink()

    def peak(count: int) -> int:
        with (release / "allMeSH_2020.json").open("w") as file:
            file.write('{"articles":[\n')
            for number in range(1, count):
                file.write(
                    json.dumps({"pmid": str(number), "title": "t", "abstractText": "x" * 1000}) + ",\n"
                )
            file.write(json.dumps({"pmid": str(count), "title": "t", "abstractText": "x"}) + "]}\n")
        collection = convert("bioasq", release)
        assert collection.provenance.inputs  # are hashed in a thread until then
        tracemalloc.start()
        assert sum(1 for _ in collection.documents()) == count
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    assert peak(16000) < peak(4000) + 100_000
