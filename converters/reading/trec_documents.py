"""TREC documents: ``<DOC>`` after ``<DOC>`` in many files, as SGML or as web pages behind their headers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import BinaryIO, NamedTuple

from beirkit.converters.reading.lzw import open_packed
from beirkit.converters.reading.markup import html_title_and_text, sgml_text
from beirkit.corpora.errors import DataError
from beirkit.corpora.ids import id_problem
from beirkit.corpora.notices import Warn
from beirkit.corpora.records import Document

TITLE_TAGS = ("HEADLINE", "TITLE", "HL", "HEAD", "TTL")
TEXT_TAGS = ("TEXT", "LP", "LEADPARA")

_CHUNK = 1 << 20
_LONGEST = 1 << 28  # bytes of one document; beyond, its end is missing
_OPEN = re.compile(rb"<doc(?:\s[^<>]*)?>", re.IGNORECASE)
_CLOSE = re.compile(rb"</doc\s*>", re.IGNORECASE)
_LONGEST_TAG = 64
_CLOSE_AT_END = re.compile(r"</doc\s*>\s*$", re.IGNORECASE)
_DOCNO = re.compile(r"<docno>\s*(.*?)\s*</docno>", re.IGNORECASE | re.DOTALL)
_ID = re.compile(r"""<doc\s[^<>]*?\bid\s*=\s*["']?([^"'\s>]+)""", re.IGNORECASE)  # NTCIR's way
_HEADER = re.compile(r"<dochdr>.*?</dochdr>", re.IGNORECASE | re.DOTALL)
_REPLACEMENT = "\ufffd"


class Reading(NamedTuple):
    """How documents are read.

    Attributes:
        title_tags: elements that make the title, in the order they stand in.
        text_tags: elements that make the text.
        metadata_tags: elements whose text is metadata, under their names in lower case.
        encoding: of the files.
        skip_without_id: leave out documents without an id, and count them.
    """

    title_tags: tuple[str, ...] = TITLE_TAGS
    text_tags: tuple[str, ...] = TEXT_TAGS
    metadata_tags: tuple[str, ...] = ()
    encoding: str = "utf-8"
    skip_without_id: bool = False


class _Block(NamedTuple):
    """What stands between ``<DOC>`` and ``</DOC>``, both with it, and where it starts."""

    content: bytes
    path: Path
    line: int

    def error(self, found: str, hint: str = "") -> DataError:
        return DataError(found, path=self.path, line=self.line, hint=hint)


class _Tally:
    """How many there were, and the first three of them."""

    def __init__(self) -> None:
        self.count = 0
        self.first: list[str] = []

    def add(self, which: str) -> None:
        self.count += 1
        if self.count <= 3:
            self.first.append(which)


def read_documents(paths: Iterable[Path], reading: Reading, warn: Warn) -> Iterator[Document]:
    """The documents of files, in their order, plain or compressed (gzip, bzip2, zstd, ``compress``).

    A web page, known by its ``<DOCHDR>``, gives the title and the visible text of its HTML. White space
    becomes one blank. An element inside another one belongs to the outer one.

    Args:
        paths: the files.
        reading: how they are read.
        warn: told of bytes that had to be replaced, of what was skipped and of what is empty.

    Raises:
        DataError: a document is not closed or has no id, or there is none at all; with path and line.
    """
    yield from _Pass(reading, warn).run(paths)


class _Pass:
    """One pass over the files, and what is told at its end."""

    def __init__(self, reading: Reading, warn: Warn) -> None:
        self._reading = reading
        self._warn = warn
        wanted = {*reading.title_tags, *reading.text_tags, *reading.metadata_tags}
        names = "|".join(sorted(map(re.escape, wanted), key=len, reverse=True)) or r"\Z"
        self._element = re.compile(rf"<({names})(?:\s[^<>]*)?>", re.IGNORECASE)
        self._title = _upper(reading.title_tags)
        self._text = _upper(reading.text_tags)
        self._metadata = _upper(reading.metadata_tags)
        self._documents = 0
        self._bytes_replaced = 0
        self._replaced, self._without_id, self._without_text = _Tally(), _Tally(), _Tally()

    def run(self, paths: Iterable[Path]) -> Iterator[Document]:
        empty = _Tally()
        last = Path()
        for last in paths:
            before = self._documents
            with open_packed(last) as stream:
                for block in _blocks(stream, last):
                    self._documents += 1
                    if (document := self._document(block)) is not None:
                        yield document
            if self._documents == before:
                empty.add(last.name)
        if not self._documents:
            raise DataError("holds no <DOC>", path=last.parent, hint="which files hold documents? documents=")
        self._tell("files without a <DOC>", empty)
        bytes_ = f"bytes that are not {self._reading.encoding}, {self._bytes_replaced} in all"
        self._tell(f"documents with {bytes_}, each of them now U+FFFD", self._replaced)
        self._tell("documents without an id, left out", self._without_id)
        self._tell(f"documents without a text in {', '.join(self._reading.text_tags)}", self._without_text)

    def _tell(self, what: str, tally: _Tally) -> None:
        if tally.count:
            self._warn(f"{what}: {tally.count} ({', '.join(tally.first)}{', …' * (tally.count > 3)})")

    def _document(self, block: _Block) -> Document | None:
        text, replaced = _decoded(block.content, self._reading.encoding)
        found = _DOCNO.search(text)
        doc_id = found[1] if found else ""
        if not doc_id and (named := _ID.match(text)):
            doc_id = named[1]
        if not doc_id:
            if not self._reading.skip_without_id:
                raise block.error("the document has no <DOCNO>", "or skip_documents_without_id=true")
            self._without_id.add(f"{block.path.name}:{block.line}")
            return None
        if problem := id_problem(doc_id):
            raise block.error(f"the id {doc_id!r} {problem}")
        if found and (second := _DOCNO.search(text, found.end())):
            raise block.error(f"document {doc_id} is not closed before {second[1]}", "is a </DOC> missing?")
        if replaced:
            self._replaced.add(doc_id)
            self._bytes_replaced += replaced
        document = self._parts(doc_id, text)
        if not document.text:
            self._without_text.add(doc_id)
        return document

    def _parts(self, doc_id: str, text: str) -> Document:
        if header := _HEADER.search(text):
            return Document(doc_id, *html_title_and_text(_CLOSE_AT_END.sub("", text[header.end() :])))
        titles: list[str] = []
        texts: list[str] = []
        metadata: dict[str, str] = {}
        for name, markup in self._elements(text):
            content = sgml_text(markup)
            if name in self._metadata:
                metadata[name.lower()] = f"{metadata.get(name.lower(), '')} {content}".strip()
            if name in self._title:
                titles.append(content)
            if name in self._text:
                texts.append(content)
        return Document(doc_id, " ".join(filter(None, titles)), " ".join(filter(None, texts)), metadata)

    def _elements(self, text: str) -> Iterator[tuple[str, str]]:
        """The outermost wanted elements; one that is not closed ends where the next begins."""
        place = 0
        while opened := self._element.search(text, place):
            name = opened[1].upper()
            closed = _closing(name).search(text, opened.end())
            after = None if closed else self._element.search(text, opened.end())
            place = closed.start() if closed else after.start() if after else len(text)
            yield name, text[opened.end() : place]


@cache
def _closing(name: str) -> re.Pattern[str]:
    return re.compile(rf"</{re.escape(name)}\s*>", re.IGNORECASE)


def _upper(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name.upper() for name in names)


def _blocks(stream: BinaryIO, path: Path) -> Iterator[_Block]:
    """The documents of one file; what stands between them (comments, a root element) is passed over."""
    buffer, line, searched = b"", 1, 0
    while chunk := stream.read(_CHUNK):
        buffer += chunk
        start = 0
        while closed := _CLOSE.search(buffer, max(start, searched)):
            if opened := _OPEN.search(buffer, start, closed.start()):
                line += buffer.count(b"\n", start, opened.start())
                yield _Block(buffer[opened.start() : closed.end()], path, line)
                line += buffer.count(b"\n", opened.start(), closed.end())
            else:
                line += buffer.count(b"\n", start, closed.end())
            start = closed.end()
        buffer = buffer[start:]
        searched = max(0, len(buffer) - _LONGEST_TAG)
        if len(buffer) > _LONGEST:
            break
    if opened := _OPEN.search(buffer):
        line += buffer.count(b"\n", 0, opened.start())
        found = "the document that starts here has no </DOC>"
        raise DataError(found, path=path, line=line, hint="the file may be cut")


def _decoded(content: bytes, encoding: str) -> tuple[str, int]:
    """The text, and how many bytes or runs of them were no characters."""
    try:
        return content.decode(encoding), 0
    except UnicodeDecodeError:
        text = content.decode(encoding, "replace")
        sign = _REPLACEMENT.encode(encoding, "ignore")
        return text, text.count(_REPLACEMENT) - (content.count(sign) if sign else 0)
