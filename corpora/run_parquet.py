"""Runs as Parquet, as ranx writes them; pyarrow is loaded when one is asked for."""

from __future__ import annotations

from pathlib import Path

from beirkit.corpora.errors import DataError, MissingExtraError
from beirkit.corpora.run_columns import RunColumns

_COLUMNS = ("q_id", "doc_id", "score")
_BATCH = 1 << 16


def add_parquet(columns: RunColumns, path: Path) -> None:
    """Add every row of a Parquet file with the columns ``q_id``, ``doc_id`` and ``score``.

    Raises:
        DataError: this is no Parquet, a column is missing, an id is no text or a score no finite number; with
            the row, from 1.
        MissingExtraError: pyarrow is not installed.
    """
    try:
        import pyarrow as arrow
        import pyarrow.parquet as parquet
    except ModuleNotFoundError as error:
        raise MissingExtraError("Parquet", "parquet") from error

    try:
        with parquet.ParquetFile(path) as file:
            names = [str(name) for name in file.schema_arrow.names]
            if missing := [name for name in _COLUMNS if name not in names]:
                raise DataError(
                    f"has no column {missing[0]!r}; its columns: {', '.join(names)}",
                    path=path,
                    hint=f"a run has the columns {', '.join(_COLUMNS)}",
                )
            for batch in file.iter_batches(_BATCH, columns=list(_COLUMNS)):
                columns.add_rows(*(batch[name].to_pylist() for name in _COLUMNS))
    except FileNotFoundError as error:
        raise DataError("does not exist", path=path) from error
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DataError(f"is not Parquet, or damaged: {error}", path=path) from error
