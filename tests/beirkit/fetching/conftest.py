"""A server that can misbehave, and a published benchmark."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from beirkit.fetching.web import Client, Patience
from tests.beirkit.fetching.server import Server, running

PATIENCE = Patience(connect=5, read=5, attempts=3, pause=0)


@dataclass(frozen=True)
class Archive:
    """A zip of a BEIR folder, large enough to be cut anywhere."""

    data: bytes

    @property
    def md5(self) -> str:
        return hashlib.md5(self.data, usedforsecurity=False).hexdigest()


def make_archive(word: str = "text") -> Archive:
    rows = [{"_id": f"d{i}", "title": "", "text": f"{word} {hashlib.sha256(b'%d' % i)}"} for i in range(400)]
    files = {
        "birds/corpus.jsonl": "".join(json.dumps(row) + "\n" for row in rows),
        "birds/queries.jsonl": '{"_id": "q1", "text": "which text"}\n',
        "birds/qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\n",
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name), text)
    return Archive(buffer.getvalue())


@pytest.fixture(autouse=True)
def direct(monkeypatch: pytest.MonkeyPatch) -> None:
    """No proxy, hub or wish to be offline from the environment of whoever runs the tests."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    for name in ("BEIRKIT_OFFLINE", "HF_HUB_OFFLINE", "HF_ENDPOINT", "HF_TOKEN"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server() -> Iterator[Server]:
    with running() as one:
        yield one


@pytest.fixture
def client() -> Client:
    return Client(PATIENCE)


@pytest.fixture
def archive() -> Archive:
    return make_archive()


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """Where one version of one file is kept."""
    return tmp_path / "cache" / "version"
