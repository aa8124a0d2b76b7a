"""Postings that wait for the merge: in memory while they are few, in a temporary file when they are many."""

from __future__ import annotations

import mmap
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import WriteError

IN_MEMORY = 1 << 22
"""Postings that are kept in memory before the first goes to the file; 12 bytes each."""

Values = npt.NDArray[np.int32] | npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Block:
    """Postings of one block of documents, sorted by term, then document.

    Attributes:
        terms: ``(n,) int32`` number of the term.
        docs: ``(n,) int32`` ordinal of the document.
        values: ``(n,)`` what the posting carries: counts (int32) or weights (float32).
    """

    terms: npt.NDArray[np.int32]
    docs: npt.NDArray[np.int32]
    values: Values

    def between(self, first: int, last: int) -> Block:
        """The postings of the terms from ``first`` on and below ``last``."""
        start, end = np.searchsorted(self.terms, (first, last)).tolist()
        return Block(self.terms[start:end], self.docs[start:end], self.values[start:end])


class Blocks:
    """Blocks in the order in which they came, read back in that order, as often as wanted.

    The file has no name that outlives the process; it lies where Python's temporary files do (``TMPDIR``).

    Args:
        dtype: of what the postings carry: ``int32`` or ``float32``.
    """

    def __init__(self, dtype: type[np.int32] | type[np.float32] = np.int32) -> None:
        self._dtype = dtype
        self._waiting: list[Block] = []
        self._postings = 0
        self._file: IO[bytes] | None = None
        self._sizes: list[int] = []

    def append(self, block: Block) -> None:
        """Take a block.

        Raises:
            WriteError: the disk refused it.
        """
        self._waiting.append(block)
        self._postings += len(block.terms)
        if self._postings > IN_MEMORY:
            self._write()

    def __iter__(self) -> Iterator[Block]:
        yield from self.between(None, None)

    def between(self, first: int | None, last: int | None) -> Iterator[Block]:
        """Of each block the postings of the terms from ``first`` on and below ``last``."""
        if sum(self._sizes):
            assert self._file is not None
            mapped = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
            place = 0
            for size in self._sizes:
                columns = np.frombuffer(mapped, np.int32, 3 * size, place).reshape(3, size)
                place += columns.nbytes
                block = Block(columns[0], columns[1], columns[2].view(self._dtype))
                yield block if first is None or last is None else block.between(first, last)
        for block in self._waiting:
            yield block if first is None or last is None else block.between(first, last)

    def _write(self) -> None:
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile(prefix="beirkit-postings-")  # noqa: SIM115
            self._file.seek(0, 2)
            for block in self._waiting:
                for column in (block.terms, block.docs, block.values):
                    self._file.write(column.tobytes())
                self._sizes.append(len(block.terms))
            self._file.flush()
        except OSError as error:
            raise _full(error) from error
        self._waiting = []


class Column:
    """An array that is appended to: in memory while it is short, in a temporary file when it is long.

    Args:
        dtype: of the array.
    """

    def __init__(self, dtype: type[np.int32] | type[np.float32]) -> None:
        self._dtype = dtype
        self._parts: list[npt.NDArray[Any]] = []
        self._waiting = 0
        self._file: IO[bytes] | None = None

    def append(self, part: npt.NDArray[Any]) -> None:
        """Add to the end.

        Raises:
            WriteError: the disk refused it.
        """
        self._parts.append(part.astype(self._dtype, copy=False))
        self._waiting += len(part)
        if self._waiting > IN_MEMORY:
            self._write()

    def array(self) -> npt.NDArray[Any]:
        """All of it; what went to the file is mapped into memory, read-only."""
        if self._file is None:
            return np.concatenate(self._parts) if self._parts else np.empty(0, dtype=self._dtype)
        self._write()
        mapped = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
        return np.frombuffer(mapped, dtype=self._dtype)

    def _write(self) -> None:
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile(prefix="beirkit-postings-")  # noqa: SIM115
            for part in self._parts:
                self._file.write(part.tobytes())
            self._file.flush()
        except OSError as error:
            raise _full(error) from error
        self._parts, self._waiting = [], 0


def _full(error: OSError) -> WriteError:
    return WriteError(
        f"postings cannot be kept for the merge: {error}", hint="set TMPDIR to a disk with room"
    )
