"""Compressed files: known by their first bytes, read through to their end, their damage told in one way."""

from __future__ import annotations

import bz2
import io
import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from beirkit.corpora.errors import DataError, MissingExtraError, UsageError

BUFFER = 1 << 20

# Text shrinks to a third or a fifth, tables of judgments to a tenth; only filler shrinks to a two-hundredth.
MAX_RATIO = 200
# Small files may be anything: what a few MB of filler costs, any machine can bear.
RATIO_FREE = 64 << 20

_AGAIN = "fetch it again"
# gzip and bzip2 give out what they are asked for. zstd gives all that its input holds, up to 32,768 times as
# much: 4 KiB of it are at most 128 MiB.
_STEP = 1 << 16
_ZSTD_STEP = 1 << 12


class _Kind(NamedTuple):
    """A form of compression.

    Attributes:
        name: for messages.
        magic: how every stream starts.
        create: a decompressor of one stream.
        more: gives at most about 64 KiB (zstd: all) of the output, given the next input.
        waits: whether nothing is left to give until the decompressor gets more input.
        step: bytes of input per call.
        errors: what a decompressor raises besides Python's own.
    """

    name: str
    magic: tuple[bytes, ...]
    create: Callable[[], Any]
    more: Callable[[Any, bytes], bytes]
    waits: Callable[[Any], bool]
    step: int = _STEP
    errors: Callable[[], tuple[type[Exception], ...]] = tuple


def zstd_writer(out: BinaryIO) -> BinaryIO:
    """A stream that compresses into ``out`` and leaves that open.

    Raises:
        MissingExtraError: the package zstandard is not installed.
    """
    try:
        import zstandard
    except ImportError as error:
        raise MissingExtraError("writing zstd", "zstd") from error
    writer: BinaryIO = zstandard.ZstdCompressor().stream_writer(out, closefd=False)
    return writer


def _zstd() -> Any:
    try:
        import zstandard
    except ImportError as error:
        raise MissingExtraError("reading zstd", "zstd") from error
    return zstandard.ZstdDecompressor().decompressobj()


def _zstd_errors() -> tuple[type[Exception], ...]:
    import zstandard

    return (zstandard.ZstdError,)


_BZ2 = tuple(b"BZh%d" % level + start for level in range(1, 10) for start in (b"1AY&SY", b"\x17rE8P\x90"))
_ZSTD = (b"\x28\xb5\x2f\xfd", *(bytes([0x50 + n]) + b"\x2a\x4d\x18" for n in range(16)))
_KINDS = {
    ".gz": _Kind(
        "gzip",
        (b"\x1f\x8b",),
        lambda: zlib.decompressobj(zlib.MAX_WBITS | 16),
        lambda stream, data: stream.decompress(stream.unconsumed_tail + data, _STEP),
        lambda stream: not stream.unconsumed_tail,
    ),
    ".bz2": _Kind(
        "bzip2",
        _BZ2,
        bz2.BZ2Decompressor,
        lambda stream, data: stream.decompress(data, _STEP),
        lambda stream: stream.needs_input,
    ),
    ".zst": _Kind(
        "zstd",
        _ZSTD,
        _zstd,
        lambda stream, data: stream.decompress(data),
        lambda _: True,
        _ZSTD_STEP,
        _zstd_errors,
    ),
}

SUFFIXES = tuple(_KINDS)

# Other forms, by how they start; said by name, or a reader would call them a damaged text.
_UNREAD = {b"\x04\x22\x4d\x18": "lz4", b"\xfd7zXZ\x00": "xz"}


def bare_name(name: str) -> str:
    """The name of what a compressed file holds: ``corpus.jsonl`` for ``corpus.jsonl.bz2``."""
    for suffix in SUFFIXES:
        if name.endswith(suffix):
            return name.removesuffix(suffix)
    return name


