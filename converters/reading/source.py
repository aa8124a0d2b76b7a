"""The files of a raw benchmark by name, whether they lie in a folder, a zip or a tar."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TypeVar

from beirkit.converters.reading.archives import SUFFIXES, Archive, Limits, NoArchiveError, open_archive
from beirkit.converters.reading.beside import beside
from beirkit.corpora.compressed import bare_name
from beirkit.corpora.errors import DataError
from beirkit.corpora.files import sha256_file

T = TypeVar("T")

_DEPTH = 4  # folders below the raw folder that are looked into
_CLUTTER = ("__MACOSX", ".")  # what archivers and file managers leave behind


class Source:
    """A folder, zip or tar, or one file that is none of them, seen as files with names.

    A member is unpacked when its path is first asked for, into a private folder that is removed with the
    last reader of this source, or when Python ends. Nothing is unpacked from an archive that has a member
    pointing outside it.

    Args:
        raw: the folder or archive.
        alone: take any file whose name is not an archive's for a source of one file without looking into it.
        limits: how much an archive may hold; ``None``: as the environment says.
        depth: how many folders below a raw folder are looked into.

    Raises:
        DataError: neither a folder nor a sound archive, or one with a hostile member, which is named.
    """

    def __init__(
        self, raw: Path, limits: Limits | None = None, *, alone: bool = False, depth: int = _DEPTH
    ) -> None:
        self.raw = raw
        self._archive: Archive | None = None
        self._folder = raw
        if raw.is_dir():
            self.names = tuple(sorted(_below(raw, depth)))
            return
        named_archive = raw.name.lower().endswith(SUFFIXES)
        if not alone or named_archive:
            try:
                self._archive = open_archive(raw, limits)
            except NoArchiveError:
                if named_archive:
                    raise
        if self._archive is None:
            self._folder, self.names = raw.parent, (raw.name,)
            return
        self.names = tuple(sorted(name for name in self._archive.sizes if not _is_clutter(name)))
        self._folder = Path(tempfile.mkdtemp(prefix="beirkit-"))
        self._remove = weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)

    def find(self, *patterns: str) -> list[str]:
        """Names of the files that match one of the patterns, sorted; compressed files match as plain ones.

        Args:
            patterns: shell patterns for the last part of the path, or with slashes for its last parts.
        """
        return [name for name in self.names if any(_matches(name, pattern) for pattern in patterns)]

    def only(self, *patterns: str, what: str, instead: str = "") -> str:
        """The one file that matches one of the patterns.

        Args:
            patterns: as in :meth:`find`.
            what: what the file holds, for the message.
            instead: how to do without it, for the message.

        Raises:
            DataError: no file matches, or several do; the message lists what is there.
        """
        found = self.find(*patterns)
        if len(found) == 1:
            return found[0]
        wanted = " or ".join(patterns)
        if found:
            hint = "take the others out, or put the right one in a folder of its own"
            listed = ", ".join(found[:5])
            raise DataError(
                f"has {len(found)} files for {what} ({wanted}): {listed}", path=self.raw, hint=hint
            )
        hint = "; ".join(filter(None, (self.there(), instead)))
        raise DataError(f"has no file {wanted}, which holds {what}", path=self.raw, hint=hint)

    def there(self) -> str:
        """What there is instead of a file that is missing, and what may be wrong with it."""
        if self.raw.is_file() and self._archive is None:
            return "it is one file; name the folder that holds all of them"
        archives = [name for name in self.names if name.lower().endswith(SUFFIXES)]
        if archives and len(archives) == len(self.names) and self._archive is None:
            return f"an archive is read as it is: name {self.raw / archives[0]}"
        return "found: " + (", ".join(self.names[:8]) + (" …" if len(self.names) > 8 else "") or "nothing")

    def path(self, name: str) -> Path:
        """A readable path of one file.

        Raises:
            DataError: the archive is damaged where it holds this member.
            WriteError: there is no room to unpack it.
        """
        self._provide([name])
        return self._folder / name

    def folder(self, root: str, names: Iterable[str]) -> Path:
        """A folder with the given files in it, all of which lie below ``root``."""
        self._provide(names)
        return self._folder / root

    def shown(self, path: Path | str) -> str:
        """How a user knows a path: ``data.zip!corpus.jsonl`` for a member of an archive."""
        path = Path(path)
        if self._archive is None or not path.is_relative_to(self._folder):
            return str(path)
        return f"{self.raw}!{path.relative_to(self._folder).as_posix()}"

    def inputs(self, names: Iterable[str]) -> dict[str, str]:
        """SHA-256 of what is read: of the archive, or of the named files of the folder."""
        if self._archive is not None:
            return {self.raw.name: sha256_file(self.raw)}
        return {name: sha256_file(self._folder / name) for name in names}

    def hashing(
        self, names: Iterable[str], more: Mapping[str, str] | None = None
    ) -> Callable[[], dict[str, str]]:
        """Begin with :meth:`inputs` beside what is done meanwhile; what is given back waits for them.

        Args:
            names: the files that are read.
            more: other hashes to give back too.
        """
        hashed = beside(partial(self.inputs, list(names)))
        return lambda: {**hashed(), **(more or {})}

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
            if self._archive is None or error.path is None:
                raise
            shown = self.shown(error.path)
            raise type(error)(error.found, path=shown, line=error.line, hint=error.hint) from error

    def _provide(self, names: Iterable[str]) -> None:
        """Unpack what is not there yet, all in one pass."""
        if self._archive is not None:
            targets = {name: self._folder / name for name in names}
            missing = {name: path for name, path in targets.items() if not path.exists()}
            if missing:
                self._archive.unpack(missing)


def _below(folder: Path, depth: int) -> Iterator[str]:
    """Names of the files below a folder, not too deep, relative and with slashes."""
    for parent, folders, files in os.walk(folder, followlinks=True):
        relative = Path(parent).relative_to(folder)
        if len(relative.parts) >= depth:
            folders.clear()
        yield from (name for file in files if not _is_clutter(name := (relative / file).as_posix()))


def _matches(name: str, pattern: str) -> bool:
    depth = pattern.count("/") + 1
    end = "/".join(name.split("/")[-depth:])
    return fnmatchcase(end, pattern) or fnmatchcase(bare_name(end), pattern)


def _is_clutter(name: str) -> bool:
    return any(part.startswith(_CLUTTER) for part in PurePosixPath(name).parts)
