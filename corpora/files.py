"""Files that are read to their end or refused, and written whole or not at all."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Literal, TextIO, cast, overload

from beirkit.corpora.compressed import reading_through, zstd_writer
from beirkit.corpora.errors import BeirkitError, DataError, WriteError

_BUFFER = 1 << 20
_PART = 1 << 16
_HASHED = 1 << 23  # bytes at a time: a thread that hashes waits milliseconds for its turn between two parts
_LEVEL = 4  # of gzip: on a run of 1.8 M results half the time of level 6, 6 % larger
BOM = b"\xef\xbb\xbf"
LONE_CR = "its lines end with CR alone, which is no line end here"
LONE_CR_TODO = "convert the line ends to LF; beirkit check --fix does in a BEIR folder"
UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")


@overload
def atomic_open(path: Path | str, mode: Literal["w"] = "w") -> AbstractContextManager[TextIO]: ...
@overload
def atomic_open(path: Path | str, mode: Literal["wb"]) -> AbstractContextManager[BinaryIO]: ...
def atomic_open(
    path: Path | str, mode: Literal["w", "wb"] = "w"
) -> AbstractContextManager[TextIO | BinaryIO]:
    """Write a file under a temporary name in its folder; it appears under its own name when all is written.

    The content is flushed to the disk before the rename. On any error, and on an interruption, the temporary
    file is removed and what stood under the name before is untouched. A name that ends in ``.gz``, ``.bz2``
    or ``.zst`` is compressed, without a time stamp, so equal content gives equal bytes. Text is UTF-8 with LF
    line ends.

    A link stays: the file it leads to is replaced. A device, pipe or socket is written straight into.

    Args:
        path: the file to write; its folder is made where needed.
        mode: ``"w"`` for text, ``"wb"`` for bytes.

    Raises:
        MissingExtraError: the name ends in ``.zst``, and the package for it is not installed.
        WriteError: the path is a folder, or the system refused to make, write or rename the file (full disk,
            file size limit, rights).
    """
    return _text(Path(path)) if mode == "w" else _binary(Path(path))


@contextmanager
def _text(target: Path) -> Iterator[TextIO]:
    with _binary(target) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="\n")
        yield text
        text.flush()
        text.detach()  # the stream below is closed, and its file renamed, by its own context


@contextmanager
def _binary(target: Path) -> Iterator[BinaryIO]:
    try:
        if target.is_dir():
            raise WriteError("is a folder, not a file", path=target, hint="name the file to write")
        special = target.exists() and not target.is_file()  # nothing is renamed over /dev/null or a pipe
        whole = target if special else target.resolve() if target.is_symlink() else target
        part = target if special else whole.with_name(f".{whole.name}.{secrets.token_hex(4)}.part")
        whole.parent.mkdir(parents=True, exist_ok=True)
        raw = _Target(part, target)
    except (
        OSError,
        RuntimeError,
    ) as error:  # RuntimeError: Python 3.11's word for a link that leads to itself
        raise _refused(target, error) from error
    try:
        buffered = io.BufferedWriter(raw, _BUFFER)
        stream = _packing(buffered, target.suffix)
        yield stream
        if stream is not buffered:
            stream.close()
        buffered.flush()
        try:
            if not special:
                os.fsync(raw.fileno())
            raw.close()
            if not special:
                part.replace(whole)
        except OSError as error:
            raise _refused(target, error) from error
    except BaseException:
        with suppress(OSError, WriteError):
            raw.close()
        if not special:
            part.unlink(missing_ok=True)
        raise


def _packing(out: io.BufferedWriter[Any], suffix: str) -> BinaryIO:
    """What compresses as the end of a name says; the file itself where it says nothing."""
    if suffix == ".gz":
        return cast("BinaryIO", gzip.GzipFile("", "wb", compresslevel=_LEVEL, fileobj=out, mtime=0))
    if suffix == ".bz2":
        return cast("BinaryIO", bz2.BZ2File(out, "wb"))
    if suffix == ".zst":
        return zstd_writer(out)
    return out


def open_bytes(path: Path | str) -> BinaryIO:
    """Open a file for reading; gzip, bzip2 and zstd are known by their first bytes and read through.

    Raises:
        DataError: the file cannot be opened, or its name ends in ``.gz``, ``.bz2`` or ``.zst`` and it is no
            such file; while reading: the compressed stream ends early or is damaged.
        MissingExtraError: it is zstd, and the package for it is not installed.
    """
    try:
        raw = io.BufferedReader(io.FileIO(path), _BUFFER)
    except FileNotFoundError as error:
        raise DataError("does not exist", path=path) from error
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", path=path) from error
    try:
        return reading_through(raw, path)
    except (OSError, BeirkitError) as error:
        raw.close()
        if isinstance(error, OSError):
            raise DataError(f"cannot be read: {error.strerror}", path=path) from error
        raise


def is_utf16(start: bytes) -> bool:
    """Whether a file begins as UTF-16 does: with its byte-order mark, or an ASCII character in two bytes."""
    return start.startswith(UTF16_BOMS) or (len(start) > 1 and (start[0] == 0) != (start[1] == 0))


def byte_lines(path: Path | str) -> Iterator[tuple[int, bytes]]:
    r"""Each line with its number, from 1, as bytes.

    Lines end at ``\n`` only, so U+2028 and its kin stay inside their line. The end of line, one ``\r`` before
    it and one leading byte-order mark are taken off.

    Raises:
        DataError: the file cannot be read to its end, is UTF-16, or its lines end with ``\r`` alone.
    """
    with open_bytes(path) as stream:
        for number, line in enumerate(stream, 1):
            if number == 1:
                if is_utf16(line):
                    raise DataError("is UTF-16, not UTF-8", path=path, line=1, hint="save it as UTF-8")
                line = line.removeprefix(BOM)
                if b"\r" in line[:-1] and not line.endswith(b"\n"):  # the whole file, as one line
                    raise DataError(LONE_CR, path=path, line=1, hint=LONE_CR_TODO)
            if line.endswith(b"\n"):
                line = line[:-1]
            if line.endswith(b"\r"):
                line = line[:-1]
            yield number, line


def lines(path: Path | str) -> Iterator[tuple[int, str]]:
    """Each line with its number, from 1, as text; see :func:`byte_lines`.

    Raises:
        DataError: a line is not UTF-8; the message names it.
    """
    for number, line in byte_lines(path):
        try:
            yield number, line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise DataError(
                f"is not UTF-8 at byte {error.start + 1} of the line",
                path=path,
                line=number,
                hint="save it as UTF-8",
            ) from error


def sha256_file(path: Path | str) -> str:
    """SHA-256 of a file's bytes as they lie on disk, in hexadecimal.

    Raises:
        DataError: the file cannot be read.
    """
    digest = hashlib.sha256()
    try:
        with Path(path).open("rb", buffering=0) as stream:
            size = os.fstat(stream.fileno()).st_size
            part = memoryview(bytearray(max(_PART, min(size, _HASHED))))
            while count := stream.readinto(part):
                digest.update(part[:count])
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", path=path) from error
    return digest.hexdigest()


def _refused(target: Path, error: OSError | RuntimeError) -> WriteError:
    reason = getattr(error, "strerror", None) or "its link leads to itself"
    return WriteError(f"cannot be written: {reason}", path=target, hint="nothing was left under this name")


class _Target(io.FileIO):
    """The temporary file; its write errors name the file the user asked for.

    Only errors of this file become a WriteError: the body of the ``with`` may well read other files.
    """

    def __init__(self, part: Path, target: Path) -> None:
        super().__init__(part, "w")
        self._path = target

    def write(self, data: object, /) -> int:
        try:
            return super().write(data)  # type: ignore[arg-type]  # whatever buffer the writer above hands down
        except OSError as error:
            raise _refused(self._path, error) from error


def write_json(path: Path, data: Any) -> None:
    """Write JSON for people and machines: indented, raw UTF-8, one final newline, never NaN."""
    with atomic_open(path) as file:
        json.dump(data, file, ensure_ascii=False, indent=2, allow_nan=False)
        file.write("\n")
