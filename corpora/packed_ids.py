"""Millions of short ids in eight bytes each, told as texts only when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt

WORD = 8  # bytes
_STEP = 1 << 14  # ids that are texts at a time


class PackedIds(Sequence[str]):
    """Distinct ids of printable ASCII, ascending, that are a common prefix and at most eight bytes more.

    A list of as many texts takes ten times the memory. The order is that of the ids' bytes, so the place of
    an id says how it ranks.

    Args:
        prefix: what all start with.
        keys: ``(n,) uint64`` the rest of each id, read as a big-endian number whose last bytes are zero;
            ascending, each once.
    """

    def __init__(self, prefix: bytes, keys: npt.NDArray[np.uint64]) -> None:
        self._prefix = prefix
        self._keys = keys

    def __len__(self) -> int:
        return len(self._keys)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return self._texts(self._keys[index])
        rest = int(self._keys[index]).to_bytes(WORD, "big").rstrip(b"\0")
        return (self._prefix + rest).decode("ascii")

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self), _STEP):
            yield from self._texts(self._keys[start : start + _STEP])

    def __contains__(self, value: object) -> bool:
        return isinstance(value, str) and bool(self.ordinals([value])[0] >= 0)

    def ranks(self) -> npt.NDArray[np.int32]:
        """``(n,) int32`` the place of each id among all, descending: :func:`beirkit.corpora.run.id_ranks`."""
        return np.arange(len(self) - 1, -1, -1, dtype=np.int32)

    def ordinals(self, ids: Sequence[str]) -> npt.NDArray[np.int64]:
        """``(len(ids),)`` the place of each id, -1 where it is not here."""
        found = np.full(len(ids), -1, dtype=np.int64)
        if not len(self) or not len(ids):
            return found
        fit, keys = self._packed(ids)
        place = np.minimum(np.searchsorted(self._keys, keys), len(self) - 1)
        found[fit] = np.where(self._keys[place] == keys, place, -1)
        return found

    def _packed(self, ids: Sequence[str]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64]]:
        """Which of some ids could be here, and their keys."""
        joined = "".join(ids)
        if not joined.isascii() or "\0" in joined:  # no such id is here
            at = np.array(
                [i for i, one in enumerate(ids) if one.isascii() and "\0" not in one], dtype=np.int64
            )
            fit, keys = self._packed([ids[i] for i in at.tolist()])
            return at[fit], keys
        cut = len(self._prefix)
        width = cut + WORD + 1  # one byte more than fits, by which longer ids are known
        cells = np.array(ids, dtype=f"S{width}").view(np.uint8).reshape(-1, width)
        starts = (cells[:, :cut] == np.frombuffer(self._prefix, dtype=np.uint8)).all(axis=1)
        fit = np.flatnonzero(starts & (cells[:, cut] != 0) & (cells[:, -1] == 0))
        rests = np.ascontiguousarray(cells[fit, cut : cut + WORD])
        return fit, rests.view(f">u{WORD}").ravel().astype(np.uint64)

    def take(self, places: npt.NDArray[np.integer[Any]]) -> list[str]:
        """The ids at these places."""
        return self._texts(self._keys[places])

    def _texts(self, keys: npt.NDArray[np.uint64]) -> list[str]:
        if not len(keys):
            return []
        rests: list[bytes] = keys.astype(f">u{WORD}").view(f"S{WORD}").tolist()
        joined = self._prefix + (b"\n" + self._prefix).join(rests)
        return joined.decode("ascii").split("\n")


def take(doc_ids: Sequence[str], places: npt.NDArray[np.integer[Any]]) -> list[str]:
    """The ids at these places."""
    if isinstance(doc_ids, PackedIds):
        return doc_ids.take(places)
    return [doc_ids[place] for place in places.tolist()]


def ordinals(doc_ids: Sequence[str], wanted: Sequence[str]) -> npt.NDArray[np.int64]:
    """``(len(wanted),)`` the place of each wanted id in ``doc_ids``, -1 where it is not there.

    Only of the wanted ids is a table made, which are few beside those of a run.
    """
    if isinstance(doc_ids, PackedIds):
        return doc_ids.ordinals(wanted)
    known = set(wanted)
    places = {doc_id: place for place, doc_id in enumerate(doc_ids) if doc_id in known}
    return np.fromiter((places.get(one, -1) for one in wanted), dtype=np.int64, count=len(wanted))
