"""One row of a table, and what may be read from its cells."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from beirkit.corpora.errors import DataError, nearest
from beirkit.corpora.ids import id_problem


class Row(NamedTuple):
    """A row: the file, the line it starts at (from 1), and its cells by column.

    Cells of CSV are text; those of JSON whatever the value is.
    """

    path: Path
    line: int
    cells: dict[str, Any]

    def error(self, found: str, hint: str = "") -> DataError:
        """An error about this row."""
        return DataError(found, path=self.path, line=self.line, hint=hint)

    def cell(self, column: str) -> Any:
        """A cell.

        Raises:
            DataError: the row has no such column.
        """
        if column not in self.cells:
            raise self.error(f"has no {column!r}", nearest(column, list(self.cells)))
        return self.cells[column]

    def text(self, column: str) -> str:
        """A cell that is text, unchanged; a null is the empty text."""
        return self.as_text(column, self.cell(column))

    def texts(self, column: str) -> list[str]:
        """A cell that is a list of texts."""
        return [self.as_text(column, item) for item in self.list(column)]

    def list(self, column: str) -> list[Any]:
        """A cell that is a list."""
        value = self.cell(column)
        if not isinstance(value, list):
            raise self.error(
                f"column {column!r} is not a list but {_shown(value)}", "write a JSON list: [...]"
            )
        return value

    def id(self, column: str) -> str:
        """A cell that is an id."""
        return self.as_id(column, self.cell(column))

    def as_text(self, column: str, value: Any) -> str:
        """A value that should be text.

        Raises:
            DataError: it is a number, a truth value, a list or an object.
        """
        if value is None:
            return ""
        if not isinstance(value, str):
            hint = "write it in quotes" if isinstance(value, int | float) else "name a column of texts"
            raise self.error(f"column {column!r} is not text but {_shown(value)}", hint)
        self._require_whole(column, value)
        return value

    def as_id(self, column: str, value: Any) -> str:
        """A value that should be an id: text as it stands, or an integer of JSON as its decimal text.

        Raises:
            DataError: it is missing, holds a control character, or is neither text nor an integer.
        """
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if value is None or (isinstance(value, str) and not value.strip()):
            raise self.error(f"has no id in column {column!r}", "give it one, or take the row out")
        if not isinstance(value, str):
            found = f"the id in column {column!r} is {_shown(value)}, neither text nor an integer"
            raise self.error(found, "write ids as text, in quotes")
        self._require_whole(column, value)
        if problem := id_problem(value):
            raise self.error(f"the id {value!r} in column {column!r} {problem}")
        return value

    def _require_whole(self, column: str, value: str) -> None:
        if value.isascii():
            return
        try:
            value.encode()  # a hundred times as fast as a look at each character
        except UnicodeEncodeError as error:
            found = f"column {column!r} holds half of a surrogate pair, which is no character"
            raise self.error(found, "write whole characters") from error


def _shown(value: Any) -> str:
    kind = {list: "the list ", dict: "the object ", bool: "", float: "the number ", int: "the number "}
    return f"{kind.get(type(value), '')}{value!r}"[:60]
