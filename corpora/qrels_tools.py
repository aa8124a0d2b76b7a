"""What is done to judgments before they are handed on: filters, other grades, several versions made one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Literal, get_args

import msgspec

from beirkit.corpora.compressed import bare_name
from beirkit.corpora.errors import DataError, UsageError, nearest
from beirkit.corpora.files import lines, open_bytes
from beirkit.corpora.jsonl import read_queries
from beirkit.corpora.qrels_where import Condition
from beirkit.corpora.records import Judgment, Qrels

Merge = Literal["error", "first", "last", "max", "min"]
MERGES: tuple[Merge, ...] = get_args(Merge)

GradeMap = Mapping[int, int | None]
"""What becomes of each grade; None: judgments of this grade are dropped."""


class Filtered(msgspec.Struct, frozen=True):
    """Judgments that passed, and what became of the others.

    Attributes:
        qrels: the judgments, in the order they came.
        dropped: judgments left out, by the name of the argument that did it, in the order they apply.
        changed: judgments whose grade was changed, by the name of the argument.
        not_judged: ids of ``queries`` that have no judgment.
    """

    qrels: Qrels
    dropped: dict[str, int]
    changed: dict[str, int]
    not_judged: list[str]


def filter_judgments(
    qrels: Qrels,
    *,
    queries: Collection[str] | None = None,
    where: Condition | None = None,
    grades: GradeMap | None = None,
    min_grade: int | None = None,
    binarize: int | None = None,
) -> Filtered:
    """Choose judgments and change their grades; what is not asked for is not done.

    The steps apply in the order of the arguments: ``queries`` and ``where`` see the grades as they came,
    ``min_grade`` and ``binarize`` those that ``grades`` made of them.

    Args:
        qrels: the judgments; not changed.
        queries: keep only these queries.
        where: keep what meets this condition; see :func:`beirkit.corpora.qrels_where.parse_where`.
        grades: the new grade of each grade; every grade that occurs must stand in it.
        min_grade: keep this grade and higher ones.
        binarize: this grade and higher ones become 1, others 0.

    Raises:
        DataError: a grade does not stand in ``grades``.
    """
    asked = {
        "queries": queries is not None,
        "where": where is not None,
        "grades": grades is not None,
        "min_grade": min_grade is not None,
        "binarize": binarize is not None,
    }
    dropped = {name: 0 for name, given in asked.items() if given and name != "binarize"}
    changed = {name: 0 for name, given in asked.items() if given and name in ("grades", "binarize")}
    wanted = None if queries is None else frozenset(queries)
    kept: Qrels = {}
    if grades is not None:
        _require_every_grade(qrels, wanted, where, grades)
    for query_id, row in qrels.items():
        if wanted is not None and query_id not in wanted:
            dropped["queries"] += len(row)
            continue
        left: dict[str, int] = {}
        for doc_id, grade in row.items():
            value: int | None = grade
            if where is not None and not where(Judgment(query_id, doc_id, grade)):
                dropped["where"] += 1
                continue
            if grades is not None:
                value = grades[grade]
                if value is None:
                    dropped["grades"] += 1
                    continue
                changed["grades"] += value != grade
            assert value is not None
            if min_grade is not None and value < min_grade:
                dropped["min_grade"] += 1
                continue
            if binarize is not None:
                changed["binarize"] += value != (value >= binarize)
                value = int(value >= binarize)
            left[doc_id] = value
        if left:
            kept[query_id] = left
    missing = [] if queries is None else [query_id for query_id in queries if query_id not in qrels]
    return Filtered(kept, dropped, changed, missing)


def _require_every_grade(
    qrels: Qrels, wanted: frozenset[str] | None, where: Condition | None, grades: GradeMap
) -> None:
    unnamed: Counter[int] = Counter()
    for query_id, row in qrels.items():
        if wanted is None or query_id in wanted:
            unnamed.update(
                grade
                for doc_id, grade in row.items()
                if grade not in grades and (where is None or where(Judgment(query_id, doc_id, grade)))
            )
    if unnamed:
        told = ", ".join(f"{grade} ({count:,} judgments)" for grade, count in sorted(unnamed.items()))
        raise DataError(
            f"no new grade is given for {told}",
            hint=f"say what becomes of it, for example {min(unnamed)}=drop",
        )


def parse_grades(text: str) -> dict[int, int | None]:
    """A grade map from words such as ``3=2,2=1,1=drop``.

    Raises:
        UsageError: a part is none, or a grade stands twice.
    """
    grades: dict[int, int | None] = {}
    for part in text.split(","):
        old, equals, new = (piece.strip() for piece in part.partition("="))
        key, value = _whole(old), None if new == "drop" else _whole(new)
        if not equals or key is None or (value is None and new != "drop"):
            raise UsageError(
                f"grades {text!r}: {part.strip()!r} is not OLD=NEW", hint="such as 3=2,2=1,1=drop"
            )
        if key in grades:
            raise UsageError(f"grades {text!r}: {key} stands twice")
        grades[key] = value
    return grades


def _whole(text: str) -> int | None:
    try:
        value = int(text)
    except ValueError:
        return None
    return value if -(1 << 31) <= value < 1 << 31 else None


class Merged(msgspec.Struct, frozen=True):
    """Several versions made one.

    Attributes:
        qrels: every pair once: queries and documents in the order they first come.
        same: judgments that more than one version holds, with the same grade.
        settled: pairs whose grades differed, and were settled as asked.
    """

    qrels: Qrels
    same: int
    settled: int


def merge_qrels(versions: Sequence[Qrels], how: Merge = "error", *, names: Sequence[str] = ()) -> Merged:
    """Every judgment of several versions.

    Args:
        versions: judgments; not changed.
        how: which grade counts where two versions differ: that of the ``first`` or ``last`` one, the ``max``
            or ``min``, or none (``error``).
        names: what to call the versions in messages.

    Raises:
        UsageError: ``how`` is none of these.
        DataError: grades differ and ``how`` is ``error``; the message names the first three pairs.
    """
    if how not in MERGES:
        raise UsageError(f"no way to merge is called {how!r}", hint=nearest(how, list(MERGES)))
    merged: Qrels = {}
    same = 0
    differ: dict[tuple[str, str], list[int]] = {}
    for version in versions:
        for query_id, row in version.items():
            known = merged.setdefault(query_id, {})
            for doc_id, grade in row.items():
                old = known.setdefault(doc_id, grade)
                if old == grade:
                    same += 1
                    continue
                differ.setdefault((query_id, doc_id), [old]).append(grade)
                if how == "last":
                    known[doc_id] = grade
                elif how in ("max", "min"):
                    known[doc_id] = max(old, grade) if how == "max" else min(old, grade)
    same -= sum(len(row) for row in merged.values())  # the first time that a pair is met is no repetition
    if differ and how == "error":
        told = "; ".join(
            f"query {query_id!r} and document {doc_id!r}: {' and '.join(map(str, grades))}"
            for (query_id, doc_id), grades in list(differ.items())[:3]
        )
        where = f" of {', '.join(names)}" if names else ""
        raise DataError(
            f"{len(differ):,} pairs{where} have different grades: {told}",
            hint="say which grade counts: --merge first, last, max or min (in Python: how=)",
        )
    return Merged(merged, same, len(differ))


def read_query_ids(path: Path | str) -> list[str]:
    """Query ids, each once, from a list or from the queries themselves.

    ``.jsonl`` holds queries as in a BEIR folder, ``.json`` an array of ids or an object whose keys they are;
    of any other file the first of the tab-separated columns counts, so a list of ids and ``id<TAB>text`` both
    do. Compressed files are read through.

    Raises:
        DataError: a line is not UTF-8, or no query; with path and line.
    """
    path = Path(path)
    if bare_name(path.name).endswith(".json"):
        return _json_ids(path)
    if bare_name(path.name).endswith(".jsonl"):
        return [query.query_id for query in read_queries(path)]
    ids = (line.split("\t")[0] for _, line in lines(path))
    return list(dict.fromkeys(query_id for query_id in ids if query_id.strip()))


def _json_ids(path: Path) -> list[str]:
    with open_bytes(path) as stream:
        try:
            value = json.loads(stream.read().decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise DataError(f"is not JSON: {error}", path=path) from error
    if isinstance(value, list | dict) and all(type(each) in (str, int) for each in value):
        return list(dict.fromkeys(map(str, value)))
    raise DataError(
        "is neither an array of ids nor an object whose keys are ids",
        path=path,
        hint="give ids one a line, or a .jsonl of queries",
    )
