"""What the declared columns of one row say: its question, its passages, their ids and grades."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from beirkit.converters.reading.ids import content_hash
from beirkit.converters.reading.rows import Row
from beirkit.corpora.findings import Refused
from beirkit.corpora.qrels_lines import parse_grade

if TYPE_CHECKING:
    from beirkit.converters.table import TableOptions


class Passage(NamedTuple):
    """A passage that a row names.

    Attributes:
        doc_id: its id.
        text: its text; empty where the corpus is another file.
        title: its title, or the empty string.
        grade: its grade for the row's question; ``None`` for a negative that is not judged.
    """

    doc_id: str
    text: str
    title: str
    grade: int | None


class Skipped(Exception):  # noqa: N818 - no error: the options ask for it
    """A row is left out, for want of an id or a text."""

    def __init__(self, what: Literal["id", "text"]) -> None:
        super().__init__(what)
        self.what = what


class Cells:
    """Reads rows by the declared columns.

    Every method raises :class:`Skipped` for an empty id or text where the options allow to leave the row
    out, and otherwise a ``DataError`` with path and line.
    """

    def __init__(self, options: TableOptions) -> None:
        self.options = options

    def query(self, row: Row) -> tuple[str, str]:
        """Id and text of the row's question."""
        options = self.options
        text = self.text(row, options.question)
        return self.id(row, options.query_id) if options.query_id else content_hash("q", text), text

    def document(self, row: Row) -> Passage:
        """The passage of a row of the corpus file."""
        options = self.options
        doc_id = self.id(row, options.corpus_doc_id or options.doc_id)
        title = row.text(options.title).strip() if options.title else ""
        return Passage(doc_id, self.text(row, options.text), title, None)

    def judgment(self, row: Row) -> tuple[str, str, int]:
        """Query id, document id and grade of a row of the judgments file."""
        options = self.options
        query_id = self.id(row, options.judgments_query_id or options.query_id)
        doc_id = self.id(row, options.judgments_doc_id or options.doc_id or options.corpus_doc_id)
        return query_id, doc_id, self.grade(row, row.cell(options.grade)) if options.grade else 1

    def passages(self, row: Row) -> list[Passage]:
        """The passages that the row names, positives first."""
        options = self.options
        below = 0 if options.judge_negatives else None
        if options.corpus:
            positives, negatives = self.ids(row, options.doc_id), self.ids(row, options.negative_id)
            graded = zip(positives, self.grades(row, len(positives)), strict=True)
            return [Passage(doc_id, "", "", grade) for doc_id, grade in graded] + [
                Passage(doc_id, "", "", below) for doc_id in negatives
            ]
        texts, against = self.texts(row, options.positive), self.texts(row, options.negative)
        if not texts and not against and not isinstance(row.cells.get(options.positive), list):
            self.text(row, options.positive)
        found = zip(
            self.ids_of(row, options.doc_id, texts),
            texts,
            self.titles(row, len(texts)),
            self.grades(row, len(texts)),
            strict=True,
        )
        return [Passage(*fields) for fields in found] + [
            Passage(doc_id, text, "", below)
            for doc_id, text in zip(self.ids_of(row, options.negative_id, against), against, strict=True)
        ]

    def text(self, row: Row, column: str) -> str:
        """A text that must not be empty, without blanks at its edges."""
        text = row.as_text(column, row.cells.get(column)).strip()
        if not text:
            if self.options.skip_rows_without_text:
                raise Skipped("text")
            raise row.error(
                f"has no text in column {column!r}",
                "leave such rows out with --set skip_rows_without_text=true",
            )
        return text

    def texts(self, row: Row, column: str) -> list[str]:
        """The texts of a cell; none where the column is not declared or the cell is empty."""
        texts = [row.as_text(column, item).strip() for item in self.several(row, column)]
        if not all(texts):
            raise row.error(f"one of the texts in column {column!r} is empty", "take it out of the list")
        return texts

    def id(self, row: Row, column: str) -> str:
        """An id, which must be there."""
        value = row.cells.get(column)
        if value is None or (isinstance(value, str) and not value.strip()):
            if self.options.skip_rows_without_id:
                raise Skipped("id")
            raise row.error(
                f"has no id in column {column!r}", "leave such rows out with --set skip_rows_without_id=true"
            )
        return row.as_id(column, value)

    def ids(self, row: Row, column: str) -> list[str]:
        """The ids of a cell; a column that is declared must have one, or an explicit empty list."""
        if not column:
            return []
        items = self.several(row, column)
        if not items and not isinstance(row.cells.get(column), list) and column == self.options.doc_id:
            self.id(row, column)
        return [row.as_id(column, item) for item in items]

    def ids_of(self, row: Row, column: str, texts: list[str]) -> list[str]:
        """One id for each text: those of a column, or ids made of the texts."""
        if not column:
            return [content_hash("d", text) for text in texts]
        if len(texts) == 1 and not isinstance(row.cells.get(column), list):
            return [self.id(row, column)]
        ids = [row.as_id(column, item) for item in self.several(row, column)]
        if len(ids) != len(texts):
            raise row.error(f"has {len(texts)} texts and {len(ids)} ids in column {column!r}")
        return ids

    def titles(self, row: Row, count: int) -> list[str]:
        """One title for each of the row's positives."""
        column = self.options.title
        if not column or row.cells.get(column) in (None, ""):
            return [""] * count
        if count == 1 and isinstance(row.cells[column], str):
            return [row.text(column).strip()]
        titles = [row.as_text(column, item).strip() for item in self.several(row, column)]
        if len(titles) != count:
            raise row.error(f"has {count} texts and {len(titles)} titles in column {column!r}")
        return titles

    def grades(self, row: Row, count: int) -> list[int]:
        """One grade for each of the row's positives: a single one holds for all of them."""
        column = self.options.grade
        if not column or not count:
            return [1] * count
        value = row.cell(column)
        if not isinstance(value, list):
            return [self.grade(row, value)] * count
        if len(value) != count:
            raise row.error(f"has {count} positives and {len(value)} grades in column {column!r}")
        return [self.grade(row, item) for item in value]

    def grade(self, row: Row, value: Any) -> int:
        """A grade: a whole number, or a label that the mapping must know."""
        mapping, column = self.options.grades, self.options.grade
        if isinstance(value, bool) or not isinstance(value, str | int | float | None):
            raise row.error(f"column {column!r} is {value!r}, which is no grade", "write a whole number")
        label = "" if value is None else str(value).strip()
        if not label:
            raise row.error(f"has no grade in column {column!r}", "give it one, or take the row out")
        if mapping:
            if label not in mapping:
                found = f"label {label!r} in column {column!r} has no grade; {', '.join(mapping)} have one"
                raise row.error(found, f"say it: --set {shlex.quote(f'grades.{label}=NUMBER')}")
            return mapping[label]
        try:
            return parse_grade(label)
        except Refused as refused:
            hint = "give every label its grade: --set grades.good=2 --set grades.fair=1 --set grades.bad=0"
            raise row.error(f"column {column!r}: {refused.found}", hint) from refused

    def several(self, row: Row, column: str) -> list[Any]:
        """The items of a cell: of a JSON list, or between separators; none where it is empty."""
        value = row.cells.get(column) if column else None
        if isinstance(value, list):
            return value
        if not isinstance(value, str):
            return [] if value is None else [value]
        items = value.split(self.options.separator) if self.options.separator else [value]
        return [item.strip() if self.options.separator else item for item in items if item.strip()]
