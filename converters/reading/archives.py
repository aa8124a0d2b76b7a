"""Archives as files with names; hostile, damaged and endless ones are refused before anything is unpacked."""

from __future__ import annotations

import re
import tarfile
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import IO, NamedTuple, NoReturn

from beirkit.corpora.compressed import RATIO_FREE, limit_from_environment, max_ratio
from beirkit.corpora.errors import DataError, WriteError
from beirkit.corpora.files import open_bytes

SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.zst")
GET_AGAIN = "delete it and get it again"
MAX_GIB = 64  # the largest public benchmarks unpack to about 20 GiB

_GIB = 1 << 30
_BLOCK = 1 << 20


class Limits(NamedTuple):
    """How much an archive may hold.

    Attributes:
        size: bytes of all members together, unpacked.
        ratio: times the size of the archive itself; looked at above 64 MiB only.
    """

    size: float
    ratio: float

    @classmethod
    def from_environment(cls) -> Limits:
        """``BEIRKIT_MAX_UNPACKED_GIB``, else 64, and ``BEIRKIT_MAX_RATIO``, else 200."""
        return cls(limit_from_environment("BEIRKIT_MAX_UNPACKED_GIB", MAX_GIB) * _GIB, max_ratio())


class Archive(ABC):
    """An archive whose list of members was read to its end and found harmless.

    Attributes:
        kind: ``zip`` or ``tar``, for messages.
        path: the file.
        sizes: bytes of every regular file by its name: relative, with slashes, without ``.`` or ``..``.
    """

    kind: str

    def __init__(self, path: Path, limits: Limits) -> None:
        self.path = path
        self.sizes: dict[str, int] = {}
        self._limits = limits
        self._total = 0
        self._packed = path.stat().st_size

    @abstractmethod
    def unpack(self, targets: Mapping[str, Path]) -> None:
        """Unpack members to the paths given for their names; each appears whole or not at all.

        Raises:
            DataError: the archive is damaged where it holds a member.
            WriteError: there is no room.
        """

    def _add(self, name: str, size: int, problem: str = "", *, folder: bool = False) -> str:
        """Take a member into the list; its name in the one form in which names are compared.

        Args:
            name: as the archive has it.
            size: bytes, unpacked.
            problem: what its kind of archive has against it.
            folder: whether it is a folder.

        Raises:
            DataError: unpacking it could do harm.
        """
        slashed = name.replace("\\", "/")
        parts = [part for part in slashed.split("/") if part not in ("", ".")]
        clean = "/".join(parts)
        if not problem:
            problem = _problem_of_name(slashed)
        if not problem and not folder and (not clean or slashed.endswith("/")):
            problem = "is a file with the name of a folder"
        if not problem and not folder and clean in self.sizes:
            problem = "is there twice"
        if problem:
            self._refuse(name, problem)
        if not folder:
            self.sizes[clean] = size
            self._count(size)
        return clean

    def _count(self, size: int) -> None:
        self._total += size
        if self._total > self._limits.size:
            found = f"the {self.kind} unpacks to more than {self._limits.size / _GIB:g} GiB"
            raise DataError(
                found, path=self.path, hint="if that is right, set BEIRKIT_MAX_UNPACKED_GIB higher"
            )
        if self._total > RATIO_FREE and self._total > self._limits.ratio * self._packed:
            found = f"the {self.kind} unpacks to more than {self._limits.ratio:g} times its size"
            hint = "no honest archive does; if this one is, set BEIRKIT_MAX_RATIO higher"
            raise DataError(found, path=self.path, hint=hint)

    def _require_tree(self) -> None:
        """Refuse a list in which a file would have to be a folder too."""
        for name in self.sizes:
            parts = name.split("/")
            for depth in range(1, len(parts)):
                if (above := "/".join(parts[:depth])) in self.sizes:
                    self._refuse(above, f"is both a file and the folder of {name!r}")

    def _refuse(self, name: str, problem: str) -> NoReturn:
        hint = "nothing was unpacked; get the archive from its owner"
        raise DataError(f"member {name!r} of the {self.kind} {problem}", path=self.path, hint=hint)

    def _damaged(self, name: str, problem: object) -> DataError:
        found = f"the {self.kind} is damaged in member {name!r}: {problem}"
        return DataError(found, path=self.path, hint=GET_AGAIN)

    def _store(self, name: str, member: IO[bytes], target: Path) -> None:
        """Write one member beside its place and move it there when it is whole."""
        part = target.with_name(f".{target.name[:100]}.part")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with part.open("xb") as file:
                while block := self._read(name, member):
                    file.write(block)
            if part.stat().st_size != self.sizes[name]:
                raise self._damaged(name, f"holds {part.stat().st_size} bytes, not {self.sizes[name]}")
            part.replace(target)
        except OSError as error:
            found = f"member {name!r} cannot be unpacked into {target.parent}: {error.strerror}"
            raise WriteError(found, path=self.path, hint="TMPDIR may name a larger disk") from error
        finally:
            part.unlink(missing_ok=True)

    def _read(self, name: str, member: IO[bytes]) -> bytes:
        try:
            return member.read(_BLOCK)
        except OSError as error:  # of the archive, not of the disk it is unpacked to
            raise self._damaged(name, error) from error


