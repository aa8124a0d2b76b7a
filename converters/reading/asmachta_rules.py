"""What Asmachta's card promises of its records, recomputed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from beirkit.converters.reading.asmachta_records import Placed, Record, read_records
from beirkit.corpora.errors import DataError

GENRES = ("dialogue", "encyclopedic", "journalistic")
DIFFICULTIES = (0, 1, 2)
ANNOTATORS, DIMENSIONS = 4, 5
SCORES = (0, 1, 2)


class Problem(NamedTuple):
    """A departure from the card: its line in the file, and what was found."""

    line: int
    found: str


def check_records(path: Path) -> Iterator[Problem]:
    """Hold each record of a file to the card.

    Genres are the three it names; a record has claims exactly where its difficulty is not 0; every excerpt
    stands at its offsets, in code points, and what ``verified`` says of it is so; four annotators gave 0, 1
    or 2 in five dimensions. That there are 131 records is a fact of one release and not asked of a file.

    Raises:
        DataError: the file cannot be read as records at all, or holds none.
    """
    placed: Placed | None = None
    for placed in read_records(path):
        for found in (*_labels(placed.record), *_spans(placed), *_ratings(placed.record.human_ratings)):
            yield Problem(placed.row.line, f"record {placed.record.id!r}: {found}")
    if placed is None:
        raise DataError("holds no record", path=path)


def _labels(record: Record) -> Iterator[str]:
    for field in ("question", "source_text"):
        if not getattr(record, field).strip():
            yield f"its {field} is empty"
    if record.genre not in GENRES:
        yield f"the genre is {record.genre!r}, none of {', '.join(GENRES)}"
    if record.difficulty not in DIFFICULTIES:
        yield f"the difficulty is {record.difficulty!r}, none of 0, 1, 2"
    elif record.difficulty == 0 and record.claims:
        yield f"its difficulty is 0, unanswerable, and it has {len(record.claims)} claims"
    elif record.difficulty and not record.claims:
        yield f"its difficulty is {record.difficulty}, and it has no claim"


def _spans(placed: Placed) -> Iterator[str]:
    text = placed.record.source_text
    for number, claim in enumerate(placed.record.claims, 1):
        if not claim.attribution:
            yield f"claim {number} has no attribution"
        for span in claim.attribution:
            holds = span.holds(text)
            place = f"claim {number}, span {span.start_char}–{span.end_char}"
            if not holds:
                units = span.in_code_points(text) is not None
                why = "; its offsets count UTF-16 units" if units else ""
                yield f"{place}: the excerpt does not stand there{why}"
            if span.verified is not None and span.verified != holds:
                yield f"{place}: verified is {str(span.verified).lower()}, and it is not so"


def _ratings(given: Any) -> Iterator[str]:
    if given is None:
        yield "it has no human_ratings"
        return
    table = list(_rows(given))
    if sorted(map(len, table)) not in ([ANNOTATORS] * DIMENSIONS, [DIMENSIONS] * ANNOTATORS):
        shape = f"{len(table)} × {'/'.join(map(str, sorted({*map(len, table)})))}"
        yield f"its ratings are {shape}, not of {ANNOTATORS} annotators in {DIMENSIONS} dimensions"
    wrong = [score for row in table for score in row if type(score) is not int or score not in SCORES]
    if wrong:
        yield f"a rating is {wrong[0]!r}, none of 0, 1, 2"


def _rows(given: Any) -> Iterator[list[Any]]:
    """The scores by what they are listed under: annotator or dimension; names are taken off."""
    for inner in given.values() if isinstance(given, dict) else given if isinstance(given, list) else ():
        scores = inner.get("scores", inner.get("ratings", inner)) if isinstance(inner, dict) else inner
        if isinstance(scores, dict):
            yield [score for key, score in scores.items() if key not in ("annotator", "annotator_id")]
        else:
            yield scores if isinstance(scores, list) else [scores]
