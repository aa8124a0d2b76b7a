from __future__ import annotations

import json
import logging
import pickle
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from beirkit.cli.main import main
from beirkit.configs.spec import parse_retriever
from beirkit.corpora.errors import WriteError
from beirkit.corpora.records import Document, Query
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.catalog import create
from beirkit.retrievers.lexical import bm25, kept, lucene
from beirkit.retrievers.lexical.lucene_analyzer import LuceneAnalyzer

DOCUMENTS = [
    Document(f"d{number}", f"owl {number % 7}", f"hunts {'voles ' * (number % 5)}at {number}")
    for number in range(40)
]
DOCUMENTS[3] = Document("\ud800", "", "")
QUERIES = [Query("q1", "owl voles 3"), Query("q2", "hunts 12"), Query("q3", "zyxwv")]
RETRIEVERS = ["bm25-mteb", "bm25-mteb:variant=bm25+", "bm25-lucene", "bm25-lucene-multifield"]


@pytest.fixture(autouse=True)
def _worth_keeping(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "WORTH_KEEPING", 10)


def _lists(name: str, documents: Iterable[Document], cache: Path | None) -> Any:
    retriever = create(parse_retriever(name), Workplace(cache=cache))
    retriever.index(documents)
    run = retriever.search(QUERIES, 20)
    return list(run.lists()), retriever.report(), retriever.costs()["index_bytes"]


def _refuse_to_build(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> Any:
        raise AssertionError("the index was built")

    monkeypatch.setattr(bm25, "weigh", refused)
    monkeypatch.setattr(lucene, "weigh", refused)


@pytest.mark.parametrize("name", RETRIEVERS)
def test_a_kept_index_gives_every_bit_and_is_not_built_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    expected = _lists(name, DOCUMENTS, None)
    assert _lists(name, iter(DOCUMENTS), tmp_path) == expected
    (folder,) = (tmp_path / "indexes").iterdir()
    assert (folder / "index.json").is_file()
    _refuse_to_build(monkeypatch)
    assert _lists(name, DOCUMENTS, tmp_path) == expected
    assert list((tmp_path / "indexes").iterdir()) == [folder]


def test_other_documents_and_other_settings_are_other_indexes(tmp_path: Path) -> None:
    changed = [*DOCUMENTS[:-1], Document("d39", "owl 4", "hunts at 3")]
    renamed = [Document("e0", DOCUMENTS[0].title, DOCUMENTS[0].text), *DOCUMENTS[1:]]
    moved = [Document("d0", "", f"{DOCUMENTS[0].title} {DOCUMENTS[0].text}"), *DOCUMENTS[1:]]
    for documents in (DOCUMENTS, changed, renamed, moved, DOCUMENTS[::-1], DOCUMENTS[:-1]):
        for name in ("bm25-mteb", "bm25-lucene:k1=1.5", "bm25-lucene"):
            assert _lists(name, documents, tmp_path) == _lists(name, documents, None)
    assert len(list((tmp_path / "indexes").iterdir())) == 18


def test_few_documents_are_not_kept(tmp_path: Path) -> None:
    assert _lists("bm25", DOCUMENTS[:9], tmp_path) == _lists("bm25", DOCUMENTS[:9], None)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("damaged", ["field-0/weights.npy", "field-1/terms.json", "index.json"])
def test_a_damaged_index_is_made_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, damaged: str
) -> None:
    name = "bm25-lucene-multifield"
    expected = _lists(name, DOCUMENTS, tmp_path)
    (folder,) = (tmp_path / "indexes").iterdir()
    data = (folder / damaged).read_bytes()
    (folder / damaged).write_bytes(data[:-3] + bytes([data[-3] ^ 1]) + data[-2:])
    with caplog.at_level(logging.WARNING):
        assert _lists(name, DOCUMENTS, tmp_path) == expected
    assert "is damaged and is made again" in caplog.text
    assert (folder / damaged).read_bytes() == data


def test_what_a_killed_process_left_is_no_index(tmp_path: Path) -> None:
    expected = _lists("bm25", DOCUMENTS, tmp_path)
    (folder,) = (tmp_path / "indexes").iterdir()
    (folder / "field-0" / "docs.npy").unlink()
    assert _lists("bm25", DOCUMENTS, tmp_path) == expected


def test_a_store_that_cannot_be_written_costs_no_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: object, **__: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(kept, "mkdtemp", full)
    with caplog.at_level(logging.WARNING):
        assert _lists("bm25", DOCUMENTS, tmp_path) == _lists("bm25", DOCUMENTS, None)
    assert "cannot be kept" in caplog.text


def test_a_full_disk_for_the_documents_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pickle, "dump", full)
    with pytest.raises(WriteError, match=r"No space left on device.*TMPDIR"):
        _lists("bm25", DOCUMENTS, tmp_path)


def test_an_index_is_described(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    documents = [*DOCUMENTS, Document("e", "owl", "owl")]
    _lists("bm25-lucene", documents, tmp_path)
    (folder,) = (tmp_path / "indexes").iterdir()
    assert main(["stats", str(folder), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["retriever"]["kind"] == "bm25-lucene"
    assert found["retriever"]["k1"] == 0.9
    lengths = [len(LuceneAnalyzer().terms(f"{item.title} {item.text}")) for item in documents]
    assert found["lengths"] == {
        "mean": sum(lengths) / len(lengths), "median": float(np.median(lengths)), "max": max(lengths)
    }  # fmt: skip
    assert (found["documents"], found["documents_without_terms"]) == (len(documents), lengths.count(0))
    [field] = found["fields"]
    assert found["terms"] == field["terms"]
    assert found["postings"] == field["postings"]
    distinct = [len(set(LuceneAnalyzer().terms(f"{item.title} {item.text}"))) for item in documents]
    assert sum(distinct) == found["postings"]
    assert field["different_terms_of_a_document"]["max"] == max(distinct)
    assert field["documents_of_a_term"]["max"] == field["most_frequent"]["owl"] == len(documents) - 1
    assert found["bytes"] == sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    assert main(["stats", str(folder)]) == 0
    shown = capsys.readouterr().out
    assert "owl 40" in shown
    assert "bm25-lucene" in shown


def test_an_index_of_fields_is_described_field_by_field(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _lists("bm25-lucene-multifield", DOCUMENTS, tmp_path)
    (folder,) = (tmp_path / "indexes").iterdir()
    assert main(["stats", str(folder), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["fields"]) == 2
    assert sum(field["postings"] for field in found["fields"]) == found["postings"]
    assert main(["stats", str(folder)]) == 0
    assert "terms, field 2" in capsys.readouterr().out


def test_a_folder_that_is_no_index_any_more_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "index.json").write_text("{", encoding="ascii")
    assert main(["stats", str(tmp_path)]) == 2
    assert "is no complete index" in capsys.readouterr().err


def test_stats_of_a_flipped_bit_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _lists("bm25-lucene", DOCUMENTS, tmp_path)
    (folder,) = (tmp_path / "indexes").iterdir()
    assert main(["stats", str(folder)]) == 0
    path = folder / "field-0" / "docs.npy"
    data = bytearray(path.read_bytes())
    data[-3] ^= 1
    path.write_bytes(data)
    assert main(["stats", str(folder)]) == 2
    assert "is damaged: its checksums" in capsys.readouterr().err
