"""FiQA: real pairs and texts against BEIR's, its splits given, and what is left out."""

from __future__ import annotations

import json
import logging
import shutil
from pathlib import Path

import pytest

from beirkit.converters.catalog import convert
from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.qrels import read_qrels
from beirkit.corpora.records import Qrels

RAW = Path(__file__).parent.parent / "fixtures" / "fiqa" / "raw"
SPLITS = ("train", "dev", "test")


def write_splits(folder: Path, **queries: str) -> Path:
    folder.mkdir()
    for split, query_id in queries.items():
        (folder / f"{split}.tsv").write_text(f"query-id\tcorpus-id\tscore\n{query_id}\t3\t1\n")
    return folder


def test_the_real_pairs_are_the_three_published_splits_together(shared: Path) -> None:
    folder = shared / "data" / "fiqa"
    collection = convert("fiqa", folder / "raw", {"without_documents": True})
    assert collection.splits == ("test",)
    published: Qrels = {}
    for split in SPLITS:
        published |= read_qrels(folder / "beir" / "qrels" / f"{split}.tsv")
    assert collection.qrels("test") == published
    assert sum(map(len, published.values())) == 17110


def test_with_beir_s_splits_each_real_split_is_the_published_one(shared: Path) -> None:
    folder = shared / "data" / "fiqa"
    splits = folder / "beir" / "qrels"
    collection = convert("fiqa", folder / "raw", {"without_documents": True, "splits": str(splits)})
    assert collection.splits == ("dev", "test", "train")
    for split in SPLITS:
        assert collection.qrels(split) == read_qrels(splits / f"{split}.tsv")
    assert set(collection.provenance.inputs) >= {"train.tsv", "dev.tsv", "test.tsv"}


def test_real_questions_have_the_published_texts(shared: Path) -> None:
    folder = shared / "data" / "fiqa"
    queries = convert("fiqa", folder / "raw", {"without_documents": True}).queries()
    with (folder / "beir" / "queries.jsonl").open(encoding="utf-8") as file:
        published = {record["_id"]: record["text"] for record in map(json.loads, file)}
    assert {query.query_id: query.text for query in queries} == published
    assert len(published) == 6648
    assert published["3791"].startswith('"')


def test_without_splits_the_user_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    collection = convert("fiqa", RAW, {"split": "all"})
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            list(collection.judgments("all"))
            list(collection.documents())
    assert [record.getMessage() for record in caplog.records] == [
        "BEIR drew its splits by chance, so all judgments are in split all; for BEIR's: --set splits=FOLDER, "
        "the folder of its qrels",
        "FiQA_train_doc_final.tsv: 1 answers without text left out",
    ]


def test_questions_of_no_given_split_are_left_out_and_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    splits = write_splits(tmp_path / "splits", train="8", test="2")
    collection = convert("fiqa", RAW, {"splits": str(splits)})
    with caplog.at_level(logging.WARNING):
        assert collection.qrels("train") == {"8": {"3": 1, "8": 1}}
    assert collection.qrels("test") == {"2": {"8": 1}}
    assert "1 questions are in none of the given splits; their judgments are left out" in caplog.text


def test_a_question_in_two_given_splits_is_refused(tmp_path: Path) -> None:
    splits = write_splits(tmp_path / "splits", train="8", test="8")
    with pytest.raises(DataError, match="query '8' is judged here and in split 'test'"):
        convert("fiqa", RAW, {"splits": str(splits)})


def test_a_folder_of_splits_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"absent: is no folder \(name the folder that holds train\.tsv"):
        convert("fiqa", RAW, {"splits": str(tmp_path / "absent")})


def test_a_row_of_another_length_is_named(tmp_path: Path) -> None:
    shutil.copytree(RAW, tmp_path / "raw")
    answers = tmp_path / "raw" / "FiQA_train_doc_final.tsv"
    answers.write_text(answers.read_text().replace("each day.\t", "each\tday.\t"))
    with pytest.raises(DataError, match=r"FiQA_train_doc_final\.tsv:5: has 5 cells, and the header has 4"):
        list(convert("fiqa", tmp_path / "raw").documents())


def test_a_missing_table_is_named_with_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "FiQA_train_question_final.tsv").write_text("\tqid\tquestion\ttimestamp\n")
    with pytest.raises(
        DataError, match=r"has no file FiQA_train_question_doc_final\.tsv, which holds the ans"
    ):
        convert("fiqa", tmp_path)
