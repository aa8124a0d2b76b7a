"""Passes over the files of a table: from its rows to documents, queries and judgments."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from beirkit.converters.reading.readers import read_rows
from beirkit.converters.reading.rows import Row
from beirkit.converters.reading.table_cells import Cells, Passage, Skipped
from beirkit.converters.reading.table_columns import dialect
from beirkit.corpora.blocks import batches
from beirkit.corpora.errors import DataError
from beirkit.corpora.records import Document, Judgment, Query
from beirkit.corpora.unique import unique

if TYPE_CHECKING:
    from beirkit.converters.table import TableOptions

_log = logging.getLogger(__name__)

T = TypeVar("T")


class Reading:
    """Passes over the files of one table.

    Every pass finds the contradictions that concern it. Of documents some 30 bytes are kept for each; of
    questions and judgments the ids, a hash of what they stand for and the line of the first, but no texts.

    Args:
        options: the declared columns.
        files: ``raw`` and, where declared, ``corpus`` and ``judgments``.
    """

    def __init__(self, options: TableOptions, files: dict[str, Path]) -> None:
        self.options = options
        self.files = files
        self.cells = Cells(options)
        self._said: set[tuple[Path, str]] = set()

    def documents(self) -> Iterator[Document]:
        """Each passage once, in order of appearance.

        Raises:
            DataError: one id has two texts or titles; the message names both lines.
        """
        path = self.files["corpus" if self.options.corpus else "raw"]

        def rows() -> Iterator[tuple[int, Document]]:
            for row, passage in self._passages():
                title = self._titles.get(passage.doc_id, passage.title)
                yield row.line, Document(passage.doc_id, title, passage.text)

        def tell(copies: int, _: list[str]) -> None:
            if self.options.corpus:
                self._say("corpus", copies, "rows repeat a document with the same text; one copy counts")

        return unique(lambda: batches(rows()), place="line", path=path, tell=tell)

    def queries(self) -> Iterator[Query]:
        """Each question once, in order of appearance.

        Raises:
            DataError: one query id has two questions; the message names both lines.
        """
        met: dict[str, tuple[int, int]] = {}
        for row, (query_id, text), _ in self._raw():
            if query_id not in met:
                met[query_id] = (row.line, hash(text))
                yield Query(query_id, text)
            elif met[query_id][1] != hash(text):
                places = f"stands at lines {met[query_id][0]} and {row.line} with different questions"
                raise row.error(f"query id {query_id!r} {places}", "give them different ids")

    def judgments(self) -> Iterator[Judgment]:
        """Each judged pair once, in order of appearance.

        Raises:
            DataError: one pair has two grades, or is positive and negative; the message names both lines.
                Or no judged document is in the corpus, or some judged query is not among the questions.
        """
        met: dict[tuple[str, str], tuple[int, int | None]] = {}
        copies = 0
        for row, query_id, doc_id, grade in self._pairs():
            line, known = met.setdefault((query_id, doc_id), (0, None))
            agree = known == grade or (None in (known, grade) and (known or grade or 0) <= 0)
            if line and not agree:
                marks = f"{_mark(known)} at line {line} and {_mark(grade)} at line {row.line}"
                raise row.error(
                    f"query {query_id!r} and document {doc_id!r} are {marks}", "keep one of the two rows"
                )
            if known is None:
                met[query_id, doc_id] = (row.line, grade)
                if grade is not None:
                    yield Judgment(query_id, doc_id, grade)
            elif known == grade:
                copies += 1
        if copies and not self.options.negative:  # rows of triples repeat their positive with each negative
            self._say("judgments", copies, "exact duplicate judgments; one copy counts")
        self._check_references({pair: line for pair, (line, _) in met.items()})

    def _check_references(self, pairs: dict[tuple[str, str], int]) -> None:
        """Look for judged ids that the other files do not have; ids are never mended.

        Args:
            pairs: query id, document id, and the line that judges them.
        """
        if not self.options.corpus:
            return
        judging = self.files.get("judgments", self.files["raw"])
        judged = {doc_id for _, doc_id in pairs}
        there, example = set[str](), ""
        for _, passage in self._passages():
            example = example or passage.doc_id
            if passage.doc_id in judged:
                there.add(passage.doc_id)
        missing = _lines_of_unknown(((doc_id, line) for (_, doc_id), line in pairs.items()), there)
        count = sum(doc_id not in there for _, doc_id in pairs)
        if missing and count == len(pairs):
            raise DataError(
                f"none of the {count} judged documents is in the corpus, which has ids such as "
                f"{example!r}; judged is {next(iter(missing))!r}",
                path=judging,
                line=next(iter(missing.values())),
                hint="ids are compared character by character",
            )
        if missing:
            self._say("judgments", count, f"judged documents not in the corpus ({_examples(missing)})")
        asked = {query[0] for _, query, _ in self._raw()}
        unknown = _lines_of_unknown(((query_id, line) for (query_id, _), line in pairs.items()), asked)
        if unknown:
            raise DataError(
                f"{len(unknown)} judged queries are not among the questions ({_examples(unknown)})",
                path=judging,
                line=next(iter(unknown.values())),
                hint="ids are compared character by character",
            )

    def _pairs(self) -> Iterator[tuple[Row, str, str, int | None]]:
        if self.options.judgments:
            for row, (query_id, doc_id, grade) in self._rows("judgments", self.cells.judgment):
                yield row, query_id, doc_id, grade
        else:
            for row, (query_id, _), passages in self._raw():
                yield from ((row, query_id, passage.doc_id, passage.grade) for passage in passages)

    def _passages(self) -> Iterator[tuple[Row, Passage]]:
        if self.options.corpus:
            yield from self._rows("corpus", self.cells.document)
        else:
            yield from ((row, passage) for row, _, passages in self._raw() for passage in passages)

    def _raw(self) -> Iterator[tuple[Row, tuple[str, str], list[Passage]]]:
        """The rows of the main file: question and passages. A row is left out whole or not at all."""

        def read(row: Row) -> tuple[tuple[str, str], list[Passage]]:
            return self.cells.query(row), [] if self.options.judgments else self.cells.passages(row)

        for row, (query, passages) in self._rows("raw", read):
            yield row, query, passages

    def _rows(self, role: str, read: Callable[[Row], T]) -> Iterator[tuple[Row, T]]:
        skipped: Counter[str] = Counter()
        for row in read_rows(self.files[role], dialect(self.options)):
            try:
                yield row, read(row)
            except Skipped as reason:
                skipped[reason.what] += 1
        for what, count in skipped.items():
            self._say(role, count, f"rows without {what} left out")

    @cached_property
    def _titles(self) -> dict[str, str]:
        """The title of each passage that has one in some row; others may name it without.

        Raises:
            DataError: one passage has two titles; the message names both lines.
        """
        titles: dict[str, str] = {}
        if not self.options.title or self.options.corpus:
            return titles
        lines: dict[str, int] = {}
        for row, passage in self._passages():
            if passage.title and titles.setdefault(passage.doc_id, passage.title) != passage.title:
                raise row.error(
                    f"one passage has a title at line {lines[passage.doc_id]} and another at line {row.line}",
                    "give the two different ids with doc_id, or leave title out",
                )
            if passage.title:
                lines.setdefault(passage.doc_id, row.line)
        return titles

    def _say(self, role: str, count: int, what: str) -> None:
        """Tell the user something about a file, once however often it is read."""
        path = self.files.get(role, self.files["raw"])
        if (path, what) not in self._said:
            self._said.add((path, what))
            _log.warning("%s: %d %s", path, count, what)


def _mark(grade: int | None) -> str:
    return "a negative" if grade is None else f"judged {grade}"


def _lines_of_unknown(judged: Iterable[tuple[str, int]], known: set[str]) -> dict[str, int]:
    """The ids that are not known, each with the line it first stands at."""
    found: dict[str, int] = {}
    for name, line in judged:
        if name not in known:
            found.setdefault(name, line)
    return found


def _examples(lines: dict[str, int]) -> str:
    return "such as " + ", ".join(f"{name!r} at line {line}" for name, line in list(lines.items())[:3])
