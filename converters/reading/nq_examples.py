"""Examples of Natural Questions: a question, a page of Wikipedia, and what annotators marked in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import msgspec

from beirkit.corpora.errors import DataError
from beirkit.corpora.files import byte_lines

_QUOTED = rb"""(?:"[^"]*"|'[^']*')"""
_NO_TEXT = re.compile(
    rb"<!--.*?-->|<(script|style)\b.*?</\1\s*>|<[^>\"']*(?:" + _QUOTED + rb"[^>\"']*)*>",
    re.DOTALL | re.IGNORECASE,
)


class Token(msgspec.Struct, gc=False):
    """A word or a tag of the page."""

    token: str
    html_token: bool


class Span(msgspec.Struct, gc=False):
    """A part of the page in tokens and bytes, ends exclusive; all -1 where an annotator marked nothing."""

    start_token: int
    end_token: int
    start_byte: int = -1
    end_byte: int = -1


class Annotation(msgspec.Struct, gc=False):
    """What one annotator marked."""

    long_answer: Span


class Example(msgspec.Struct):
    """One line of the release; its page as tokens, and in most files as HTML too."""

    example_id: int | str
    question_text: str
    document_title: str
    document_url: str
    document_tokens: list[Token]
    long_answer_candidates: list[Span]
    annotations: list[Annotation]
    document_html: str = ""

    def tag(self, start_token: int) -> str:
        """The tag a part of the page starts with, in lower case, such as ``<p>``."""
        return self.document_tokens[start_token].token.lower()

    def paragraphs(self) -> dict[int, str]:
        """The text of each paragraph that has one, by its first token, in the page's order.

        From the HTML, where there is one: without tags, white space collapsed. Else its tokens that are no
        tags, with blanks between them.
        """
        page = self.document_html.encode()
        starts = {span.start_token: span for span in self.long_answer_candidates}
        texts = {
            start: self._text(starts[start], page) for start in sorted(starts) if self.tag(start) == "<p>"
        }
        return {start: text for start, text in texts.items() if text}

    def marked(self) -> list[int]:
        """The first token of each long answer, one for each annotator who marked one."""
        starts = (annotation.long_answer.start_token for annotation in self.annotations)
        return [start for start in starts if start >= 0]

    def _text(self, span: Span, page: bytes) -> str:
        if page:
            plain = _NO_TEXT.sub(b"", page[span.start_byte : span.end_byte]).decode(errors="replace")
            return " ".join(unescape(plain).split())
        tokens = self.document_tokens[span.start_token : span.end_token]
        return " ".join(token.token for token in tokens if not token.html_token)


_decode = msgspec.json.Decoder(Example).decode


def read_examples(path: Path) -> Iterator[Example]:
    """The examples of a file of JSON lines.

    Raises:
        DataError: a line is no example, or points outside its page; with path and line.
    """
    for number, line in byte_lines(path):
        if not line.strip():
            continue
        try:
            example = _decode(line)
        except (ValueError, RecursionError) as error:
            found = f"is no example of Natural Questions: {error}".replace(" - at `$.", ", at `")
            raise DataError(found, path=path, line=number) from error
        size = len(example.document_tokens)
        if any(start >= size for start in example.marked()) or any(
            not 0 <= span.start_token < size for span in example.long_answer_candidates
        ):
            raise DataError(f"points outside its page, which has {size} tokens", path=path, line=number)
        yield example
