"""One file on the disk: whole or not there, whoever writes, is killed or runs out of space."""

from __future__ import annotations

import logging
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, NoReturn

import pytest

from beirkit.corpora.errors import WriteError
from beirkit.fetching.checksums import Checksum
from beirkit.fetching.download import download
from beirkit.fetching.errors import OfflineError
from beirkit.fetching.place import RemoteFile
from beirkit.fetching.web import Client
from tests.beirkit.fetching import server as misbehave
from tests.beirkit.fetching.conftest import PATIENCE, Archive
from tests.beirkit.fetching.downloading import PATH, published, visible
from tests.beirkit.fetching.server import Content, Server


@pytest.mark.parametrize("pinned", [True, False])
@pytest.mark.parametrize("share", [0.0, 0.6, 0.99])
def test_a_truncated_file_under_the_final_name_is_found_out_and_fetched_again(
    server: Server,
    client: Client,
    archive: Archive,
    cache: Path,
    pinned: bool,
    share: float,
    caplog: pytest.LogCaptureFixture,
) -> None:
    file = published(server, archive, pinned=pinned)
    cache.mkdir(parents=True)
    (cache / "birds.zip").write_bytes(archive.data[: int(len(archive.data) * share)])
    with caplog.at_level(logging.WARNING, logger="beirkit"):
        assert download(file, cache, client).read_bytes() == archive.data
    assert "birds.zip: is not" in caplog.text
    assert "fetched again" in caplog.text


@pytest.mark.parametrize("pinned", [True, False])
def test_a_flipped_bit_in_what_was_whole_is_found_out(
    server: Server, client: Client, archive: Archive, cache: Path, pinned: bool
) -> None:
    file = published(server, archive, pinned=pinned)
    path = download(file, cache, client)
    damaged = bytearray(archive.data)
    damaged[5000] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(OfflineError, match="is not what"):
        download(file, cache, Client(PATIENCE, offline=True))
    assert path.read_bytes() == damaged  # offline nothing is thrown away either
    assert download(file, cache, client).read_bytes() == archive.data


def test_it_goes_by_a_temporary_name_until_it_is_whole(
    server: Server, client: Client, archive: Archive, cache: Path
) -> None:
    seen: list[list[str]] = []

    def watched(handler: misbehave.Handler, content: Content) -> None:
        handler.head(200, len(content.data), content)
        handler.wfile.write(content.data[:-1])
        seen.append(visible(cache))
        handler.wfile.write(content.data[-1:])

    server.next[PATH] = [watched]
    download(published(server, archive), cache, client)
    assert seen == [[]]
    assert visible(cache) == ["birds.zip"]


def test_offline_opens_no_socket(archive: Archive, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    file = RemoteFile("birds.zip", ("https://example.org/birds.zip",), None, Checksum("md5", archive.md5))
    offline = Client(PATIENCE, offline=True)
    with pytest.raises(OfflineError, match=r"birds\.zip: is not here, and offline nothing.*a copy of"):
        download(file, cache, offline)
    assert not cache.exists()
    cache.mkdir(parents=True)
    (cache / "birds.zip").write_bytes(archive.data)  # as the message says
    assert download(file, cache, offline).read_bytes() == archive.data


def test_a_full_disk_is_one_clear_message(
    server: Server, client: Client, archive: Archive, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(cache.parent.parent)
    monkeypatch.setattr("shutil.disk_usage", lambda path: usage._replace(free=1000))
    with pytest.raises(
        WriteError, match=r"[\d,]+ bytes are to come and 1,000 are free on this disk.*BEIRKIT_HOME"
    ):
        download(published(server, archive), cache, client)
    assert visible(cache) == []


def test_a_write_that_the_system_refuses_keeps_what_came(
    server: Server, client: Client, archive: Archive, cache: Path
) -> None:
    file = published(server, archive)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    old = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    try:
        with pytest.raises(WriteError, match=r"birds\.zip: cannot be written: .*what came is kept"):
            download(file, cache, client)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, old)
    assert visible(cache) == []
    assert download(file, cache, client).read_bytes() == archive.data


_CHILD = """
import sys
from pathlib import Path
from beirkit.fetching.checksums import Checksum
from beirkit.fetching.download import download
from beirkit.fetching.place import RemoteFile
from beirkit.fetching.web import Client
address, md5, folder = sys.argv[1:]
known = Checksum("md5", md5) if md5 else None
download(RemoteFile("birds.zip", (address,), None, known), Path(folder), Client())
"""


def child(server: Server, archive: Archive, cache: Path, *, pinned: bool = True) -> subprocess.Popen[str]:
    """Another process that fetches the same file."""
    words = [server.url(PATH), archive.md5 if pinned else "", str(cache)]
    return subprocess.Popen([sys.executable, "-P", "-c", _CHILD, *words], stderr=subprocess.PIPE, text=True)


def until(condition: Any, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize("pinned", [True, False])
def test_a_killed_process_leaves_nothing_that_the_next_one_trusts(
    server: Server, client: Client, archive: Archive, cache: Path, pinned: bool
) -> None:
    freed = threading.Event()
    server.files[PATH] = Content(archive.data)
    server.next[PATH] = [misbehave.stall_after(30_000, freed)]
    process = child(server, archive, cache, pinned=pinned)
    part = cache / ".birds.zip.part"
    try:
        until(lambda: part.exists() and part.stat().st_size > 0)
        process.send_signal(signal.SIGKILL)
        process.wait()
    finally:
        freed.set()
    assert visible(cache) == []
    came = part.stat().st_size
    assert 0 < came <= 30_000
    assert download(published(server, archive, pinned=pinned), cache, client).read_bytes() == archive.data
    assert server.ranges() == ["", f"bytes={came}-"]


def test_a_second_process_waits_and_finds_the_file(
    server: Server, client: Client, archive: Archive, cache: Path
) -> None:
    freed = threading.Event()

    def slow(handler: misbehave.Handler, content: Content) -> None:
        handler.head(200, len(content.data), content)
        handler.wfile.write(content.data[:20_000])
        handler.wfile.flush()
        freed.wait(30)
        handler.wfile.write(content.data[20_000:])

    file = published(server, archive)
    server.next[PATH] = [slow]
    first = threading.Thread(target=download, args=(file, cache, client))
    first.start()
    try:
        until(lambda: server.asked)
        second = child(server, archive, cache)
        assert second.stderr is not None
        assert "another process is fetching it" in second.stderr.readline()
    finally:
        freed.set()
    first.join()
    assert second.wait() == 0
    second.stderr.close()
    assert len(server.asked) == 1
    assert visible(cache) == ["birds.zip"]
