"""The one store for what is costly to compute: arrays by content key, in blocks, on disk.

``<root>/<kind>/<key of the configuration>/`` holds ``manifest.json``, which spells the configuration out,
and for each block ``<key of its content>.npy`` (read through a memory map) with ``<key>.json`` beside it:
what was found out while computing it, and a checksum. A key is a hash of everything the block depends on, so
a changed model, prompt, option or text never meets an old entry. A block is written under a temporary name
and renamed, the array last: whatever kills a run, it loses at most the block it was working on.
"""

from __future__ import annotations

import hashlib
import json
import logging
import mmap
import os
import tempfile
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import DataError, WriteError
from beirkit.corpora.files import atomic_open
from beirkit.retrievers.base import Facts

logger = logging.getLogger(__name__)

BLOCK = 4096
"""Texts of one block. Batches, sorting and de-duplication stay inside one; a shard is whole blocks."""

STALE_SECONDS = 600.0
"""A block is written in seconds; a temporary file untouched for this long belongs to nobody."""

ItemT = TypeVar("ItemT")


def blocks(items: Iterable[ItemT], size: int = BLOCK) -> Iterator[list[ItemT]]:
    """Consecutive items in lists of ``size``, the last one shorter."""
    iterator = iter(items)
    while block := list(islice(iterator, size)):
        yield block


def text_key(texts: Sequence[str]) -> str:
    """SHA-256 over texts in their order, each with its length before it, in hexadecimal."""
    digest = hashlib.sha256()
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


def configuration_key(configuration: Facts) -> str:
    """The first 32 hexadecimal digits of SHA-256 over a configuration as canonical JSON."""
    text = json.dumps(
        configuration, sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False
    )
    return hashlib.sha256(text.encode()).hexdigest()[:32]


@dataclass(frozen=True)
class Block:
    """One stored array (read-only, memory-mapped) and what was found out while computing it."""

    array: npt.NDArray[Any]
    facts: Facts

    def read_into(self, buffer: npt.NDArray[Any]) -> None:
        """Copy the array into memory, past the map: faster than touching its pages one by one.

        Args:
            buffer: contiguous, of the array's shape and type.
        """
        array: Any = self.array
        if isinstance(array, np.memmap) and array.filename is not None:
            with suppress(OSError), Path(array.filename).open("rb", buffering=0) as stream:
                stream.seek(array.offset)
                if stream.readinto(buffer.data.cast("B")) == array.nbytes:
                    return
        buffer[...] = array

    def release(self) -> None:
        """Give the memory of pages read so far back to the system; they are read again when they are used."""
        mapped: Any = self.array.base
        if isinstance(mapped, mmap.mmap) and hasattr(mapped, "madvise"):
            mapped.madvise(mmap.MADV_DONTNEED)


