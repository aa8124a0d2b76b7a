"""Whether the declared columns are there, and what to say to somebody who has declared none."""

from __future__ import annotations

import shlex
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from beirkit.converters.reading.readers import Dialect, other_delimiter, read_rows
from beirkit.corpora.errors import DataError, UsageError, nearest

if TYPE_CHECKING:
    from beirkit.converters.table import TableOptions

_LOOKED_AT = 100  # rows; objects of JSON lines need not all have the same keys

# Names that people give such columns, the likeliest first.
_USUAL = {
    "question": ("question", "query", "claim", "query_text", "prompt", "q", "questions", "user_input"),
    "positive": (
        "positive", "passage", "answer", "context", "positive_passage", "pos", "document", "text", "chunk",
        "content", "positives", "contexts",
    ),
    "negative": ("negative", "neg", "hard_negative", "negative_passage", "negatives"),
    "query_id": ("query_id", "query-id", "qid", "question_id"),
    "doc_id": ("doc_id", "corpus-id", "corpus_id", "docid", "pid", "passage_id", "document_id", "doc"),
    "title": ("title", "heading"),
    "grade": ("grade", "relevance", "label", "score", "rel"),
}  # fmt: skip


def dialect(options: TableOptions) -> Dialect:
    """How the files are written, as far as the options say it."""
    return Dialect(
        format=options.format, delimiter=options.delimiter, quotes=options.quotes, header=options.header
    )


def check_columns(options: TableOptions, files: dict[str, Path]) -> None:
    """Check that the options describe one of the shapes, and every column is in its file.

    Args:
        options: the declared columns.
        files: ``raw`` and, where declared, ``corpus`` and ``judgments``.

    Raises:
        UsageError: something is missing or not there.
    """
    found = {role: _columns(path, options) for role, path in files.items()}
    raw = files["raw"]
    if not options.question:
        raise UsageError("it must be said which column holds what", path=raw, hint=_advice(found["raw"]))
    problem = _shape_problem(options)
    if problem:
        raise UsageError(problem, path=raw, hint=_advice(found["raw"]))
    for role, declared in _declared(options).items():
        for option, column in declared.items():
            if column and column not in found[role]:
                setting = other_delimiter(found[role])
                hint = f"is another delimiter meant? {setting}" if setting else nearest(column, found[role])
                raise UsageError(
                    f"has no column {column!r}, which {option!r} names; it has: {_listed(found[role])}",
                    path=files[role],
                    hint=hint,
                )


def _shape_problem(options: TableOptions) -> str:
    if options.judgments:
        needed = {"corpus": options.corpus, "query_id": options.query_id}
    elif options.corpus:
        needed = {"doc_id": options.doc_id}
    else:
        needed = {"positive": options.positive}
    if options.corpus:
        needed |= {"text": options.text, "doc_id": options.doc_id or options.corpus_doc_id}
    if options.corpus and (options.positive or options.negative):
        return "passages come from the corpus file, so 'positive' and 'negative' name no column: use 'doc_id'"
    if options.negative_id and not (options.negative or options.corpus):
        return "'negative_id' is given without 'negative'"
    if options.grades and not options.grade:
        return "'grades' needs the column of the labels: --set grade=COLUMN"
    missing = [name for name, value in needed.items() if not value]
    return f"also needed: {', '.join(map(repr, missing))}" if missing else ""


def _declared(options: TableOptions) -> dict[str, dict[str, str]]:
    """The declared columns by file and option."""
    declared = {"raw": {"question": options.question, "query_id": options.query_id}}
    if options.corpus:
        doc_id = options.corpus_doc_id or options.doc_id
        declared["corpus"] = {"doc_id": doc_id, "text": options.text, "title": options.title}
    else:
        declared["raw"] |= {name: getattr(options, name) for name in ("positive", "negative", "title")}
    if options.judgments:
        declared["judgments"] = {
            "query_id": options.judgments_query_id or options.query_id,
            "doc_id": options.judgments_doc_id or options.doc_id or options.corpus_doc_id,
            "grade": options.grade,
        }
    else:
        declared["raw"] |= {name: getattr(options, name) for name in ("doc_id", "negative_id", "grade")}
    return declared


def _columns(path: Path, options: TableOptions) -> list[str]:
    """The columns of a file, in order of appearance."""
    found: dict[str, None] = {}
    for row in islice(read_rows(path, dialect(options)), _LOOKED_AT):
        found.update(dict.fromkeys(row.cells))
    if not found:
        raise DataError("has no rows", path=path)
    return list(found)


def _advice(columns: list[str]) -> str:
    """The columns there are, and the settings that would name them if they mean what they are called."""
    settings = []
    if setting := other_delimiter(columns):
        sign = shlex.split(setting)[1].removeprefix("delimiter=")
        columns = columns[0].split("\t" if sign == "tab" else sign)
        settings.append(setting)
    by_name = {column.lower().replace(" ", "_"): column for column in columns}
    for option, usual in _USUAL.items():
        column = next((by_name.pop(name) for name in usual if name in by_name), None)
        if column is not None:
            settings.append(f"--set {shlex.quote(f'{option}={column}')}")
        elif option in ("question", "positive"):
            settings.append(f"--set {option}=COLUMN")
    return f"it has: {_listed(columns)}; if they are what they are called: {' '.join(settings)}"


def _listed(columns: list[str]) -> str:
    return ", ".join(map(repr, columns[:20])) + (" …" if len(columns) > 20 else "")
