"""N-Triples and the Turtle of one triple a line that DBpedia releases: a subject and a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from beirkit.corpora.errors import DataError
from beirkit.corpora.files import lines

_TRIPLE = re.compile(
    r'<([^<>"\s]+)>\s+<([^<>"\s]+)>\s+"([^"\\]*(?:\\.[^"\\]*)*)"(?:@[\w-]+|\^\^<[^<>\s]+>)?\s*\.\s*(#.*)?'
)
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_SIGNS = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_LAST = 0x10FFFF  # of Unicode


class Triple(NamedTuple):
    """A statement whose object is a text.

    Attributes:
        line: where it stands, from 1.
        subject: address of what it is about.
        text: the object, its escapes resolved, without language and type.
    """

    line: int
    subject: str
    text: str


def text_triples(path: Path, predicate: str) -> Iterator[Triple]:
    """The triples of a file, each with the one predicate it should have; comments are skipped.

    Raises:
        DataError: a line is no such triple; with path and line.
    """
    for number, line in lines(path):
        match = _TRIPLE.fullmatch(line)
        if match is None:
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            hint = 'needed is <subject> <predicate> "text"@en .'
            raise DataError("is no triple with a text", path=path, line=number, hint=hint)
        if match[2] != predicate:
            found = f"states {match[2]!r}, not {predicate!r}"
            raise DataError(found, path=path, line=number, hint="is it another file of the release?")
        try:
            yield Triple(number, unescaped(match[1]), unescaped(match[3]))
        except ValueError as error:
            raise DataError(f"has an escape that is none: {error}", path=path, line=number) from error


def unescaped(text: str) -> str:
    r"""A text with its escapes resolved; two that make one character beyond U+FFFF are one.

    Raises:
        ValueError: an escape is unknown, or is half a character.
    """
    if "\\" not in text:
        return text
    plain = _ESCAPE.sub(lambda match: _sign(match[1]), text)
    try:
        return plain.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise ValueError("half of a surrogate pair") from None


def _sign(escape: str) -> str:
    if len(escape) > 1 and (code := int(escape[1:], 16)) <= _LAST:
        return chr(code)
    if escape not in _SIGNS:
        raise ValueError(f"\\{escape}")
    return _SIGNS[escape]
