"""A dataset of one's own with published forms, for tests that fetch it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from beirkit.fetching.fetch import fetch
from tests.beirkit.fetching.conftest import PATIENCE, Archive
from tests.beirkit.fetching.server import Content, Server

FACTS: dict[str, Any] = {
    "name": "birds",
    "title": "Birds",
    "format": "table",
    "options": {"question": "question", "positive": "answer"},
    "task": "question answering",
    "domain": "birds",
    "language": "en",
    "family": "birds",
    "licence": "CC0, as its owner says",
    "citation": "A. Wren. Birds. 2026.",
    "expected": {"documents": 400, "queries": 1, "judgments": {"test": {1: 1}}},
}
TABLE = b"question,answer\nWhat hovers?,The kestrel.\nWhat hunts at night?,The owl.\n"
CORPUS = b'{"_id": "d1", "title": "", "text": "kestrel"}\n{"_id": "d2", "title": "", "text": "owl"}\n'
QUERIES = b'{"_id": "q1", "text": "what hovers"}\n'
TEST = b"query-id\tcorpus-id\tscore\nq1\td1\t1\n"


def write_facts(folder: Path, *published: dict[str, Any], **more: Any) -> str:
    """The YAML of a dataset of one's own, with what is published of it."""
    path = folder / "birds.yaml"
    path.write_text(yaml.safe_dump({**FACTS, "published": list(published), **more}), encoding="utf-8")
    return str(path)


def beir_form(server: Server, archive: Archive, **more: Any) -> dict[str, Any]:
    server.files.setdefault("/birds.zip", Content(archive.data))
    pinned = {"md5": archive.md5, "bytes": len(archive.data)}
    return {"kind": "beir", "url": server.url("/birds.zip"), **pinned, **more}


def get(name: str, **more: Any) -> Path:
    return fetch(name, patience=PATIENCE, **more).folder
