"""The texts of training data: of a table, of JSON lines at any depth, of plain lines, or of a BEIR folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from beirkit.converters.reading.readers import Dialect, read_rows
from beirkit.corpora.compressed import bare_name
from beirkit.corpora.errors import UsageError, nearest
from beirkit.corpora.files import lines
from beirkit.corpora.folder import is_beir_folder, open_folder
from beirkit.corpora.overlap import TrainingText


def training_texts(
    path: Path, columns: Sequence[str] = (), *, split: str | None = None, dialect: Dialect | None = None
) -> Iterator[TrainingText]:
    """Every text of training data, one after the other, in memory that does not grow with the file.

    A table (CSV, TSV, JSON lines, also compressed) has the texts of its columns; of JSON all texts inside a
    column count, so lists of passages do. A ``.txt`` has a text a line, a BEIR folder its documents and its
    queries.

    Args:
        path: the file or folder.
        columns: the columns that count, with dots inside JSON (``positives.text``); none: every text.
        split: of a BEIR folder: only its queries that this split judges, and no documents.
        dialect: how a table is written, where its name does not say it.

    Raises:
        UsageError: an option does not fit what the path is, or no row has one of the columns.
        DataError: while reading: a row is damaged; with path and line.
    """
    if path.is_dir():
        if columns:
            raise UsageError("a BEIR folder has no columns", path=path, hint="leave --column out")
        return _of_folder(path, split)
    if split is not None:
        raise UsageError("is no BEIR folder, so it has no splits", path=path, hint="leave --train-split out")
    if bare_name(path.name).endswith(".txt"):
        if columns:
            raise UsageError("plain lines have no columns", path=path, hint="leave --column out")
        return (TrainingText(line, f"line {number}") for number, line in lines(path))
    return _of_table(path, columns, dialect)


def _of_folder(path: Path, split: str | None) -> Iterator[TrainingText]:
    if not is_beir_folder(path):
        raise UsageError("is neither a file nor a BEIR folder", path=path, hint="name the training file")
    collection = open_folder(path)
    judged = None if split is None else collection.qrels(split)
    for query in collection.queries():
        if judged is None or query.query_id in judged:
            yield TrainingText(query.text, f"query {query.query_id!r}")
    for document in collection.documents() if judged is None else ():
        where = f"document {document.doc_id!r}"
        if document.title:
            yield TrainingText(f"{document.title} {document.text}", where)
        yield TrainingText(document.text, where)


def _of_table(path: Path, columns: Sequence[str], dialect: Dialect | None) -> Iterator[TrainingText]:
    missing, known = set(columns), dict[str, None]()
    for row in read_rows(path, dialect):
        for column, text in _texts(row.cells, ""):
            chosen = [name for name in columns if column == name or column.startswith(f"{name}.")]
            if missing:
                known[column] = None
                missing.difference_update(chosen)
            if chosen or not columns:
                yield TrainingText(text, f"line {row.line}, {column}")
    if missing:
        name = min(missing)
        raise UsageError(f"no row has a text in column {name!r}", path=path, hint=nearest(name, list(known)))


def _texts(value: Any, column: str) -> Iterator[tuple[str, str]]:
    """Every text inside a value, with the keys that lead to it; what stands in a list has the list's."""
    if isinstance(value, str):
        yield column, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _texts(inner, f"{column}.{key}" if column else str(key))
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner, column)
