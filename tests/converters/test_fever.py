"""FEVER and Climate-FEVER: the published judgments exactly, pages by their names, what is refused."""

from __future__ import annotations

import gzip
import json
import logging
import shutil
from pathlib import Path

import pytest

from beirkit.configs.load import load_dataset
from beirkit.converters.catalog import convert
from beirkit.converters.expected import differences
from beirkit.converters.reading.source import Source
from beirkit.converters.reading.wikipedia import fever_pages, page_id, page_name, page_title, restored
from beirkit.corpora.errors import DataError
from beirkit.corpora.folder import write_folder
from beirkit.corpora.qrels import read_qrels

FIXTURES = Path(__file__).parent.parent / "fixtures"
FEVER = FIXTURES / "fever" / "raw"
CLIMATE = FIXTURES / "climate-fever" / "raw"


def test_the_real_claims_about_the_climate_give_the_published_judgments(shared: Path, tmp_path: Path) -> None:
    folder = shared / "data" / "climate_fever"
    collection = convert("climate-fever", folder / "raw", {"without_documents": True})
    published = read_qrels(folder / "beir" / "qrels.beir-v1.0.0-climate-fever.test.txt")
    judged = [(j.query_id, j.doc_id, j.relevance) for j in collection.judgments("test")]
    assert len(judged) == len(set(judged)) == 4681
    assert collection.qrels("test") == published
    topics = gzip.decompress((folder / "beir" / "topics.beir-v1.0.0-climate-fever.test.tsv.gz").read_bytes())
    texts = dict(line.split("\t", 1) for line in topics.decode().splitlines())
    assert len(texts) == 1535
    assert {query.query_id: query.text for query in collection.queries()} == texts
    expected = load_dataset("climate-fever").expected
    assert expected is not None
    manifest = write_folder(collection, tmp_path / "out")
    assert differences(manifest, expected) == [f"0 documents instead of {expected.documents}"]


def test_the_real_sample_of_pages_is_read(shared: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = shared / "data" / "raw_formats" / "anserini_fixtures" / "sample_docs" / "fever" / "collection1"
    rows = [json.loads(line) for line in (folder / "segment1.jsonl").read_text("utf-8").splitlines()]
    _, pages = fever_pages(Source(folder), "segment*.jsonl")
    with caplog.at_level(logging.WARNING, logger="beirkit"):
        documents = list(pages())
    nameless = sum(row["id"] == "" for row in rows)
    assert nameless > 0
    assert len(documents) == len(rows) - nameless
    assert f"{nameless} pages without a name left out" in caplog.text
    by_id = {document.doc_id: document for document in documents}
    assert by_id["Domain_Range_Ratio_(DRR)"].title == "Domain Range Ratio (DRR)"
    assert by_id["Domain_Range_Ratio_(DRR)"].text == ""
    assert by_id["Kelvin,_North_Dakota"].text.endswith("state of North Dakota .")


def test_names_of_pages() -> None:
    assert page_name("Fox (animal)") == "Fox_(animal)"
    assert page_title("Fox_(animal)") == "Fox (animal)"
    assert restored("A_-LRB-b-RRB-_-LSB-c-RSB-_-LCB-d-RCB--COLON-e") == "A_(b)_[c]_{d}:e"
    assert page_id("Zoe\u0308_-LRB-a-RRB-") == page_id("Zoë_-LRB-a-RRB-") == "Zo\u00eb_(a)"
    assert restored("-LRB -lrb- B-52 N-gram") == "-LRB -lrb- B-52 N-gram"


def test_undecided_claims_are_counted_and_left_out(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="beirkit"):
        collection = convert("fever", FEVER)
        assert [query.query_id for query in collection.queries()] == ["75397", "12", "13", "7"]
        list(collection.judgments("train"))
    told = [record.getMessage() for record in caplog.records]
    assert told.count("split train: 1 claims without evidence left out (NOT ENOUGH INFO)") == 1


def test_a_split_of_ones_own_without_pages() -> None:
    options = {"claims": {"dev": "paper_dev.jsonl"}, "without_documents": True}
    collection = convert("fever", FEVER, options)
    assert collection.splits == ("dev",)
    assert list(collection.documents()) == []
    assert list(collection.provenance.inputs) == ["paper_dev.jsonl"]


@pytest.mark.parametrize(
    ("evidence", "found"),
    [
        ([[[1, 2, None, None]]], "is labelled 'REFUTES' and has no page as evidence"),
        ([], "is labelled 'REFUTES' and has no page as evidence"),
        ([[["Den", 0]]], r"its evidence holds \['Den', 0\] \(an item is \[annotation, evidence"),
        (["Den"], "its evidence holds Den"),
        ("Den", "column 'evidence' is not a list"),
        ([[[1, 2, 3.5, 0]]], "the id in column 'evidence' is the number 3.5"),
    ],
)
def test_damaged_evidence_is_refused_with_its_line(tmp_path: Path, evidence: object, found: str) -> None:
    raw = tmp_path / "raw"
    shutil.copytree(FEVER, raw)
    claim = {"id": 5, "label": "REFUTES", "claim": "c", "evidence": evidence}
    with (raw / "paper_dev.jsonl").open("a") as out:
        out.write(json.dumps(claim) + "\n")
    with pytest.raises(DataError, match=rf"paper_dev\.jsonl:3: {found}"):
        list(convert("fever", raw).judgments("dev"))


def test_without_pages_the_pattern_is_named(tmp_path: Path) -> None:
    shutil.copytree(CLIMATE, tmp_path / "raw")
    shutil.rmtree(tmp_path / "raw" / "wiki-pages")
    for name in ("fever", "climate-fever"):
        shutil.copytree(FEVER, tmp_path / "raw", dirs_exist_ok=True)
        shutil.rmtree(tmp_path / "raw" / "wiki-pages")
        with pytest.raises(DataError, match=r"has no file wiki-\*\.jsonl, which holds pages"):
            convert(name, tmp_path / "raw")
    with pytest.raises(DataError, match=r"has no file other\.jsonl, which holds pages"):
        convert("climate-fever", CLIMATE, {"more_pages": "other.jsonl"})


def test_judged_pages_that_are_not_there_are_named(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="beirkit"):
        assert len(list(convert("climate-fever", CLIMATE, {"more_pages": "further.jsonl"}).documents())) == 3
        assert "judged pages" not in caplog.text
        assert len(list(convert("climate-fever", CLIMATE).documents())) == 2
    assert "1 of 3 judged pages are not there: Report_on_1.5_°C; more_pages adds them" in caplog.text


def test_evidence_without_an_article_is_refused_with_its_line(tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    shutil.copytree(CLIMATE, raw)
    with (raw / "climate-fever.jsonl").open("a") as out:
        out.write(json.dumps({"claim_id": "9", "claim": "c", "evidences": [{"evidence_id": "A:1"}]}) + "\n")
    with pytest.raises(DataError, match=r"climate-fever\.jsonl:3: its evidence .* has no 'article'"):
        list(convert("climate-fever", raw).judgments("test"))


def test_several_records_on_one_line_are_refused(tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    shutil.copytree(CLIMATE, raw)
    claims = raw / "climate-fever.jsonl"
    claims.write_bytes(claims.read_bytes().replace(b"\n", b""))
    with pytest.raises(DataError, match=r"climate-fever\.jsonl:1: several records on one line"):
        list(convert("climate-fever", raw).queries())
