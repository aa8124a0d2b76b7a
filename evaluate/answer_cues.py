"""Whether a text holds an answer, by cues of its form: beirkit's own rules, named ``answer-cues/1``.

A cue that fires says that the answer's words, number or date stand in the text, not that the text answers the
question.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

NAME = "answer-cues/1"

Kind = Literal["range", "date", "number", "short", "text", "alternative"]
Trait = Literal["range", "digits", "short", "date", "full stop", "edge space", "parenthesis", "non-ASCII"]

_RANGE = re.compile(r"^(.*?)\s*\(acceptable range:(.*)\)\s*\.?\s*$", re.IGNORECASE | re.DOTALL)
_PARENTHESIS = re.compile(r"^(.*?)\s*\(([^()]*)\)\s*(.*)$", re.DOTALL)
_LEAD = re.compile(r"^(?:or|formerly|now|also known? as|a\.?k\.?a\.?)\s+", re.IGNORECASE)
_PLAIN = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_NUMBER = re.compile(rf"(?<![\w.,])({_PLAIN})(?:\s*(thousand|million|billion)\b)?", re.IGNORECASE)
_ALONE = re.compile(rf"(?<![\w.,])({_PLAIN})(?![\w]|[.,]\d)")
_BRACKETS = re.compile(r"\[\s*([\d.,]+)\s*[-–]\s*([\d.,]+)\s*\]")
_SCALE = {"thousand": 1e3, "million": 1e6, "billion": 1e9}
_APART = 40  # characters between the numbers of one measure, such as "1 year, 161 days"

_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
)  # fmt: skip
_MONTH = rf"({'|'.join(f'{name[:3]}(?:{name[3:]})?' for name in _MONTHS)}|sept)\.?"
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_DATES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("dmy", re.compile(rf"(?<!\w){_DAY},?\s+(?:of\s+)?{_MONTH},?\s+(?:of\s+)?(\d{{3,4}})(?!\w)")),
    ("mdy", re.compile(rf"(?<!\w){_MONTH},?\s+{_DAY},?\s+(\d{{3,4}})(?!\w)")),
    ("ymd", re.compile(rf"(?<!\w)(\d{{3,4}}),?\s+{_MONTH},?\s+{_DAY}(?!\w)")),
    ("my", re.compile(rf"(?<!\w){_MONTH},?\s+(?:of\s+)?(\d{{3,4}})(?!\w)")),
    ("ymd", re.compile(r"(?<![\w-])(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?![\w-])")),
    ("dmy", re.compile(r"(?<![\w-])(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})(?![\w-])")),
    ("mdy", re.compile(r"(?<![\w-])(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})(?![\w-])")),
)
_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"})
_FOREIGN = re.compile(r"[^\x00-\x7f]+")
_TEXTS = 16  # whose words are kept: every cue of a result is tried before the next result comes
_WORD = re.compile(rf"{_PLAIN}|[^\W_]+")


class Fired(NamedTuple):
    """A cue that a text has.

    Attributes:
        kind: what fired: a number within the acceptable range, a date in any order, a number alone, a word of
            up to three characters alone, the words of the answer, or those of its parenthesis.
        strict: whether it fires with the answer's own accents too.
    """

    kind: Kind
    strict: bool


Date = tuple[int, int, int | None]
Test = Callable[[str, bool], bool]


class AnswerCues:
    """The cues of one answer, in the order in which they are tried.

    Args:
        answer: as the publisher wrote it.
        answer_type: its label; dates are read as such where it is ``Date``.
    """

    def __init__(self, answer: str, answer_type: str = "") -> None:
        self.tests: list[tuple[Kind, Test]] = list(_tests(answer, answer_type))

    def find(self, text: str) -> Fired | None:
        """The first cue that a text has; None: it has none."""
        for kind, test in self.tests:
            if test(text, False):
                return Fired(kind, test(text, True))
        return None


def traits(answer: str, answer_type: str = "") -> set[Trait]:
    """What about an answer asks for more than plain comparison."""
    found: dict[Trait, bool] = {
        "range": "(acceptable range:" in answer,
        "digits": answer.isdigit(),
        "short": len(answer) <= 3,
        "date": answer_type == "Date",
        "full stop": answer.endswith("."),
        "edge space": answer != answer.strip(),
        "parenthesis": "(" in answer and "(acceptable range:" not in answer,
        "non-ASCII": not answer.isascii(),
    }
    return {trait for trait, holds in found.items() if holds}


def _tests(answer: str, answer_type: str) -> Iterator[tuple[Kind, Test]]:
    plain = answer.strip().rstrip(".").strip()
    if found := _RANGE.match(answer.strip()):
        plain, intervals = found[1], _intervals(found[2])
        if intervals:
            yield "range", lambda text, strict: _in_range(text, intervals)
        if len(intervals) == 1:
            return  # the plain figure lies in it, and alone it may stand for anything
    if answer_type == "Date" and (dates := _dates(plain)):
        date = max(dates, key=lambda day: day[2] is not None)
        yield "date", lambda text, strict: any(_is_day(day, date) for day in _dates(text))
        return
    if plain.isdigit():
        yield "number", lambda text, strict: plain in _numbers_alone(text)
        return
    inner = ""
    if (parts := _PARENTHESIS.match(plain)) and not found:
        plain, inner = f"{parts[1]} {parts[3]}".strip(), _LEAD.sub("", parts[2].strip())
    yield ("short" if len(plain) <= 3 else "text"), _words_in(plain)
    for form in re.split(r'"\s+or\s+"', inner) if inner else ():
        yield "alternative", _words_in(form)


def _words_in(form: str) -> Test:
    words = {strict: _words(form, strict) for strict in (False, True)}
    return lambda text, strict: bool(words[strict]) and words[strict] in _words(text, strict)


@lru_cache(maxsize=_TEXTS)
def _words(text: str, strict: bool) -> str:
    """The words of a text with a blank around each; numbers without their thousands' commas."""
    whole = unicodedata.normalize("NFKC", text).casefold() if strict else folded(text)
    words = [word.replace(",", "") for word in _WORD.findall(whole)]
    return f" {' '.join(words)} " if words else ""


