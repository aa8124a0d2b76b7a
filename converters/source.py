"""The files of a raw benchmark by name, whether they lie in a folder or in a zip."""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
import weakref
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import TypeVar

from beirkit.corpora.errors import DataError, WriteError
from beirkit.corpora.files import sha256_file

T = TypeVar("T")

_DEPTH = 4  # folders below the raw folder that are looked into
_CLUTTER = ("__MACOSX", ".")  # what archivers and file managers leave behind
_GET_AGAIN = "delete it and get it again"


class Source:
    """A folder or zip, seen as files with names.

    A zip member is unpacked when its path is first asked for, into a private folder that is removed with
    the last reader of this source, or when Python ends. No member is unpacked from a zip that has a member
    pointing outside it.

    Args:
        raw: the folder or zip.

    Raises:
        DataError: neither a folder nor a sound zip, or a zip with a hostile member, which is named.
    """

    def __init__(self, raw: Path) -> None:
        self.raw = raw
        self._members: dict[str, zipfile.ZipInfo] | None = None
        self._folder = raw
        if raw.is_dir():
            self.names = tuple(sorted(_below(raw)))
            return
        with _zip(raw) as archive:
            self._members = _checked_members(raw, archive.infolist())
        self.names = tuple(sorted(name for name in self._members if not _is_clutter(name)))
        self._folder = Path(tempfile.mkdtemp(prefix="beirkit-"))
        self._remove = weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)

    def path(self, name: str) -> Path:
        """A readable path of one file.

        Raises:
            DataError: the zip is damaged where it holds this member.
        WriteError: there is no room to unpack it.
        """
        path = self._folder / name
        if self._members is not None and not path.exists():
            self._unpack(self._members[name], path)
        return path

    def folder(self, root: str, names: Iterable[str]) -> Path:
        """A folder with the given files in it, all of which lie below ``root``."""
        for name in names:
            self.path(name)
        return self._folder / root

    def shown(self, path: Path | str) -> str:
        """How a user knows a path: ``data.zip!corpus.jsonl`` for a member of a zip."""
        path = Path(path)
        if self._members is None or not path.is_relative_to(self._folder):
            return str(path)
        return f"{self.raw}!{path.relative_to(self._folder).as_posix()}"

    def inputs(self, names: Iterable[str]) -> dict[str, str]:
        """SHA-256 of what is read: of the zip, or of the named files of the folder."""
        if self._members is not None:
            return {self.raw.name: sha256_file(self.raw)}
        return {name: sha256_file(self._folder / name) for name in names}

    def reading(self, start: Callable[[], Iterable[T]]) -> Callable[[], Iterator[T]]:
        """The same passes, whose errors name files as the user knows them; they keep the source open."""

        def passes() -> Iterator[T]:
            with self.named():
                yield from start()

        return passes

    @contextmanager
    def named(self) -> Iterator[None]:
        """Inside, a :class:`DataError` names files as the user knows them."""
        try:
            yield
        except DataError as error:
            if self._members is None or error.path is None:
                raise
            shown = self.shown(error.path)
            raise type(error)(error.found, path=shown, line=error.line, hint=error.hint) from error

    def _unpack(self, member: zipfile.ZipInfo, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(path.name + ".part")
        try:
            with _zip(self.raw) as archive, archive.open(member) as packed, part.open("wb") as file:
                shutil.copyfileobj(packed, file, 1 << 20)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
            raise DataError(
                f"the zip is damaged in member {member.filename!r}: {error}", path=self.raw, hint=_GET_AGAIN
            ) from error
        except OSError as error:
            found = f"member {member.filename!r} cannot be unpacked into {self._folder}: {error.strerror}"
            raise WriteError(found, path=self.raw, hint="TMPDIR may name a larger disk") from error
        part.replace(path)


def _below(folder: Path) -> Iterator[str]:
    """Names of the files below a folder, not too deep, relative and with slashes."""
    for parent, folders, files in os.walk(folder, followlinks=True):
        relative = Path(parent).relative_to(folder)
        if len(relative.parts) >= _DEPTH:
            folders.clear()
        yield from (name for file in files if not _is_clutter(name := (relative / file).as_posix()))


def _is_clutter(name: str) -> bool:
    return any(part.startswith(_CLUTTER) for part in PurePosixPath(name).parts)


@contextmanager
def _zip(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        archive = zipfile.ZipFile(path)
    except zipfile.BadZipFile as error:
        found, hint = _what_is_wrong(path)
        raise DataError(found, path=path, hint=hint) from error
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", path=path) from error
    with archive:
        yield archive


def _what_is_wrong(path: Path) -> tuple[str, str]:
    """What a file is that cannot be opened as a zip, by its first bytes, and what to do about it."""
    with path.open("rb") as file:
        head = file.read(1024).lstrip().lower()
    if head.startswith((b"<!doctype", b"<html", b"<?xml")):
        return "is an HTML page, not a zip: a server's error message was stored in its place", _GET_AGAIN
    if head.startswith(b"pk"):
        return "is a truncated or damaged zip: its list of members, at the end, is missing", _GET_AGAIN
    if not head:
        return "is an empty file, not a zip", _GET_AGAIN
    if head.startswith((b"\x1f\x8b", b"bzh", b"\xfd7zxz", b"7z\xbc")):
        return "is an archive of another kind, not a zip", "unpack it and name the folder"
    return "is not a zip", "name a folder or a zip"


def _checked_members(raw: Path, members: Iterable[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
    """The files of a zip by name.

    Raises:
        DataError: a member's name leads out of the folder it would be unpacked to, or it is a link, is
            encrypted or there twice.
    """
    found: dict[str, zipfile.ZipInfo] = {}
    for member in members:
        name = member.orig_filename.replace("\\", "/")
        problem = ""
        if name.startswith("/") or re.match(r"[A-Za-z]:", name):
            problem = "has an absolute path"
        elif ".." in name.split("/"):
            problem = "leads out of its folder"
        elif stat.S_ISLNK(member.external_attr >> 16):
            problem = "is a symbolic link"
        elif "\0" in name:
            problem = "has a NUL in its name"
        elif member.flag_bits & 1:
            problem = "is encrypted"
        elif name in found:
            problem = "is there twice"
        if problem:
            hint = "nothing was unpacked; get the archive from its owner"
            raise DataError(f"member {member.orig_filename!r} of the zip {problem}", path=raw, hint=hint)
        if not name.endswith("/"):
            found[name] = member
    return found
