"""Rows of CSV, TSV, JSON lines and JSON arrays, each with the line it starts at."""

from __future__ import annotations

import csv
import json
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NoReturn

import msgspec

from beirkit.converters.reading.rows import Row
from beirkit.converters.reading.text_blocks import text_blocks
from beirkit.corpora.compressed import bare_name
from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.files import byte_lines, lines, open_bytes

Format = Literal["csv", "tsv", "jsonl", "json"]

_SUFFIXES: dict[str, Format] = {
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json",
}  # fmt: skip
_DELIMITERS = ";\t|,"  # what separates cells in files that people have
_LONGEST_CELL = 1 << 30  # characters; the csv module's own limit is 131,072, less than a long document


_JSON_HINT = "mend the line, or write the file again with a JSON library"
_ROW_HINT = 'write each row as an object: {"column": value}'
_ARRAY_HINT = "one array of all records is a .json file, or --set format=json"


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """How a table is written.

    Attributes:
        format: ``csv``, ``tsv``, ``jsonl`` or ``json``; ``None``: by the file's name.
        delimiter: between cells; ``None``: a comma in CSV, a tab in TSV.
        quotes: whether ``"`` quotes a cell; ``None``: in CSV, not in TSV.
        header: whether the first row names the columns; without, they are called ``1``, ``2``, …
    """

    format: Format | None = None
    delimiter: str | None = None
    quotes: bool | None = None
    header: bool = True


def read_rows(path: Path, dialect: Dialect | None = None) -> Iterator[Row]:
    """The rows of a table, plain or compressed.

    Raises:
        UsageError: the file's name does not say its format.
        DataError: the file does not hold what its name says; with path and line.
    """
    dialect = dialect or Dialect()
    kind = dialect.format or format_of(path)
    if kind == "jsonl":
        return read_jsonl(path)
    if kind == "json":
        return read_json(path)
    delimiter = dialect.delimiter or ("," if kind == "csv" else "\t")
    quotes = kind == "csv" if dialect.quotes is None else dialect.quotes
    return read_csv(path, delimiter=delimiter, quotes=quotes, header=dialect.header)


def format_of(path: Path) -> Format:
    """The format of a table by its name.

    Raises:
        UsageError: the name has none of the known endings.
    """
    suffix = Path(bare_name(path.name)).suffix
    if suffix.lower() not in _SUFFIXES:
        known = ", ".join(_SUFFIXES)
        hint = f"known endings: {known}, each also with .gz, .bz2 or .zst; or say --set format=csv"
        if suffix.lower() in (".xlsx", ".xls", ".ods", ".parquet"):
            hint = f"save it as CSV or JSON lines first; {hint}"
        raise UsageError(f"its ending {suffix!r} says no format that can be read", path=path, hint=hint)
    return _SUFFIXES[suffix.lower()]


def read_csv(path: Path, *, delimiter: str = ",", quotes: bool = True, header: bool = True) -> Iterator[Row]:
    """The rows of a CSV or TSV file, with the physical line each starts at; blank lines are skipped.

    A line end inside a quoted cell becomes LF, so a file gives the same texts with either line end.

    Raises:
        DataError: no header, a column named twice, a row of another length than the header, a quote that is
            never closed, or text that is not UTF-8; with path and line.
    """
    delimiter = "\t" if delimiter in ("tab", "\\t") else delimiter
    if len(delimiter) != 1:
        raise UsageError(f"the delimiter {delimiter!r} is not one character", hint="a tab is written 'tab'")
    columns: list[str] | None = None
    for start, cells in _quoted(path, delimiter) if quotes else _split(path, delimiter):
        if not cells or (cells == [""] and columns is not None and len(columns) > 1):
            continue
        if columns is None:
            columns = cells if header else [str(n) for n in range(1, len(cells) + 1)]
            _require_distinct(columns, path, start)
            if header:
                continue
        if len(cells) != len(columns):
            found = (
                f"has {len(cells)} cells, and the {'header' if header else 'first row'} has {len(columns)}"
            )
            hint = "a cell with the delimiter in it must be quoted" if quotes else "quotes are not read here"
            if setting := other_delimiter(columns):
                hint = f"is another delimiter meant? {setting}"
            raise DataError(found, path=path, line=start, hint=hint)
        yield Row(path, start, dict(zip(columns, cells, strict=True)))
    if columns is None:
        raise DataError("is empty", path=path)


