"""`beirkit convert --passages`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from beirkit.cli.main import main
from beirkit.converters.catalog import convert
from beirkit.corpora.folder import open_folder
from beirkit.corpora.manifest import read_manifest
from beirkit.corpora.passages import PassageRules, split_passages, windows
from beirkit.corpora.records import Judgment


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "faq.csv"
    path.write_text("question,answer\nHow do I reset it?,Hold the button.\n", encoding="utf-8")
    return path


WORDS = ["--set", "question=question", "positive=answer", "--quiet"]


def test_passages_are_written_with_their_judgments(table: Path, tmp_path: Path) -> None:
    words = ["convert", "table", str(table), "--out", "faq", "--passages", "size=8,overlap=2", *WORDS]
    assert main(words) == 0
    made = open_folder(tmp_path / "faq")
    documents = list(made.documents())
    assert [document.text for document in documents] == ["Hold the", "he butto", "ton."]
    assert [document.metadata["start"] for document in documents] == [0, 6, 12]
    (query,) = made.queries()
    assert list(made.judgments("test")) == [Judgment(query.query_id, d.doc_id, 1) for d in documents]
    provenance = read_manifest(tmp_path / "faq").provenance
    assert provenance.source == "faq.csv-passages"
    assert provenance.options["passages"] == {
        "size": 8, "overlap": 2, "unit": "characters", "judgments": "document",
    }  # fmt: skip


def test_wrong_rules_write_nothing(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["convert", "table", str(table), "--out", "faq", "--passages", "size=8,overlap=8", *WORDS]
    assert main(words) == 2
    assert "overlap is 8: it must be 0 or more and below the size, 8" in capsys.readouterr().err
    assert not (tmp_path / "faq").exists()


def test_passages_never_stand_in_the_place_of_a_dataset(
    tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raw = Path(__file__).parents[1] / "fixtures" / "scifact" / "raw"
    assert main(["convert", "scifact", str(raw), "--passages", "size=8", "--quiet"]) == 2
    assert "passages need a folder to write to (add --out FOLDER)" in capsys.readouterr().err
    assert not home.exists()
    assert main(["convert", "scifact", str(raw), "--passages", "size=8", "--out", "parts", "--quiet"]) == 0
    capsys.readouterr()
    assert main(["run", "-d", "parts", "-r", "bm25", "--split", "test", "--quiet", "--json"]) == 0
    (cell,) = json.loads(capsys.readouterr().out)["results"]
    assert cell["dataset"] == "parts"


def test_expected_counts_are_not_asked_of_passages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raw = Path(__file__).parents[1] / "fixtures" / "scifact" / "raw"
    assert main(["convert", "scifact", str(raw), "--out", "whole"]) == 0
    assert "differs from what is expected" in capsys.readouterr().err
    assert main(["convert", "scifact", str(raw), "--out", "parts", "--passages", "size=8"]) == 0
    assert "differs from what is expected" not in capsys.readouterr().err


def test_answers_of_heq_in_passages(shared: Path) -> None:
    whole = convert("squad", shared / "data/heq_he/raw", {"spans": True})
    (split,) = whole.splits
    texts = {document.doc_id: document.text for document in whole.documents()}
    document_of = {judgment.query_id: judgment.doc_id for judgment in whole.judgments(split)}
    spans = [
        (document_of[query.query_id], span["start"], span["end"], span["text"])
        for query in whole.queries()
        if query.query_id in document_of
        for span in query.metadata["spans"]
    ]
    assert len(spans) == 1769
    for size, overlap, torn in ((200, 0, 115), (200, 50, 34), (400, 80, 5), (400, 254, 0)):
        rules = PassageRules(size=size, overlap=overlap)
        held = [
            any(first <= start and end <= last for first, last in windows(texts[doc_id], rules))
            for doc_id, start, end, _ in spans
        ]
        assert held.count(False) == torn
    made = split_passages(whole, PassageRules(size=400, overlap=80, judgments="overlap"))
    passages = {passage.doc_id: passage for passage in made.documents()}
    wanted: dict[str, set[str]] = {query.query_id: set() for query in whole.queries()}
    for query in whole.queries():
        wanted[query.query_id] = {span["text"] for span in query.metadata["spans"]}
    judged = list(made.judgments(split))
    assert {judgment.relevance for judgment in judged} == {1, 2}
    for judgment in judged:
        if judgment.relevance == 2:
            assert any(text in passages[judgment.doc_id].text for text in wanted[judgment.query_id])
