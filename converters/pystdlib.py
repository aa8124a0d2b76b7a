"""The installed Python's standard library as a documentation-search benchmark."""

from __future__ import annotations

import platform
import re
import sysconfig
from collections.abc import Iterator
from functools import cached_property
from itertools import starmap
from pathlib import Path
from typing import ClassVar, NamedTuple

from beirkit.converters.base import Converter, NoOptions
from beirkit.converters.reading.docstrings import split_docstring
from beirkit.converters.reading.ids import content_hash
from beirkit.converters.reading.python_source import documented_objects
from beirkit.corpora.collection import Collection, Provenance
from beirkit.corpora.errors import DataError
from beirkit.corpora.records import Document, Judgment, Query

_LEFT_OUT = frozenset(
    {"test", "tests", "idle_test", "idlelib", "lib2to3", "turtledemo", "lib-dynload", "site-packages"}
) | {"dist-packages"}
_WORD_FIRST = re.compile(r"['\"`*(]?\w+(?![\w:=])")


class Entry(NamedTuple):
    """One documented object: its qualified name, summary sentence and remaining documentation."""

    name: str
    summary: str
    body: str


class Pystdlib(Converter[NoOptions]):
    """Python's own documentation strings, split into questions and what should answer them.

    A document is a public function, class or method: its qualified name is the title, its documentation
    without the summary sentence the text. The query is the summary sentence, so a retriever has to find an
    object from a description of what it does. The source is parsed, never imported, so nothing runs.

    Left out: names with a part that starts with ``_``; tests, ``idlelib``, ``lib2to3``, ``turtledemo`` and
    whatever lies in ``site-packages``; objects whose documentation is the summary alone; summaries nobody
    would type (fewer than three words, a line of code, the heading of a list); and those that contain their
    object's own name as a word, in any case (``Queue.get``: "Get an item."), because there the title gives
    the answer away. Other parts of the qualified name may occur: that the summary of ``Path.exists`` says
    "path" is how people ask. Objects with the same summary answer one query.

    ``raw`` may name the library folder of another Python. Options: none.
    """

    name: ClassVar[str] = "pystdlib"
    summary: ClassVar[str] = "the installed Python's standard library: find an object from its description"
    needs_raw: ClassVar[bool] = False

    def convert(self, raw: Path | None, options: NoOptions) -> Collection:
        """Open the library of this Python, or the one at ``raw``.

        Raises:
            DataError: ``raw`` is not a folder with Python source in it.
        """
        folder = Path(sysconfig.get_paths()["stdlib"]) if raw is None else raw
        if not any(folder.glob("*.py")) and not any(folder.glob("*/__init__.py")):
            raise DataError("holds no Python source", path=folder, hint="name a folder like lib/python3.11")
        library = _Library(folder)
        version = platform.python_version() if raw is None else ""
        return Collection(
            documents=library.documents,
            queries=library.queries,
            judgments={"test": library.judgments},
            provenance=Provenance(
                source=f"Python {version} standard library" if version else folder.name,
                converter=self.name,
                revision=version,
                licence="PSF-2.0" if version else "",
            ),
        )


class _Library:
    """The entries of one library folder, parsed once, at the first use."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        found = starmap(_entry, documented_objects(self.folder, _LEFT_OUT))
        return tuple(
            entry
            for entry in found
            if entry.body and reads_as_query(entry.summary) and not names_itself(entry)
        )

    def documents(self) -> Iterator[Document]:
        return (Document(entry.name, entry.name, entry.body) for entry in self.entries)

    def queries(self) -> Iterator[Query]:
        summaries = dict.fromkeys(entry.summary for entry in self.entries)
        return (Query(content_hash("q", summary), summary) for summary in summaries)

    def judgments(self) -> Iterator[Judgment]:
        by_summary: dict[str, list[str]] = {}
        for entry in self.entries:
            by_summary.setdefault(entry.summary, []).append(entry.name)
        for summary, names in by_summary.items():
            query_id = content_hash("q", summary)
            yield from (Judgment(query_id, name, 1) for name in names)


def _entry(name: str, doc: str) -> Entry:
    parts = split_docstring(doc)
    body = f"{parts.signature}\n\n{parts.rest}".lstrip("\n") if parts.rest else ""
    return Entry(name, parts.summary, body)


def names_itself(entry: Entry) -> bool:
    """Whether the summary contains the object's own name as a word, in any case."""
    own = re.escape(entry.name.rpartition(".")[2])
    return re.search(rf"(?<!\w){own}(?!\w)", entry.summary, re.IGNORECASE) is not None


def reads_as_query(summary: str) -> bool:
    """Whether a summary is a sentence: three words or more, no heading of a list, no line of code."""
    if len(summary.split()) < 3 or summary.endswith(":") or not _WORD_FIRST.match(summary):
        return False
    return summary[-1] in ".!?" or "[" not in summary
