"""Taking a docstring apart: signature lines, summary sentence, the rest."""

from __future__ import annotations

import re
from typing import NamedTuple

_SIGNATURE = re.compile(r"[A-Za-z_][\w.]*\(.*\)(\s*->\s*\S.*)?[.:]?")
_OPENING = re.compile(r"[A-Za-z_][\w.]*\(")
_NEW_BLOCK = re.compile(r"\s|[-*+]\s|[@:]|>>>|\d+[.)]\s|[A-Za-z_]\w*\s*(--|:\s*$)")
_STOP = re.compile(r"[.!?]['\")\]`]*(?=\s|$)")
_ABBREVIATION = re.compile(r"(?<!\w)(e\.?g|i\.?e|cf|vs|resp|approx|incl|viz)\.$", re.IGNORECASE)


class Parts(NamedTuple):
    """A docstring in three parts.

    Attributes:
        signature: leading lines such as ``f(x) -> y``, joined by newlines.
        summary: the first sentence, on one line.
        rest: what follows the summary, as it stands.
    """

    signature: str
    summary: str
    rest: str


def split_docstring(doc: str) -> Parts:
    """Split a docstring that :func:`inspect.cleandoc` has cleaned.

    The summary ends with its first full stop, question or exclamation mark, with the paragraph, or where a
    list, an example or an indented block starts. A point after an abbreviation (``e.g.``), inside an open
    parenthesis, or in an ellipsis or "etc." that goes on in lower case does not end it.
    """
    lines = doc.split("\n")
    start = _behind_signatures(lines)
    signature = "\n".join(line.strip() for line in lines[:start] if line.strip())
    stop = start + 1
    while stop < len(lines) and lines[stop].strip() and not _NEW_BLOCK.match(lines[stop]):
        stop += 1
    paragraph, later = "\n".join(lines[start:stop]), "\n".join(lines[stop:])
    cut = _sentence_end(paragraph)
    summary = " ".join(paragraph[:cut].split())
    inline = paragraph[cut:].lstrip()
    rest = f"{inline}\n{later}" if inline else later
    return Parts(signature, summary, rest.strip("\n").rstrip())


def _behind_signatures(lines: list[str]) -> int:
    """Index of the first line that is neither blank nor part of a signature, which may span lines."""
    start = stop = 0
    while stop < len(lines):
        stop += 1
        text = " ".join(line.strip() for line in lines[start:stop]).strip()
        if not text or (_SIGNATURE.fullmatch(text) and text.count("(") == text.count(")")):
            start = stop
        elif not _OPENING.match(text) or not lines[stop - 1].strip():
            break
    return start


def _sentence_end(paragraph: str) -> int:
    """Offset behind the first sentence."""
    for match in _STOP.finditer(paragraph):
        head, tail = paragraph[: match.start() + 1], paragraph[match.end() :].lstrip()
        if not tail:
            break
        if _ABBREVIATION.search(head) or head.count("(") > match.group().count(")") + head.count(")"):
            continue
        if head.lower().endswith(("etc.", "..")) and not tail[0].isupper():
            continue
        return match.end()
    return len(paragraph)
