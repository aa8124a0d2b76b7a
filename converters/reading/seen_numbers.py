"""Which ids were met, where ids are numbers: one bit each."""

from __future__ import annotations

_LARGEST = 1 << 30  # numbers up to here have a bit: 128 MB at most, 4 MB for PubMed


class SeenNumbers:
    """A set of ids for sources that count their records, filled one by one.

    A decimal number without leading zeros takes one bit, so the fifteen million ids of PubMed's abstracts
    take 4 MB; other ids are kept as they are.
    """

    __slots__ = ("_bits", "_others")

    def __init__(self) -> None:
        self._bits = bytearray()
        self._others: set[str] = set()

    def add(self, value: str) -> bool:
        """Add an id; whether it is new."""
        number = int(value) if len(value) < 11 and value.isascii() and value.isdigit() else _LARGEST
        if number >= _LARGEST or str(number) != value:
            new = value not in self._others
            self._others.add(value)
            return new
        place, bit = number >> 3, 1 << (number & 7)
        if place >= len(self._bits):
            self._bits.extend(bytes(max(place + 1 - len(self._bits), len(self._bits))))
        new = not self._bits[place] & bit
        self._bits[place] |= bit
        return new
