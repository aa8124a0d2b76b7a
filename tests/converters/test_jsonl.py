"""JSON lines come back from an export as they went, and files of one's own by their names and keys."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given

from beirkit.cli.main import main
from beirkit.converters.catalog import convert
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError
from beirkit.corpora.exports.catalog import export_folder
from beirkit.corpora.records import Judgment
from tests.corpora.exports.samples import FACTS, collections, records


@given(collections())
def test_any_collection_comes_back_as_it_was(collection: Collection) -> None:
    with TemporaryDirectory() as name:
        export_folder(collection, "jsonl", Path(name) / "out", FACTS)
        assert records(convert("jsonl", Path(name) / "out")) == records(collection)


def test_files_and_keys_of_one_s_own_are_named(tmp_path: Path) -> None:
    (tmp_path / "pages.jsonl").write_text('{"pid": "p1", "body": "a"}\n', encoding="utf-8")
    (tmp_path / "topics.jsonl").write_text('{"pid": "t1", "text": "b"}\n', encoding="utf-8")
    (tmp_path / "gold.jsonl").write_text('{"qid": "t1", "docid": "p1", "score": 3}\n', encoding="utf-8")
    options = {"documents": "pages.jsonl", "queries": "topics.jsonl", "judgments": "gold.jsonl"}
    collection = convert("jsonl", tmp_path, {**options, "id": "pid", "text": "body"})
    assert [(one.doc_id, one.title, one.text) for one in collection.documents()] == [("p1", "", "a")]
    assert [one.query_id for one in collection.queries()] == ["t1"]
    assert list(collection.judgments("gold")) == [Judgment("t1", "p1", 3)]


def test_two_files_of_one_split_are_refused(tmp_path: Path) -> None:
    for name in ("documents.jsonl", "queries.jsonl", "a/judgments/test.jsonl", "b/judgments/test.jsonl"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    with pytest.raises(DataError, match=r"two files of the split 'test': a/judgments/test\.jsonl and b/"):
        convert("jsonl", tmp_path)


def test_a_trec_export_comes_back_without_a_word_about_its_manifest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raw = Path(__file__).parent.parent / "fixtures" / "scifact" / "beir"
    assert main(["export", str(raw), "--to", "trec", "--out", str(tmp_path / "trec")]) == 0
    assert (tmp_path / "trec" / "export.json").is_file()
    capsys.readouterr()
    assert main(["convert", "trec", str(tmp_path / "trec"), "--out", str(tmp_path / "back")]) == 0
    assert "export.json" not in capsys.readouterr().err
