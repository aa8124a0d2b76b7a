"""Predictions of sentence-transformers' evaluators: JSON lines, one query each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from beirkit.corpora.errors import DataError
from beirkit.corpora.exports.catalog import MANIFEST
from beirkit.corpora.files import atomic_open, byte_lines
from beirkit.corpora.ids import id_problem, slug
from beirkit.evaluate.exports.base import Entry, Problem, Target
from beirkit.evaluate.exports.found import Found, quoted
from beirkit.evaluate.exports.known import Checkable, Known, files_in
from beirkit.evaluate.exports.lists import require_once, submitted_run
from beirkit.evaluate.exports.strict_json import NotStrictError, list_problems, strict_json

_KEYS = ("query_id", "query", "results")
_RESULT_KEYS = ("corpus_id", "score")


class PredictionsOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Options of :class:`Predictions`."""

    texts: bool = False
    depth: int | None = None


class Predictions(Target[PredictionsOptions], Checkable):
    """``DATASET@SPLIT/SYSTEM_FUNCTION.jsonl``: one line per query, its results sorted by score.

    The function is the similarity of a dense retriever, else ``score``. sentence-transformers breaks ties by
    the lowest id; lists here stand in the order in which they are evaluated, the highest first.

    Options:
        texts: write the queries' texts too, which whoever gets the file will read.
        depth: results per query; none: as many as the result holds.
    """

    name: ClassVar[str] = "sentence-transformers"
    summary: ClassVar[str] = "predictions as sentence-transformers' evaluators write them: JSON lines"
    Options: ClassVar[type[msgspec.Struct]] = PredictionsOptions

    def write(self, entries: Sequence[Entry], folder: Path, options: PredictionsOptions) -> None:
        """Write the files; see :class:`Target`."""
        names = [
            f"{slug(f'{one.dataset}@{one.split}')}/{slug(one.system)}_{_function(one)}.jsonl"
            for one in entries
        ]
        require_once(entries, names)
        for entry, name in zip(entries, names, strict=True):
            run = submitted_run(entry, options.depth)
            with atomic_open(folder / name) as out:
                for query_id, pairs in run.lists():
                    text = {"query": entry.query_texts.get(query_id, "")} if options.texts else {}
                    results = [{"corpus_id": doc_id, "score": score} for doc_id, score in pairs]
                    line = {"query_id": query_id, **text, "results": results}
                    out.write(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n")

    def validate(self, path: Path) -> list[Problem]:
        """See :class:`Target`; a file, or a folder of them."""
        return _problems(path, None)

    def validate_against(self, path: Path, known: Known) -> list[Problem]:
        """See :class:`Checkable`."""
        return _problems(path, known)


def read_predictions(path: Path) -> dict[str, dict[str, float]]:
    """The lists of a file.

    Raises:
        DataError: a line is none of such a file; with path and line.
    """
    found = Found(path.name)
    lists = dict(_lists(path, found))
    wrong = [one for one in found.problems() if one.severity == "error"]
    if wrong:
        line = wrong[0].key.partition(":")[0].removeprefix("line ")
        told = f"{wrong[0].key}: found {wrong[0].found}; expected {wrong[0].expected}"
        raise DataError(told, path=path, line=int(line) if line.isdecimal() else None)
    return lists


def _function(entry: Entry) -> str:
    retriever = entry.manifest.get("retriever")
    similarity = retriever.get("similarity") if isinstance(retriever, dict) else None
    return slug(similarity) if isinstance(similarity, str) else "score"


def _problems(path: Path, known: Known | None) -> list[Problem]:
    problems: list[Problem] = []
    count = 0
    for name, file in files_in(path, ".jsonl", ".jsonl.gz", without=MANIFEST):
        count += 1
        found = Found(name)
        try:
            lists = dict(_lists(file, found))
        except DataError as error:
            found.add(
                "files", f"line {error.line}" if error.line else "", error.found, "JSON lines", error.hint
            )
        else:
            if not lists:
                found.add("empty files", "", "no query", "one line for each query")
            if known is not None:
                known.problems(found, "", lists)
        problems += found.problems()
    if not count:
        problems.append(Problem(file=".", found="no predictions", expected="files that end in .jsonl"))
    return problems


def _lists(path: Path, found: Found) -> Iterator[tuple[str, dict[str, float]]]:
    seen: dict[str, int] = {}
    for number, line in byte_lines(path):
        key = f"line {number}"
        try:
            said = strict_json(line)
        except NotStrictError as error:
            found.add("lines that are no JSON", key, str(error), "strict JSON")
            continue
        if not isinstance(said, dict):
            found.add("lines of other shape", key, quoted(said), "an object")
            continue
        query_id = said.get("query_id")
        if not isinstance(query_id, str) or id_problem(query_id):
            found.add("query ids", f"{key}: query_id", quoted(query_id), "an id, as a text")
            continue
        if query_id in seen:
            found.add("queries twice", f"{key}: query_id", f"{query_id!r} again", "each query once")
        seen[query_id] = number
        for other in said.keys() - {*_KEYS}:
            found.add("unknown keys", f"{key}: {other}", quoted(said[other]), f"one of {', '.join(_KEYS)}")
        if not isinstance(said.get("query", ""), str):
            found.add("texts", f"{key}: query", quoted(said["query"]), "a text")
        elif "query" not in said:
            told = "readers that show queries need their texts: texts=true"
            found.add("lines without text", f"{key}: query", "no text", "a text", told, severity="warning")
        yield query_id, _results(found, key, said.get("results"))


def _results(found: Found, key: str, rows: Any) -> dict[str, float]:
    """The results of one line, with everything that is wrong with them."""
    if not isinstance(rows, list):
        found.add("results", f"{key}: results", quoted(rows), "a list of results")
        return {}
    lists: dict[str, float] = {}
    last = float("inf")
    for place, row in enumerate(rows):
        where = f"{key}: results[{place}]"
        if not isinstance(row, dict) or set(row) != {*_RESULT_KEYS}:
            found.add("results of other shape", where, quoted(row), '{"corpus_id": …, "score": …}')
            continue
        doc_id = row["corpus_id"]
        if not isinstance(doc_id, str) or id_problem(doc_id):
            found.add("document ids", f"{where}.corpus_id", quoted(doc_id), "an id, as a text")
            continue
        if doc_id in lists:
            told = "each document once for a query"
            found.add("documents twice", f"{where}.corpus_id", f"{doc_id!r} again", told)
        sound = list_problems(found, where, {doc_id: row["score"]})
        for score in sound.values():
            if score > last:
                told = f"{score!r} below {last!r}"
                found.add("scores that rise", f"{where}.score", told, "results sorted by score, falling")
            last = score
        lists |= sound
    return lists
