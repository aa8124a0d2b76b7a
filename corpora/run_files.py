"""Runs on disk: TREC's six columns, and a JSON form for ids that cannot stand between blanks."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from beirkit.corpora.compressed import bare_name
from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.files import atomic_open, byte_lines, open_bytes
from beirkit.corpora.ids import has_white_space, id_problem
from beirkit.corpora.json_table import read_table
from beirkit.corpora.packed_ids import take
from beirkit.corpora.run import LENIENT, Run
from beirkit.corpora.run_columns import RunColumns
from beirkit.corpora.run_parquet import add_parquet

_log = logging.getLogger(__name__)

BLOCK = 1 << 17
"""Bytes that are taken apart at a time: their columns stay in the processor's cache."""


def read_run(path: Path | str, *, strict: bool = False, lenient_scores: bool = False) -> Run:
    """A run from a file; compressed ones (gzip, bzip2, zstd) are read through.

    ``.jsonl`` is the form :func:`write_run` writes for odd ids, ``.json`` is ``{query_id: {doc_id: score}}``,
    ``.parquet`` has the columns ``q_id``, ``doc_id`` and ``score``, and anything else is TREC: ``query Q0
    document rank score tag`` at ASCII white space. The second column and the rank are ignored, as is what
    follows the tag; but where something does, the rank must be a whole number, as it is not where an id
    holds a blank and the fields have moved. Results stand in the run as they stand in the file.

    Args:
        path: the file.
        strict: refuse a document that stands twice in one list, instead of keeping its best score, and lines
            with text after the tag, where an id that holds a blank before a number would hide.
        lenient_scores: take NaN and infinite scores; whoever scores the run must say so again.

    Raises:
        DataError: a line is no result, or a score is no finite number; with path and line.
        MissingExtraError: it is Parquet, and pyarrow is not installed.
    """
    path = Path(path)
    name = bare_name(path.name)
    if name.endswith(".json"):
        return _read_json(path, lenient_scores=lenient_scores)
    columns = RunColumns(path, lenient_scores=lenient_scores)
    if name.endswith(".parquet"):
        add_parquet(columns, path)
    elif name.endswith(".jsonl"):
        for number, line in byte_lines(path):
            columns.add_json_line(number, line)
    else:
        with open_bytes(path) as stream:
            while block := stream.read(BLOCK):
                columns.add_block(block + stream.readline())
    run = columns.run(strict=strict)
    if columns.long_lines:
        plural = "line" if columns.long_lines == 1 else "lines"
        if strict:
            raise DataError(
                f"{columns.long_lines} {plural} with more than six fields",
                path=path,
                hint="does an id hold a blank? use run.jsonl; if not strict, what follows the tag is ignored",
            )
        _log.warning("%s: %d %s with extra fields after the tag, ignored", path, columns.long_lines, plural)
    if columns.copies:
        _log.warning(
            "%s: %d duplicate results dropped, the best score of each kept (e.g. %s)",
            path,
            len(columns.copies),
            ", ".join(columns.copies[:3]),
        )
    return run


def write_run(run: Run, path: Path | str) -> None:
    """Write a run in ranking order, ranks from 1; the name's end picks the form, ``.gz`` compresses.

    ``.jsonl`` holds one query a line; anything else is TREC, in which a query without results cannot stand.
    A score is written as the shortest decimal that reads back as the same number of its own type, so a
    float32 run ranks the same after reading, compared as float32 or as float64.

    Raises:
        UsageError: the name is one of a form that is read and not written, ``.json`` or ``.parquet``.
        DataError: a score is not finite, an id is one that no reader takes (empty, with a control character,
            not Unicode), or the form is TREC and an id holds white space.
        WriteError: the system refused the file.
    """
    path = Path(path)
    run.require_finite()
    name = bare_name(path.name)
    json_form = name.endswith(".jsonl")
    if name.endswith((".json", ".parquet")):
        raise UsageError(
            "readers would not take a file of this name for what is written",
            path=path,
            hint="let the name end in .trec or .jsonl, perhaps with .gz",
        )
    _require_fit(run, path, json_form=json_form)
    ranked = run.ordered()
    lines = _json_lines(ranked) if json_form else _trec_lines(ranked)
    with atomic_open(path) as out:
        for line in lines:
            out.write(line)


def run_file_name(run: Run) -> str:
    """The file name whose form can hold every id of this run: ``run.trec.gz``, else ``run.jsonl.gz``."""
    plain = all(not _unfit(value) for values in (run.query_ids, _used_documents(run)) for value in values)
    return "run.trec.gz" if plain and not _unfit(run.tag) else "run.jsonl.gz"


def _require_fit(run: Run, path: Path, *, json_form: bool) -> None:
    """Refuse ids that could not be read back from the file."""
    for what, values in (
        ("query id", run.query_ids),
        ("document id", _used_documents(run)),
        ("tag", [run.tag]),
    ):
        for value in values:
            hint = ""
            if json_form:
                problem = "" if what == "tag" else _unreadable(value)
            else:
                problem = _unfit(value)
                if problem and not _unreadable(value):
                    hint = "write run.jsonl or run.jsonl.gz instead, which holds any id that can be read"
            if problem:
                form = "run" if json_form else "TREC run"
                raise DataError(
                    f"{what} {value!r} {problem}: it cannot stand in a {form}", path=path, hint=hint
                )


def _trec_lines(run: Run) -> Iterator[str]:
    for query_id, doc_ids, scores in _lists(run):
        yield "".join(
            f"{query_id} Q0 {doc_id} {rank} {score} {run.tag}\n"
            for rank, (doc_id, score) in enumerate(zip(doc_ids, scores, strict=True), 1)
        )


def _json_lines(run: Run) -> Iterator[str]:
    tag = json.dumps(run.tag)
    for query_id, doc_ids, scores in _lists(run):
        results = ", ".join(f"[{json.dumps(d)}, {s}]" for d, s in zip(doc_ids, scores, strict=True))
        yield f'{{"query_id": {json.dumps(query_id)}, "tag": {tag}, "results": [{results}]}}\n'


def _lists(run: Run) -> Iterator[tuple[str, list[str], list[str]]]:
    """Each query with its document ids and the texts of its scores."""
    for index, query_id in enumerate(run.query_ids):
        docs, scores = run.results(index)
        if scores.dtype == "float32":
            texts = scores.astype("U32").tolist()
        else:
            texts = list(map(repr, scores.astype("float64").tolist()))
        yield query_id, take(run.doc_ids, docs), texts


def _used_documents(run: Run) -> Sequence[str]:
    return take(run.doc_ids, np.unique(run.docs))


def _unfit(value: str) -> str:
    if has_white_space(value):
        return "is empty" if not value else "holds white space"
    return _unreadable(value)


def _unreadable(value: str) -> str:
    """What keeps every reader from taking this id, or the empty string."""
    problem = id_problem(value)
    if not problem and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            return "holds half of a surrogate pair"
    return problem


def _read_json(path: Path, *, lenient_scores: bool) -> Run:
    table = read_table(path, "scores")
    try:
        run = Run.from_dict(table, tag=path.name.split(".")[0], lenient_scores=True)
    except DataError as error:
        raise DataError(error.found, path=path, hint=error.hint) from error
    run = replace(run, source=str(path))
    if not lenient_scores:
        run.require_finite(LENIENT)
    return run
