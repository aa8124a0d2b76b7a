"""Repositories of the hub: what is asked for, what is sent to whom, what lies on the disk."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from beirkit.corpora.errors import UsageError
from beirkit.fetching import hub
from beirkit.fetching.download import download
from beirkit.fetching.errors import FetchError, OfflineError
from beirkit.fetching.web import Client
from tests.beirkit.fetching import server as misbehave
from tests.beirkit.fetching.conftest import PATIENCE
from tests.beirkit.fetching.server import Content, Server, running

COMMIT = "0123456789abcdef0123456789abcdef01234567"
REPOSITORY = "owner/birds"
CORPUS = b'{"_id": "d1", "text": "kestrel"}\n' * 500
FILES = {
    "README.md": b"---\nlicense: cc0-1.0\n---\n",
    "corpus.jsonl": CORPUS,
    "qrels/test.tsv": b"query-id\tcorpus-id\tscore\nq1\td1\t1\n",
}
OTHERS = [".gitattributes", "birds.py", "logo.png", ".github/data.json"]


def entries(files: dict[str, bytes], *others: str) -> list[dict[str, Any]]:
    """What the hub lists: large files by their SHA-256, the others by git's name of them."""
    listed: list[dict[str, Any]] = [{"type": "directory", "oid": "0" * 40, "size": 0, "path": "qrels"}]
    for path, data in files.items():
        git = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
        entry: dict[str, Any] = {"type": "file", "oid": git, "size": len(data), "path": path}
        if path == "corpus.jsonl":
            entry["lfs"] = {"oid": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 130}
        listed.append(entry)
    return listed + [{"type": "file", "oid": "0" * 40, "size": 7, "path": path} for path in others]


def put_repository(
    server: Server, files: dict[str, bytes] = FILES, *, repository: str = REPOSITORY, commit: str = COMMIT
) -> None:
    """The repository as the hub serves it."""
    api = f"/api/datasets/{repository}"
    listed = json.dumps(entries(files, *OTHERS)).encode()
    server.files[f"{api}/tree/{commit}"] = Content(listed, etag="")
    server.files[f"{api}/revision/main"] = Content(json.dumps({"id": repository, "sha": commit}).encode())
    for path, data in files.items():
        server.files[f"/datasets/{repository}/resolve/{commit}/{path}"] = Content(data)


