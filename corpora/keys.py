"""A set of keys, and what belongs to each, in a few bytes per key whatever the keys stand for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np
import numpy.typing as npt

Keys = npt.NDArray[np.uint64]
Slots = npt.NDArray[np.int64]

_FULLEST = 0.6  # of its slots a table uses before it grows: beyond it, most keys look at several
_SMALLEST = 1 << 13
_STEP = 1 << 15
_MASK = (1 << 64) - 1


def hashes(values: Iterable[object], count: int) -> Keys:
    """64 bits of each value, ``(count,) uint64``; never 0, which marks a free slot.

    They are Python's own hashes: other ones in every process, so nothing that lasts may be made of them.
    """
    return as_keys(np.fromiter(map(hash, values), np.int64, count))


def as_keys(found: npt.NDArray[np.int64]) -> Keys:
    """Hashes as keys: the same bits, and no 0."""
    keys = found.view(np.uint64)
    keys[keys == 0] = 1
    return keys


def id_keys(ids: Sequence[str]) -> Keys:
    """64 bits of each id, ``(n,) uint64``, never 0."""
    keys = hashes(ids, len(ids))
    return keys if _MASK == (1 << 64) - 1 else keys & np.uint64(_MASK) | np.uint64(1)


class KeyTable:
    """An open-addressed table that is filled and asked in batches.

    A key is one or more columns of 64 bits, of which the first is never 0; a row of values belongs to each.
    Between 13 and 27 bytes are held per key and column, half of that again while the table grows.

    Args:
        keys: columns of a key.
        values: columns of values.
    """

    __slots__ = ("_columns", "_keys", "_size")

    def __init__(self, keys: int = 1, values: int = 0) -> None:
        self._keys = keys
        self._size = 0
        self._columns = np.zeros((keys + values, _SMALLEST), np.uint64)

    def __len__(self) -> int:
        return self._size

    def add(self, rows: Keys) -> tuple[npt.NDArray[np.bool_], Keys]:
        """Add rows in their order; a key that is there, or comes earlier in the batch, keeps its values.

        Args:
            rows: ``(keys + values, n) uint64``.

        Returns:
            ``(n,) bool`` whether each key was new, and ``(values, n) uint64`` what is held for it now.
        """
        total = self._size + rows.shape[1]
        if total > _FULLEST * self._columns.shape[1]:
            self._grow(total)
        new, slots = self._place(rows)
        added = int(new.sum())
        self._size += added
        held = rows[self._keys :]
        if added < len(new):
            held = held.copy()
            held[:, ~new] = self._columns[self._keys :, slots[~new]]
        return new, held

    def find(self, keys: Keys) -> tuple[npt.NDArray[np.bool_], Keys]:
        """Look keys up.

        Args:
            keys: ``(keys, n) uint64``.

        Returns:
            ``(n,) bool`` whether each key is there, and ``(values, n) uint64`` its values, 0 where not.
        """
        count = keys.shape[1]
        found = np.zeros(count, np.bool_)
        last = self._columns.shape[1] - 1
        slots = (keys[0] & np.uint64(last)).view(np.int64)
        todo = np.arange(count)
        while todo.size:
            held = self._columns[: self._keys, slots[todo]]
            same = (held == keys[:, todo]).all(axis=0)
            found[todo[same]] = True
            todo = todo[~same & (held[0] != 0)]
            slots[todo] = (slots[todo] + _steps(keys[0, todo])) & last
        return found, np.where(found, self._columns[self._keys :, slots], np.uint64(0))

    def _place(self, rows: Keys, *, distinct: bool = False) -> tuple[npt.NDArray[np.bool_], Slots]:
        """Where each row stands after those that are new were written; the table has room for all.

        Args:
            rows: ``(keys + values, n) uint64``.
            distinct: no two rows have the same key, as far as the caller knows.
        """
        last = self._columns.shape[1] - 1
        slots = (rows[0] & np.uint64(last)).view(np.int64)
        new = np.zeros(len(slots), np.bool_)
        distinct = distinct or _are_distinct(rows[0])
        todo = np.arange(len(slots))  # ascending, so that of equal keys the first is placed first
        while todo.size:
            at = slots[todo]
            free = self._columns[0, at] == 0
            wanting, wanted = todo[free], at[free]
            if not distinct:
                wanted, first = np.unique(wanted, return_index=True)
                wanting = wanting[first]
            for column, row in zip(self._columns, rows, strict=True):
                column[wanted] = row[wanting]
            same = self._columns[0, at] == rows[0, todo]
            for key in range(1, self._keys):
                same &= self._columns[key, at] == rows[key, todo]
            new[todo[free & same] if distinct else wanting] = True
            todo = todo[~same]
            slots[todo] = (slots[todo] + _steps(rows[0, todo])) & last
        return new, slots

    def _grow(self, total: int) -> None:
        held = self._columns
        slots = held.shape[1]
        while total > _FULLEST * slots:
            slots *= 2
        self._columns = np.zeros((held.shape[0], slots), np.uint64)
        for start in range(0, held.shape[1], _STEP):
            part = held[:, start : start + _STEP]
            self._place(part[:, part[0] != 0], distinct=True)


def _steps(keys: Keys) -> Slots:
    """How far each key goes on from a slot that is taken: odd, so that it comes by every slot."""
    return ((keys >> np.uint64(32)) | np.uint64(1)).view(np.int64)


def _are_distinct(keys: Keys) -> bool:
    ordered = np.sort(keys)
    return not bool((ordered[1:] == ordered[:-1]).any())


class IdSet:
    """A set of ids that keeps 64 bits of each: 13 to 27 bytes per id whatever its length.

    Two different ids share their bits with a chance of about n² / 2⁶⁵, one in 40 million for a million ids;
    a caller for whom that is too much looks at the ids themselves. It is made for batches: one id at a time
    costs a hundred times as much.
    """

    __slots__ = ("_table",)

    def __init__(self) -> None:
        self._table = KeyTable()

    @classmethod
    def of_bits(cls, bits: Collection[int]) -> IdSet:
        """The set of the ids that have these hashes."""
        ids = cls()
        keys = as_keys(np.fromiter(bits, np.int64, len(bits)))
        for start in range(0, len(keys), _STEP):
            ids._table.add(keys[np.newaxis, start : start + _STEP])
        return ids

    def add(self, value: str) -> bool:
        """Add an id; whether it is new."""
        return bool(self.add_all([value])[0])

    def add_all(self, values: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Add ids in their order; ``(n,) bool`` whether each is new to the set and to the batch before it."""
        new, _ = self._table.add(id_keys(values)[np.newaxis])
        return new

    def has(self, values: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Which ids are in the set, ``(n,) bool``."""
        found, _ = self._table.find(id_keys(values)[np.newaxis])
        return found

    def __contains__(self, value: str) -> bool:
        return bool(self.has([value])[0])

    def __len__(self) -> int:
        return len(self._table)
