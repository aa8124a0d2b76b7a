"""What an id may be, and how the ids of a large file are remembered in little memory."""

from __future__ import annotations

import re

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_MASK = (1 << 60) - 1  # integers below 2^60 take 32 bytes in CPython, larger ones 48


def id_problem(value: str) -> str:
    """What makes this text unusable as an id, or the empty string.

    Ids are opaque and compared byte for byte; only the empty one and those with control characters are
    refused: C programs such as trec_eval end a text at NUL, and a tab or a line end breaks every table.
    """
    if not value:
        return "is empty"
    if not value.isprintable():
        control = _CONTROL.search(value)
        if control:
            return f"holds the control character U+{ord(control[0]):04X}"
    return ""


def has_white_space(value: str) -> bool:
    """Whether a reader that splits at white space, ASCII or not, would tear this id apart."""
    return value.split() != [value]


class IdSet:
    """A set of ids that keeps 60 bits of each: about 80 bytes per id whatever its length.

    Two different ids share their bits with a chance of about n² / 2⁶¹, one in two million for a million ids;
    a caller for whom that is too much looks at the ids themselves.
    """

    __slots__ = ("_hashes",)

    def __init__(self) -> None:
        self._hashes: set[int] = set()

    def add(self, value: str) -> bool:
        """Add an id; whether it is new."""
        key = hash(value) & _MASK
        if key in self._hashes:
            return False
        self._hashes.add(key)
        return True

    def __contains__(self, value: str) -> bool:
        return hash(value) & _MASK in self._hashes

    def __len__(self) -> int:
        return len(self._hashes)