class _Note(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What lies beside an array: enough to tell the array that was written from any other bytes."""

    shape: list[int]
    dtype: str
    crc32: int
    facts: Facts


class Store:
    """The folder of all entries.

    Args:
        root: where they are kept; ``None``: in a private folder that is removed with this object.
    """

    def __init__(self, root: Path | None) -> None:
        self._private = tempfile.TemporaryDirectory(prefix="beirkit-store-") if root is None else None
        self.root = root if self._private is None else Path(self._private.name)

    def has(self, kind: str, configuration: Facts) -> bool:
        """Whether there are entries of this kind and configuration."""
        assert self.root is not None
        return (self.root / kind / configuration_key(configuration)).is_dir()

    def section(self, kind: str, configuration: Facts) -> Section:
        """The entries of one kind (``embeddings``, ``indexes``) and one configuration.

        Args:
            kind: name of the folder.
            configuration: everything that the arrays depend on besides the content; JSON values only.

        Raises:
            DataError: the folder belongs to another configuration, which only tampering brings about; the
                message names what differs.
            WriteError: the folder cannot be written.
        """
        assert self.root is not None
        return Section(self.root / kind / configuration_key(configuration), configuration, owner=self)


class Section:
    """The blocks of one configuration; see :meth:`Store.section`."""

    def __init__(self, folder: Path, configuration: Facts, *, owner: Store) -> None:
        self.folder = folder
        self._owner = owner  # a private store lives as long as one of its sections
        self._claim(configuration)
        _remove_stale(folder)

    def get(self, key: str) -> Block | None:
        """The block under a content key, or ``None`` where there is none that can be trusted."""
        path = self.folder / f"{key}.npy"
        try:
            note = msgspec.json.decode(path.with_suffix(".json").read_bytes(), type=_Note)
            array = np.lib.format.open_memmap(path, mode="r")
        except FileNotFoundError:
            return None
        except (OSError, ValueError, EOFError, msgspec.DecodeError) as error:
            fault = str(error)
        else:
            block = Block(array, note.facts)
            fault = _fault(array, note)
            block.release()
            if not fault:
                return block
        logger.warning("%s is damaged and will be made again: %s", path, fault)
        return None

    def holds(self, key: str) -> bool:
        """Whether a block is there; unlike :meth:`get`, nothing of it is read."""
        path = self.folder / f"{key}.npy"
        return path.is_file() and path.with_suffix(".json").is_file()

    def facts(self) -> Iterator[tuple[str, Facts]]:
        """Key and facts of every block, by key; the arrays are not looked at."""
        for path in sorted(self.folder.glob("*.npy")):
            with suppress(OSError, msgspec.DecodeError):
                yield path.stem, msgspec.json.decode(path.with_suffix(".json").read_bytes(), type=_Note).facts

    def put(self, key: str, array: npt.NDArray[Any], facts: Facts) -> Block:
        """Keep a block; it is there completely or not at all.

        Raises:
            WriteError: the system refused (full disk, size limit, rights).
        """
        array = np.ascontiguousarray(array)
        path = self.folder / f"{key}.npy"
        note = _Note(list(array.shape), array.dtype.str, _checksum(array), facts)
        with atomic_open(path.with_suffix(".json"), "wb") as stream:
            stream.write(msgspec.json.encode(note, order="sorted"))
        with atomic_open(path, "wb") as stream:
            np.lib.format.write_array_header_1_0(stream, np.lib.format.header_data_from_array_1_0(array))
            if array.size:
                stream.write(array.data.cast("B"))
        block = self.get(key)
        if block is None:
            raise WriteError("was written and cannot be read back", path=path, hint="is the disk sound?")
        return block

    def _claim(self, configuration: Facts) -> None:
        path = self.folder / "manifest.json"
        text = json.dumps(configuration, sort_keys=True, ensure_ascii=False, indent=2) + "\n"
        try:
            found = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            found = None
        except (OSError, UnicodeDecodeError) as error:
            raise DataError(f"cannot be read: {error}", path=path, hint="delete its folder") from error
        if found is None:
            with atomic_open(path) as stream:
                stream.write(text)
        elif found != text:
            raise DataError(
                f"belongs to another configuration: {_differences(found, configuration)}",
                path=path,
                hint="delete its folder; its entries cannot be used here",
            )


def _fault(array: npt.NDArray[Any], note: _Note) -> str:
    """Why an array is not the one that was written; empty where it is."""
    if list(array.shape) != note.shape or array.dtype.str != note.dtype:
        return f"{array.dtype.str} {list(array.shape)} where {note.dtype} {note.shape} was written"
    if _checksum(array) != note.crc32:
        return "its checksum is not the one that was written"
    return ""


def _checksum(array: npt.NDArray[Any]) -> int:
    return zlib.crc32(np.ascontiguousarray(array).data.cast("B")) if array.size else 0


def _differences(found: str, wanted: Facts) -> str:
    try:
        there = json.loads(found)
    except ValueError:
        return "its manifest is not JSON"
    if not isinstance(there, dict):
        return "its manifest is not an object"
    keys = sorted(key for key in {*there, *wanted} if there.get(key) != wanted.get(key))
    return ", ".join(f"{key} is {there.get(key)!r} there and {wanted.get(key)!r} here" for key in keys)


def _remove_stale(folder: Path) -> None:
    """Remove the temporary files of processes that died while writing.

    A name ends in the number of its process. That process may run on another machine that shares the folder,
    so a file is only removed when it has also not been touched for a while.
    """
    for path in folder.glob(".*.part"):
        number = path.name.split(".")[-2]
        with suppress(OSError):
            untouched = time.time() - path.stat().st_mtime
            if untouched > STALE_SECONDS and not (number.isdigit() and _alive(int(number))):
                path.unlink()


def _alive(process: int) -> bool:
    if os.name != "posix":  # there, signal 0 would end the process
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
