"""A file that is one JSON document: held whole as bytes, its parts decoded one at a time."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TypeVar

import msgspec

from beirkit.corpora.errors import DataError
from beirkit.corpora.files import BOM, open_bytes

T = TypeVar("T")

_BYTE = re.compile(r" ?\(byte (\d+)\)")


class JsonDocument:
    """One JSON document, plain or compressed.

    Parts that are declared as ``msgspec.Raw`` stay bytes until :meth:`part` decodes them, so that a pass over
    a document holds its bytes and one part.

    Args:
        path: the file.
        kind: what the file should be, for messages.
    """

    def __init__(self, path: Path, kind: str) -> None:
        self.path = path
        self._kind = kind
        with open_bytes(path) as file:
            self._content = file.read().removeprefix(BOM)

    def whole(self, shape: type[T]) -> T:
        """The document.

        Raises:
            DataError: it is not JSON, or not of this shape; with path and line.
        """
        try:
            return msgspec.json.decode(self._content, type=shape)
        except msgspec.ValidationError as error:
            raise DataError(f"is not {self._kind}: {_without_root(error)}", path=self.path) from error
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            at = _BYTE.search(str(error))
            end = int(at[1]) if at else len(self._content)
            found = f"is not JSON: {_BYTE.sub('', str(error))}"
            hint = "" if at else "the file may be cut"
            raise DataError(found, path=self.path, line=self._line(end), hint=hint) from error

    def part(self, raw: msgspec.Raw, shape: type[T], place: str) -> T:
        """A part of the document.

        Args:
            raw: the part, as the document or another part of it holds it.
            shape: what it should be.
            place: where it stands, for messages, such as ``paragraph 3 of article 1``.

        Raises:
            DataError: it is not of this shape; with path, the line it starts at, and its place.
        """
        try:
            return msgspec.json.decode(raw, type=shape)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise self.error(raw, f"{place}: {_without_root(error)}") from error

    def error(self, raw: msgspec.Raw, found: str, hint: str = "") -> DataError:
        """An error about a part; of two parts that are the same bytes, both of which have it, the first."""
        line = self._line(self._content.find(bytes(raw)))
        return DataError(found, path=self.path, line=line, hint=hint)

    def _line(self, offset: int) -> int:
        return self._content.count(b"\n", 0, offset) + 1


def _without_root(error: Exception) -> str:
    return str(error).replace(" - at `$.", " at `").replace(" - at `$`", "")
