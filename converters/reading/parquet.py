"""Rows of Parquet files and of text tables alike; pyarrow is loaded when a Parquet file is read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from beirkit.converters.reading.readers import read_rows
from beirkit.converters.reading.rows import Row
from beirkit.corpora.errors import DataError, MissingExtraError

_ROWS = 1024  # at a time; with long documents still a few MB
_PAGES = 1 << 20  # bytes that are read ahead; by default whole columns of a row group are
_POINTER = b"version https://git-lfs.github.com/"


def read_table(path: Path) -> Iterator[Row]:
    """The rows of a Parquet, JSON lines, JSON, CSV or TSV file, by its ending.

    Raises:
        DataError: the file is not what its name says, with the line (of Parquet the row, from 1).
        MissingExtraError: it is Parquet, and pyarrow is not installed.
    """
    return read_parquet(path) if path.name.endswith(".parquet") else read_rows(path)


def read_parquet(path: Path) -> Iterator[Row]:
    """The rows of a Parquet file, a batch in memory at a time; the line of a row is its number, from 1."""
    try:
        import pyarrow as arrow
        import pyarrow.parquet as parquet
    except ModuleNotFoundError as error:
        raise MissingExtraError("Parquet", "parquet") from error

    number = 0
    try:
        with parquet.ParquetFile(path, buffer_size=_PAGES, pre_buffer=False) as file:
            for batch in file.iter_batches(_ROWS):
                names = [str(name) for name in batch.schema.names]
                columns = [column.to_pylist() for column in batch.columns]
                for values in zip(*columns, strict=True):
                    number += 1
                    yield Row(path, number, dict(zip(names, values, strict=True)))
    except FileNotFoundError as error:
        raise DataError("does not exist", path=path) from error
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DataError(f"is not Parquet, or damaged: {error}", path=path, line=number + 1) from error


def require_content(path: Path) -> None:
    """Refuse what a clone without Git LFS has in the place of a large file.

    Raises:
        DataError: the file is such a pointer.
    """
    with path.open("rb") as file:
        if file.read(len(_POINTER)) == _POINTER:
            hint = "bring the files themselves: git lfs pull, or download the repository"
            raise DataError("is a pointer of Git LFS, not the file it stands for", path=path, hint=hint)
