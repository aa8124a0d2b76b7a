"""BEIR folders and zips from anywhere."""

from __future__ import annotations

import gc
import shutil
import tempfile
from pathlib import Path

import pytest

from beirkit.converters.catalog import convert
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError, UnknownNameError

FOLDER = Path(__file__).parent.parent / "fixtures" / "beir" / "raw"


def ids(collection: Collection) -> tuple[list[str], list[str], dict[str, int]]:
    documents = [document.doc_id for document in collection.documents()]
    queries = [query.query_id for query in collection.queries()]
    return documents, queries, {s: len(list(collection.judgments(s))) for s in collection.splits}


EXPECTED = (["d1", "d/2#a", "d3"], ["q1", "q2", "q3"], {"test": 2, "train": 1})


def zipped(tmp_path: Path, *, top: str) -> Path:
    inside = tmp_path / "to_zip"
    shutil.copytree(FOLDER, inside / top if top else inside)
    return Path(shutil.make_archive(str(tmp_path / "tides"), "zip", inside))


@pytest.mark.parametrize("top", ["", "tides", "data/tides"])
def test_a_zip_is_read_with_and_without_a_top_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, top: str
) -> None:
    archive = zipped(tmp_path, top=top)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    collection = convert("beir", archive)
    assert ids(collection) == EXPECTED
    assert ids(collection) == EXPECTED
    assert collection.provenance.source == "tides"
    assert list(collection.provenance.inputs) == ["tides.zip"]
    del collection
    gc.collect()
    assert not list(temporary.iterdir())


def test_a_folder_with_the_folder_inside_is_read(tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path / "tides")
    collection = convert("beir", tmp_path)
    assert ids(collection) == EXPECTED
    assert sorted(collection.provenance.inputs)[0] == "tides/corpus.jsonl"


def test_several_folders_are_listed_until_one_is_named(tmp_path: Path) -> None:
    for forum in ("android", "english"):
        shutil.copytree(FOLDER, tmp_path / "cqadupstack" / forum)
    with pytest.raises(DataError) as caught:
        convert("beir", tmp_path)
    assert "holds 2 BEIR folders: cqadupstack/android, cqadupstack/english" in str(caught.value)
    assert "--set folder=android" in str(caught.value)
    chosen = convert("beir", tmp_path, {"folder": "english"})
    assert ids(chosen) == EXPECTED
    assert chosen.provenance.source == "english"
    assert all(name.startswith("cqadupstack/english/") for name in chosen.provenance.inputs)
    with pytest.raises(UnknownNameError, match="no BEIR folder 'enlish'"):
        convert("beir", tmp_path, {"folder": "enlish"})


def test_a_folder_without_a_corpus_says_what_it_holds(tmp_path: Path) -> None:
    (tmp_path / "docs.tsv").write_text("1\ttext\n")
    with pytest.raises(DataError, match=r"no corpus\.jsonl.*found: docs\.tsv"):
        convert("beir", tmp_path)


def test_a_damaged_line_in_a_zip_is_named_by_member_and_line(tmp_path: Path) -> None:
    archive = zipped(tmp_path, top="tides")
    corpus = tmp_path / "to_zip" / "tides" / "corpus.jsonl"
    corpus.write_text(corpus.read_text() + '{"_id": "d4", "text": "cut\n')
    shutil.make_archive(str(tmp_path / "tides"), "zip", tmp_path / "to_zip")
    with pytest.raises(DataError) as caught:
        list(convert("beir", archive).documents())
    assert f"{archive}!tides/corpus.jsonl:4:" in str(caught.value)


def test_other_files_of_a_zip_are_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = zipped(tmp_path, top="tides")
    (tmp_path / "to_zip" / "tides" / "embeddings.npy").write_bytes(b"big")
    shutil.make_archive(str(tmp_path / "tides"), "zip", tmp_path / "to_zip")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    collection = convert("beir", archive)
    assert ids(collection) == EXPECTED
    (unpacked,) = tmp_path.glob("beirkit-*")
    assert (unpacked / "tides" / "corpus.jsonl").exists()
    assert not list(unpacked.rglob("*.npy"))
