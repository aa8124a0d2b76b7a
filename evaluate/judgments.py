"""Judgments as pytrec_eval can bear them: checked here, because it ends the process on what it cannot."""

from __future__ import annotations

import logging
import reprlib
from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.qrels import read_qrels
from beirkit.corpora.qrels_lines import MAX_GRADE
from beirkit.corpora.records import Qrels

logger = logging.getLogger(__name__)


def as_qrels(qrels: Mapping[str, Mapping[str, Any]] | Path | str) -> Mapping[str, Mapping[str, Any]]:
    """The judgments as a dictionary; those of a file are read.

    Raises:
        UsageError: they are of another type.
        DataError: a query has no dictionary of grades; the file cannot be read.
    """
    if isinstance(qrels, str | Path):
        return read_qrels(qrels)
    if not isinstance(qrels, Mapping):
        raise UsageError(
            f"the judgments are of type {type(qrels).__name__}",
            hint="give {query_id: {doc_id: grade}}, or the path of a qrels file",
        )
    for query_id, row in qrels.items():
        if not isinstance(row, Mapping):
            raise DataError(
                f"the judgments of query {query_id!r} are {reprlib.repr(row)}, not {{doc_id: grade}}",
                hint="give every judged document its grade; 1 is usual for relevant ones",
            )
    return qrels


def checked_qrels(qrels: Mapping[str, Mapping[str, Any]]) -> Qrels:
    """A copy of the judgments with plain ``int`` grades, by query id ascending, without empty queries.

    Raises:
        DataError: there are none, an id is not a usable string, or a grade is not a whole number
            within ±1000.
    """
    checked: Qrels = {}
    empty = [query_id for query_id, row in qrels.items() if not row]
    if empty:
        logger.warning("%d queries have no judgment and are not scored: %s", len(empty), _few(empty))
    for query_id in sorted(_strings(qrels, "query id")):
        row = qrels[query_id]
        if not row:
            continue
        # Judgments from a reader are plain ints already; only other values are looked at one by one.
        plain = set(map(type, row.values())) == {int}
        checked[query_id] = dict(row) if plain else {d: _grade(g, query_id, d) for d, g in row.items()}
        grades = checked[query_id].values()
        if max(grades) > MAX_GRADE or min(grades) < -MAX_GRADE:
            doc_id, grade = max(checked[query_id].items(), key=lambda pair: abs(pair[1]))
            raise DataError(
                f"the grade of {query_id}/{doc_id} is {grade}, beyond {MAX_GRADE}",
                hint="map the grades to a smaller scale",
            )
    if not checked:
        raise DataError("there are no judgments", hint="check the file and the split")
    require_usable_ids(checked, "query id")
    require_usable_ids(chain.from_iterable(checked.values()), "judged document id")
    return checked


def require_usable_ids(ids: Iterable[str], what: str) -> None:
    """Refuse ids that pytrec_eval would cut short (NUL) or crash on (lone surrogates).

    Raises:
        DataError: names the first such id.
    """
    listed = list(ids)
    try:
        whole = "".join(listed)
    except TypeError:
        _strings(listed, what)
        raise
    if "\0" not in whole and (whole.isascii() or _encodes(whole)):
        return
    bad = next((one for one in listed if "\0" in one or not _encodes(one)), None)
    if bad is not None:  # two lone surrogates of neighbours may look like one character
        raise DataError(f"{what} {bad!r} holds a NUL or a lone surrogate", hint="give it another id")


def _strings(ids: Iterable[Any], what: str) -> list[str]:
    listed = list(ids)
    for one in listed:
        if not isinstance(one, str):
            raise DataError(f"{what} {one!r} is not a string", hint="ids are text; 1 and '1' differ")
    return listed


def _encodes(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _grade(grade: Any, query_id: str, doc_id: str) -> int:
    """A grade as a plain int; ``2.0`` and numpy's numbers are taken, fractions and truth values are not."""
    value = grade.item() if hasattr(grade, "item") else grade
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    raise DataError(
        f"the grade of {query_id}/{doc_id} is {grade!r}, not a whole number",
        hint="map fractions, words and truth values to whole grades first",
    )


def _few(ids: Iterable[str]) -> str:
    listed = list(ids)
    return ", ".join(map(repr, listed[:3])) + (", …" if len(listed) > 3 else "")
