"""The store looked at from outside: what lies in it, how large it is, and what may go.

Everything in the store can be made again. An entry is a folder ``<kind>/<key>`` of one configuration, or a
whole kind where that keeps single files, as remembered hashes are. An entry in which something was written
within the last ten minutes is taken to be in use and is never removed: a block is written in seconds.
"""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from beirkit.corpora.errors import UnknownNameError, UsageError, nearest
from beirkit.retrievers.store import STALE_SECONDS

_MANIFEST = "manifest.json"
_UNITS = {"m": 60.0, "h": 3600.0, "d": 86400.0, "w": 7 * 86400.0}
_TELLING = ("kind", "backend", "model", "name", "role", "url", "variant", "function")


@dataclass(frozen=True)
class Entry:
    """One configuration's part of the store.

    Attributes:
        kind: what is kept: ``embeddings``, ``runs``, ``rerank``, ``answers``, …
        path: its folder or file.
        size: bytes.
        files: how many.
        used: seconds since the epoch when it was last read or written, whichever is known to be later.
        written: seconds since the epoch when a file in it was last written.
        busy: whether something was written into it within the last ten minutes.
        what: what it is of, in a few words.
    """

    kind: str
    path: Path
    size: int
    files: int
    used: float
    written: float
    busy: bool
    what: str

    def to_json(self) -> dict[str, Any]:
        """For machines."""
        return {
            "kind": self.kind, "path": str(self.path), "bytes": self.size, "files": self.files,
            "used": round(self.used), "written": round(self.written), "busy": self.busy, "what": self.what,
        }  # fmt: skip


def entries(root: Path) -> list[Entry]:
    """Every entry of a store, by kind and then the largest first; a store that is not there has none."""
    found = [_entry(kind.name, path) for kind in _folders(root) for path in _inside(kind)]
    return sorted(found, key=lambda entry: (entry.kind, -entry.size, entry.path.name))


def choose(
    found: Collection[Entry], *, kinds: Collection[str] = (), older_than: float | None = None
) -> list[Entry]:
    """Those that may be removed.

    Args:
        found: all entries.
        kinds: of these only; none: of every kind.
        older_than: seconds for which they have not been used; ``None``: however long ago.

    Raises:
        UnknownNameError: nothing of one of the kinds is there.
    """
    known = sorted({entry.kind for entry in found})
    for kind in kinds:
        if kind not in known:
            raise UnknownNameError(f"the store keeps nothing of the kind {kind!r}", hint=nearest(kind, known))
    before = time.time() - (older_than or 0.0)
    return [
        entry
        for entry in found
        if (not kinds or entry.kind in kinds)
        and not entry.busy
        and (older_than is None or entry.used < before)
    ]


def remove(entry: Entry) -> bool:
    """Remove an entry, unless something was written into it since it was looked at.

    Returns:
        Whether it is gone.
    """
    now = _entry(entry.kind, entry.path)
    if now.busy or now.written != entry.written:
        return False
    if entry.path.is_dir():
        # renamed first, so that nobody finds half of it
        gone = entry.path.with_name(f".{entry.path.name}.removed")
        shutil.rmtree(gone, ignore_errors=True)
        entry.path.rename(gone)
        shutil.rmtree(gone)
    else:
        entry.path.unlink(missing_ok=True)
    return True


def seconds_of(text: str) -> float:
    """The seconds that ``30d``, ``12h``, ``2w`` or ``45m`` stand for.

    Raises:
        UsageError: it is none of these.
    """
    read = re.fullmatch(r"(\d+(?:\.\d+)?)([mhdw])", text.strip())
    if read is None:
        raise UsageError(f"{text!r} is no time", hint="write 45m, 12h, 30d or 2w")
    return float(read[1]) * _UNITS[read[2]]


def _folders(root: Path) -> Iterator[Path]:
    if root.is_dir():
        yield from (
            path for path in sorted(root.iterdir()) if path.is_dir() and not path.name.startswith(".")
        )


def _inside(kind: Path) -> Iterator[Path]:
    """The entries of one kind; a kind whose folder holds files only, such as hashes, is one entry."""
    paths = [path for path in sorted(kind.iterdir()) if not path.name.startswith(".")]
    if any(path.is_dir() for path in paths):
        yield from paths
    elif paths:
        yield kind


def _entry(kind: str, path: Path) -> Entry:
    size = files = 0
    used = written = 0.0
    for file in [path] if path.is_file() else path.rglob("*"):
        with suppress(OSError):  # gone in the meantime
            state = file.stat()
            if not file.is_file():
                continue
            size, files = size + state.st_size, files + 1
            # a manifest is read to say what an entry is, which is no use of it
            read = 0.0 if file.name == _MANIFEST else state.st_atime
            used = max(used, read, state.st_mtime)
            written = max(written, state.st_mtime)
    busy = time.time() - written < STALE_SECONDS
    return Entry(kind, path, size, files, used, written, busy, _what(path))


def _what(path: Path) -> str:
    """Names of models and files in an entry's manifest."""
    try:
        manifest = json.loads((path / _MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    found: list[str] = []
    _collect(manifest, found)
    return ", ".join(dict.fromkeys(found))


def _collect(data: Any, found: list[str]) -> None:
    """Texts that tell people what something is."""
    if isinstance(data, dict):
        for key, value in data.items():
            if key in _TELLING and isinstance(value, str):
                found.append(value)
            elif key == "model_sha256":
                found.append(str(value)[:8])
            else:
                _collect(value, found)
    elif isinstance(data, list):
        for item in data:
            _collect(item, found)
