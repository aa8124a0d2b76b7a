"""Queries and judgments alone, where the documents are not at hand: every format that can says so."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from beirkit.converters import catalog
from beirkit.corpora.errors import ConfigError, DataError

FIXTURES = Path(__file__).parent.parent / "fixtures"
CORPUS = {
    "climate-fever": ["wiki-*.jsonl"],
    "cord19": ["metadata.csv"],
    "dbpedia-entity": ["short*"],
    "fever": ["wiki-*.jsonl"],
    "fiqa": ["FiQA_train_doc_final.tsv"],
    "kilt": ["kilt_knowledgesource*"],
    "miracl": ["docs-*"],
    "msmarco": ["collection*"],
    "nfcorpus": ["doc_dump.txt"],
    "trec": [],
    "washington-post": ["*.jl"],
}
OPTIONS: dict[str, dict[str, Any]] = {"washington-post": {"field": "url"}, "cord19": {"dedupe": "cord_uid"}}


def able() -> list[str]:
    return [
        name
        for name in catalog.names()
        if any(
            field.name == "without_documents" for field in msgspec.structs.fields(catalog.get(name).Options)
        )
    ]


def test_every_format_that_can_is_tried_here() -> None:
    assert able() == sorted(CORPUS)


@pytest.mark.parametrize("name", sorted({*CORPUS} - {"trec"}))
def test_where_documents_are_missing_the_way_without_them_is_told_and_works(
    name: str, tmp_path: Path
) -> None:
    raw = tmp_path / "raw"
    shutil.copytree(FIXTURES / name / "raw", raw)
    lost = [path for pattern in CORPUS[name] for path in raw.rglob(pattern) if "topics" not in path.name]
    assert lost
    for path in lost:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    given = FIXTURES / name / "options.json"
    options = msgspec.json.decode(given.read_bytes()) if given.exists() else {}
    options |= OPTIONS.get(name, {})
    with pytest.raises(DataError, match="for queries and judgments alone: --set without_documents=true"):
        list(catalog.convert(name, raw, options).documents())
    collection = catalog.convert(name, raw, {**options, "without_documents": True})
    assert list(collection.documents()) == []
    assert list(collection.queries())
    assert any(list(collection.judgments(split)) for split in collection.splits)


@pytest.mark.parametrize(("name", "options"), [("washington-post", {}), ("cord19", {"dedupe": "title"})])
def test_what_needs_the_documents_is_refused_without_them(name: str, options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="without_documents leaves them out"):
        catalog.convert(name, FIXTURES / name / "raw", {**options, "without_documents": True})


def test_queries_of_the_release_without_titles_name_the_filtered_ones(tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    shutil.copytree(FIXTURES / "nfcorpus" / "raw", raw)
    for path in raw.rglob("nfdump.txt"):
        path.unlink()
    (raw / "dev.titles.queries").touch()
    with pytest.raises(DataError, match="--set titles=filtered"):
        catalog.convert("nfcorpus", raw, {"titles": "original"})
