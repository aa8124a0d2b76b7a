"""Feeds of Vespa: real samples, what is missing from them, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from beirkit.converters.catalog import convert
from beirkit.corpora.check import check_folder
from beirkit.corpora.errors import DataError
from beirkit.corpora.folder import write_folder

RAW = Path(__file__).parent.parent / "fixtures" / "vespa" / "raw"


def test_a_sample_of_mldr_and_the_documents_it_lacks(shared: Path, tmp_path: Path) -> None:
    raw = shared / "data" / "raw_formats" / "mldr_en"
    manifest = write_folder(convert("vespa", raw), tmp_path / "out")
    assert (manifest.counts.documents, manifest.counts.queries) == (18, 800)
    assert manifest.counts.splits["test"].grades == {"1": 800}
    missing = [finding for finding in check_folder(tmp_path / "out") if finding.code == "BK026"]
    assert sum(finding.count for finding in missing) == 799
    texts = {document.doc_id: document.text for document in convert("vespa", raw).documents()}
    feed = [json.loads(line) for line in (raw / "sample-docs.jsonl").read_text(encoding="utf-8").splitlines()]
    assert texts == {row["fields"]["id"]: " ".join(row["fields"]["text"]) for row in feed}


def test_a_sample_of_ms_marco(shared: Path, tmp_path: Path) -> None:
    feed = shared / "data" / "raw_formats" / "msmarco_passages_vespa" / "docs.jsonl"
    (tmp_path / "docs.jsonl").write_bytes(feed.read_bytes())
    (tmp_path / "queries.tsv").write_text("1\twhat\n")
    (tmp_path / "qrels.tsv").write_text("1 0 0 1\n")
    documents = list(convert("vespa", tmp_path).documents())
    rows = [json.loads(line) for line in feed.read_text(encoding="utf-8").splitlines()]
    assert [(d.doc_id, d.text) for d in documents] == [(r["fields"]["id"], r["fields"]["text"]) for r in rows]
    assert len(documents) == 1000


def test_other_operations_are_counted_once(caplog: pytest.LogCaptureFixture) -> None:
    collection = convert("vespa", RAW)
    assert [document.doc_id for document in collection.documents()] == ["a-1", "b::2", "c"]
    list(collection.documents())
    assert [record.getMessage() for record in caplog.records] == [
        "feed.jsonl: 2 operations that put no document left out"
    ]


def test_the_items_of_a_list_are_joined_as_asked() -> None:
    first = next(convert("vespa", RAW, {"separator": "|"}).documents())
    assert first.text == "A reef lies|under water."
    assert next(convert("vespa", RAW, {"text": "title"}).documents()).text == "Reef"


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ({"put": "id:sea:doc", "fields": {"text": "x"}}, "the document id is 'id:sea:doc'"),
        ({"put": "id:sea:doc::", "fields": {"text": "x"}}, "has no id in column 'put'"),
        ({"put": "id:sea:doc::1", "fields": []}, "its fields are no object"),
        ({"put": "id:sea:doc::1", "fields": {"body": "x"}}, "has no 'text'"),
        ({"put": "id:sea:doc::1", "fields": {"text": [1]}}, "column 'text' is not text but the number 1"),
    ],
)
def test_a_damaged_operation_is_named_with_its_line(row: dict[str, Any], found: str, tmp_path: Path) -> None:
    good = {"put": "id:sea:doc::0", "fields": {"text": "x"}}
    (tmp_path / "feed.json").write_text(json.dumps([good, row], indent=0))
    (tmp_path / "queries.tsv").write_text("1\twhat\n")
    (tmp_path / "qrels.tsv").write_text("1 0 0 1\n")
    with pytest.raises(DataError) as caught:
        list(convert("vespa", tmp_path).documents())
    assert str(caught.value).startswith(f"{tmp_path / 'feed.json'}:8: ")
    assert found in str(caught.value)
