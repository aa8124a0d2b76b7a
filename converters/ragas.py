"""Test sets that ragas generates: questions, the passages they were made from, and reference answers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import ClassVar

import msgspec

from beirkit.converters.base import Converter
from beirkit.converters.reading.distinct import first_of_each
from beirkit.converters.reading.ids import content_hash
from beirkit.converters.reading.parquet import read_table
from beirkit.converters.reading.printed_arrays import string_array
from beirkit.converters.reading.rows import Row
from beirkit.converters.reading.source import Source
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError
from beirkit.corpora.jsonl import read_documents
from beirkit.corpora.notices import Once
from beirkit.corpora.records import Document, Judgment, Query

_QUESTION = ("user_input", "question")  # the name of today, then the one of before
_CONTEXTS = ("reference_contexts", "contexts")
_REFERENCE = ("reference", "ground_truth")
_CARRIED = ("synthesizer_name", "evolution_type")  # how the question was made
_HOP = re.compile(r"<\d+-hop>\s*")  # before each passage of a question that was made from several


class RagasOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`Ragas`."""

    corpus: str = ""
    split: str = "test"


class Ragas(Converter[RagasOptions]):
    """A test set of ragas as CSV, JSON lines, JSON or Parquet.

    ``raw`` is the file, or a folder with it. Columns are ``user_input``, ``reference_contexts`` and
    ``reference``, or by their old names ``question``, ``contexts`` and ``ground_truth``. The passages that a
    question was made from are relevant to it, with grade 1; the marks ``<1-hop>`` before them are taken off.
    The same passage is one document, and the same question one query; ids are made of their texts. The
    reference answer goes into the query's metadata, and so does how the question was made. Without a corpus,
    passages that no question was made from are missing, and retrieval is easier than it is in earnest.

    Options:
        corpus: file of the passages that were indexed, as JSON lines of ``_id``, ``title`` and ``text``,
            where ``raw`` is the folder with both; the passages of questions are found in it by their text,
            but for white space, and those that are not found are counted.
        split: name of the split the judgments make.
    """

    name: ClassVar[str] = "ragas"
    summary: ClassVar[str] = "a test set of ragas: user_input, reference_contexts, reference"
    Options: ClassVar[type[msgspec.Struct]] = RagasOptions

    def convert(self, raw: Path | None, options: RagasOptions) -> Collection:
        """Find the file.

        Raises:
            DataError: there is none, or several; the message lists what is there.
        """
        assert raw is not None  # the catalog sees to it
        source = Source(raw, alone=True)
        corpus = source.only(options.corpus, what="passages") if options.corpus else ""
        table = _test_set(source, corpus)
        say = Once()

        def rows() -> Iterator[Row]:
            return read_table(source.path(table))

        def documents() -> Iterator[Document]:
            if corpus:
                return read_documents(source.path(corpus))
            made = (Document(content_hash("d", text), "", text) for row in rows() for text in _contexts(row))
            return first_of_each(made, str(raw), say)

        @cache
        def known() -> dict[str, str]:
            """The id of each passage of a question that the corpus has."""
            wanted = {_plain(text) for row in rows() for text in _contexts(row)}
            return {text: d.doc_id for d in documents() if (text := _plain(d.text)) in wanted}

        def queries() -> Iterator[Query]:
            met: set[str] = set()
            for row in rows():
                text = row.text(_column(row, _QUESTION))
                if text not in met:
                    met.add(text)
                    yield Query(content_hash("q", text), text, _metadata(row))

        def judgments() -> Iterator[Judgment]:
            met: set[tuple[str, str]] = set()
            missing = 0
            for row in rows():
                query_id = content_hash("q", row.text(_column(row, _QUESTION)))
                for text in _contexts(row):
                    doc_id = known().get(_plain(text)) if corpus else content_hash("d", text)
                    missing += doc_id is None
                    if doc_id is not None and (query_id, doc_id) not in met:
                        met.add((query_id, doc_id))
                        yield Judgment(query_id, doc_id, 1)
            if missing:
                say(f"{raw}: {missing} passages of questions are not in {corpus} and have no judgment")

        return self.collection(
            source,
            options,
            files=[table, *([corpus] if corpus else [])],
            documents=documents,
            queries=queries,
            judgments={options.split: judgments},
        )


def _test_set(source: Source, corpus: str) -> str:
    found = [name for name in source.find("*.csv", "*.jsonl", "*.json", "*.parquet") if name != corpus]
    if len(found) == 1:
        return found[0]
    problem = f"has {len(found)} files that could be the test set" if found else "has no test set"
    raise DataError(problem, path=source.raw, hint=f"name the file itself; {source.there()}")


def _column(row: Row, names: tuple[str, str]) -> str:
    return names[1] if names[1] in row.cells and names[0] not in row.cells else names[0]


def _contexts(row: Row) -> list[str]:
    """The passages of a question, each once; in CSV the list is printed into its cell."""
    column = _column(row, _CONTEXTS)
    if (value := row.cell(column)) in (None, ""):
        return []
    items = string_array(row, column) if isinstance(value, str) else row.list(column)
    texts = [row.as_text(column, item) for item in items]
    return list(dict.fromkeys(text[hop.end() :] if (hop := _HOP.match(text)) else text for text in texts))


def _plain(text: str) -> str:
    return " ".join(text.split())


def _metadata(row: Row) -> dict[str, str]:
    reference = next((row.text(name) for name in _REFERENCE if name in row.cells), "")
    told = {"reference": reference} | {name: row.text(name) for name in _CARRIED if row.cells.get(name)}
    return {name: text for name, text in told.items() if text}