@pytest.fixture
def at_home(server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    """The hub is the server of this machine."""
    monkeypatch.setenv("HF_ENDPOINT", server.address + "/")
    put_repository(server)
    return server


@pytest.fixture
def elsewhere() -> Iterator[Server]:
    """Another server, as an object store is."""
    with running() as one:
        yield one


def bring(client: Client, folder: Path) -> list[str]:
    found = hub.listing(client, REPOSITORY, COMMIT, folder)
    for file in hub.remote_files(found, REPOSITORY, COMMIT):
        download(file, folder, client)
    return [one.path for one in found]


def test_only_data_and_the_card_are_brought_as_they_lie(at_home: Server, client: Client, cache: Path) -> None:
    assert bring(client, cache) == sorted(FILES)
    for path, data in FILES.items():
        assert (cache / path).read_bytes() == data


def test_a_list_is_asked_for_once_and_serves_offline(at_home: Server, client: Client, cache: Path) -> None:
    bring(client, cache)
    asked = len(at_home.asked)
    assert bring(client, cache) == bring(Client(PATIENCE, offline=True), cache) == sorted(FILES)
    assert len(at_home.asked) == asked
    with pytest.raises(OfflineError, match=f"datasets/{REPOSITORY}/tree/{COMMIT}: not here"):
        hub.listing(Client(PATIENCE, offline=True), REPOSITORY, COMMIT, cache / "other")


@pytest.mark.parametrize("path", ["README.md", "corpus.jsonl"])
def test_a_file_that_is_not_what_the_commit_holds_is_refused(
    at_home: Server, client: Client, cache: Path, path: str
) -> None:
    data = bytearray(FILES[path])
    data[-2] ^= 1
    at_home.files[f"/datasets/{REPOSITORY}/resolve/{COMMIT}/{path}"] = Content(bytes(data))
    with pytest.raises(FetchError, match=f"resolve/{COMMIT}/{path}: the server sent other content"):
        bring(client, cache)
    assert not (cache / path).exists()


def test_lists_come_in_pages(at_home: Server, client: Client, cache: Path) -> None:
    address = f"/api/datasets/{REPOSITORY}/tree/{COMMIT}"
    all_of_them = entries(FILES)
    pages = [all_of_them[:2], all_of_them[2:]]
    link = f'<{at_home.url(address)}?recursive=true&cursor=abc>; rel="next"'
    answers = [
        misbehave.status(200, json.dumps(pages[0]).encode(), Link=link),
        misbehave.status(200, json.dumps(pages[1]).encode()),
    ]
    at_home.next[address] = answers
    assert [one.path for one in hub.listing(client, REPOSITORY, COMMIT, cache)] == sorted(FILES)
    assert [one.path.partition("?")[2] for one in at_home.asked] == [
        "recursive=true",
        "recursive=true&cursor=abc",
    ]


def test_a_list_without_end_is_left(
    at_home: Server, client: Client, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "_MOST_PAGES", 3)
    address = f"/api/datasets/{REPOSITORY}/tree/{COMMIT}"
    link = f'<{at_home.url(address)}>; rel="next"'
    at_home.always[address] = misbehave.status(200, json.dumps(entries(FILES)).encode(), Link=link)
    with pytest.raises(FetchError, match="its list of files does not end"):
        hub.listing(client, REPOSITORY, COMMIT, cache)
    assert len(at_home.asked) == 3
    assert not cache.exists()


@pytest.mark.parametrize("path", ["../x.jsonl", "/etc/x.jsonl", "a/../../x.jsonl", "a\\..\\x.jsonl"])
def test_a_list_that_leads_out_of_the_folder_is_refused(
    at_home: Server, client: Client, cache: Path, path: str
) -> None:
    put_repository(at_home, {**FILES, path: b"x"})
    with pytest.raises(FetchError, match="would be written elsewhere"):
        bring(client, cache)


def test_a_repository_without_data_is_told(at_home: Server, client: Client, cache: Path) -> None:
    put_repository(at_home, {"README.md": b"soon"})
    with pytest.raises(FetchError, match="holds no data files"):
        bring(client, cache)


def test_what_is_no_hub_is_told(at_home: Server, client: Client, cache: Path) -> None:
    at_home.always[f"/api/datasets/{REPOSITORY}/tree/{COMMIT}"] = misbehave.page_as_file
    with pytest.raises(FetchError, match=r"answers otherwise than the hub does \(HF_ENDPOINT"):
        bring(client, cache)


def test_the_token_goes_to_the_hub_and_to_nobody_else(
    at_home: Server,
    elsewhere: Server,
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    elsewhere.files["/blob"] = Content(CORPUS)
    where = f"/datasets/{REPOSITORY}/resolve/{COMMIT}/corpus.jsonl"
    signed = elsewhere.url("/blob?signature=hf_signed")
    at_home.always[where] = misbehave.redirect(signed)
    elsewhere.next["/blob"] = [misbehave.drop_after(1000), misbehave.status(500)]
    with caplog.at_level(logging.DEBUG, logger="beirkit"):
        bring(Client(PATIENCE, tokens=hub.tokens()), cache)
    assert {one.headers.get("Authorization") for one in at_home.asked} == {"Bearer hf_secret"}
    assert len(elsewhere.asked) == 3
    assert [one.headers.get("Range") for one in elsewhere.asked] == [None, "bytes=1000-", "bytes=1000-"]
    assert not any("Authorization" in one.headers for one in elsewhere.asked)
    assert "hf_s" not in caplog.text
    kept = b"".join(path.read_bytes() for path in cache.rglob("*") if path.is_file())
    assert b"hf_s" not in kept


def test_without_a_token_none_is_sent(at_home: Server, cache: Path) -> None:
    bring(Client(PATIENCE, tokens=hub.tokens()), cache)
    assert not any("Authorization" in one.headers for one in at_home.asked)


def test_the_newest_commit_is_asked_for_and_remembered_for_offline(
    at_home: Server, client: Client, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    offline = Client(PATIENCE, offline=True)
    kept = tmp_path / "newest.json"
    with pytest.raises(OfflineError, match="cannot be asked while offline"):
        hub.newest(offline, REPOSITORY, kept)
    assert hub.newest(client, REPOSITORY, kept) == COMMIT
    with caplog.at_level(logging.WARNING, logger="beirkit"):
        assert hub.newest(offline, REPOSITORY, kept) == COMMIT
    assert "was its newest when it was last asked" in caplog.text


@pytest.mark.parametrize("revision", ["main", "0123456", "v1.0", COMMIT.upper()])
def test_a_revision_that_may_move_is_refused(revision: str) -> None:
    with pytest.raises(UsageError, match="is no full commit"):
        hub.require_commit(revision, REPOSITORY)


def test_a_missing_repository_is_told(at_home: Server, client: Client, cache: Path) -> None:
    with pytest.raises(FetchError, match=r"owner/none/tree/.*: the server answers 404"):
        hub.listing(client, "owner/none", COMMIT, cache)
