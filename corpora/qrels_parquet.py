"""Judgments as Parquet, with the columns that ranx reads; pyarrow is loaded when one is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from beirkit.corpora.errors import DataError, MissingExtraError
from beirkit.corpora.files import atomic_open
from beirkit.corpora.findings import Refused
from beirkit.corpora.qrels_jsonl import judged_id
from beirkit.corpora.qrels_lines import column_role, parse_grade
from beirkit.corpora.records import Judgment

_COLUMNS = ("q_id", "doc_id", "score")
_BATCH = 1 << 16


def write_parquet(path: Path | str, judgments: Iterable[Judgment]) -> None:
    """Write columns ``q_id``, ``doc_id`` (strings) and ``score`` (int64); equal judgments give equal bytes.

    Raises:
        MissingExtraError: pyarrow is not installed.
        WriteError: the system refused the file.
    """
    arrow, parquet = _pyarrow()
    rows = list(judgments)
    table = arrow.table(
        {
            "q_id": arrow.array([judgment.query_id for judgment in rows], arrow.string()),
            "doc_id": arrow.array([judgment.doc_id for judgment in rows], arrow.string()),
            "score": arrow.array([judgment.relevance for judgment in rows], arrow.int64()),
        }
    )
    with atomic_open(path, "wb") as out:
        parquet.write_table(table, out)


def read_parquet(path: Path) -> Iterator[tuple[int, Judgment]]:
    """Each judgment with the number of its row, from 1.

    Columns are known by the names that a header of a table may have, such as ``q_id``, ``doc_id``, ``score``.

    Raises:
        DataError: this is no Parquet, a column is missing or stands twice, or a value is none.
        MissingExtraError: pyarrow is not installed.
    """
    arrow, parquet = _pyarrow()
    try:
        file = parquet.ParquetFile(path)
        names = [str(name) for name in file.schema_arrow.names]
    except FileNotFoundError as error:
        raise DataError("does not exist", path=path) from error
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DataError(f"is not Parquet: {error}", path=path) from error
    with file:
        roles = [column_role(name) for name in names]
        for role in ("query", "document", "grade"):
            if roles.count(role) != 1:
                raise DataError(
                    f"has {roles.count(role)} columns for the {role}; its columns: {', '.join(names)}",
                    path=path,
                    hint=f"name them {', '.join(_COLUMNS)}",
                )
        columns = [names[roles.index(role)] for role in ("query", "document", "grade")]
        number = 0
        try:
            for batch in file.iter_batches(_BATCH, columns=columns):
                for query_id, doc_id, grade in zip(
                    *(batch[name].to_pylist() for name in columns), strict=True
                ):
                    number += 1
                    yield number, _judgment(query_id, doc_id, grade, path, number)
        except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
            raise DataError(f"is damaged Parquet: {error}", path=path) from error


def _judgment(query_id: Any, doc_id: Any, grade: Any, path: Path, number: int) -> Judgment:
    if isinstance(grade, bool) or not isinstance(grade, int | float):
        raise DataError(f"row {number}: the grade is {grade!r}, not a number", path=path)
    try:
        return Judgment(judged_id("query", query_id), judged_id("document", doc_id), parse_grade(repr(grade)))
    except Refused as refused:
        raise DataError(f"row {number}: {refused.found}", path=path, hint=refused.todo) from refused


def _pyarrow() -> tuple[ModuleType, ModuleType]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError as error:
        raise MissingExtraError("Parquet", "parquet") from error
    return pyarrow, pyarrow.parquet
