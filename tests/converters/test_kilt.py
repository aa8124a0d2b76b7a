"""KILT: pages and paragraphs, sets of evidence, and what is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from beirkit.converters.catalog import convert
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError

RAW = Path(__file__).parent.parent / "fixtures" / "kilt" / "raw"


def pairs(collection: Collection, split: str = "dev") -> list[tuple[str, str]]:
    return [(judgment.query_id, judgment.doc_id) for judgment in collection.judgments(split)]


def task(folder: Path, *outputs: Any) -> Path:
    row = json.dumps({"id": "q", "input": "?", "output": list(outputs)})
    (folder / "x-dev-kilt.jsonl").write_text('{"id": "p", "input": "first"}\n' + row + "\n")
    return folder


def test_pages_have_their_paragraphs_without_the_title() -> None:
    collection = convert("kilt", RAW)
    assert [(d.doc_id, d.title, d.text) for d in collection.documents()] == [
        (
            "290",
            "Reef",
            "A reef lies under water.\nSection::::Depth.\nMost are 12 m deep.\nSome are – “much” – deeper.",
        ),
        ("7", "Stub", ""),
        ("12", "Gull", "A gull is a bird."),
    ]
    assert pairs(collection) == [("d1", "290"), ("d1", "12")]
    evidence = next(collection.queries()).metadata["evidence"]
    assert evidence == [["290", "12"], ["290"]]


def test_questions_without_answers_make_no_split_and_those_without_evidence_are_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    collection = convert("kilt", RAW)
    assert collection.splits == ("dev",)
    assert [query.query_id for query in collection.queries()] == ["d1", "d2", "x1"]
    pairs(collection)
    pairs(collection)
    assert [record.getMessage() for record in caplog.records] == [
        "split dev: 1 questions have no evidence and no judgment"
    ]


def test_the_knowledge_source_may_be_absent_when_asked(tmp_path: Path) -> None:
    for file in RAW.glob("*.jsonl"):
        shutil.copy(file, tmp_path)
    with pytest.raises(DataError, match=r"has no file kilt_knowledgesource.json, which holds the knowledge"):
        convert("kilt", tmp_path)
    collection = convert("kilt", tmp_path, {"without_documents": True})
    assert list(collection.documents()) == []
    assert pairs(collection) == pairs(convert("kilt", RAW))


def test_files_of_two_tasks_must_be_told_apart(tmp_path: Path) -> None:
    for name in ("nq-dev-kilt.jsonl", "fever-dev-kilt.jsonl"):
        shutil.copy(RAW / "sea-dev-kilt.jsonl", tmp_path / name)
    options = {"without_documents": True}
    with pytest.raises(
        DataError, match=r"nq-dev-kilt.jsonl should be the file of one split, and so is fever"
    ):
        convert("kilt", tmp_path, options)
    collection = convert("kilt", tmp_path, {**options, "splits": {"dev": "nq-dev-kilt.jsonl"}})
    assert set(collection.provenance.inputs) == {"nq-dev-kilt.jsonl"}


@pytest.mark.parametrize(
    ("output", "found"),
    [
        ("x", "has an output that is no object"),
        ({"provenance": ["x"]}, "has the provenance 'x', which is no object"),
        ({"provenance": [{"title": "T"}]}, "has no 'wikipedia_id'"),
        ({"provenance": [{"wikipedia_id": "1"}]}, "has no 'start_paragraph_id'"),
        (
            {"provenance": [{"wikipedia_id": "1", "start_paragraph_id": 4, "end_paragraph_id": 2}]},
            "has evidence from paragraph 4 to 2 (--set level=page)",
        ),
    ],
)
def test_damaged_evidence_is_named_with_its_line(output: Any, found: str, tmp_path: Path) -> None:
    options = {"without_documents": True, "level": "paragraph"}
    with pytest.raises(DataError) as caught:
        pairs(convert("kilt", task(tmp_path, output), options))
    assert str(caught.value).startswith(f"{tmp_path / 'x-dev-kilt.jsonl'}:2: ")
    assert found in str(caught.value)
