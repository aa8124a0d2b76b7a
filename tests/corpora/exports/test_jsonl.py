from __future__ import annotations

import gzip
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given

from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError
from beirkit.corpora.exports.catalog import export_folder
from beirkit.corpora.qrels import iter_judgments
from beirkit.corpora.records import Document, Query
from tests.corpora.exports.samples import FACTS, collection_of, collections, records


def test_writes_plain_keys(weather: Collection, tmp_path: Path) -> None:
    export_folder(weather, "jsonl", tmp_path / "out", FACTS)
    assert (tmp_path / "out/documents/documents.jsonl").read_text(encoding="utf-8").split("\n") == [
        '{"id": "d1", "title": "Tides", "text": "The moon\\npulls the sea.", "metadata": {"year": 1901}}',
        '{"id": "d2", "title": "", "text": "p < .05 & <TEXT> </DOC> \u05e9\u05dc\u05d5\u05dd"}',
        '{"id": "<dbpedia:Rain>", "title": "R&D", "text": "  two  blanks\\fand a page"}',
        '{"id": "d4", "title": "Dew", "text": ""}',
        "",
    ]
    assert (tmp_path / "out/queries.jsonl").read_text(encoding="utf-8").split("\n")[1] == (
        '{"id": "q2", "text": "warm\\twind"}'
    )
    assert (tmp_path / "out/judgments/test.jsonl").read_text(encoding="utf-8") == (
        '{"query_id": "q1", "doc_id": "d1", "relevance": 2}\n'
        '{"query_id": "q1", "doc_id": "d2", "relevance": 0}\n'
        '{"query_id": "q2", "doc_id": "<dbpedia:Rain>", "relevance": -1}\n'
    )


def test_contents_are_title_and_text(weather: Collection, tmp_path: Path) -> None:
    export_folder(weather, "jsonl", tmp_path / "out", FACTS, {"contents": True, "gzip": True})
    with gzip.open(tmp_path / "out/documents/documents.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    assert rows[0] == {"id": "d1", "contents": "Tides\nThe moon\npulls the sea."}
    assert rows[1]["contents"].startswith("p < .05")
    assert rows[3] == {"id": "d4", "contents": "Dew\n"}
    assert (tmp_path / "out/judgments/dev.jsonl.gz").is_file()


def test_refuses_metadata_that_json_cannot_hold(tmp_path: Path) -> None:
    odd = collection_of([Document("d", "", "t", {"n": float("nan")})], [], {})
    with pytest.raises(DataError, match="record 'd' cannot be written as JSON"):
        export_folder(odd, "jsonl", tmp_path / "out", FACTS)


@given(collections())
def test_any_records_come_back(collection: Collection) -> None:
    with TemporaryDirectory() as place:
        out = Path(place) / "out"
        export_folder(collection, "jsonl", out, FACTS)
        documents = [json.loads(line) for line in _lines(out / "documents/documents.jsonl")]
        queries = [json.loads(line) for line in _lines(out / "queries.jsonl")]
        judgments = {"test": list(iter_judgments(out / "judgments/test.jsonl"))}
    back = (
        [Document(row["id"], row["title"], row["text"], row.get("metadata", {})) for row in documents],
        [Query(row["id"], row["text"], row.get("metadata", {})) for row in queries],
        judgments,
    )
    assert back == records(collection)


def _lines(path: Path) -> list[bytes]:
    return path.read_bytes().removesuffix(b"\n").split(b"\n")
