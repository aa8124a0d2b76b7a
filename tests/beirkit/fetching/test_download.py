"""One file from a server that drops, stalls or refuses: how it is asked again, and when it is left."""

from __future__ import annotations

import logging
import shutil
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from beirkit.fetching.download import download
from beirkit.fetching.errors import FetchError
from beirkit.fetching.web import Client, _retry_after
from tests.beirkit.fetching import server as misbehave
from tests.beirkit.fetching.conftest import PATIENCE, Archive
from tests.beirkit.fetching.downloading import PATH, leftovers, published, visible
from tests.beirkit.fetching.server import Content, Server


@pytest.mark.parametrize("pinned", [True, False])
def test_a_file_comes_once_and_is_found_again(
    server: Server, client: Client, archive: Archive, cache: Path, pinned: bool
) -> None:
    file = published(server, archive, pinned=pinned)
    path = download(file, cache, client)
    assert path == cache / "birds.zip"
    assert path.read_bytes() == archive.data
    assert visible(cache) == ["birds.zip"]
    assert leftovers(cache) == []
    assert download(file, cache, client) == path
    assert len(server.asked) == 1


@pytest.mark.parametrize("pinned", [True, False])
def test_a_dropped_connection_goes_on_where_it_stopped(
    server: Server, client: Client, archive: Archive, cache: Path, pinned: bool
) -> None:
    file = published(server, archive, pinned=pinned)
    server.next[PATH] = [misbehave.drop_after(20_000), misbehave.reset, misbehave.drop_after(10_000)]
    assert download(file, cache, client).read_bytes() == archive.data
    assert server.ranges() == ["", "bytes=20000-", "bytes=20000-", "bytes=30000-"]
    assert all(one.headers["If-Range"] == '"v1"' for one in server.asked[1:])


def test_tries_that_bring_something_do_not_count(
    server: Server, client: Client, archive: Archive, cache: Path
) -> None:
    file = published(server, archive)
    server.next[PATH] = [misbehave.drop_after(5_000)] * 8
    assert client.patience.attempts == 3
    assert download(file, cache, client).read_bytes() == archive.data


def test_a_server_that_gives_nothing_more_is_left_and_what_came_is_kept(
    server: Server, client: Client, archive: Archive, cache: Path
) -> None:
    file = published(server, archive)
    server.next[PATH] = [misbehave.drop_after(20_000), *[misbehave.drop_after(0)] * 3]
    with pytest.raises(FetchError, match=r"the connection broke.*goes on from there"):
        download(file, cache, client)
    assert visible(cache) == []
    assert download(file, cache, client).read_bytes() == archive.data
    assert server.ranges()[-1] == "bytes=20000-"


@pytest.mark.parametrize("pinned", [True, False])
def test_a_server_without_ranges_sends_it_all_again(
    server: Server, client: Client, archive: Archive, cache: Path, pinned: bool
) -> None:
    file = published(server, archive, pinned=pinned)
    server.next[PATH] = [misbehave.drop_after(20_000), misbehave.ignoring_ranges]
    assert download(file, cache, client).read_bytes() == archive.data
    assert server.ranges() == ["", "bytes=20000-"]


def test_without_a_validator_a_part_is_only_joined_where_a_checksum_judges(
    server: Server, client: Client, archive: Archive, cache: Path
) -> None:
    server.files[PATH] = Content(archive.data, etag="")
    server.next[PATH] = [misbehave.drop_after(20_000)]
    assert download(published(server, archive, pinned=False), cache, client).read_bytes() == archive.data
    assert server.ranges() == ["", ""]
    server.asked.clear()
    server.next[PATH] = [misbehave.drop_after(20_000)]
    assert download(published(server, archive), cache / "b", client).read_bytes() == archive.data
    assert server.ranges() == ["", "bytes=20000-"]


def test_a_date_is_a_validator_and_a_weak_tag_is_none(
    server: Server, client: Client, archive: Archive, cache: Path
) -> None:
    server.files[PATH] = Content(archive.data, etag='W/"v1"', modified="Mon, 05 Oct 2026 10:00:00 GMT")
    server.next[PATH] = [misbehave.drop_after(20_000)]
    assert download(published(server, archive), cache, client).read_bytes() == archive.data
    assert server.asked[1].headers["If-Range"] == "Mon, 05 Oct 2026 10:00:00 GMT"


