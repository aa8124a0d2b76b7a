"""Folders that are there whole or not at all."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import secrets
import shutil
import sys
from collections.abc import Callable, Iterator, Set
from contextlib import contextmanager
from pathlib import Path

from beirkit.corpora.errors import DataError, UsageError, WriteError
from beirkit.corpora.notices import warn


@contextmanager
def whole_folder(path: Path | str, *, overwrite: bool, written: Callable[[Path], Set[str]]) -> Iterator[Path]:
    """A folder to fill beside its place; it is renamed into it when the block ends well, else removed.

    A place that is a link stays one: the folder it leads to is written.

    Args:
        path: the place.
        overwrite: replace a folder that beirkit wrote; any other is never replaced.
        written: names of all files that beirkit wrote into a folder, relative to it; raises a
            :class:`DataError` where it is none of beirkit's.

    Raises:
        UsageError: something stands at ``path`` that may not be replaced.
        WriteError: the system refused to write; nothing is left.
    """
    target = place_for(path, overwrite=overwrite, written=written)
    _clear_left_over(target)
    part = target.with_name(f".{target.name}.{os.getpid()}-{secrets.token_hex(4)}-{_machine()}.part")
    try:
        try:
            part.mkdir(parents=True)
        except OSError as error:
            raise WriteError(f"cannot be made: {error.strerror}", path=target) from error
        with _held(part):
            yield part
            _require_room(target, overwrite, written)  # another run may have finished meanwhile
            _move(part, target)
    except WriteError as error:
        raise WriteError(error.found, path=target, hint="the folder was not made") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def place_for(path: Path | str, *, overwrite: bool, written: Callable[[Path], Set[str]]) -> Path:
    """The place of a folder that may be written; see :func:`whole_folder`.

    Raises:
        UsageError: something stands there that may not be replaced.
        WriteError: it is a link that leads to itself.
    """
    target = Path(path)
    if target.is_symlink():
        try:
            target = target.resolve()
        except (OSError, RuntimeError) as error:  # RuntimeError: Python 3.11's word for such a link
            raise WriteError("is a link that leads to itself", path=path, hint="name another") from error
    _require_room(target, overwrite, written)
    return target


def _clear_left_over(target: Path) -> None:
    """Remove what killed runs of this machine left; tell of the rest, which may be runs of other machines."""
    pattern = re.compile(rf"\.{re.escape(target.name)}\.(\d+)-[0-9a-f]{{8}}(-[0-9a-f]{{8}})?\.(part|old)")
    for path in sorted(target.parent.iterdir()) if target.parent.is_dir() else ():
        match = pattern.fullmatch(path.name)
        if not match or _runs(int(match[1])):
            continue
        if match[3] == "part" and match[2] == f"-{_machine()}":
            with _held(path) as free:
                if free:
                    shutil.rmtree(path, ignore_errors=True)
            if not path.exists():
                warn(f"{path}: unfinished, left by a run that was killed; removed")
                continue
        what = "unfinished" if match[3] == "part" else "what stood here before"
        warn(f"{path}: {what}, left by a run that was killed; remove it if nothing writes there")


def _machine() -> str:
    """What names this machine, in eight digits."""
    return hashlib.sha256(platform.node().encode()).hexdigest()[:8]


@contextmanager
def _held(folder: Path) -> Iterator[bool]:
    """Hold the lock of a folder, which the system frees when this process ends, however it ends.

    Yields whether it could be had: containers of one machine see each other's locks and not their processes.
    """
    if sys.platform == "win32":  # folders have no locks there
        yield False
        return
    import fcntl

    try:
        opened = os.open(folder, os.O_RDONLY)
    except OSError:
        yield False
        return
    try:
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:  # held, or the disk has no locks
            free = False
        else:
            free = True
        yield free
    finally:
        os.close(opened)


def _runs(process: int) -> bool:
    """Whether there is such a process, as far as that can be known."""
    if sys.platform == "win32":  # where signal 0 is no question
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


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
    old = target.with_name(f".{target.name}.{os.getpid()}-{secrets.token_hex(4)}.old")
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
