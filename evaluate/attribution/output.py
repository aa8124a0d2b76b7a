"""Numbered claims with their quotes, as a model writes them: ``1. claim [quote]``."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from beirkit.evaluate.attribution.rules import AttributionRules

MARKS = "\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff"
"""Characters that are not seen: direction marks, the zero-width space and the byte-order mark, as a class."""

_MARKS = re.compile(f"[{MARKS}]")
_NUMBERED = re.compile(
    rf"""[\s{MARKS}]*(?:[-*>\#]+[\s{MARKS}]+)?    # a list, a quotation or a heading of Markdown around it
        (?P<bold>\*\*|__)?\(?(?P<number>[0-9]{{1,3}})[{MARKS}]*
        (?:\\?[.)](?P<after>\*\*|__)?|(?P<before>\*\*|__)[.)])
        (?![0-9])[\s{MARKS}]*(?P<text>.*)""",
    re.VERBOSE | re.DOTALL,
)
_EXACT = re.compile(r"[0-9]+\. ")
_LINE_END = re.compile(r"\r\n|[\n\r]")  # no other character ends a line: it may be one of the source
_BETWEEN = re.compile(r"[\s.,;:،·|&+/–—-]*")
_THOUGHT = re.compile(r"<(/?)(?:think|thinking|reasoning)>", re.IGNORECASE)


class Claim(msgspec.Struct, frozen=True):
    """One numbered claim.

    Attributes:
        number: as the output counts it.
        text: the claim without its quotes.
        quotes: the texts in brackets, as they stand; an empty one is an empty text.
    """

    number: int
    text: str
    quotes: list[str]


class ParsedOutput(msgspec.Struct, frozen=True):
    """What an output claims.

    Attributes:
        claims: claims with at least one quote, in order.
        unquoted: numbered lines without a quote.
        deviations: in what the output departs from the form, each once, sorted.
    """

    claims: list[Claim]
    unquoted: int
    deviations: list[str]

    @property
    def cites(self) -> bool:
        """Whether there is any quote that is not empty."""
        return any(quote for claim in self.claims for quote in claim.quotes)


def parse_output(output: str, rules: AttributionRules | None = None) -> ParsedOutput:
    """Read an output of the form ``N. claim [quote]``, one claim a line.

    What departs from the form and is clear all the same is read and named in ``deviations``: text before and
    after the list, ``1)``, ``(1)`` and ``**1.**``, direction marks, numbers that skip or start again, several
    quotes after one claim, a quote that goes over lines or stands on a line of its own, and a block of
    thoughts, which is left out. Numbers have up to three digits, so that a year is none.

    Args:
        output: as the model wrote it.
        rules: which brackets and which lists count.
    """
    rules = rules or AttributionRules()
    deviations: set[str] = set()
    text = _without_thoughts(output, deviations)
    items = _items(text, deviations)
    starts = [place for place, (number, _) in enumerate(items) if place and number <= items[place - 1][0]]
    if starts:
        deviations.add("numbering starts again")
        if rules.lists == "last":
            items = items[starts[-1] :]
    if [number for number, _ in items] != list(range(1, len(items) + 1)) and not starts:
        deviations.add("numbering skips")
    claims, unquoted = [], 0
    for number, line in items:
        pairs = _pairs(line)
        quotes, rest, after = _quotes(line, pairs, rules.brackets)
        if not quotes:
            unquoted += 1
            deviations.add("claim without a quote")
            continue
        if _MARKS.sub("", after).strip(" \t.,;*_"):
            deviations.add("text after a quote")
        if "" in quotes:
            deviations.add("empty quote")
        claims.append(Claim(number, rest, quotes))
    return ParsedOutput(claims, unquoted, sorted(deviations))


def _without_thoughts(output: str, deviations: set[str]) -> str:
    """The answer without what a reasoning model thought before; an endless thought leaves no answer.

    Some templates open the block themselves, so that its end alone is in the output.
    """
    kept: list[str] = []
    since: int | None = 0  # where the text begins that is no thought
    for tag in _THOUGHT.finditer(output):
        deviations.add("block of thoughts")
        if tag[1]:
            kept = [] if since is not None else kept
            since = tag.end()
        elif since is not None:
            kept.append(output[since : tag.start()])
            since = None
    if since is not None:
        kept.append(output[since:])
    return "".join(kept)


def _items(text: str, deviations: set[str]) -> list[tuple[int, str]]:
    """Numbered items, with the lines that belong to their quotes."""
    items: list[tuple[int, str]] = []
    ended = False  # whether a line that is no item came after the last one
    lines = _LINE_END.split(text)
    for place, line in enumerate(lines):
        found = _NUMBERED.fullmatch(line)
        plain = _MARKS.sub("", line).strip()
        number, last = items[-1] if items else (0, "")
        if not ended and _is_open(last) and _closes(lines[place:]):
            deviations.add("quote over several lines")
            items[-1] = (number, f"{last}\n{line}")
        elif found is not None:
            if ended:
                deviations.add("text between claims")
                ended = False
            head = line[: found.start("text")]
            if _MARKS.search(head):
                deviations.add("direction marks")
            if not _EXACT.fullmatch(_MARKS.sub("", head)):
                deviations.add("another form of numbers")
            items.append((int(found["number"]), _without_bold(found)))
        elif not plain:
            continue
        elif items and not ended and plain.startswith("[") and not _pairs(last):
            deviations.add("quote on a line of its own")
            items[-1] = (number, f"{last} {line.strip()}")
        elif items:
            ended = True
        else:
            deviations.add("text before the list")
    if ended:
        deviations.add("text after the list")
    if not items and text.strip():
        deviations.add("no numbered claim")
    if not text.strip():
        deviations.add("empty output")
    return items


def _closes(lines: Sequence[str]) -> bool:
    """Whether lines close a bracket before the next numbered line that has one of its own."""
    for line in lines:
        if "]" in line.partition("[")[0]:
            return True
        if "[" in line or _NUMBERED.fullmatch(line):
            return False
    return False


def _without_bold(found: re.Match[str]) -> str:
    """The text of an item; of ``**1. claim** [quote]`` without the asterisks that began before the number."""
    text = found["text"]
    if found["bold"] and not found["after"] and not found["before"]:
        text = text.replace(found["bold"], "", 1)
    return text.strip()


def _is_open(line: str) -> bool:
    """Whether a bracket of a line has not been closed."""
    depth = 0
    for character in line:
        if character == "[":
            depth += 1
        elif character == "]" and depth:
            depth -= 1
    return depth > 0


def _pairs(line: str) -> list[tuple[int, int]]:
    """Start and end of each balanced pair of brackets that is in no other one, brackets included."""
    opened: list[int] = []
    pairs: list[tuple[int, int]] = []
    for place, character in enumerate(line):
        if character == "[":
            opened.append(place)
        elif character == "]" and opened:
            start = opened.pop()
            pairs = [pair for pair in pairs if pair[0] < start]
            pairs.append((start, place + 1))
    return pairs


def _quotes(line: str, pairs: Sequence[tuple[int, int]], which: str) -> tuple[list[str], str, str]:
    """The quotes of a line, the claim without them, and what stands after the last one."""
    if not pairs:
        return [], line, ""
    first = 0 if which == "all" else len(pairs) - 1
    while which == "trailing" and first and _BETWEEN.fullmatch(line, pairs[first - 1][1], pairs[first][0]):
        first -= 1
    kept = pairs[first:]
    quotes = [line[start + 1 : end - 1].strip().strip(_INVISIBLE).strip() for start, end in kept]
    return quotes, line[: kept[0][0]].strip(), line[kept[-1][1] :]


_INVISIBLE = "".join(chr(code) for code in range(0x200B, 0x2070) if _MARKS.match(chr(code))) + "\ufeff"
