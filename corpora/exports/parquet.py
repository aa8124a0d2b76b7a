"""Parquet written row group by row group; pyarrow is loaded when a file is begun."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Literal

import msgspec

from beirkit.corpora.errors import DataError, MissingExtraError
from beirkit.corpora.files import atomic_open

Type = Literal["string", "int32"]

_ROWS = 1 << 14  # of a row group, at most
_TAKEN = 1 << 8  # at a time
_CHARACTERS = 1 << 24  # of a row group, about


class Written(msgspec.Struct, frozen=True):
    """What a Parquet file holds.

    Attributes:
        rows: how many.
        bytes: size of the file.
        memory: size of its columns as Arrow has them in memory, bytes.
    """

    rows: int
    bytes: int
    memory: int


def write_rows(path: Path, columns: Mapping[str, Type], rows: Iterable[Sequence[str | int]]) -> Written:
    """Write a file; only one row group is held in memory, and equal rows give equal bytes.

    Args:
        path: the file.
        columns: type by name, in order.
        rows: a value for each column.

    Raises:
        DataError: a value does not fit its column, such as half of a surrogate pair or a large number.
        MissingExtraError: pyarrow is not installed.
        WriteError: the system refused the file.
    """
    arrow, parquet = _pyarrow()
    schema = arrow.schema([(name, getattr(arrow, kind)()) for name, kind in columns.items()])
    count = memory = 0
    with (
        atomic_open(path, "wb") as out,
        parquet.ParquetWriter(out, schema, compression="zstd", store_schema=False) as writer,
    ):
        for group in _groups(rows):
            try:
                values = zip(*group, strict=True)
                arrays = [
                    arrow.array(column, kind) for column, kind in zip(values, schema.types, strict=True)
                ]
            except (arrow.ArrowException, OverflowError, UnicodeError) as error:
                found = f"rows {count + 1:,} to {count + len(group):,} do not fit Parquet: {error}"
                raise DataError(found, path=path.name) from error
            table = arrow.Table.from_arrays(arrays, schema=schema)
            writer.write_table(table, row_group_size=len(group))
            count, memory = count + len(group), memory + table.nbytes
    return Written(count, path.stat().st_size, memory)


def _groups(rows: Iterable[Sequence[str | int]]) -> Iterator[list[Sequence[str | int]]]:
    source = iter(rows)
    group: list[Sequence[str | int]] = []
    length = 0
    while some := list(islice(source, _TAKEN)):
        group += some
        length += sum(len(value) for row in some for value in row if isinstance(value, str))
        if len(group) >= _ROWS or length >= _CHARACTERS:
            yield group
            group, length = [], 0
    if group:
        yield group


def _pyarrow() -> tuple[ModuleType, ModuleType]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError as error:
        raise MissingExtraError("Parquet", "parquet") from error
    return pyarrow, pyarrow.parquet
