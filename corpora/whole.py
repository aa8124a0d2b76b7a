"""Folders that are there whole or not at all."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Iterator, Set
from contextlib import contextmanager
from pathlib import Path

from beirkit.corpora.errors import DataError, UsageError, WriteError


@contextmanager
def whole_folder(path: Path | str, *, overwrite: bool, written: Callable[[Path], Set[str]]) -> Iterator[Path]:
    """A folder to fill beside its place; it is renamed into it when the block ends well, else removed.

    Args:
        path: the place.
        overwrite: replace a folder that beirkit wrote; any other is never replaced.
        written: names of all files that beirkit wrote into a folder, relative to it; raises a
            :class:`DataError` where it is none of beirkit's.

    Raises:
        UsageError: something stands at ``path`` that may not be replaced.
        WriteError: the system refused to write; nothing is left.
    """
    target = Path(path)
    _require_room(target, overwrite, written)
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        try:
            part.mkdir(parents=True)
        except OSError as error:
            raise WriteError(f"cannot be made: {error.strerror}", path=target) from error
        yield part
        _move(part, target)
    except WriteError as error:
        raise WriteError(error.found, path=target, hint="the folder was not made") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _require_room(target: Path, overwrite: bool, written: Callable[[Path], Set[str]]) -> None:
    if not target.exists() or (target.is_dir() and not any(target.iterdir())):
        return
    if not target.is_dir():
        raise UsageError("is a file, not a folder", path=target)
    try:
        own = written(target)
    except DataError:
        raise UsageError(
            "is there already and was not written by beirkit", path=target, hint="choose another folder"
        ) from None
    if not overwrite:
        raise UsageError(
            "is there already",
            path=target,
            hint="choose another folder, or replace it with --overwrite (in Python: overwrite=True)",
        )
    others = sorted(
        {path.relative_to(target).as_posix() for path in target.rglob("*") if path.is_file()} - own
    )
    if others:
        raise UsageError(
            f"holds {len(others)} files that beirkit did not write, such as {others[0]}",
            path=target,
            hint="move them, or choose another folder",
        )


def _move(part: Path, target: Path) -> None:
    """Rename the finished folder into its place; what beirkit wrote there before steps aside first."""
    old = target.with_name(f".{target.name}.{secrets.token_hex(4)}.old")
    try:
        if target.exists() and any(target.iterdir()):
            target.rename(old)
        try:
            part.rename(target)
        except OSError:
            if old.exists():
                old.rename(target)
            raise
    except OSError as error:
        raise WriteError(f"cannot be put in place: {error.strerror}", path=target) from error
    shutil.rmtree(old, ignore_errors=True)