def _quoted(path: Path, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The cells of each row, with the line it starts at."""
    csv.field_size_limit(_LONGEST_CELL)
    texts = (f"{text}\n" for _, text in lines(path))
    reader = csv.reader(texts, delimiter=delimiter, strict=True)
    while True:
        start = reader.line_num + 1
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise _csv_error(error, path, start) from error
        if cells is None:
            return
        yield start, cells


def _split(path: Path, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The same where quotes are plain characters: a line is a row, in a third of the time."""
    for first, block in text_blocks(path):
        for number, text in enumerate(block, first):
            if "\r" in text:
                raise _csv_error(csv.Error("new-line character"), path, number)
            yield number, text.split(delimiter) if text else []


def other_delimiter(columns: Sequence[str]) -> str:
    """The setting that would split a header that came out as one column, if it looks like several."""
    sign = next((sign for sign in _DELIMITERS if sign in columns[0]), "") if len(columns) == 1 else ""
    name = "tab" if sign == "\t" else sign
    return f"--set {shlex.quote(f'delimiter={name}')}" if sign else ""


def _csv_error(error: csv.Error, path: Path, line: int) -> DataError:
    text = str(error)
    if "new-line character" in text:
        found = "has a carriage return alone, which ends a line on old systems only"
        return DataError(found, path=path, line=line, hint="save it with LF or CRLF line ends")
    found, plain = f"cannot be read as CSV: {text}", "or --set quotes=false where quotes are plain characters"
    if "unexpected end" in text:
        found = "cannot be read as CSV: a quote is opened here and never closed"
        return DataError(found, path=path, line=line, hint=f"close it, {plain}")
    if "expected after" in text:
        hint = f'a quote inside a quoted cell is written twice, ""; {plain}'
        return DataError(found, path=path, line=line, hint=hint)
    return DataError(found, path=path, line=line)


def read_jsonl(path: Path) -> Iterator[Row]:
    """The objects of a JSON lines file; blank lines are skipped.

    Raises:
        DataError: a line is damaged or no object; with path and line.
    """
    for number, line in byte_lines(path):
        if not line.strip():
            continue
        try:
            value = msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            _damaged(path, number, line, error)
        hint = _ARRAY_HINT if isinstance(value, list) and number == 1 else _ROW_HINT
        yield Row(path, number, _object(value, path, number, hint))


def read_json(path: Path) -> Iterator[Row]:
    """The objects of a JSON array; a file that starts with ``{`` is read as JSON lines, whatever its name.

    Raises:
        DataError: the file is not an array of objects; with path and line.
    """
    with open_bytes(path) as file:
        try:
            text = file.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            raise DataError("is not UTF-8", path=path, line=line, hint="save it as UTF-8") from error
    if text.lstrip().startswith("{"):
        yield from read_jsonl(path)
        return
    decoder = json.JSONDecoder(parse_constant=_no_constant)
    line, seen, place = 1, 0, _skip(text, 0)
    expected = "["
    while text[place : place + 1] == expected:
        place = _skip(text, place + 1)
        if expected == "[" and text[place : place + 1] == "]":
            break
        line, seen = line + text.count("\n", seen, place), place
        try:
            value, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError) as error:
            found, hint, at = f"is not JSON: {_problem(error)}", _JSON_HINT, line
            if isinstance(error, json.JSONDecodeError):
                at = error.lineno
                if error.pos >= len(text.rstrip()):
                    found, hint, at = "is not JSON: the file ends inside this record", "it may be cut", line
            raise DataError(found, path=path, line=at, hint=hint) from error
        yield Row(path, line, _object(value, path, line, _ROW_HINT))
        place, expected = _skip(text, end), ","
    line += text.count("\n", seen, place)
    if text[place : place + 1] != "]" or text[place + 1 :].strip():
        raise DataError("is not one JSON array of objects", path=path, line=line, hint="the file may be cut")


def _skip(text: str, place: int) -> int:
    while text[place : place + 1] in (" ", "\n", "\r", "\t"):
        place += 1
    return place


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"JSON knows no {word}")


def _problem(error: Exception) -> str:
    """What is wrong with a JSON text, without the line, which stands before it already."""
    return f"{error.msg} at column {error.colno}" if isinstance(error, json.JSONDecodeError) else str(error)


def _object(value: Any, path: Path, line: int, hint: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise DataError(f"is not a JSON object but {json.dumps(value)[:40]}", path=path, line=line, hint=hint)
    return value


def _damaged(path: Path, number: int, line: bytes, error: Exception) -> NoReturn:
    """Say what is wrong with a line that is not one JSON value."""
    try:
        text = line.decode()
        start = len(text) - len(text.lstrip())
        _, end = json.JSONDecoder(parse_constant=_no_constant).raw_decode(text, start)
    except UnicodeDecodeError as problem:
        found = f"is not UTF-8 at byte {problem.start + 1} of the line"
        raise DataError(found, path=path, line=number, hint="save it as UTF-8") from error
    except (ValueError, RecursionError) as problem:
        hint = _JSON_HINT if number > 1 or not line.lstrip().startswith(b"[") else _ARRAY_HINT
        raise DataError(f"is not JSON: {_problem(problem)}", path=path, line=number, hint=hint) from error
    rest = text[end:].lstrip()
    if rest.startswith(("{", "[")):
        found = f"several records on one line: the second starts at column {len(text) - len(rest) + 1}"
        hint = "save it with LF line ends" if "\r" in text else "put each record on its own line"
    elif rest:
        found, hint = f"is not JSON: {rest[:20]!r} follows the record", "the line is damaged"
    elif re.search(r"\\u[dD][89a-fA-F]", text):
        found, hint = "holds half of a surrogate pair, which is no character", "write whole characters"
    else:
        found, hint = f"is not JSON: {error}", _JSON_HINT
    raise DataError(found, path=path, line=number, hint=hint) from error


def _require_distinct(columns: list[str], path: Path, line: int) -> None:
    twice = sorted({name for name in columns if columns.count(name) > 1})
    if twice:
        found = f"columns named twice: {', '.join(map(repr, twice))}"
        hint = "rename one of them, or --set header=false where the first row is no header"
        raise DataError(found, path=path, line=line, hint=hint)
