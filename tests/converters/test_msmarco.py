"""MS MARCO and TREC DL: the counts of the real files, the forms of the collection, what is refused."""

from __future__ import annotations

import gzip
import logging
import shutil
from collections import Counter
from pathlib import Path

import pytest

from beirkit.configs.load import load_dataset
from beirkit.converters.catalog import convert
from beirkit.converters.expected import differences
from beirkit.corpora.errors import ConfigError, DataError
from beirkit.corpora.folder import write_folder
from beirkit.corpora.qrels import read_qrels
from beirkit.corpora.records import Document

FIXTURES = Path(__file__).parent.parent / "fixtures"
RAW = FIXTURES / "msmarco" / "raw"


def one_split(split: str, queries: str, qrels: str) -> dict[str, object]:
    return {"queries": {split: queries}, "qrels": {split: qrels}, "without_documents": True}


def test_the_real_dev_and_test_splits_have_the_published_counts(shared: Path, tmp_path: Path) -> None:
    raw = shared / "data" / "msmarco" / "raw"
    options = {
        "queries": {"dev": "topics.msmarco-passage.dev-subset.txt", "test": "topics.dl19-passage.txt"},
        "qrels": {"dev": "qrels.msmarco-passage.dev-subset.txt", "test": "qrels.dl19-passage.txt"},
        "without_documents": True,
    }
    collection = convert("msmarco", raw, options)
    manifest = write_folder(collection, tmp_path / "out")
    assert manifest.counts.queries == 6980 + 43
    for name, split in (("msmarco", "dev"), ("msmarco", "test"), ("trec-dl-2019", "test")):
        expected = load_dataset(name).expected
        assert expected is not None
        told = differences(manifest, expected)
        assert not [difference for difference in told if f"split '{split}'" in difference]
    assert collection.qrels("test") == read_qrels(raw / "qrels.dl19-passage.txt")
    published = Counter(tuple(line.split()) for line in (raw / "qrels.dl19-passage.txt").open())
    written = Counter((j.query_id, "Q0", j.doc_id, str(j.relevance)) for j in collection.judgments("test"))
    assert written == published
    texts = dict(
        line.rstrip("\n").split("\t", 1)
        for line in (raw / "topics.msmarco-passage.dev-subset.txt").open(encoding="utf-8", newline="\n")
    )
    assert {q.query_id: q.text for q in collection.judged("dev")[1]} == texts


def test_the_real_look_up_table_of_documents_is_read_by_its_queries(shared: Path) -> None:
    raw = shared / "data" / "raw_formats" / "msmarco_docs"
    options = one_split("train", "msmarco-doctrain-queries.tsv", "msmarco-doctrain-qrels.tsv")
    collection = convert("msmarco", raw, options)
    assert len(list(collection.queries())) == len(list(collection.judgments("train"))) == 100
    assert {judgment.doc_id[0] for judgment in collection.judgments("train")} == {"D"}


@pytest.mark.parametrize(
    ("folder", "first", "metadata"),
    [
        ("msmarco_v2_passage", "msmarco_passage_00_0", {"spans", "docid"}),
        ("msmarco_v2_passage_gz", "msmarco_passage_00_0", {"spans", "docid"}),
        ("msmarco_v2_doc", "msmarco_doc_00_0", {"url", "headings"}),
        ("msmarco_v2_doc_segmented", "msmarco_doc_00_0#0", {"url", "headings"}),
        (
            "msmarco-v2.1-doc-segmented",
            "msmarco_v2.1_doc_00_0#0_0",
            {"url", "headings", "start_char", "end_char"},
        ),
    ],
)
def test_the_second_release_in_json_lines(
    shared: Path, tmp_path: Path, folder: str, first: str, metadata: set[str]
) -> None:
    raw = tmp_path / "raw"
    shutil.copytree(shared / "data" / "raw_formats" / "anserini_fixtures" / "sample_docs" / folder, raw)
    lines = sum(len((gzip.open if p.suffix == ".gz" else open)(p).readlines()) for p in raw.iterdir())
    (raw / "queries.tsv").write_text("1\tcars\n")
    (raw / "qrels.txt").write_text(f"1 0 {first} 1\n")
    options = {"form": "json", "queries": {"dev": "queries.tsv"}, "qrels": {"dev": "qrels.txt"}}
    documents = list(convert("msmarco", raw, options).documents())
    assert len(documents) == lines >= 2
    assert documents[0].doc_id == first
    assert documents[0].text
    assert documents[0].metadata.keys() == metadata


