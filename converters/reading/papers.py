"""Papers that stand in several rows of a table of papers, under one id or under several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Literal, NamedTuple

from beirkit.converters.reading.rows import Row
from beirkit.corpora.notices import Once
from beirkit.corpora.records import Document, Judgment

Dedupe = Literal["none", "cord_uid", "title"]

_METADATA = ("url", "pubmed_id")


class _Chosen(NamedTuple):
    """The row that stands for a paper."""

    cord_uid: str
    line: int
    has_abstract: bool


class Papers:
    """The rows of ``metadata.csv``, and which of them become documents.

    Ids, and titles where they are compared, are kept in memory: a release has 200,000 of them.

    Args:
        rows: starts a pass over the table.
        dedupe: what makes two rows one paper: nothing, their id, or their id or title.
    """

    def __init__(self, rows: Callable[[], Iterable[Row]], dedupe: Dedupe) -> None:
        self._rows = rows
        self._dedupe = dedupe
        self._tell = Once()

    def documents(self) -> Iterator[Document]:
        """One document a paper: of its rows the first with an abstract, else the first."""
        merged = 0
        for row in self._rows():
            if self._dedupe != "none" and row.line not in self._lines:
                merged += 1
                continue
            metadata = {name: row.text(name) for name in _METADATA if name in row.cells}
            yield Document(row.id("cord_uid"), row.text("title"), row.text("abstract"), metadata)
        if merged:
            self._tell(f"rows of papers that another row stands for ({self._dedupe}), left out: {merged}")

    def judgments(self, start: Callable[[], Iterable[Judgment]]) -> Iterator[Judgment]:
        """Judgments of the documents that the judged papers became; of two grades the higher one."""
        if self._dedupe != "title":
            yield from start()
            return
        grades: dict[tuple[str, str], int] = {}
        rows = differing = 0
        for row in start():
            rows += 1
            pair = (row.query_id, self._document_of(row.doc_id))
            earlier = grades.setdefault(pair, row.relevance)
            differing += earlier != row.relevance
            grades[pair] = max(earlier, row.relevance)
        if rows != len(grades):
            told = f"judgments of papers that became one document: {rows - len(grades)}"
            self._tell(f"{told}, of which {differing} have another grade; the higher one counts")
        yield from (Judgment(*pair, grade) for pair, grade in grades.items())

    def _document_of(self, cord_uid: str) -> str:
        group = self._groups.get(cord_uid)
        return cord_uid if group is None else self._chosen[group].cord_uid

    @cached_property
    def _lines(self) -> frozenset[int]:
        return frozenset(row.line for row in self._chosen.values())

    @cached_property
    def _chosen(self) -> dict[str, _Chosen]:
        """The row of each group of ids that are one paper."""
        chosen: dict[str, _Chosen] = {}
        for row in self._rows():
            found = _Chosen(row.id("cord_uid"), row.line, bool(row.text("abstract").strip()))
            group = self._groups[found.cord_uid]
            if group not in chosen or (found.has_abstract and not chosen[group].has_abstract):
                chosen[group] = found
        return chosen

    @cached_property
    def _groups(self) -> dict[str, str]:
        """The group of each id: the first id that was seen with it or with its title."""
        groups: dict[str, str] = {}
        titles: dict[str, str] = {}
        for row in self._rows():
            cord_uid = row.id("cord_uid")
            title = " ".join(row.text("title").casefold().split()) if self._dedupe == "title" else ""
            group = groups.setdefault(cord_uid, titles.get(title, cord_uid) if title else cord_uid)
            if title:
                titles.setdefault(title, group)
        return groups
