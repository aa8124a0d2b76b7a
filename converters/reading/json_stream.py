"""JSON documents too large to hold: items of an array, or members of an object, decoded one at a time."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from beirkit.converters.reading.readers import read_jsonl
from beirkit.converters.reading.rows import Row
from beirkit.corpora.errors import DataError
from beirkit.corpora.files import open_bytes

_CHUNK = 1 << 20  # characters read at a time
_LARGEST = 1 << 26  # characters of one record; beyond it a quote or bracket was never closed
_TAIL = 16  # characters: a token that is cut at the end of what was read starts at most so far before it

_CUT = "the file may be cut"
_UNREAD = object()  # stands for an array that is read by its items


def json_items(path: Path, key: str, *, encoding: str = "utf-8") -> Iterator[Row]:
    """The objects of an array that is the value of one key of the document, such as ``{"articles": [...]}``.

    Args:
        path: the file, plain or compressed.
        key: the key; what stands before it is skipped.
        encoding: of the file.

    Raises:
        DataError: the file is not such a document, or an item is no object; with path and line.
    """
    text = _Text(path, encoding)
    for member in text.members(until=key):
        if member.value is _UNREAD:
            for line, item in text.items():
                yield _row(path, line, item)
            return
    raise DataError(f"has no array {key!r}", path=path, line=text.line, hint="is it another file?")


def json_members(path: Path) -> Iterator[tuple[str, Row]]:
    """The members of a document that is an object of objects, each with its key: ``{"id": {...}, ...}``.

    Raises:
        DataError: the file is not such a document; with path and line.
    """
    for name, line, value in _Text(path, "utf-8").members():
        yield name, _row(path, line, value)


def json_records(path: Path) -> Iterator[Row]:
    """The objects of a file that is one array, or JSON lines, whatever its name says.

    Raises:
        DataError: the file is neither, or an item is no object; with path and line.
    """
    text = _Text(path, "utf-8")
    if not text.is_array():
        yield from read_jsonl(path)
        return
    for line, item in text.items():
        yield _row(path, line, item)
    text.require_end()


class _Member(NamedTuple):
    name: str
    line: int
    value: Any


class _Text:
    """The text of a file, of which no more is held than the record being read and what follows it.

    Attributes:
        path: the file.
        line: the line of the place of reading, from 1.
    """

    def __init__(self, path: Path, encoding: str) -> None:
        self.path = path
        self.line = 1
        self._encoding = encoding
        signed = "utf-8-sig" if encoding == "utf-8" else encoding
        self._stream = io.TextIOWrapper(open_bytes(path), encoding=signed, newline="")
        self._text = ""
        self._at = 0
        self._ended = False

    def is_array(self) -> bool:
        """Whether an array starts here."""
        return self._peek() == "["

    def require_end(self) -> None:
        """Refuse a document behind which something stands."""
        if self._peek():
            self._damaged("something stands behind its end")

    def members(self, until: str | None = None) -> Iterator[_Member]:
        """The members of the object that starts here; of the key ``until`` an array is left unread."""
        self._expect("{")
        if self._peek() == "}":
            self._at += 1
            return
        while True:
            self._peek()
            line, name = self.line, self._value()
            if not isinstance(name, str):
                self._damaged("an object's key is no text")
            self._expect(":")
            if name == until and self._peek() == "[":
                yield _Member(name, line, _UNREAD)
                return
            yield _Member(name, line, self._value())
            if not self._goes_on("}"):
                return

    def items(self) -> Iterator[tuple[int, Any]]:
        """The items of the array that starts here, each with its line."""
        self._expect("[")
        if self._peek() == "]":
            self._at += 1
            return
        while True:
            self._peek()
            line = self.line
            yield line, self._value()
            if not self._goes_on("]"):
                return

    def _goes_on(self, end: str) -> bool:
        sign = self._peek()
        if sign not in (",", end) or not sign:
            self._damaged(f"a comma or {end} should stand here" if sign else "it ends too early")
        self._at += 1
        if sign == end and self._peek() not in ("", ",", "}"):
            self._damaged("something stands behind its end")
        return sign == ","

    def _expect(self, sign: str) -> None:
        if self._peek() != sign:
            self._damaged(f"{sign} should stand here" if self._peek() else "it ends too early")
        self._at += 1

    def _peek(self) -> str:
        """The next character that is no white space; empty at the end."""
        while True:
            start = self._at
            while self._text[self._at : self._at + 1] in (" ", "\n", "\r", "\t"):
                self._at += 1
            self.line += self._text.count("\n", start, self._at)
            if self._at < len(self._text) or self._ended:
                return self._text[self._at : self._at + 1]
            self._more()

    def _value(self) -> Any:
        self._peek()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                cut = error.msg.startswith("Unterminated") or error.pos >= len(self._text) - _TAIL
                if self._ended or not cut or len(self._text) - self._at > _LARGEST:
                    self.line += self._text.count("\n", self._at, error.pos)
                    self._damaged(error.msg, _CUT if self._ended and cut else "")
            except (ValueError, RecursionError) as error:
                self._damaged(str(error))
            else:
                more = isinstance(value, int | float) and end > len(self._text) - _TAIL  # of its digits
                if self._ended or (end < len(self._text) and not more):
                    self.line += self._text.count("\n", self._at, end)
                    self._at = end
                    return value
            self._more()

    def _more(self) -> None:
        try:
            chunk = self._stream.read(_CHUNK)
        except UnicodeDecodeError as error:
            line = self.line + self._text.count("\n", self._at) + error.object.count(b"\n", 0, error.start)
            found = f"is not {self._encoding}: byte {error.object[error.start]:#04x}"
            raise DataError(found, path=self.path, line=line, hint="is it in another encoding?") from error
        self._ended = not chunk
        self._text, self._at = self._text[self._at :] + chunk, 0

    def _damaged(self, problem: str, hint: str = "") -> NoReturn:
        hint = hint or (_CUT if self._ended and self._at >= len(self._text) else "")
        raise DataError(f"is not JSON: {problem}", path=self.path, line=self.line, hint=hint)


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"JSON knows no {word}")


_DECODER = json.JSONDecoder(parse_constant=_no_constant)


def _row(path: Path, line: int, value: Any) -> Row:
    if not isinstance(value, dict):
        raise DataError(f"is not a JSON object but {json.dumps(value)[:40]}", path=path, line=line)
    return Row(path, line, value)
