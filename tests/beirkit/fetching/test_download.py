"""One file from a server that misbehaves: what lies on the disk afterwards, and what is said."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import logging
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import pytest

from beirkit.corpora.errors import WriteError
from beirkit.fetching.checksums import Checksum
from beirkit.fetching.download import download
from beirkit.fetching.errors import ChangedError, FetchError, OfflineError
from beirkit.fetching.place import RemoteFile
from beirkit.fetching.web import Client, _retry_after
from tests.beirkit.fetching import server as misbehave
from tests.beirkit.fetching.conftest import PATIENCE, Archive, make_archive
from tests.beirkit.fetching.server import Content, Server

PATH = "/data/birds.zip"


def published(server: Server, archive: Archive, *, pinned: bool = True) -> RemoteFile:
    """The archive, put on the server."""
    server.files.setdefault(PATH, Content(archive.data))
    known = Checksum("md5", archive.md5) if pinned else None
    return RemoteFile("birds.zip", (server.url(PATH),), len(archive.data) if pinned else None, known)


def visible(folder: Path) -> list[str]:
    """Names that nobody hides; what a person or a converter takes for data."""
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))


def leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if ".part" in path.name)


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


@pytest.mark.parametrize("pinned", [True, False])
def test_content_that_changes_between_two_requests_is_never_mixed(
    server: Server, client: Client, archive: Archive, cache: Path, pinned: bool
) -> None:
    other = make_archive("word")
    assert len(other.data) == len(archive.data)
    server.files[PATH] = Content(other.data)

    def drop_and_change(handler: misbehave.Handler, content: Content) -> None:
        misbehave.drop_after(20_000)(handler, content)
        server.files[PATH] = Content(archive.data, etag='"v2"')

    server.next[PATH] = [drop_and_change]
    assert download(published(server, archive, pinned=pinned), cache, client).read_bytes() == archive.data
    assert server.ranges() == ["", "bytes=20000-"]


def test_a_server_that_ignores_if_range_cannot_mix_contents_either(
    server: Server, client: Client, archive: Archive, cache: Path
) -> None:
    """The checksum tells, and the file is brought once more in one piece."""
    server.files[PATH] = Content(make_archive("word").data, etag="")

    def drop_and_change(handler: misbehave.Handler, content: Content) -> None:
        misbehave.drop_after(20_000)(handler, content)
        server.files[PATH] = Content(archive.data, etag='"v2"')

    server.next[PATH] = [drop_and_change, misbehave.ignoring_if_range]
    assert download(published(server, archive), cache, client).read_bytes() == archive.data
    assert server.ranges() == ["", "bytes=20000-", ""]


@pytest.mark.parametrize(
    "lie",
    [
        misbehave.announcing(1_000_000),
        misbehave.without_length(30_000),
        misbehave.chunked(10, whole=False),
    ],
    ids=["announces more", "ends early without a length", "lacks the last chunk"],
)
def test_less_than_announced_is_not_taken_for_whole(
    server: Server, client: Client, archive: Archive, cache: Path, lie: misbehave.Answer
) -> None:
    file = published(server, archive)
    server.next[PATH] = [lie] * 9
    with pytest.raises(FetchError, match=r"birds\.zip: (the connection|of the [\d,]+ bytes|what the server)"):
        download(file, cache, client)
    assert visible(cache) == []
    server.next[PATH] = [lie]
    assert download(file, cache, client).read_bytes() == archive.data


def test_a_length_that_is_too_short_cuts_the_file_and_is_found_out(
    server: Server, client: Client, archive: Archive, cache: Path
) -> None:
    server.always[PATH] = misbehave.announcing(30_000, sent=30_000)
    for pinned in (True, False):
        file = published(server, archive, pinned=pinned)
        with pytest.raises(FetchError, match=r"a damaged file.*truncated or damaged zip") as refusal:
            download(file, cache, client, changed=cache.parent)
        assert not isinstance(refusal.value, ChangedError)
        assert visible(cache) == []
        assert leftovers(cache) == []


@pytest.mark.parametrize(
    "answer", [misbehave.without_length(), misbehave.chunked(5000)], ids=["1.0", "chunks"]
)
def test_a_server_that_tells_no_length_is_believed_with_the_checksum(
    server: Server, client: Client, archive: Archive, cache: Path, answer: misbehave.Answer
) -> None:
    server.next[PATH] = [answer]
    assert download(published(server, archive), cache, client).read_bytes() == archive.data


@pytest.mark.parametrize("pinned", [True, False])
def test_an_html_page_called_a_success_is_no_archive(
    server: Server, client: Client, archive: Archive, cache: Path, pinned: bool
) -> None:
    file = published(server, archive, pinned=pinned)
    server.next[PATH] = [misbehave.page_as_file]
    with pytest.raises(FetchError) as refusal:
        download(file, cache, client)
    assert "the server sent an HTML page (503 Service Unavailable)" in str(refusal.value)
    assert server.url(PATH) in str(refusal.value)
    assert visible(cache) == leftovers(cache) == []
    assert len(server.asked) == 1  # a page does not become a zip by asking again
    assert download(file, cache, client).read_bytes() == archive.data


def test_a_page_where_the_rest_should_be_is_not_joined(
    server: Server, client: Client, archive: Archive, cache: Path
) -> None:
    file = published(server, archive)
    server.next[PATH] = [misbehave.drop_after(20_000), misbehave.page_as_file]
    with pytest.raises(FetchError, match="the server sent an HTML page"):
        download(file, cache, client)
    assert download(file, cache, client).read_bytes() == archive.data


@pytest.mark.parametrize(
    ("name", "body"), [("a.zip", b'{"error": "quota"}'), ("a.parquet", b"busy"), ("a.jsonl.gz", b"{}")]
)
def test_what_begins_otherwise_than_its_name_says_is_refused(
    server: Server, client: Client, cache: Path, name: str, body: bytes
) -> None:
    server.files["/x"] = Content(body)
    with pytest.raises(FetchError, match=re.escape(f"it begins with {body.decode()!r}")):
        download(RemoteFile(name, (server.url("/x"),)), cache, client)
    assert visible(cache) == []


def test_more_than_was_published_is_not_taken_to_its_end(
    server: Server, archive: Archive, client: Client, cache: Path
) -> None:
    """Whoever tells no length could send for ever."""
    sent = [0]

    def endless(handler: misbehave.Handler, content: Content) -> None:
        handler.head(200, None, content, Connection="close")
        while sent[0] < 2000 * len(content.data):
            handler.wfile.write(content.data)
            sent[0] += len(content.data)
        handler.close_connection = True

    server.always[PATH] = endless
    with pytest.raises(FetchError, match=f"more than the {len(archive.data):,} bytes that were published"):
        download(published(server, archive), cache, client)
    assert sent[0] < 1000 * len(archive.data)
    assert visible(cache) == leftovers(cache) == []


def test_a_zip_that_no_conversion_reads_is_not_kept(server: Server, client: Client, cache: Path) -> None:
    archive = make_archive()
    doubled = Archive(archive.data * 2)  # a zip for Python, which looks from the end
    assert zipfile.is_zipfile(io.BytesIO(doubled.data))
    with pytest.raises(FetchError, match="it holds more than its list of members tells"):
        download(published(server, doubled, pinned=False), cache, client)
    assert visible(cache) == leftovers(cache) == []


def test_an_empty_answer_is_no_file(server: Server, client: Client, cache: Path) -> None:
    server.files["/x"] = Content(b"")
    with pytest.raises(FetchError, match="the server sent nothing at all"):
        download(RemoteFile("queries.tsv", (server.url("/x"),)), cache, client)


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


def test_changed_content_is_refused_with_both_hashes_and_kept_apart(
    server: Server, client: Client, archive: Archive, cache: Path
) -> None:
    new = make_archive("words")
    server.files[PATH] = Content(new.data)
    with pytest.raises(ChangedError) as refusal:
        download(published(server, archive), cache, client, changed=cache.parent)
    message = str(refusal.value)
    assert f"md5:{archive.md5}" in message
    assert f"md5:{new.md5}" in message
    assert f"--accept-changed {new.md5}" in message
    assert visible(cache) == leftovers(cache) == []
    assert (cache.parent / new.md5 / "birds.zip").read_bytes() == new.data


def test_the_published_content_on_a_mirror_is_right_though_the_first_server_changed(
    server: Server, client: Client, archive: Archive, cache: Path
) -> None:
    server.files[PATH] = Content(make_archive("words").data)
    server.files["/mirror"] = Content(archive.data)
    file = replace(published(server, archive), addresses=(server.url(PATH), server.url("/mirror")))
    assert download(file, cache, client, changed=cache.parent).read_bytes() == archive.data


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


@pytest.mark.parametrize(
    ("answer", "told"),
    [(misbehave.without_length(), True), (misbehave.chunked(10), False)],
    ids=["1.0", "chunks"],
)
def test_an_end_that_nothing_vouches_for_is_told(
    server: Server,
    client: Client,
    cache: Path,
    caplog: pytest.LogCaptureFixture,
    answer: misbehave.Answer,
    told: bool,
) -> None:
    server.files["/queries.tsv"] = Content(b"q1\tkestrel\n" * 100)
    server.next["/queries.tsv"] = [answer]
    with caplog.at_level(logging.WARNING, logger="beirkit"):
        path = download(RemoteFile("queries.tsv", (server.url("/queries.tsv"),)), cache, client)
    assert path.read_bytes() == server.files["/queries.tsv"].data
    assert ("a cut file would not be noticed" in caplog.text) is told


@pytest.mark.parametrize("name", ["x.tar.gz", "x.jsonl.bz2", "x.tgz"])
def test_compressed_files_are_read_to_their_end(
    server: Server, client: Client, cache: Path, name: str
) -> None:
    """Where no checksum is published, a cut that the server does not admit is found so."""
    data = b"".join(hashlib.sha256(b"%d" % number).digest() for number in range(2000))
    packed = bz2.compress(data) if name.endswith("bz2") else gzip.compress(data)
    file = RemoteFile(name, (server.url("/x"),))
    server.files["/x"] = Content(packed[:-100])
    with pytest.raises(FetchError, match="a damaged file: truncated"):
        download(file, cache, client)
    assert visible(cache) == []
    server.files["/x"] = Content(packed)
    assert download(file, cache, client).read_bytes() == packed


def test_a_date_to_wait_until_is_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("beirkit.fetching.web.time", lambda: 1_790_000_000.0)
    assert _retry_after("Mon, 21 Sep 2026 14:13:30 GMT") == 10.0
    assert _retry_after("Mon, 21 Sep 2026 14:00:00 GMT") == 0.0
    assert _retry_after("86400") == 120.0
    assert _retry_after("soon") == _retry_after("") == 0.0


def test_git_names_a_file_by_its_size_and_bytes(tmp_path: Path) -> None:
    from beirkit.fetching.checksums import checksum

    path = tmp_path / "x"
    path.write_bytes(b"hello\n")
    assert str(checksum(path, "git")) == "git:ce013625030ba8dba906f756967f9e9ca394464a"
    assert checksum(path, "sha256").digest == hashlib.sha256(b"hello\n").hexdigest()


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
