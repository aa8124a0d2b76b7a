"""Words by Unicode's default rules (UAX #29), grouped as Lucene's StandardTokenizer groups them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from beirkit.retrievers.lexical.analysis.word_break_table import RANGES

LONGEST = 255
"""Characters of the longest word; what is longer is cut, as Lucene cuts it."""


def words(text: str) -> list[str]:
    """The words of a text, as they stand in it.

    Punctuation and blanks are left out. Han and Hiragana characters are words by themselves; scripts written
    without blanks, such as Thai, stay together between two of other scripts; an emoji is a word.
    """
    if text.isascii():
        plain: list[str] = _ASCII.findall(text)
        if not plain or len(max(plain, key=len)) <= LONGEST:
            return plain
    return [text[start:end] for start, end in spans(text)]


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each of :func:`words`."""
    classes = text.translate(_CLASSES)
    for match in _RULES.finditer(classes):
        start, end = match.span()
        if end - start <= LONGEST:
            yield start, end
        else:
            yield from _cut(classes, start, end)


def _cut(classes: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The pieces of a long word: the longest word within reach, and again behind it."""
    while start < end:
        match = _RULES.search(classes, start, min(end, start + LONGEST))
        if match is not None and match.start() > start:
            match = _RULES.match(classes, match.start(), min(end, match.start() + LONGEST))
        if match is not None:
            yield match.span()
        start = match.end() if match is not None else start + LONGEST


class _Classes(dict[int, str]):
    """The class of each code point, as one character; looked up in the table when it is first met."""

    def __init__(self) -> None:
        super().__init__()
        rows = []
        for letter, ranges in RANGES.items():
            for item in ranges.split():
                first, _, last = item.partition("-")
                rows.append((int(first, 16), int(last or first, 16), letter))
        self._rows = sorted(rows)
        self._starts = [first for first, _, _ in self._rows]

    def __missing__(self, point: int) -> str:
        place = bisect_right(self._starts, point) - 1
        within = place >= 0 and point <= self._rows[place][1]
        self[point] = letter = self._rows[place][2] if within else "."
        return letter


def _rules() -> str:
    """The rules, over a string that has the class of each character in its place."""
    marks = "[xztvmsk]*"  # what stands on a base goes where the base goes (WB4)
    letter, hebrew, digit, katakana = (f"{base}{marks}" for base in ("[AH]", "H", "1", "K"))
    within_letters, within_digits, single, double, joins = (
        f"{base}{marks}" for base in ("[LB']", "[NB']", "'", '"', "_")
    )
    # WB5 to WB12. A Hebrew letter keeps an apostrophe, and a quotation mark between two (WB7a to WB7c).
    run = (
        f"(?:{hebrew}(?:{single}|{double}{hebrew})"
        f"|{digit}(?:{within_digits}{digit})*"
        f"|{letter}(?:{within_letters}{letter})*)+"
    )
    part = f"(?:(?:{katakana})+|{run})"  # WB13
    word = f"(?:{joins})*{part}(?:(?:{joins})+{part})*(?:{joins})*"  # WB13a, WB13b
    # Pictures held together by joiners are one emoji; the joiner may have gone with the marks before it.
    picture = "(?:z*P[xzmsk]*v?|m[xzmsk]*)"
    emoji = f"{picture}(?:(?:z|(?<=z)){picture})*"
    keycap, flag = "#[xzmsk]*v?k[xzmsk]*", f"R{marks}R{marks}"
    without_blanks = "(?:[Ss][xztvmsk]*)+"
    single_characters = f"[IJ]{marks}"
    # Most words are letters with nothing behind them that could belong to them; asked first, for speed.
    plain = """A++(?![AH1_LB'xztvmsk])"""
    return "|".join((plain, word, emoji, keycap, flag, without_blanks, single_characters))


_CLASSES = _Classes()
# The same rules for ASCII alone, on the text itself: three times as fast.
_ASCII = re.compile(
    r"_*[A-Za-z0-9]\w*(?:(?:(?<=[A-Za-z])[.:'](?=[A-Za-z])|(?<=[0-9])[.,;'](?=[0-9]))\w+)*", re.ASCII
)
_RULES = re.compile(_rules())
