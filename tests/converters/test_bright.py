"""BRIGHT: excluded documents, lists that say N/A, domains, Parquet, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from beirkit.converters.catalog import convert
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import BeirkitError, DataError

RAW = Path(__file__).parent.parent / "fixtures" / "bright" / "raw"
MOSS = {"domain": "moss"}


def pairs(collection: Collection) -> list[tuple[str, str]]:
    return [(judgment.query_id, judgment.doc_id) for judgment in collection.judgments("test")]


def test_excluded_documents_are_carried_and_no_list_of_none() -> None:
    metadata = {query.query_id: query.metadata for query in convert("bright", RAW, MOSS).queries()}
    assert metadata == {"0": {}, "1": {"excluded_ids": ["puzzles/1.txt"]}}


def test_long_documents_have_judgments_of_their_own() -> None:
    collection = convert("bright", RAW, {**MOSS, "long_documents": True})
    assert [document.doc_id for document in collection.documents()] == ["moss_care/Dry moss.txt"]
    assert pairs(collection) == [("0", "moss_care/Dry moss.txt")]
    assert [query.query_id for query in collection.queries()] == ["0", "1"]


def test_parquet_gives_what_json_lines_give(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    for folder, name in (
        ("examples", "moss"),
        ("documents", "moss-00000-of-00002"),
        ("documents", "moss-00001-of-00002"),
    ):
        lines = (RAW / folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        (tmp_path / folder).mkdir(exist_ok=True)
        table = arrow.Table.from_pylist([json.loads(line) for line in lines])
        parquet.write_table(table, tmp_path / folder / f"{name}.parquet")
    from_parquet, from_lines = convert("bright", tmp_path), convert("bright", RAW, MOSS)
    assert list(from_parquet.documents()) == list(from_lines.documents())
    assert list(from_parquet.queries()) == list(from_lines.queries())
    assert pairs(from_parquet) == pairs(from_lines)


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({}, "has 2 domains: moss, sand (say which: --set domain=moss)"),
        ({"domain": "mos"}, "has no domain 'mos' (did you mean 'moss'?)"),
        ({"examples": "gpt4_reason"}, "has no gpt4_reason/DOMAIN.parquet, which holds the queries"),
        ({"domain": "sand", "long_documents": True}, "has no file long_documents/sand.parquet or"),
    ],
)
def test_a_domain_must_be_chosen_and_there(options: dict[str, Any], found: str) -> None:
    with pytest.raises(BeirkitError) as caught:
        convert("bright", RAW, options)
    assert str(caught.value).startswith(f"{RAW}: {found}")


def test_a_list_that_is_none_is_named_with_its_line(tmp_path: Path) -> None:
    for folder in ("examples", "documents"):
        (tmp_path / folder).mkdir()
    (tmp_path / "documents" / "x.jsonl").write_text('{"id": "a", "content": "A"}\n')
    rows = '{"id": "1", "query": "?", "gold_ids": ["a"]}\n{"id": "2", "query": "?", "gold_ids": "a"}\n'
    (tmp_path / "examples" / "x.jsonl").write_text(rows)
    with pytest.raises(DataError, match=r"x.jsonl:2: column 'gold_ids' is not a list but 'a'"):
        list(convert("bright", tmp_path).judgments("test"))
