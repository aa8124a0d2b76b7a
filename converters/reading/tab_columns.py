"""Lines of a fixed number of columns between tabs, without header and without quotes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from beirkit.converters.reading.rows import Row
from beirkit.corpora.errors import DataError
from beirkit.corpora.files import lines


def tab_columns(path: Path, *columns: str) -> Iterator[Row]:
    """The rows of a table; the last column takes what is left of its line, tabs included.

    Blank lines are skipped, and quotes are characters like any other.

    Args:
        path: the file, plain or compressed.
        columns: their names, in order.

    Raises:
        DataError: a line has too few columns, or is not UTF-8; with path and line.
    """
    for number, line in lines(path):
        cells = line.split("\t", len(columns) - 1)
        if len(cells) == len(columns):
            yield Row(path, number, dict(zip(columns, cells, strict=True)))
        elif line.strip():
            found = f"has {len(cells)} columns instead of {len(columns)}"
            raise DataError(found, path=path, line=number, hint=f"needed are: {', '.join(columns)}")
