"""Postings that wait for the merge: in memory while they are few, in a temporary file when they are many."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import WriteError

IN_MEMORY = 1 << 22
"""Postings that are kept in memory before the first goes to the file; 12 bytes each."""


@dataclass(frozen=True, eq=False)
class Block:
    """Postings of one block of documents, sorted by term, then document."""

    terms: npt.NDArray[np.int32]
    docs: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int32]


class Blocks:
    """Blocks in the order in which they came, read back in that order, as often as wanted.

    The file has no name that outlives the process; it lies where Python's temporary files do (``TMPDIR``).
    """

    def __init__(self) -> None:
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
        if self._file is not None:
            self._file.seek(0)
            for size in self._sizes:
                columns = np.frombuffer(self._file.read(12 * size), dtype=np.int32).reshape(3, size)
                yield Block(*columns)
        yield from self._waiting

    def _write(self) -> None:
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile(prefix="beirkit-postings-")  # noqa: SIM115
            self._file.seek(0, 2)
            for block in self._waiting:
                for column in (block.terms, block.docs, block.counts):
                    self._file.write(column.tobytes())
                self._sizes.append(len(block.terms))
        except OSError as error:
            raise WriteError(
                f"postings cannot be kept for the merge: {error}", hint="set TMPDIR to a disk with room"
            ) from error
        self._waiting = []