def folded(text: str) -> str:
    """A text without case and accents, its compatible characters written one way."""
    lower = unicodedata.normalize("NFKC", text).casefold()
    return _FOREIGN.sub(lambda found: _plain_letters(found[0]), lower)


def _plain_letters(text: str) -> str:
    apart = unicodedata.normalize("NFD", text.translate(_LETTERS))
    return "".join(sign for sign in apart if not unicodedata.combining(sign))


def words_of(text: str) -> str:
    """The folded words of a text with a blank around each; empty where it has none."""
    return _words(text, False)


@lru_cache(maxsize=_TEXTS)
def _numbers_alone(text: str) -> frozenset[str]:
    return frozenset(found.replace(",", "") for found in _ALONE.findall(text))


def _value(number: str, scale: str = "") -> float:
    return float(number.replace(",", "")) * _SCALE.get(scale.lower(), 1.0)


def _intervals(text: str) -> list[tuple[float, float]]:
    """The intervals of an acceptable range, one for each number that the answer has."""
    if brackets := _BRACKETS.findall(text):
        return [(_value(low), _value(high)) for low, high in brackets]
    before, between, after = text.partition("anything between")
    if not between:
        return []
    fixed = [_value(*found) for found in _NUMBER.findall(before)]
    ends = [_value(*found) for found in _NUMBER.findall(after)]
    if len(ends) < 2:
        return []
    return [*((value, value) for value in fixed), (ends[0], ends[1])]


def _in_range(text: str, intervals: list[tuple[float, float]]) -> bool:
    found = [(_value(hit[1], hit[2] or ""), hit.start(), hit.end()) for hit in _NUMBER.finditer(text)]
    for start in range(len(found) - len(intervals) + 1):
        window = found[start : start + len(intervals)]
        near = all(later[1] - first[2] <= _APART for first, later in pairwise(window))
        if near and all(
            low <= value <= high for (value, _, _), (low, high) in zip(window, intervals, strict=True)
        ):
            return True
    return False


@lru_cache(maxsize=_TEXTS)
def _dates(text: str) -> frozenset[Date]:
    """Every date of a text, in any order of day, month and year; ambiguous figures count both ways."""
    whole = unicodedata.normalize("NFKC", text).casefold()
    dates = set()
    for order, pattern in _DATES:
        for found in pattern.finditer(whole):
            parts = dict(zip(order, found.groups(), strict=True))
            month = _month(parts["m"])
            day = int(parts["d"]) if "d" in parts else None
            if 1 <= month <= 12 and (day is None or 1 <= day <= 31):
                dates.add((int(parts["y"]), month, day))
    return frozenset(dates)


def _month(text: str) -> int:
    return (
        int(text) if text.isdigit() else next(n for n, name in enumerate(_MONTHS, 1) if name[:3] == text[:3])
    )


def _is_day(found: Date, wanted: Date) -> bool:
    return found[:2] == wanted[:2] and wanted[2] in (None, found[2])
