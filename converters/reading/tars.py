"""Tars, plain or compressed."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from beirkit.converters.reading.archives import GET_AGAIN, Archive, Limits
from beirkit.corpora.errors import DataError
from beirkit.corpora.files import open_bytes

_LONGEST_HEADER = 1 << 20  # bytes; names and notes of a member, some hundred in practice
_STEP = 1 << 20
_PROBLEMS = {
    tarfile.SYMTYPE: "is a symbolic link",
    tarfile.LNKTYPE: "is a hard link",
    tarfile.CHRTYPE: "is a device",
    tarfile.BLKTYPE: "is a device",
    tarfile.FIFOTYPE: "is a pipe",
}


class Tar(Archive):
    """A tar, whose members stand one after the other with no list of them.

    Opening reads it to its end: only so is it known whole, and every member harmless. Unpacking reads it
    once more.
    """

    kind = "tar"

    def __init__(self, path: Path, limits: Limits) -> None:
        super().__init__(path, limits)
        with self._members() as members:
            for member, _ in members:
                problem = _PROBLEMS.get(member.type, "")
                if not problem and not (member.isdir() or member.type in tarfile.REGULAR_TYPES):
                    problem = "is of an unknown type"
                elif not problem and member.issparse():
                    problem = "is a sparse file"
                name = self._add(member.name, member.size, problem, folder=member.isdir())
                self._require_filtered(member, name)
        self._require_tree()

    def unpack(self, targets: Mapping[str, Path]) -> None:
        """Unpack members, in one pass over the archive however many they are."""
        left = set(targets)
        with self._members() as members:
            for member, content in members:
                name = "/".join(part for part in member.name.split("/") if part not in ("", "."))
                if name in left and content is not None:
                    left.discard(name)
                    self._store(name, content, targets[name])
        if left:
            raise self._damaged(min(left), "it is gone since the archive was opened")

    @contextmanager
    def _members(self) -> Iterator[Iterator[tuple[tarfile.TarInfo, IO[bytes] | None]]]:
        with open_bytes(self.path) as stream:
            yield self._walk(_Forward(stream))

    def _walk(self, stream: _Forward) -> Iterator[tuple[tarfile.TarInfo, IO[bytes] | None]]:
        """Each member, with its content if it is a file; the content is read before the next member.

        Raises:
            DataError: the tar is damaged, or ends without its end mark, as a cut one does.
        """
        last = "none"
        try:
            archive: Any  # its list of members is no part of what typeshed knows
            with tarfile.TarFile(fileobj=cast("BinaryIO", stream), errorlevel=2) as archive:
                while (member := archive.next()) is not None:
                    last = member.name
                    yield member, archive.extractfile(member) if member.isreg() else None
                    archive.members.clear()  # tarfile keeps them all otherwise
            if stream.last != bytes(tarfile.BLOCKSIZE):
                raise tarfile.ReadError("it is cut, or the header that follows is wrong")
            while stream.read(_STEP):  # to the end of the compressed stream, and its checksum
                pass
        except (tarfile.TarError, ValueError, OverflowError, RecursionError, IndexError) as error:
            found = f"is a truncated or damaged tar after member {last!r}: {error}"
            raise DataError(found, path=self.path, hint=GET_AGAIN) from error

    def _require_filtered(self, member: tarfile.TarInfo, name: str) -> None:
        """Ask tarfile's own filter too, where this Python has it."""
        check = getattr(tarfile, "data_filter", None)
        if check is None:
            return
        try:
            check(member, str(self.path.parent.resolve() / "never-made"))
        except tarfile.FilterError as error:
            self._refuse(name, f"is refused by Python: {error}")


class _Forward:
    """A stream that can be read and skipped forward: what tarfile needs, on what decompression gives.

    Attributes:
        last: what the last read gave; at the end of a tar, a block of zeros.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._place = 0
        self.last = b""

    def read(self, size: int) -> bytes:
        if not 0 <= size <= _LONGEST_HEADER:
            raise tarfile.ReadError(f"a header of {size} bytes")
        self.last = self._stream.read(size)
        self._place += len(self.last)
        return self.last

    def tell(self) -> int:
        return self._place

    def seek(self, place: int) -> None:
        if place < self._place:
            raise tarfile.ReadError("a member of negative size")
        while self._place < place:
            if not self.read(min(_STEP, place - self._place)):
                raise tarfile.ReadError("unexpected end of data")
