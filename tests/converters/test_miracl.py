"""MIRACL and Mr.TyDi: the counts of real files, explicit zeros, shards, languages, and what is refused."""

from __future__ import annotations

import gzip
import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from beirkit.converters.catalog import convert
from beirkit.corpora.errors import DataError

FIXTURE = Path(__file__).parent.parent / "fixtures" / "miracl" / "raw"
ALONE = {"without_documents": True}


def release(folder: Path, **files: str) -> Path:
    texts = {"topics": "1\tone?\n", "qrels": "1 Q0 1#0 1\n", **files}
    folder.mkdir(exist_ok=True)
    (folder / "topics.dev.tsv").write_text(texts["topics"])
    (folder / "qrels.dev.tsv").write_text(texts["qrels"])
    return folder


@pytest.mark.parametrize(
    ("language", "queries", "relevant", "zeros"),
    [("sw", 482, 910, 4182), ("ko", 213, 547, 2510), ("de", 305, 811, 2333), ("te", 828, 854, 752),
     ("bn", 411, 863, 3343)],
)  # fmt: skip
def test_the_judgments_of_miracl_keep_their_zeros(
    language: str, queries: int, relevant: int, zeros: int, shared: Path
) -> None:
    raw = shared / "data" / "raw_formats" / "miracl"
    collection = convert("miracl", raw, {"language": language, **ALONE})
    judgments = list(collection.judgments("dev"))
    assert Counter(judgment.relevance for judgment in judgments) == {1: relevant, 0: zeros}
    asked = [query.query_id for query in collection.queries()]
    assert len(asked) == len(set(asked)) == queries
    assert {judgment.query_id for judgment in judgments} <= set(asked)
    assert all("#" in judgment.doc_id for judgment in judgments)


@pytest.mark.parametrize(
    ("language", "queries", "pairs"),
    [("sw", 670, 743), ("ko", 421, 492), ("te", 646, 677), ("bn", 111, 130), ("en", 744, 935)],
)
def test_the_judgments_of_mrtydi_are_positive(language: str, queries: int, pairs: int, shared: Path) -> None:
    raw = shared / "data" / "raw_formats" / "mrtydi"
    collection = convert("miracl", raw, {"language": language, **ALONE})
    assert Counter(judgment.relevance for judgment in collection.judgments("test")) == {1: pairs}
    assert len(list(collection.queries())) == queries


def test_passages_of_mrtydi_are_read_by_language(shared: Path, tmp_path: Path) -> None:
    shutil.copytree(shared / "data/raw_formats/anserini_fixtures/sample_docs/mrtydi-1.1", tmp_path / "docs")
    for file in (shared / "data/raw_formats/mrtydi").glob("*"):
        shutil.copy(file, tmp_path)
    for language in ("sw", "te"):
        with gzip.open(tmp_path / "docs" / language / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        documents = list(convert("miracl", tmp_path, {"language": language}).documents())
        assert len(documents) == len(rows) > 0
        found = [(document.doc_id, document.title, document.text) for document in documents]
        assert found == [(row["docid"], row["title"], row["text"]) for row in rows]
    with pytest.raises(DataError, match=r"has passages in 11 folders: docs/ar, docs/bn, .*--set language=…"):
        convert("miracl", tmp_path)


@pytest.mark.parametrize("file", ["simple_mrtydi_corpus.json", "simple_mrtydi_corpus_fields_key.json"])
def test_contents_have_the_title_in_a_paragraph_of_its_own(file: str, shared: Path, tmp_path: Path) -> None:
    release(tmp_path)
    source = shared / "data" / "raw_formats" / "pyserini_fixtures"
    shutil.copy(source / file, tmp_path / "docs.jsonl")
    rows = [json.loads(line) for line in (source / file).read_text(encoding="utf-8").splitlines()]
    documents = list(convert("miracl", tmp_path).documents())
    assert [document.doc_id for document in documents] == [row["id"] for row in rows]
    contents = [row.get("contents") or f"{row['title']}\n\n{row['text']}" for row in rows]
    assert [f"{document.title}\n\n{document.text}" for document in documents] == contents
    assert all(document.title for document in documents)


def test_contents_without_a_title_are_all_text(tmp_path: Path) -> None:
    (release(tmp_path) / "docs.jsonl").write_text('{"id": "1#0", "contents": "only text"}\n')
    (document,) = convert("miracl", tmp_path).documents()
    assert (document.title, document.text) == ("", "only text")


def test_shards_follow_their_numbers() -> None:
    documents = convert("miracl", FIXTURE, {"language": "xx"}).documents()
    assert [document.doc_id for document in documents] == ["4#0", "4#1", "9#0"]


def test_several_languages_must_be_told_apart() -> None:
    with pytest.raises(DataError, match=r"has topics of dev in .*xx-dev.tsv and .*yy-dev.tsv"):
        convert("miracl", FIXTURE)
    with pytest.raises(DataError, match="has no passages of the language 'yy'"):
        convert("miracl", FIXTURE, {"language": "yy"})
    with pytest.raises(DataError, match="has no judgments of the language 'yy'"):
        convert("miracl", FIXTURE, {"language": "yy", **ALONE})


@pytest.mark.parametrize(
    ("files", "options", "found"),
    [
        ({}, {}, "has no file corpus.jsonl or docs.jsonl or"),
        ({"topics": "no tab\n"}, ALONE, "topics.dev.tsv:1: has too few columns"),
        ({"qrels": "1 Q0 1#0 high\n"}, ALONE, "qrels.dev.tsv:1: "),
    ],
)
def test_what_is_missing_or_damaged_is_named(
    files: dict[str, str], options: dict[str, Any], found: str, tmp_path: Path
) -> None:
    release(tmp_path, **files)

    def read() -> None:
        collection = convert("miracl", tmp_path, options)
        list(collection.queries())
        list(collection.judgments("dev"))

    with pytest.raises(DataError) as caught:
        read()
    assert found in str(caught.value)


def test_judgments_without_topics_and_topics_that_contradict_are_refused(tmp_path: Path) -> None:
    release(tmp_path)
    (tmp_path / "topics.train.tsv").write_text("1\tanother?\n")
    with pytest.raises(DataError, match="topic '1' stands in an earlier file with another text"):
        list(convert("miracl", tmp_path, ALONE).queries())
    (tmp_path / "topics.dev.tsv").unlink()
    with pytest.raises(DataError, match="has judgments of the split 'dev' and no topics of it"):
        convert("miracl", tmp_path, ALONE)
