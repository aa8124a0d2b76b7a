"""Reading to the end or refusing; writing whole or not at all."""

from __future__ import annotations

import errno
import gzip
import hashlib
import os
import resource
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from beirkit.corpora.errors import DataError, WriteError
from beirkit.corpora.files import atomic_open, byte_lines, lines, open_bytes, sha256_file


def test_text_is_written_as_utf8_with_lf(tmp_path: Path) -> None:
    with atomic_open(tmp_path / "deep" / "a.txt") as out:
        out.write("één\nzwei\n")
    assert (tmp_path / "deep" / "a.txt").read_bytes() == "één\nzwei\n".encode()
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["a.txt"]


def test_gzip_has_no_time_stamp_and_no_name(tmp_path: Path) -> None:
    for name in ("a.gz", "b.gz"):
        with atomic_open(tmp_path / name, "wb") as out:
            out.write(b"the same content")
    first, second = (tmp_path / "a.gz").read_bytes(), (tmp_path / "b.gz").read_bytes()
    assert first == second
    assert first[3:8] == b"\0\0\0\0\0"  # no file name flag, time 0
    assert gzip.decompress(first) == b"the same content"


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
@pytest.mark.parametrize("error", [RuntimeError("in the middle"), KeyboardInterrupt()])
def test_an_error_leaves_the_old_file_and_no_rest(tmp_path: Path, name: str, error: BaseException) -> None:
    target = tmp_path / name
    target.write_bytes(b"old")

    def write() -> None:
        with atomic_open(target) as out:
            out.write("new")
            raise error

    with pytest.raises(type(error)):
        write()
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_nothing_stands_under_the_name_before_the_end(tmp_path: Path) -> None:
    with atomic_open(tmp_path / "a.txt") as out:
        out.write("x")
        assert not (tmp_path / "a.txt").exists()
    assert (tmp_path / "a.txt").read_text() == "x"


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_a_file_size_limit_gives_one_error_that_names_the_file(tmp_path: Path, suffix: str) -> None:
    target = tmp_path / f"big{suffix}"
    code = (
        "import os, sys\n"
        "from beirkit.corpora.files import atomic_open\n"
        "from beirkit.corpora.errors import WriteError\n"
        "try:\n"
        "    with atomic_open(sys.argv[1], 'wb') as out:\n"
        "        for _ in range(64): out.write(os.urandom(1 << 16))\n"
        "except WriteError as error:\n"
        "    print(error)\n"
    )

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

    done = subprocess.run(
        [sys.executable, "-P", "-c", code, str(target)],
        preexec_fn=limit, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.startswith(f"{target}: cannot be written: {os.strerror(errno.EFBIG)}")
    assert done.stderr == ""
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_a_write_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WriteError, match="cannot be written"), atomic_open(tmp_path / "file" / "a.txt"):
        pass


def test_a_device_stays_a_device() -> None:
    with atomic_open("/dev/null") as out:
        out.write("gone")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


@pytest.mark.parametrize("name", ["pipe", "pipe.gz"])
def test_a_pipe_is_written_through_and_stays(tmp_path: Path, name: str) -> None:
    pipe = tmp_path / name
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    with atomic_open(pipe) as out:
        out.write("through")
    reader.join(10)
    assert (gzip.decompress(read[0]) if name.endswith(".gz") else read[0]) == b"through"
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]


def test_a_link_stays_and_its_file_is_replaced(tmp_path: Path) -> None:
    file, link, dangling = tmp_path / "deep" / "a.txt", tmp_path / "link", tmp_path / "dangling"
    file.parent.mkdir()
    file.write_text("old")
    link.symlink_to("deep/a.txt")
    dangling.symlink_to("deep/b.txt")
    for path in (link, dangling):
        with atomic_open(path) as out:
            out.write("new")
            assert file.read_text() == ("old" if path == link else "new")
        assert path.is_symlink()
    assert file.read_text() == (tmp_path / "deep" / "b.txt").read_text() == "new"
    assert sorted(path.name for path in file.parent.iterdir()) == ["a.txt", "b.txt"]


def test_a_folder_and_a_link_to_itself_are_write_errors(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    for name, found in (("", "is a folder, not a file"), ("loop", "its link leads to itself")):
        with pytest.raises(WriteError, match=found), atomic_open(tmp_path / name):
            pass
    assert [path.name for path in tmp_path.iterdir()] == ["loop"]


def test_errors_of_other_files_in_the_body_stay_what_they_are(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), atomic_open(tmp_path / "a.txt"):
        (tmp_path / "missing").read_bytes()


def test_gzip_is_recognised_by_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "named.gz").write_bytes(gzip.compress(b"one\ntwo"))
    (tmp_path / "unnamed").write_bytes(gzip.compress(b"one\n") + gzip.compress(b"two"))  # two members
    for name in ("named.gz", "unnamed"):
        with open_bytes(tmp_path / name) as stream:
            assert stream.read() == b"one\ntwo"


@pytest.mark.parametrize("cut", [1, 8, 12, 40])
def test_a_truncated_gzip_is_refused(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "cut.gz"
    path.write_bytes(gzip.compress(os.urandom(1000))[:-cut])
    with pytest.raises(DataError, match=r"cut\.gz: truncated gzip"), open_bytes(path) as stream:
        stream.read()


def test_an_empty_gzip_is_truncated_and_a_damaged_one_told(tmp_path: Path) -> None:
    (tmp_path / "empty.gz").write_bytes(b"")
    with pytest.raises(DataError, match="truncated gzip: the file is empty"):
        open_bytes(tmp_path / "empty.gz")
    (tmp_path / "page.gz").write_bytes(b"<html>not found</html>")
    with pytest.raises(DataError, match="is not gzip, although its name says so"):
        open_bytes(tmp_path / "page.gz")
    data = bytearray(gzip.compress(b"some text " * 100))
    data[-6] ^= 0xFF  # the checksum
    (tmp_path / "bad.gz").write_bytes(data)
    with pytest.raises(DataError, match="damaged gzip"), open_bytes(tmp_path / "bad.gz") as stream:
        stream.read()


def test_what_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="none: does not exist"):
        open_bytes(tmp_path / "none")
    with pytest.raises(DataError, match="cannot be read: Is a directory"):
        open_bytes(tmp_path)


def test_lines_end_at_lf_only(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("\ufeffone\u2028still\x85one\x0b\r\n\ntwo\r\r\nlast".encode())
    assert list(lines(path)) == [(1, "one\u2028still\x85one\x0b"), (2, ""), (3, "two\r"), (4, "last")]
    assert [number for number, _ in byte_lines(path)] == [1, 2, 3, 4]


def test_lines_that_are_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"fine\nna\xefve\n")
    with pytest.raises(DataError, match=r"a\.txt:2: is not UTF-8 at byte 3"):
        list(lines(path))
    for encoding in ("utf-16", "utf-16-le", "utf-16-be"):  # with and without a byte-order mark
        path.write_bytes("text\n".encode(encoding))
        with pytest.raises(DataError, match=r"a\.txt:1: is UTF-16"):
            list(lines(path))


def test_sha256_is_of_the_bytes_on_disk(tmp_path: Path) -> None:
    data = gzip.compress(b"content")
    (tmp_path / "a.gz").write_bytes(data)
    assert sha256_file(tmp_path / "a.gz") == hashlib.sha256(data).hexdigest()
    with pytest.raises(DataError, match="cannot be read"):
        sha256_file(tmp_path / "none")
