"""The ids of a pass so far: whether the next ones are all new."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from beirkit.corpora.keys import IdSet

_FEW = (
    1 << 19
)  # ids in a set of numbers, which is four times as fast as a table and takes four times the memory
_bits: Callable[[str], int] = hash


class Seen:
    """64 bits of each id that was met; another one has the same by a chance of about n² / 2⁶⁵.

    The first half million stand in a set, of some 80 bytes per id and without numpy, whose loading takes
    longer than reading a small file; the others in a :class:`beirkit.corpora.keys.IdSet`.
    """

    __slots__ = ("_few", "_table")

    def __init__(self) -> None:
        self._few: set[int] = set()
        self._table: IdSet | None = None

    def add(self, ids: Sequence[str]) -> bool:
        """Add ids; whether all are new and none comes twice among them."""
        if self._table is None:
            total = len(self._few) + len(ids)
            self._few.update(map(_bits, ids))
            if len(self._few) < total:
                return False
            if total > _FEW:
                from beirkit.corpora.keys import IdSet  # loads numpy

                self._table = IdSet.of_bits(self._few)
                self._few = set()
            return True
        return bool(self._table.add_all(ids).all())
