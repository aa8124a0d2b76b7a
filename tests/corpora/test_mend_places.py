"""Mending: where the copy is written, and what is refused before anything is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from beirkit.corpora.errors import DataError, UsageError, WriteError
from beirkit.corpora.manifest import verify_manifest
from beirkit.corpora.mend import mend_folder
from beirkit.corpora.mend_rules import parse_rules
from tests.corpora.mending import CORPUS, STRICT, data, made


def test_nothing_is_written_over_the_source(tmp_path: Path) -> None:
    folder = made(tmp_path)
    mend_folder(folder, tmp_path / "out")
    before = data(tmp_path / "out")
    for link in (Path.symlink_to, Path.hardlink_to):
        (folder / "corpus.jsonl").unlink()
        link(folder / "corpus.jsonl", tmp_path / "out" / "corpus.jsonl")
        with pytest.raises(UsageError, match=r"holds the file that .*corpus\.jsonl is a link to"):
            mend_folder(folder, tmp_path / "out", overwrite=True, force=True)
    assert data(tmp_path / "out") == before


def test_a_copy_that_was_changed_is_replaced_only_by_force(tmp_path: Path) -> None:
    folder = made(tmp_path)
    mend_folder(folder, tmp_path / "out")
    mend_folder(folder, tmp_path / "out", overwrite=True)
    with (tmp_path / "out" / "queries.jsonl").open("a") as out:
        out.write('{"_id": "mine", "text": "by hand"}\n')
    with pytest.raises(UsageError, match=r"was changed since beirkit wrote it: queries\.jsonl has .*--force"):
        mend_folder(folder, tmp_path / "out", overwrite=True)
    mend_folder(folder, tmp_path / "out", overwrite=True, force=True)
    assert verify_manifest(tmp_path / "out") == []


def test_a_link_stays_and_is_written_through(tmp_path: Path) -> None:
    folder = made(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path / "far")
    for _ in range(2):
        mend_folder(folder, tmp_path / "link", overwrite=True)
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "far" / "corpus.jsonl").is_file()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["far", "link", "source"]
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(WriteError, match="is a link that leads to itself"):
        mend_folder(folder, tmp_path / "loop")


def test_what_killed_runs_left_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = made(tmp_path)
    (tmp_path / f".out.{2**22 + 1}-0123abcd.part").mkdir()  # beyond the numbers that processes have
    (tmp_path / f".out.{os.getpid()}-0123abcd.part").mkdir()
    mend_folder(folder, tmp_path / "out")
    assert [record.getMessage().split(":")[0] for record in caplog.records] == [
        str(tmp_path / f".out.{2**22 + 1}-0123abcd.part")
    ]


def test_a_split_that_cannot_be_written_is_told_with_its_file(tmp_path: Path) -> None:
    folder = made(tmp_path)
    (folder / "qrels" / "test.tsv").rename(folder / "qrels" / "te\u200bst.tsv")
    with pytest.raises(
        DataError, match=r"source/qrels/te.st\.tsv: split 'te\\u200bst' cannot .*visible characters"
    ):
        mend_folder(folder, tmp_path / "out")


def test_refusals(tmp_path: Path) -> None:
    folder = made(tmp_path)
    for out in (folder, folder / "inside"):
        with pytest.raises(UsageError, match="lies in the folder to mend"):
            mend_folder(folder, out)
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "mine").touch()
    with pytest.raises(UsageError, match="is there already"):
        mend_folder(folder, tmp_path / "there")
    with pytest.raises(UsageError, match="did you mean 'orphan-judgments'"):
        mend_folder(folder, tmp_path / "out", {"orphan-judgment": "drop"})
    with pytest.raises(UsageError, match=r"has no choice 'biggest' \(it has: max, min"):
        mend_folder(folder, tmp_path / "out", {"conflicting-grades": "biggest"})
    with pytest.raises(UsageError, match=r"needs a choice \(orphan-judgments=keep or orphan-judgments=drop"):
        parse_rules(["orphan-judgments"])
    with pytest.raises(UsageError, match=r"is not NAME=CHOICE \(did you mean 'orphan-judgments'"):
        parse_rules(["orphan-judgment"])
    with pytest.raises(UsageError, match="is given twice"):
        parse_rules(["orphan-judgments=drop", "orphan-judgments=keep"])
    (folder / "corpus.jsonl").unlink()
    with pytest.raises(DataError, match=r"has no corpus\.jsonl"):
        mend_folder(folder, tmp_path / "out")


def test_nothing_is_written_without_documents_or_queries(tmp_path: Path) -> None:
    folder = made(tmp_path, corpus=CORPUS.replace("_id", "docid"))
    with pytest.raises(DataError, match=r"none of its 2 records has an '_id'.*corpus_keys\._id=docid"):
        mend_folder(folder, tmp_path / "out", STRICT)
    made(tmp_path, queries="[]\n{}\n")
    with pytest.raises(DataError, match=r"no query would be left.*unreadable-records=drop \(2 times\)"):
        mend_folder(folder, tmp_path / "out", STRICT)
    assert not (tmp_path / "out").exists()
