"""Run files and judgments in TREC's columns, held to what trec_eval makes of them and to what they claim."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from beirkit.corpora.errors import DataError
from beirkit.corpora.files import byte_lines
from beirkit.evaluate.exports.base import Problem
from beirkit.evaluate.exports.found import Found, quoted
from beirkit.evaluate.exports.known import Known

Lines = Iterable[tuple[int, bytes]]

_CUSTOMARY = 1000  # results per query
_COLUMNS = ("query id", "Q0", "document id", "rank", "score", "tag")


class RunTally:
    """What a run file holds besides its problems.

    Attributes:
        queries: query ids, each with how many results.
        tags: every tag.
        lines: how many.
        documents: every document id.
    """

    def __init__(self) -> None:
        self.queries: dict[str, int] = {}
        self.tags: dict[str, int] = {}
        self.lines = 0
        self.documents: set[str] = set()


def file_problems(
    path: Path, name: str, *, qrels: bool = False, known: Known | None = None
) -> tuple[list[Problem], RunTally]:
    """Everything that is wrong with a run file, or with a file of judgments; compressed ones are read.

    Args:
        path: the file.
        name: what to call it.
        qrels: it is one of judgments.
        known: the dataset it is of; None: ids are not looked up.
    """
    try:
        if qrels:
            return qrels_problems(byte_lines(path), name), RunTally()
        problems, tally = run_problems(byte_lines(path), name)
        return problems + (known_problems(tally, name, known) if known is not None else []), tally
    except DataError as error:
        place = f"line {error.line}" if error.line else ""
        return [
            Problem(
                file=name, key=place, found=error.found, expected="a file that can be read", todo=error.hint
            )
        ], RunTally()


def run_problems(lines: Lines, file: str) -> tuple[list[Problem], RunTally]:
    """Everything that is wrong with the lines of a run.

    trec_eval orders by score, then document id descending, and never looks at the rank; a file whose ranks
    say something else is evaluated as another ranking than it shows.
    """
    found, tally = Found(file), RunTally()
    query, last, last_doc, place = "", math.inf, "", 0
    seen: set[str] = set()
    for number, line in lines:
        fields = _fields(line, number, found, 6, "query Q0 document rank score tag")
        if fields is None:
            continue
        tally.lines += 1
        query_id, q0, doc_id, rank, text, tag = fields
        if query_id != query:
            if query_id in tally.queries:
                found.add(
                    "queries in several pieces",
                    f"line {number}: query id",
                    f"{quoted(query_id)} again",
                    "each query's results in one piece",
                )
            query, last, last_doc, place, seen = query_id, math.inf, "", 0, set()
        place += 1
        tally.queries[query_id] = tally.queries.get(query_id, 0) + 1
        tally.documents.add(doc_id)
        if q0 != "Q0":
            found.add("second columns", f"line {number}: Q0", quoted(q0), "Q0", severity="warning")
        if doc_id in seen:
            found.add(
                "documents twice in a list",
                f"line {number}: document id",
                f"{quoted(doc_id)} again",
                "each document once for a query",
                "trec_eval stops at the second; keep the better one",
            )
        seen.add(doc_id)
        if rank != str(place):
            found.add(
                "ranks that do not follow the lines",
                f"line {number}: rank",
                quoted(rank),
                str(place),
                "write ranks 1, 2, 3, … for every query",
            )
        score = _score(text)
        if score is None or not math.isfinite(score):
            found.add("scores that are no finite numbers", f"line {number}: score", quoted(text), "a number")
        else:
            _order(found, number, score, doc_id, last, last_doc)
            last, last_doc = score, doc_id
        if tally.tags.setdefault(tag, number) == number and len(tally.tags) > 1:
            first = next(iter(tally.tags))
            found.add(
                "tags",
                f"line {number}: tag",
                quoted(tag),
                f"{first!r}, the tag of line 1 on",
                "a file is one run",
            )
    _whole(found, tally)
    return found.problems(), tally


def _order(found: Found, number: int, score: float, doc_id: str, last: float, last_doc: str) -> None:
    key = f"line {number}: score"
    if score > last:
        found.add(
            "scores that rise",
            key,
            f"{score!r} below {last!r}",
            "scores that fall or stay",
            "sort each list by score: that is the order it is evaluated in",
        )
    elif score == last and doc_id > last_doc:
        found.add(
            "ties in another order",
            key,
            f"{doc_id!r} after {last_doc!r} with the same score",
            "equal scores by document id, descending",
            "trec_eval orders ties so, whatever the ranks say",
        )
    elif score < last and doc_id > last_doc and np.float32(score) == np.float32(last):
        found.add(
            "scores that tie in 32 bits",
            key,
            f"{score!r} after {last!r}",
            "scores that differ in 32 bits",
            "trec_eval 9 compares 32 bits and swaps the two",
            severity="warning",
        )


def _whole(found: Found, tally: RunTally) -> None:
    if not tally.lines:
        found.add("empty runs", "", "no result", "one line for each result")
    for tag in tally.tags:
        if tag in ("None", "null", "nan", "STANDARD"):
            found.add(
                "tags that name nothing",
                f"line {tally.tags[tag]}: tag",
                quoted(tag),
                "the name of the run",
                severity="warning",
            )
    deep = [query for query, count in tally.queries.items() if count > _CUSTOMARY]
    if deep:
        found.add(
            "deep lists",
            f"query {deep[0]!r}",
            f"{tally.queries[deep[0]]:,} results",
            f"at most {_CUSTOMARY:,}",
            "tracks and boards cut there, or refuse more",
            severity="warning",
        )


def qrels_problems(lines: Lines, file: str) -> list[Problem]:
    """Everything that is wrong with the lines of judgments."""
    found = Found(file)
    grades: dict[tuple[str, str], str] = {}
    for number, line in lines:
        fields = _fields(line, number, found, 4, "query 0 document grade")
        if fields is None:
            continue
        query_id, iteration, doc_id, grade = fields
        if not _is_whole(grade):
            found.add(
                "grades that are no whole numbers", f"line {number}: grade", quoted(grade), "a whole number"
            )
        if iteration not in ("0", "Q0"):
            found.add(
                "second columns", f"line {number}: iteration", quoted(iteration), "0", severity="warning"
            )
        known = grades.setdefault((query_id, doc_id), grade)
        if known is not grade:
            found.add(
                "pairs judged twice",
                f"line {number}: document id",
                f"{query_id}/{doc_id} {grade} again",
                f"one grade, it has {known}",
            )
    if not grades:
        found.add("empty judgments", "", "no judgment", "one line for each judgment")
    return found.problems()


def known_problems(tally: RunTally, file: str, known: Known) -> list[Problem]:
    """Ids of a run that its dataset does not have; which split it is of, a run does not say."""
    found = Found(file)
    for query_id in tally.queries:
        if query_id not in known.queries:
            told = f"a query that {known.dataset} does not have"
            found.add("unknown queries", f"query {query_id!r}", told, "queries of the dataset")
    for doc_id in sorted(tally.documents - known.documents) if known.documents else ():
        told = f"a document that {known.dataset} does not have"
        found.add("unknown documents", f"document {doc_id!r}", told, "documents of the corpus")
    splits = [ids for ids in known.splits.values() if ids & tally.queries.keys()]
    if tally.queries and len(splits) > 1 and not any(ids >= tally.queries.keys() for ids in splits):
        told = f"queries of {len(splits)} splits"
        found.add("mixed splits", "", told, "queries of one split", severity="warning")
    return found.problems()


def _fields(line: bytes, number: int, found: Found, columns: int, form: str) -> list[str] | None:
    if not line.strip():
        found.add("blank lines", f"line {number}", "nothing", form)
        return None
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        found.add("lines that are not UTF-8", f"line {number}", f"{line[:40]!r}", "UTF-8")
        return None
    fields = text.split()
    if len(fields) != columns:
        name = "tag" if columns == 6 and len(fields) > 6 else "columns"
        found.add(
            "lines of other columns",
            f"line {number}: {name}",
            f"{len(fields)} columns",
            f"{columns}: {form}",
            "no id and no tag may hold a blank",
        )
        return None
    return fields


def _score(text: str) -> float | None:
    try:
        return float(text) if "_" not in text else None
    except ValueError:
        return None


def _is_whole(text: str) -> bool:
    return text.lstrip("+-").isdecimal() and text.isascii()
