"""SciDocs: judged zeros, papers that are missing, and the published judgments."""

from __future__ import annotations

import logging
import shutil
from pathlib import Path

import pytest

from beirkit.configs.load import load_dataset
from beirkit.converters.catalog import convert
from beirkit.corpora.errors import DataError
from beirkit.corpora.qrels import read_qrels

RAW = Path(__file__).parent.parent / "fixtures" / "scidocs" / "raw"


@pytest.fixture
def release(tmp_path: Path) -> Path:
    shutil.copytree(RAW, tmp_path / "raw")
    return tmp_path / "raw"


def test_published_queries_have_25_judged_zeros_and_their_papers_are_the_corpus(shared: Path) -> None:
    qrels = read_qrels(shared / "data" / "scidocs" / "beir" / "qrels.beir-v1.0.0-scidocs.test.txt")
    assert {sum(not grade for grade in row.values()) for row in qrels.values()} == {25}
    expected = load_dataset("scidocs").expected
    assert expected is not None
    judged = {doc_id for row in qrels.values() for doc_id in row}
    assert len(judged) == expected.documents
    assert not judged & qrels.keys()


def test_judgments_of_missing_papers_are_left_out_and_counted_once(caplog: pytest.LogCaptureFixture) -> None:
    collection = convert("scidocs", RAW)
    with caplog.at_level(logging.WARNING):
        assert collection.qrels("test") == {"bb02": {"aa01": 1, "cc03": 1, "dd04": 0}}
        list(collection.judgments("test"))
    told = [record.getMessage() for record in caplog.records]
    assert told.count("split test: 1 judgments of documents that the source lacks left out (ff06)") == 1
    assert len(told) == 2  # and the repeated judgment


def test_a_query_without_a_paper_is_refused(release: Path) -> None:
    with (release / "cite" / "test.qrel").open("a") as file:
        file.write("gg07 0 aa01 1\n")
    with pytest.raises(DataError, match=r"cite_read\.json: lacks 1 papers that are queries, such as gg07"):
        list(convert("scidocs", release).queries())


def test_a_damaged_paper_is_named_with_its_line(release: Path) -> None:
    papers = release / "paper_metadata_view_cite_read.json"
    papers.write_text(papers.read_text().replace(', "cc03"', ',\n"cc03"').replace('"Rye', '12, "x": "Rye'))
    with pytest.raises(DataError, match=r"cite_read\.json:3: column 'title' is not text but the number 12"):
        list(convert("scidocs", release).documents())


def test_the_judgments_of_other_tasks_are_not_taken(release: Path) -> None:
    (release / "cite" / "test.qrel").unlink()
    with pytest.raises(DataError, match=r"has no file cite/test\.qrel, which holds the judgments"):
        convert("scidocs", release)
