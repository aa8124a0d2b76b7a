"""Records of the SMART system: a line ``.I number``, then fields, each under a letter of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from beirkit.corpora.errors import DataError
from beirkit.corpora.files import lines

_START = re.compile(r"\.I\s+(\S+)\s*")
_FIELD = re.compile(r"\.([A-Z])\s*")


class Marked(NamedTuple):
    """One record.

    Attributes:
        number: as it stands behind ``.I``, without zeros before it.
        fields: by letter, the lines of a field joined and their white space collapsed; a letter that comes
            again goes on where it stopped.
    """

    number: str
    fields: dict[str, str]

    def get(self, letter: str) -> str:
        """A field, or the empty text."""
        return self.fields.get(letter, "")


def read_marked(path: Path) -> Iterator[Marked]:
    """The records of a file.

    Raises:
        DataError: there is none, or text stands before the first one or outside any field; with path and
            line.
    """
    number = ""
    fields: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line, text in lines(path):
        if start := _START.fullmatch(text):
            if number:
                yield Marked(number, _collapsed(fields))
            number, fields, current = plain_number(start[1]), {}, None
        elif number and (field := _FIELD.fullmatch(text)):
            current = fields.setdefault(field[1], [])
        elif current is not None:
            current.append(text)
        elif text.strip():
            what = "is in no field" if number else "is in no record"
            hint = "a record starts with a line .I NUMBER, and a field with a line such as .T or .W"
            raise DataError(f"{text[:40]!r} {what}", path=path, line=line, hint=hint)
    if not number:
        raise DataError("has no record: no line starts with .I", path=path)
    yield Marked(number, _collapsed(fields))


def plain_number(text: str) -> str:
    """A number without zeros before it; any other text as it is."""
    return text.lstrip("0") or "0" if text.isdigit() else text


def _collapsed(fields: dict[str, list[str]]) -> dict[str, str]:
    return {letter: " ".join(" ".join(texts).split()) for letter, texts in fields.items()}
