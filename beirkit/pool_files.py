"""The files of an annotation pool: what an annotator fills in, and the key that tells what was asked."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from beirkit.converters.reading.readers import Dialect, format_of, read_rows
from beirkit.converters.reading.rows import Row
from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.files import atomic_open, lines
from beirkit.corpora.findings import Refused
from beirkit.corpora.qrels_lines import parse_grade
from beirkit.corpora.records import Qrels
from beirkit.evaluate.pooling import Pooled
from beirkit.results import write_json

FORMAT = "beirkit pool 1"
COLUMNS = ("query_id", "query", "doc_id", "title", "text", "relevance")
"""What an annotator sees; the last column is to be filled in."""

SYSTEMS = "systems"
_DELIMITERS = (",", ";", "\t")  # spreadsheets of some countries save CSV with semicolons


class RunFacts(msgspec.Struct, frozen=True):
    """A run that was pooled."""

    file: str
    sha256: str


class PoolKey(msgspec.Struct, frozen=True, kw_only=True):
    """What a pool was made of and holds; kept apart from it, so that annotators do not see it.

    Attributes:
        format: of this file.
        dataset: its name.
        split: whose judgments were looked at.
        judgments: content id of these.
        depth: results of each list that were looked at.
        by: which documents came first.
        limit: how many were kept at most.
        protocol: how the lists were ordered.
        seed: of the shuffle; None: in the order in which they matter.
        runs: by system.
        items: what is to be judged, the most important first.
    """

    format: str = FORMAT
    dataset: str
    split: str
    judgments: str
    depth: int
    by: str
    limit: int | None = None
    protocol: str
    seed: int | None = None
    runs: dict[str, RunFacts]
    items: list[Pooled]


class Filled(NamedTuple):
    """What an annotator wrote: judgments, the pairs that were left empty, and the line of each judgment."""

    qrels: Qrels
    empty: set[tuple[str, str]]
    lines: dict[tuple[str, str], int]


def key_path(pool: Path) -> Path:
    """Where the key of a pool is kept."""
    return pool.with_name(f"{pool.name}.key.json")


def write_pool(
    path: Path,
    items: Sequence[Pooled],
    queries: Mapping[str, str],
    documents: Mapping[str, tuple[str, str]],
    *,
    show_systems: bool = False,
) -> None:
    """Write the file that annotators fill in: CSV or TSV, or JSON lines where its name says so.

    Args:
        path: the file.
        items: in the order in which they are shown.
        queries: the text of each query.
        documents: title and text of each document.
        show_systems: add a column of the systems that found each document, and its rank.

    Raises:
        UsageError: the name says none of these.
    """
    form = _form(path)
    rows = _rows(items, queries, documents, show_systems=show_systems)
    with atomic_open(path) as out:
        if form == "jsonl":
            out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            return
        # all quoted, since the module leaves a carriage return alone unquoted, which no reader takes
        sign = "," if form == "csv" else "\t"
        table = csv.writer(out, delimiter=sign, lineterminator="\n", quoting=csv.QUOTE_ALL)
        table.writerow([*COLUMNS, *([SYSTEMS] if show_systems else [])])
        for row in rows:
            ranks = row.pop(SYSTEMS, None)
            cells = ["" if value is None else value for value in row.values()]
            if ranks is not None:
                cells.append(" ".join(f"{system}:{rank}" for system, rank in ranks.items()))
            table.writerow(cells)


def _rows(
    items: Iterable[Pooled],
    queries: Mapping[str, str],
    documents: Mapping[str, tuple[str, str]],
    *,
    show_systems: bool,
) -> Iterator[dict[str, Any]]:
    for item in items:
        title, text = documents[item.doc_id]
        row = {
            "query_id": item.query_id,
            "query": queries[item.query_id],
            "doc_id": item.doc_id,
            "title": title,
            "text": text,
            "relevance": None,
        }
        yield {**row, SYSTEMS: item.ranks} if show_systems else row


def write_key(path: Path, key: PoolKey) -> None:
    """Write the key of a pool."""
    write_json(path, msgspec.to_builtins(key))


def read_key(path: Path) -> PoolKey:
    """Read the key of a pool.

    Raises:
        DataError: it is none.
    """
    try:
        key = msgspec.json.decode(path.read_bytes(), type=PoolKey)
    except OSError as error:
        raise DataError(
            f"cannot be read: {error.strerror}", path=path, hint="name the key of the pool with --key"
        ) from error
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(f"is no key of a pool: {error}", path=path) from error
    if key.format != FORMAT:
        raise DataError(f"is of the format {key.format!r}, not {FORMAT!r}", path=path)
    return key


def read_filled(path: Path) -> Filled:
    """What annotators wrote into a pool; rows without a grade are left out.

    Raises:
        DataError: a grade is no whole number, a graded row has no ids, or a pair has two grades; with line.
    """
    qrels: Qrels = {}
    places: dict[tuple[str, str], int] = {}
    empty: set[tuple[str, str]] = set()
    for row in read_rows(path, _dialect(path)):
        if all(value in (None, "") for value in row.cells.values()):
            continue
        grade = _grade(row)
        if grade is None:
            empty.add((str(row.cell("query_id")), str(row.cell("doc_id"))))
            continue
        pair = row.id("query_id"), row.id("doc_id")
        known = qrels.setdefault(pair[0], {}).setdefault(pair[1], grade)
        if known != grade:
            raise row.error(
                f"query {pair[0]!r} and document {pair[1]!r} have grade {grade} here and {known} at line "
                f"{places[pair]}",
                "keep one of the two rows",
            )
        places.setdefault(pair, row.line)
    return Filled(qrels, empty, places)


def _grade(row: Row) -> int | None:
    value = row.cell("relevance")
    if value is None or not str(value).strip():
        return None
    try:
        return parse_grade("" if isinstance(value, bool) else str(value))
    except Refused as refused:
        raise row.error(f"relevance {value!r} is no grade", "write 0, 1, 2, … or leave it empty") from refused


def _form(path: Path) -> Literal["csv", "tsv", "jsonl"]:
    form = format_of(path)
    if form == "json":
        raise UsageError("a pool is CSV, TSV or JSON lines", path=path, hint="let its name end in .jsonl")
    return form


def _dialect(path: Path) -> Dialect:
    """How a filled table is written: with whatever stands between the names of its first line."""
    form = _form(path)
    dialect = Dialect(format=form, quotes=None if form == "jsonl" else True)
    if form == "jsonl":
        return dialect
    head = next((line for _, line in lines(path)), "")
    sign = max(_DELIMITERS, key=head.count)
    return msgspec.structs.replace(dialect, delimiter=sign)