class NoArchiveError(DataError):
    """A file is no archive, and nothing shows that it should be one."""


def open_archive(path: Path, limits: Limits | None = None) -> Archive:
    """Open a zip or a tar, plain or compressed, known by what it holds and not by its name.

    Args:
        path: the file.
        limits: how much it may hold; ``None``: :meth:`Limits.from_environment`.

    Raises:
        DataError: it is neither, is damaged or cut, holds too much, or has a member that points elsewhere
            or is no regular file.
        MissingExtraError: it is compressed with zstd, and the package for it is not installed.
    """
    from beirkit.converters.reading.tars import Tar
    from beirkit.converters.reading.zips import Zip

    limits = limits or Limits.from_environment()
    try:
        with path.open("rb") as file:
            head = file.read(1024)
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", path=path) from error
    if head.startswith(b"PK"):
        return Zip(path, limits)
    if not head:
        raise DataError("is an empty file, not an archive", path=path, hint=GET_AGAIN)
    if head.lstrip().lower().startswith((b"<!doctype", b"<html", b"<?xml")):
        found = "is an HTML page, not an archive: a server's error message was stored in its place"
        raise DataError(found, path=path, hint=GET_AGAIN)
    with open_bytes(path) as stream:
        start = stream.read(tarfile.BLOCKSIZE)
    if _is_tar(start) or path.name.endswith(tuple(s for s in SUFFIXES if ".t" in s)):
        return Tar(path, limits)
    if start != head[: tarfile.BLOCKSIZE]:
        raise NoArchiveError(
            "is one compressed file, not an archive", path=path, hint="name the folder it is in"
        )
    if head.startswith((b"\xfd7zXZ", b"7z\xbc\xaf", b"Rar!", b"MSCF", b"\x04\x22\x4d\x18")):
        found = "is an archive of a kind that is not read"
        raise DataError(found, path=path, hint="unpack it and name the folder")
    raise NoArchiveError("is neither a zip nor a tar", path=path, hint="name a folder, a zip or a tar")


def bare_archive_name(name: str) -> str:
    """The name without the ending of an archive."""
    for suffix in sorted(SUFFIXES, key=len, reverse=True):
        if name.lower().endswith(suffix):
            return name[: -len(suffix)]
    return name


def _is_tar(start: bytes) -> bool:
    """Whether a file starts with a tar's header, by its checksum, or is a tar without members."""
    if start == bytes(tarfile.BLOCKSIZE):
        return True
    try:
        tarfile.TarInfo.frombuf(start, "utf-8", "surrogateescape")
    except (tarfile.HeaderError, ValueError):
        return False
    return True


def _problem_of_name(slashed: str) -> str:
    if slashed.startswith("/") or re.match(r"[A-Za-z]:", slashed):
        return "has an absolute path"
    if ".." in slashed.split("/"):
        return "leads out of its folder"
    if "\0" in slashed:
        return "has a NUL in its name"
    return ""