def test_documents_have_a_url_and_a_title(tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    shutil.copytree(RAW, raw)
    (raw / "msmarco-docs.tsv").write_text("D1\thttp://a.example/\tFoxes\tRed\tand grey.\nD2\t\t\t\n")
    assert list(convert("msmarco", raw, {"form": "documents"}).documents()) == [
        Document("D1", "Foxes", "Red\tand grey.", {"url": "http://a.example/"}),
        Document("D2"),
    ]
    (raw / "msmarco-docs.tsv").write_text("D1\tu\tt\tb\nD2\tu\tt\n")
    with pytest.raises(DataError, match=r"msmarco-docs\.tsv:2: has too few columns .*an id, a URL"):
        list(convert("msmarco", raw, {"form": "documents"}).documents())


def test_unjudged_queries_are_counted_or_kept(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="beirkit"):
        collection = convert("msmarco", RAW)
        assert [query.query_id for query in collection.queries()] == ["100", "102", "2", "300", "302"]
        list(collection.queries())
        list(collection.judgments("train"))
    told = [record.getMessage() for record in caplog.records]
    assert told.count("split test: 1 queries without a judgment left out") == 1
    assert sum("1 exact duplicate judgments dropped" in message for message in told) == 1
    every = convert("msmarco", RAW, {"all_queries": True})
    assert [query.query_id for query in every.queries()] == ["100", "101", "102", "2", "300", "301", "302"]


def test_a_query_that_two_splits_share_is_one_query(tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    shutil.copytree(RAW, raw)
    (raw / "queries.dev.small.tsv").write_text("100\twhat is a fox\n2\tcafe\n")
    (raw / "qrels.dev.small.tsv").write_text("100 0 7 1\n2 0 3 1\n")
    assert [query.query_id for query in convert("msmarco", raw).queries()] == [
        "100",
        "102",
        "2",
        "300",
        "302",
    ]


def test_without_documents_it_says_so(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    shutil.copytree(RAW, raw)
    (raw / "collection.tsv").unlink()
    with pytest.raises(DataError, match=r"has no file collection\.tsv, which holds the collection"):
        convert("msmarco", raw)
    with caplog.at_level(logging.WARNING, logger="beirkit"):
        collection = convert("msmarco", raw, {"without_documents": "true"})
        assert list(collection.documents()) == list(collection.documents()) == []
    assert [r.getMessage() for r in caplog.records if "without documents" in r.getMessage()] == [
        "without documents, as asked: what comes out scores runs of the same ids and cannot be searched"
    ]
    assert len(list(collection.judgments("test"))) == 5
    assert "collection.tsv" not in collection.provenance.inputs


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (b"no tab", r"collection\.tsv:3: has too few columns"),
        (b"\tno id", r"collection\.tsv:3: the id '' is empty"),
        (b"a\x00b\ttext", r"collection\.tsv:3: the id 'a\\x00b' holds the control character U\+0000"),
        (b"9\tcaf\xe9", r"collection\.tsv:3: is not UTF-8 at byte 6 of the line"),
    ],
)
def test_a_damaged_line_is_named(tmp_path: Path, line: bytes, found: str) -> None:
    raw = tmp_path / "raw"
    shutil.copytree(RAW, raw)
    (raw / "collection.tsv").write_bytes(b"1\tone\n2\ttwo\n" + line + b"\n4\tfour\n")
    with pytest.raises(DataError, match=found):
        list(convert("msmarco", raw).documents())


def test_line_ends_of_windows_and_a_missing_last_one_change_nothing(tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    shutil.copytree(RAW, raw)
    (raw / "collection.tsv").write_bytes(b"\xef\xbb\xbf1\tone \r\n\r\n2\ttwo\r three")
    assert list(convert("msmarco", raw).documents()) == [
        Document("1", "", "one "),
        Document("2", "", "two\r three"),
    ]


def test_a_split_needs_both_files() -> None:
    with pytest.raises(ConfigError, match="split 'dev' needs a file in `queries` and one in `qrels`"):
        convert("msmarco", RAW, {"queries": {"dev": "a.tsv"}, "qrels": {}})
    with pytest.raises(ConfigError, match="no split has a file"):
        convert("msmarco", RAW, {"queries": {}, "qrels": {}})
