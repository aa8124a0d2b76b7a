"""One file of which the server sends other bytes than were published: found out, told and not kept."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import logging
import re
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from beirkit.fetching.download import download
from beirkit.fetching.errors import ChangedError, FetchError
from beirkit.fetching.place import RemoteFile
from beirkit.fetching.web import Client
from tests.beirkit.fetching import server as misbehave
from tests.beirkit.fetching.conftest import Archive, make_archive
from tests.beirkit.fetching.downloading import PATH, leftovers, published, visible
from tests.beirkit.fetching.server import Content, Server


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


def test_git_names_a_file_by_its_size_and_bytes(tmp_path: Path) -> None:
    from beirkit.fetching.checksums import checksum

    path = tmp_path / "x"
    path.write_bytes(b"hello\n")
    assert str(checksum(path, "git")) == "git:ce013625030ba8dba906f756967f9e9ca394464a"
    assert checksum(path, "sha256").digest == hashlib.sha256(b"hello\n").hexdigest()