def reading_through(raw: io.BufferedReader[Any], path: Path | str) -> BinaryIO:
    """The content of a file: unpacked where its first bytes are those of gzip, bzip2 or zstd, else as it is.

    Raises:
        DataError: the name says that the file is compressed, and it is not; while reading: the compressed
            stream ends early, is damaged, or unpacks to more than a file of its size can honestly hold.
        MissingExtraError: it is zstd, and the package zstandard is not installed.
    """
    start = raw.peek(10)[:10]
    for kind in _KINDS.values():
        if start.startswith(kind.magic):
            return io.BufferedReader(_Unpacked(raw, path, kind), BUFFER)
    for magic, form in _UNREAD.items():
        if start.startswith(magic):
            raise DataError(
                f"is compressed by {form}, which is not read",
                path=path,
                hint=f"unpack it first, with {form} -d",
            )
    named = _KINDS.get(Path(path).suffix)
    if named is not None:
        if any(magic.startswith(start) for magic in named.magic):
            found = "the file is empty" if not start else "it ends early"
            raise DataError(f"truncated {named.name}: {found}", path=path, hint=_AGAIN)
        raise DataError(
            f"is not {named.name}, although its name says so: it starts with {start[:4]!r}",
            path=path,
            hint=_AGAIN,
        )
    return raw


def max_ratio() -> float:
    """How many times its size a compressed file may unpack to: ``BEIRKIT_MAX_RATIO``, else :data:`MAX_RATIO`.

    Raises:
        UsageError: the variable is no number.
    """
    return limit_from_environment("BEIRKIT_MAX_RATIO", MAX_RATIO)


def limit_from_environment(name: str, default: float) -> float:
    """A limit that a variable of the environment may set.

    Raises:
        UsageError: the variable is no positive number.
    """
    text = os.environ.get(name, "")
    try:
        value = float(text) if text else default
    except ValueError:
        value = 0.0
    if not value > 0:
        raise UsageError(f"{name} is {text!r}, not a number above 0")
    return value


class _Unpacked(io.RawIOBase):
    """The content of a compressed file, all its streams one after the other.

    The decompressors are driven here, because the file objects above them each leave something out: bz2's
    drops whatever follows the first stream and is no stream, and zstandard's ends a cut file without a word.
    """

    def __init__(self, raw: BinaryIO, path: Path | str, kind: _Kind) -> None:
        self._raw = raw
        self._path = path
        self._kind = kind
        self._stream = kind.create()
        self._damage: tuple[type[Exception], ...] = (
            OSError,
            EOFError,
            ValueError,
            zlib.error,
            *kind.errors(),
        )
        self._given = b""
        self._packed = 0
        self._unpacked = 0
        self._ratio = max_ratio()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]  # the buffered reader passes no other
        while not self._given:
            if not self._unpack():
                return 0
        size = min(len(buffer), len(self._given))
        buffer[:size] = self._given[:size]
        self._given = self._given[size:]
        return size

    def close(self) -> None:
        if not self.closed:
            self._raw.close()
        super().close()

    def _unpack(self) -> bool:
        """Unpack some more; whether there is any."""
        data = b""
        if self._stream.eof:
            data = self._stream.unused_data or self._next()
            if self._kind.name == "gzip":  # its files may be padded with zeros
                while data and not (data := data.lstrip(b"\0")):
                    data = self._next()
            if not data:
                return False
            self._stream = self._kind.create()
        elif self._kind.waits(self._stream):
            data = self._next()
            if not data:
                raise self._error(f"truncated {self._kind.name}: it ends early")
        try:
            self._given = self._kind.more(self._stream, data)
        except self._damage as error:
            raise self._error(f"damaged {self._kind.name}: {error}") from error
        self._unpacked += len(self._given)
        if self._unpacked > RATIO_FREE and self._unpacked > self._ratio * self._packed:
            raise DataError(
                f"unpacks to more than {self._ratio:g} times its size: no honest file does",
                path=self._path,
                hint="if this one is, set BEIRKIT_MAX_RATIO higher",
            )
        return True

    def _next(self) -> bytes:
        try:
            data = self._raw.read(self._kind.step)
        except OSError as error:
            raise DataError(f"cannot be read: {error.strerror}", path=self._path) from error
        self._packed += len(data)
        return data

    def _error(self, found: str) -> DataError:
        return DataError(found, path=self._path, hint=_AGAIN)