def test_a_busy_server_is_asked_again_and_its_wish_to_wait_is_granted(
    server: Server, client: Client, archive: Archive, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    monkeypatch.setattr("beirkit.fetching.web.sleep", waited.append)
    file = published(server, archive)
    server.next[PATH] = [misbehave.status(503, Retry_After="7"), misbehave.status(429)]
    assert download(file, cache, client).read_bytes() == archive.data
    assert waited == [7.0, 0.0]


def test_pauses_grow(server: Server, archive: Archive, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    monkeypatch.setattr("beirkit.fetching.web.sleep", waited.append)
    server.always[PATH] = misbehave.status(502)
    client = Client(replace(PATIENCE, attempts=5, pause=1.0, longest=3.0))
    with pytest.raises(FetchError, match="the server answers 502"):
        download(published(server, archive), cache, client)
    assert waited == [1.0, 2.0, 3.0, 3.0]


@pytest.mark.parametrize(("code", "words"), [(404, "has no such file"), (403, "refuses"), (410, "no more")])
def test_a_refusal_for_good_is_not_asked_again(
    server: Server, client: Client, archive: Archive, cache: Path, code: int, words: str
) -> None:
    server.always[PATH] = misbehave.status(code)
    with pytest.raises(FetchError, match=f"answers {code} .*{words}"):
        download(published(server, archive), cache, client)
    assert len(server.asked) == 1


def test_a_server_that_stops_talking_is_left(server: Server, archive: Archive, cache: Path) -> None:
    freed = threading.Event()
    server.next[PATH] = [misbehave.stall_after(20_000, freed)]
    try:
        client = Client(replace(PATIENCE, read=0.2))
        assert download(published(server, archive), cache, client).read_bytes() == archive.data
    finally:
        freed.set()
    assert server.ranges() == ["", "bytes=20000-"]


def test_mirrors_are_tried_in_their_order(
    server: Server, client: Client, archive: Archive, cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = published(server, archive)
    server.files["/third"] = Content(archive.data)
    server.always[PATH] = misbehave.status(404)
    server.always["/second"] = misbehave.page_as_file
    addresses = (server.url(PATH), server.url("/second"), server.url("/third"))
    with caplog.at_level(logging.WARNING, logger="beirkit"):
        assert download(replace(file, addresses=addresses), cache, client).read_bytes() == archive.data
    assert [one.path for one in server.asked] == [PATH, "/second", "/third"]
    assert "has no such file; going on with" in caplog.text
    shutil.rmtree(cache)
    del server.files["/third"]
    with pytest.raises(FetchError) as refusal:
        download(replace(file, addresses=addresses), cache, client)
    assert all(address in str(refusal.value) for address in addresses)


def test_a_mirror_goes_on_where_the_first_server_died(
    server: Server, client: Client, archive: Archive, cache: Path
) -> None:
    file = published(server, archive)
    server.files["/mirror"] = Content(archive.data, etag='"other"')
    server.next[PATH] = [misbehave.drop_after(20_000)]
    server.always[PATH] = misbehave.reset
    addresses = (server.url(PATH), server.url("/mirror"))
    assert download(replace(file, addresses=addresses), cache, client).read_bytes() == archive.data
    assert (server.asked[-1].path, server.ranges()[-1]) == ("/mirror", "bytes=20000-")
    assert "If-Range" not in server.asked[-1].headers


def test_a_date_to_wait_until_is_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("beirkit.fetching.web.time", lambda: 1_790_000_000.0)
    assert _retry_after("Mon, 21 Sep 2026 14:13:30 GMT") == 10.0
    assert _retry_after("Mon, 21 Sep 2026 14:00:00 GMT") == 0.0
    assert _retry_after("86400") == 120.0
    assert _retry_after("soon") == _retry_after("") == 0.0


def test_progress_counts_bytes_and_begins_where_it_went_on(
    server: Server, client: Client, archive: Archive, cache: Path
) -> None:
    from contextlib import contextmanager

    shown: list[tuple[str, int | None, str, list[int]]] = []

    @contextmanager
    def progress(label: str, total: int | None, unit: str) -> Any:
        steps: list[int] = []
        shown.append((label, total, unit, steps))
        yield lambda done=1: steps.append(done)

    server.next[PATH] = [misbehave.drop_after(20_000)]
    download(published(server, archive), cache, client, progress=progress)
    size = len(archive.data)
    assert [entry[:3] for entry in shown] == [("fetching birds.zip", size, "B")] * 2
    assert [sum(entry[3]) for entry in shown] == [20_000, size]
    assert shown[1][3][0] == 20_000
