"""What an id may be."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


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


def are_sound(ids: Sequence[str]) -> bool:
    """Whether nothing is wrong with any of some ids; False where they must be looked at one by one."""
    return all(ids) and "".join(ids).isprintable()  # a text is printable where each of its characters is


def has_white_space(value: str) -> bool:
    """Whether a reader that splits at white space, ASCII or not, would tear this id apart."""
    return value.split() != [value]


def slug(name: str) -> str:
    """A name as part of a path: letters and digits of any script and ``._@+-`` stay."""
    return re.sub(r"[^\w.@+-]+", "-", unicodedata.normalize("NFC", name)).strip("-.") or "unnamed"
