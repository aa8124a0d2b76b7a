"""Zips."""

from __future__ import annotations

import stat
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from beirkit.converters.reading.archives import GET_AGAIN, Archive, Limits
from beirkit.corpora.errors import DataError

_END = b"PK\x05\x06"  # the record at the end of a zip, 22 bytes and a comment
_END_SIZE = 22


class Zip(Archive):
    """A zip. Its members are listed at its end, so a cut one is known at once."""

    kind = "zip"

    def __init__(self, path: Path, limits: Limits) -> None:
        super().__init__(path, limits)
        self._members: dict[str, zipfile.ZipInfo] = {}
        with self._opened() as archive:
            self._require_whole(archive)
            for member in archive.infolist():
                name = member.orig_filename
                kind = stat.S_IFMT(member.external_attr >> 16)
                problem = ""
                if kind == stat.S_IFLNK:
                    problem = "is a symbolic link"
                elif kind not in (0, stat.S_IFREG, stat.S_IFDIR):
                    problem = "is no regular file"
                elif member.flag_bits & 1:
                    problem = "is encrypted"
                folder = name.endswith(("/", "\\"))
                clean = self._add(name, member.file_size, problem, folder=folder)
                if not folder:
                    self._members[clean] = member
        self._require_tree()

    def unpack(self, targets: Mapping[str, Path]) -> None:
        """Unpack members; their checksums are compared."""
        with self._opened() as archive:
            for name, target in targets.items():
                try:
                    with archive.open(self._members[name]) as member:
                        self._store(name, member, target)
                except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError) as error:
                    raise self._damaged(name, error) from error

    @contextmanager
    def _opened(self) -> Iterator[zipfile.ZipFile]:
        try:
            archive = zipfile.ZipFile(self.path)
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            found = "is a truncated or damaged zip: its list of members, at the end, is missing or wrong"
            raise DataError(found, path=self.path, hint=GET_AGAIN) from error
        except OSError as error:
            raise DataError(f"cannot be read: {error.strerror}", path=self.path) from error
        with archive:
            yield archive

    def _require_whole(self, archive: zipfile.ZipFile) -> None:
        """Refuse a zip that was cut behind a zip inside it, whose end then looks like its own.

        Raises:
            DataError: bytes stand before the first member, or behind the list of members.
        """
        first = min((member.header_offset for member in archive.infolist()), default=0)
        with self.path.open("rb") as file:
            file.seek(-min(self._packed, _END_SIZE + len(archive.comment)), 2)
            end = file.read(len(_END))
        if first != 0 or end != _END:
            found = "is a truncated or damaged zip: it holds more than its list of members tells"
            raise DataError(found, path=self.path, hint=GET_AGAIN)
