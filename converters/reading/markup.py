"""The text in SGML and HTML."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<[!?][^<>]*>")
_ENTITY = re.compile(r"&(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]*);")
# Of the Federal Register on the TREC disks; no names of HTML, or names of something else there.
_SGML_ENTITIES = {"hyph": "-", "blank": " "}

_UNSEEN = {"script", "style", "noscript", "template"}
_WITHIN_WORDS = {
    "a", "abbr", "acronym", "b", "big", "code", "em", "font", "i", "mark", "s", "small", "span", "strike",
    "strong", "sub", "sup", "tt", "u",
}  # fmt: skip


def sgml_text(markup: str) -> str:
    """The text of SGML: a tag becomes a blank, an entity its character, white space one blank.

    A ``<`` that no letter follows, as in ``p < .05``, and an ``&`` without a semicolon are characters.
    """
    if "<" in markup:
        markup = _TAG.sub(" ", _COMMENT.sub(" ", markup))
    if "&" in markup:
        markup = _ENTITY.sub(_character, markup)
    return " ".join(markup.split())


def html_title_and_text(markup: str) -> tuple[str, str]:
    """The title of an HTML page and its visible text, white space one blank; damaged HTML is read too."""
    page = _Page()
    page.feed(markup)
    page.close()
    return " ".join("".join(page.title).split()), " ".join("".join(page.text).split())


def _character(entity: re.Match[str]) -> str:
    return _SGML_ENTITIES.get(entity[1]) or html.unescape(entity[0])


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title: list[str] = []
        self.text: list[str] = []
        self._unseen = 0
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._unseen += tag in _UNSEEN
        self._in_title = self._in_title or (tag == "title" and not self.title)
        self._part(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in _UNSEEN:
            self._unseen = max(0, self._unseen - 1)
        if tag == "title":
            self._in_title = False
        self._part(tag)

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            (self.title if self._in_title else self.text).append(data)

    def _part(self, tag: str) -> None:
        if tag not in _WITHIN_WORDS:
            self.text.append(" ")
