"""Test sets of ragas: old and new names, marks of hops, a corpus of one's own, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from beirkit.converters.catalog import convert
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError

RAW = Path(__file__).parent.parent / "fixtures" / "ragas" / "raw.csv"


def everything(collection: Collection) -> tuple[list[str], list[str], list[tuple[str, str]]]:
    return (
        [document.text for document in collection.documents()],
        [query.text for query in collection.queries()],
        [(judgment.query_id, judgment.doc_id) for judgment in collection.judgments("test")],
    )


def rows_of(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_lists_of_json_and_old_names_give_what_the_table_gives(tmp_path: Path) -> None:
    first, second = "The reef is 12 m deep.\nIt is old.", "The gull's nest – “high” – is dry."
    raw = rows_of(
        tmp_path / "test.jsonl",
        {"question": "How deep is the reef?", "contexts": [first, second], "ground_truth": "12 m"},
        {
            "question": "Who nests, and how high?",
            "contexts": [f"<1-hop>\n\n{second}", '<2-hop>\n\nGulls say "kee".'],
        },
        {"question": "How deep is the reef?", "contexts": ["Divers use a line."]},
        {"question": "Is there an answer?", "contexts": None},
    )
    collection = convert("ragas", raw)
    assert everything(collection) == everything(convert("ragas", RAW))
    assert [query.metadata for query in collection.queries()] == [{"reference": "12 m"}, {}, {}]


def test_a_mark_within_a_passage_stays(tmp_path: Path) -> None:
    raw = rows_of(
        tmp_path / "t.jsonl",
        {"user_input": "?", "reference_contexts": ["a <1-hop> b", "<1-hop>\n\n<2-hop> c"]},
    )
    assert everything(convert("ragas", raw))[0] == ["a <1-hop> b", "<2-hop> c"]


def test_passages_are_found_in_a_corpus_of_ones_own(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    rows_of(
        tmp_path / "test.jsonl",
        {"user_input": "a?", "reference_contexts": ["two\n words", "gone"]},
        {"user_input": "b?", "reference_contexts": ["two words"]},
    )
    rows_of(
        tmp_path / "passages.jsonl",
        {"_id": "p1", "title": "T", "text": "two  words"},
        {"_id": "p2", "title": "", "text": "never asked about"},
    )
    collection = convert("ragas", tmp_path, {"corpus": "passages.jsonl"})
    documents, queries, pairs = everything(collection)
    assert documents == ["two  words", "never asked about"]
    assert queries == ["a?", "b?"]
    assert [doc_id for _, doc_id in pairs] == ["p1", "p1"]
    assert everything(collection)[2] == pairs
    assert [record.getMessage() for record in caplog.records] == [
        f"{tmp_path}: 1 passages of questions are not in passages.jsonl and have no judgment"
    ]


def test_parquet_gives_what_json_lines_give(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [{"user_input": "a?", "reference_contexts": ["x", "y"], "reference": "r"}]
    parquet.write_table(arrow.Table.from_pylist(rows), tmp_path / "t.parquet")
    rows_of(tmp_path / "t.jsonl", *rows)
    assert everything(convert("ragas", tmp_path / "t.parquet")) == everything(
        convert("ragas", tmp_path / "t.jsonl")
    )
    with pytest.raises(DataError, match="has 2 files that could be the test set"):
        convert("ragas", tmp_path)


def test_half_a_character_in_a_printed_list_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("user_input,reference_contexts\n?,\"['\\ud800']\"\n")
    with pytest.raises(DataError, match="half of a surrogate pair"):
        everything(convert("ragas", tmp_path))


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ({"reference_contexts": []}, "has no 'user_input'"),
        ({"user_input": "?"}, "has no 'reference_contexts'"),
        ({"user_input": "?", "reference_contexts": [3]}, "column 'reference_contexts' is not text but"),
        ({"user_input": ["?"], "reference_contexts": []}, "column 'user_input' is not text but the list"),
        ({"user_input": "?", "reference_contexts": "x y"}, "column 'reference_contexts' holds 'x'"),
    ],
)
def test_a_damaged_row_is_named_with_its_line(row: dict[str, Any], found: str, tmp_path: Path) -> None:
    raw = rows_of(tmp_path / "t.jsonl", {"user_input": "a?", "reference_contexts": []}, row)
    with pytest.raises(DataError) as caught:
        everything(convert("ragas", raw))
    assert str(caught.value).startswith(f"{raw}:2: ")
    assert found in str(caught.value)
