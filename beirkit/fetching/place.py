"""Where one file is kept on this disk, whole or in part, and how processes keep out of each other's way.

Beside ``name`` in its folder lie ``.name.part`` (what came so far), ``.name.part.json`` (what it is a part
of), ``.name.lock`` (held by the process at work; the system frees it when that process ends, however it ends)
and, where no checksum is published, ``.name.json``: the hash that the file had when it came whole. Whatever
kills a process, the next one trusts a file by its hash alone.
"""

from __future__ import annotations

import errno
import fcntl
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from beirkit.corpora.errors import WriteError
from beirkit.corpora.files import atomic_open
from beirkit.fetching.checksums import Checksum, checksum

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class RemoteFile:
    """A file that somebody publishes.

    Attributes:
        name: its path below the folder it is kept in, with slashes.
        addresses: where the same bytes can be had, the publisher's own first.
        size: in bytes, as published.
        checksum: as published; None: whatever comes whole first is it.
    """

    name: str
    addresses: tuple[str, ...]
    size: int | None = None
    checksum: Checksum | None = None


class Part(msgspec.Struct, frozen=True):
    """What a part is a part of.

    Attributes:
        address: where it came from.
        validator: what the server names this content by, an ``ETag`` or a date; empty: nothing.
        total: bytes of the whole, where the server said so.
    """

    address: str
    validator: str
    total: int | None


class _Whole(msgspec.Struct, frozen=True):
    """What a file was when it came whole, where no checksum is published."""

    sha256: str
    bytes: int


class Place:
    """The paths of one file.

    Args:
        target: its path when it is whole.
    """

    def __init__(self, target: Path) -> None:
        self.target = target
        self.part, self.lock = (target.with_name(f".{target.name}.{end}") for end in ("part", "lock"))
        self.part_note = target.with_name(f".{target.name}.part.json")
        self.note = target.with_name(f".{target.name}.json")

    def problem(self, file: RemoteFile) -> str:
        """Why the file that is there cannot be trusted; empty: it can."""
        if not self.target.exists():
            return "is not here"
        size = self.target.stat().st_size
        if file.size is not None and size > file.size:
            return f"is not what was published: it has {size:,} bytes, not {file.size:,}"
        if file.size is not None and size < file.size:
            return f"is not whole: it has {size:,} bytes of {file.size:,}"
        if file.checksum is not None:
            now = checksum(self.target, file.checksum.kind)
            return "" if now == file.checksum else f"is not what was published: {now}, not {file.checksum}"
        try:
            whole = msgspec.json.decode(self.note.read_bytes(), type=_Whole)
        except (OSError, msgspec.DecodeError):
            return "is not known to be whole"
        if size == whole.bytes and checksum(self.target, "sha256").digest == whole.sha256:
            return ""
        return "is not what came before: it was damaged or replaced"

    def note_part(self, part: Part) -> None:
        """Write down what the part is a part of."""
        with atomic_open(self.part_note, "wb") as out:
            out.write(msgspec.json.encode(part))

    def noted_part(self) -> Part | None:
        """What the part that is there is a part of, where that is known."""
        try:
            return msgspec.json.decode(self.part_note.read_bytes(), type=Part) if self.have() else None
        except (OSError, msgspec.DecodeError):
            return None

    def have(self) -> int:
        """Bytes of the part."""
        return self.part.stat().st_size if self.part.exists() else 0

    def drop_part(self) -> None:
        """Begin anew."""
        self.part.unlink(missing_ok=True)
        self.part_note.unlink(missing_ok=True)

    def keep(self, file: RemoteFile) -> None:
        """Give the part the file's name."""
        if file.checksum is None:
            whole = _Whole(checksum(self.part, "sha256").digest, self.have())
            with atomic_open(self.note, "wb") as out:
                out.write(msgspec.json.encode(whole))
        self.part.replace(self.target)
        self.part_note.unlink(missing_ok=True)


@contextmanager
def alone(lock: Path, target: Path) -> Iterator[None]:
    """Hold the lock of a file; wait for another process that holds it."""
    with lock.open("w") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _log.warning("%s: another process is fetching it; waiting for that", target)
            fcntl.flock(held, fcntl.LOCK_EX)
        except OSError as error:
            if error.errno not in (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS):
                raise
            _log.warning("%s: this disk has no locks; let no other process fetch it meanwhile", target)
        yield


@contextmanager
def refusals(target: Path) -> Iterator[None]:
    """Inside, what the disk refuses is one clear message."""
    try:
        yield
    except OSError as error:
        found = f"cannot be written: {error.strerror}"
        came = "what came is kept; " if Place(target).have() else ""
        hint = f"{came}make room, or let BEIRKIT_HOME name another folder, and run the command again"
        raise WriteError(found, path=target, hint=hint) from error
