"""Relevance judgments: read from BEIR tables, TREC qrels, JSON or Parquet, written as BEIR tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from beirkit.corpora.compressed import bare_name
from beirkit.corpora.errors import DataError
from beirkit.corpora.files import atomic_open, byte_lines
from beirkit.corpora.findings import Refused
from beirkit.corpora.ids import id_problem
from beirkit.corpora.json_table import read_table
from beirkit.corpora.notices import Warn, warn
from beirkit.corpora.qrels_blocks import plain_judgments
from beirkit.corpora.qrels_jsonl import jsonl_rows
from beirkit.corpora.qrels_lines import QrelsParser, parse_grade
from beirkit.corpora.records import Judgment, Qrels

HEADER = "query-id\tcorpus-id\tscore"


def read_qrels(path: Path | str, *, default_relevance: int | None = None) -> Qrels:
    """Judgments as ``{query_id: {doc_id: relevance}}``.

    Reads BEIR's table (with or without header), TREC's four columns and, where the name says so, JSON:
    ``.json`` is ``{query_id: {doc_id: relevance}}``, ``.jsonl`` one judgment a line; all of them compressed
    too; and ``.parquet``. See :class:`beirkit.corpora.qrels_lines.QrelsParser` for how a table is told.

    Args:
        path: the file.
        default_relevance: the grade of every pair in a file of two columns.

    Raises:
        DataError: a line is no judgment, or one pair has two grades; with path and line.
    """
    plain = plain_judgments(Path(path))
    if plain is not None:
        return plain
    qrels: Qrels = {}
    for _ in _judgments(Path(path), default_relevance, qrels, warn):
        pass
    return qrels


def iter_judgments(
    path: Path | str, *, default_relevance: int | None = None, warn: Warn = warn
) -> Iterator[Judgment]:
    """The judgments of a file in its order, each pair once; see :func:`read_qrels`.

    Args:
        path: the file.
        default_relevance: the grade of every pair in a file of two columns.
        warn: told of what was dropped or taken with doubt.
    """
    return _judgments(Path(path), default_relevance, {}, warn)


def write_qrels_tsv(path: Path | str, judgments: Iterable[Judgment]) -> None:
    """Write BEIR's table: a header, then query id, document id and grade between tabs.

    Raises:
        DataError: an id is empty or holds a tab, a line end or another control character.
        WriteError: the system refused the file.
    """
    with atomic_open(path) as out:
        out.write(HEADER + "\n")
        for judgment in judgments:
            out.write(row(judgment))


def row(judgment: Judgment) -> str:
    """One line of BEIR's table.

    Raises:
        DataError: an id cannot stand in it.
    """
    for what, value in (("query", judgment.query_id), ("document", judgment.doc_id)):
        if not value.isprintable() or not value:
            problem = id_problem(value)
            if problem:
                raise DataError(f"{what} id {value!r} {problem}: it cannot stand in a qrels file")
    return f"{judgment.query_id}\t{judgment.doc_id}\t{judgment.relevance}\n"


def once(
    rows: Callable[[], Iterable[tuple[int, Judgment]]],
    seen: Qrels,
    *,
    place: str = "line",
    path: Path | str | None = None,
    warn: Warn = warn,
) -> Iterator[Judgment]:
    """Each pair of a pass once: copies are dropped and told, contradictions refused.

    Args:
        rows: starts a pass of ``(number, judgment)``.
        seen: filled with the judgments of the pass.
        place: what the numbers count, for messages.
        path: the file, for messages.
        warn: told of what was dropped.

    Raises:
        DataError: one pair has two grades; the message names both places.
    """
    dropped: list[str] = []
    for number, judgment in rows():
        query_id, doc_id, relevance = judgment.query_id, judgment.doc_id, judgment.relevance
        grades = seen.get(query_id)
        if grades is None:
            grades = seen[query_id] = {}
        known = grades.get(doc_id)
        if known is None:
            grades[doc_id] = relevance
            yield judgment
        elif known == relevance:
            dropped.append(f"{query_id}/{doc_id}")
        else:
            first = next(n for n, j in rows() if j.query_id == query_id and j.doc_id == doc_id)
            raise DataError(
                f"query {query_id!r} and document {doc_id!r} are judged {known} at {place} {first} "
                f"and {relevance} at {place} {number}",
                path=path,
                line=number if place == "line" else None,
                hint="keep one of the two grades",
            )
    if dropped:
        warn(
            f"{path or 'collection'}: {len(dropped)} exact duplicate judgments dropped "
            f"(e.g. {', '.join(dropped[:3])})"
        )


def _judgments(path: Path, default_relevance: int | None, seen: Qrels, warn: Warn) -> Iterator[Judgment]:
    name = bare_name(path.name)
    if name.endswith(".json"):
        return once(lambda: _json_rows(path), seen, place="entry", path=path, warn=warn)
    if name.endswith(".jsonl"):
        return once(lambda: jsonl_rows(path), seen, path=path, warn=warn)
    if name.endswith(".parquet"):
        from beirkit.corpora.qrels_parquet import read_parquet

        return once(lambda: read_parquet(path), seen, place="row", path=path, warn=warn)
    return once(lambda: _rows(path, default_relevance, warn), seen, path=path, warn=warn)


def _rows(path: Path, default_relevance: int | None, warn: Warn) -> Iterator[tuple[int, Judgment]]:
    parser = QrelsParser(default_relevance)
    for number, line in byte_lines(path):
        if not line:  # here already, for a file of filler has millions
            continue
        try:
            judgment = parser.parse(line)
        except Refused as refused:
            raise DataError(refused.found, path=path, line=number, hint=refused.todo) from refused
        if judgment is not None:
            yield number, judgment
    if parser.header and not parser.header_known:
        warn(f"{path}: the first line, {' '.join(parser.header)}, is taken as a header")
    if parser.quoted:
        warn(f"{path}: {parser.quoted} ids stand in quotes, which are kept as part of the id")


def _json_rows(path: Path) -> Iterator[tuple[int, Judgment]]:
    number = 0
    for query_id, grades in read_table(path, "grades").items():
        for doc_id, grade in grades.items():
            number += 1
            if isinstance(grade, bool) or not isinstance(grade, int | float):
                raise DataError(f"the grade of {query_id}/{doc_id} is {grade!r}, not a number", path=path)
            try:
                yield number, Judgment(query_id, doc_id, parse_grade(repr(grade)))
            except Refused as refused:
                raise DataError(
                    f"{query_id}/{doc_id}: {refused.found}", path=path, hint=refused.todo
                ) from refused
