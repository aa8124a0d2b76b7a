"""Asmachta's records: a question, its source, claims, and the spans of the source that back them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from beirkit.converters.reading.ids import content_hash
from beirkit.converters.reading.json_stream import json_records
from beirkit.converters.reading.rows import Row
from beirkit.corpora.errors import DataError

Offsets = Literal["code-points", "utf-16"]


class Span(msgspec.Struct, frozen=True):
    """A stretch of a source that backs a claim, as a record has it."""

    start_char: int
    end_char: int
    source_excerpt: str
    verified: bool | None = None

    def holds(self, text: str) -> bool:
        """Whether its excerpt stands in the text exactly where it says, in code points."""
        start, end = self.start_char, self.end_char
        # Python cuts an end beyond the text without a word
        return 0 <= start < end <= len(text) and text[start:end] == self.source_excerpt

    def in_code_points(self, text: str) -> Span | None:
        """The span in code points, where its offsets count UTF-16 units; None: they do not."""
        ends = list(accumulate((2 if ord(character) > 0xFFFF else 1 for character in text), initial=0))
        start, end = bisect_left(ends, self.start_char), bisect_left(ends, self.end_char)
        whole = end < len(ends) and (ends[start], ends[end]) == (self.start_char, self.end_char)
        span = msgspec.structs.replace(self, start_char=start, end_char=end)
        return span if whole and span.holds(text) else None


class Claim(msgspec.Struct, frozen=True):
    """A part of the reference answer and what backs it."""

    text: str
    attribution: list[Span] = []


class Record(msgspec.Struct, frozen=True):
    """One record; ``human_ratings`` has no shape that the card fixes."""

    id: str | int
    question: str
    source_text: str
    genre: str = ""
    difficulty: int | None = None
    reference_answer: str | None = None
    claims: list[Claim] = []
    human_ratings: Any = None

    @property
    def answerable(self) -> bool:
        """Whether the source answers the question: a record of difficulty 0 is unanswerable by design."""
        return self.difficulty != 0


class Placed(NamedTuple):
    """A record and the row it was read from, for messages."""

    row: Row
    record: Record

    @property
    def query_id(self) -> str:
        """The record's id as that of a query."""
        return str(self.record.id)

    @property
    def doc_id(self) -> str:
        """The id of its source as a document, made of the text alone."""
        return content_hash("d", self.record.source_text)


def read_records(path: Path) -> Iterator[Placed]:
    """The records of a JSON array or of JSON lines, one at a time, with spans as they stand.

    Raises:
        DataError: a record has not the card's fields, or another's id; with path and line.
    """
    met: set[str] = set()
    for row in json_records(path):
        try:
            record = msgspec.convert(row.cells, Record)
        except msgspec.ValidationError as error:
            raise row.error(f"is no record of Asmachta: {error}") from error
        name = row.id("id")
        row.text("source_text")  # refuses half a surrogate pair
        row.text("question")
        if name in met:
            raise row.error(f"the id {name!r} stands there twice")
        met.add(name)
        yield Placed(row, record)


def true_spans(placed: Placed, offsets: Offsets) -> list[tuple[int, int]]:
    """The distinct spans of a record in code points, sorted; each is where it says.

    Raises:
        DataError: the text has another excerpt there; the message tells whether the offsets are of UTF-16.
    """
    record = placed.record
    found: set[tuple[int, int]] = set()
    for number, claim in enumerate(record.claims, 1):
        for given in claim.attribution:
            span: Span | None = given
            if offsets == "utf-16":
                span = given.in_code_points(record.source_text)
            elif not given.holds(record.source_text):
                span = None
            if span is None:
                raise _astray(placed, given, number, offsets)
            found.add((span.start_char, span.end_char))
    return sorted(found)


def _astray(placed: Placed, span: Span, number: int, offsets: Offsets) -> DataError:
    text = placed.record.source_text
    there = f"{span.start_char}–{span.end_char}"
    found = f"claim {number} of record {placed.record.id!r} has an excerpt that does not stand at {there}"
    hint = ""
    if offsets == "code-points" and span.in_code_points(text) is not None:
        hint = "its offsets count UTF-16 units: --set offsets=utf-16 converts them"
    elif offsets == "utf-16" and span.holds(text):
        hint = "its offsets count code points: leave offsets=utf-16 out"
    elif (place := text.find(span.source_excerpt)) >= 0:
        hint = f"it stands at {place}"
    return placed.row.error(found, hint)
