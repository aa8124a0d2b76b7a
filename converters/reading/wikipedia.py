"""Wikipedia as benchmarks have it: names of pages, escaped brackets, and the pages that FEVER released."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator

from beirkit.converters.reading.readers import read_jsonl
from beirkit.converters.reading.source import Source
from beirkit.converters.reading.without import WITHOUT_DOCUMENTS
from beirkit.corpora.notices import Once
from beirkit.corpora.records import Document

PAGES = "wiki-*.jsonl"
"""The files of FEVER's pages, in its folder ``wiki-pages``."""

_SIGNS = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}", "-COLON-": ":",
}  # fmt: skip
_ESCAPED = re.compile("|".join(_SIGNS))


def page_name(title: str) -> str:
    """The name of a page in its address: ``Fox (animal)`` is ``Fox_(animal)``."""
    return title.replace(" ", "_")


def page_title(name: str) -> str:
    """The title of a page by its name: ``Fox_(animal)`` is ``Fox (animal)``."""
    return name.replace("_", " ")


def page_id(escaped: str) -> str:
    """The id of a page by the name FEVER has for it: brackets restored, accented letters composed.

    Names in FEVER's claims are partly decomposed (``e`` and an accent of its own), those of its pages are
    not; Wikipedia composes every name.
    """
    return unicodedata.normalize("NFC", restored(escaped))


def restored(text: str) -> str:
    """A text with the brackets and colons that a tokeniser escaped: ``Fox_-LRB-animal-RRB-``."""
    return _ESCAPED.sub(lambda match: _SIGNS[match[0]], text) if "B-" in text or "N-" in text else text


def fever_pages(source: Source, *patterns: str) -> tuple[list[str], Callable[[], Iterator[Document]]]:
    """The files of pages in the form of FEVER's release, and what starts a pass over the pages.

    A page is an object with ``id``, its escaped name, and ``text``, its introduction as tokens between
    blanks, of which only the escaped brackets are restored and the edges stripped. Pages without a name,
    which stand at the start of FEVER's files, are left out and counted; pages without a text stay.

    Args:
        source: where the files are.
        patterns: as in :meth:`Source.find`; each must find a file.

    Raises:
        DataError: there is no such file.
    """
    found = [
        source.find(pattern) or [source.only(pattern, what="pages", instead=WITHOUT_DOCUMENTS)]
        for pattern in patterns
    ]
    names = list(dict.fromkeys(name for several in found for name in several))
    told = Once()

    def pages() -> Iterator[Document]:
        nameless = 0
        for name in names:
            for row in read_jsonl(source.path(name)):
                if row.cells.get("id") == "":
                    nameless += 1
                    continue
                doc_id = page_id(row.id("id"))
                yield Document(doc_id, page_title(doc_id), restored(row.text("text")).strip())
        if nameless:
            told(f"{source.raw}: {nameless} pages without a name left out")

    return names, pages
