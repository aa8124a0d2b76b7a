"""Where a quote stands in its source: as it is, but for white space, or nearly."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from functools import lru_cache
from typing import Literal

import msgspec

from beirkit.evaluate.attribution.output import MARKS
from beirkit.evaluate.attribution.rules import AttributionRules

Tier = Literal["exact", "normalized", "fuzzy", "none"]
TIERS: tuple[Tier, ...] = ("exact", "normalized", "fuzzy", "none")

_PIECE = re.compile(rf"[^\s{MARKS}]+")
_SPACE = re.compile(r"\s")
_DIGITS = re.compile(r"[0-9]+(?:[.,:/-][0-9]+)*")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_NEGATIONS = frozenset({
    "לא", "אין", "אינו", "אינה", "אינם", "אינן", "אינני", "איני", "אינך", "איננו", "איננה", "בלי", "בלא",
    "ללא", "אל", "מעולם", "לעולם", "שלא", "ולא", "שאין", "ואין",
    "not", "no", "never", "none", "neither", "nor", "without", "cannot",
})  # fmt: skip
"""Words that deny, in Hebrew and English; with a contraction that ends in ``n't``."""

_WRAPPERS = ('""', "''", "“”", "”“", "„”", "„“", "«»", "״״", "‘’")


class Match(msgspec.Struct, frozen=True, kw_only=True):
    """One quote against the source.

    Attributes:
        quote: as the output has it.
        tier: the first of the three tiers in which it was found, or ``none``.
        similarity: of the whole quote to its place, from 0 to 1; where it was not found, of the best place.
        start: where it begins in the source, in code points; None where it was not found.
        end: where it ends there.
        warnings: what a reader should look at: ``digits`` (numbers differ), ``negation`` (a negation was
            dropped or added), ``short`` (too short to be evidence), ``wrapped`` (quotation marks around it
            were taken off), ``repeated`` (it stands in the source more than once).
    """

    quote: str
    tier: Tier
    similarity: float = 0.0
    start: int | None = None
    end: int | None = None
    warnings: list[str] = []

    @property
    def verified(self) -> bool:
        """Whether it was found."""
        return self.tier != "none"


class _Normal:
    """A text with single blanks for white space and without invisible marks, which knows its places."""

    def __init__(self, text: str) -> None:
        parts: list[str] = []
        self._own: list[int] = []  # where each piece begins in the normalised text
        self._original: list[int] = []  # and where in the original
        length = end = 0
        for piece in _PIECE.finditer(text):
            if parts and _SPACE.search(text, end, piece.start()):
                parts.append(" ")
                length += 1
            self._own.append(length)
            self._original.append(piece.start())
            parts.append(piece.group())
            length += len(piece.group())
            end = piece.end()
        self.text = "".join(parts)

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where ``text[start:end]``, which is not empty, stands in the original."""
        return self._at(start), self._at(end - 1) + 1

    def _at(self, place: int) -> int:
        piece = max(0, bisect_right(self._own, place) - 1)
        return self._original[piece] + place - self._own[piece]


@lru_cache(maxsize=8)
def _normal(text: str) -> _Normal:
    return _Normal(text)


def find_quote(quote: str, source: str, rules: AttributionRules | None = None) -> Match:
    """Look for a quote in its source, tier by tier.

    The source is never normalised before the first tier: Hebrew points have another order in normal form C.
    An offset is one of the source as it is given. The fuzzy tier aligns the whole quote with a stretch of
    the source as long as it; a part that happens to be right does not carry one that is not.

    Args:
        quote: without its brackets.
        source: the text that was given to the model.
        rules: threshold and least length of the fuzzy tier.
    """
    rules = rules or AttributionRules()
    if _PIECE.search(quote) is None:
        return Match(quote=quote, tier="none", warnings=["empty"])
    best = _find(quote, source, rules)
    inner = _unwrapped(quote)
    if _PIECE.search(inner) and best.tier not in ("exact", "normalized"):
        other = _find(inner, source, rules)
        if other.verified and other.similarity >= best.similarity:
            warnings = sorted({*other.warnings, "wrapped"})
            return msgspec.structs.replace(other, quote=quote, warnings=warnings)
    return best


def _find(quote: str, source: str, rules: AttributionRules) -> Match:
    start = source.find(quote)
    if start >= 0:
        again = source.find(quote, start + 1) >= 0
        warnings = _light(quote, rules, again=again)
        end = start + len(quote)
        return Match(quote=quote, tier="exact", similarity=1.0, start=start, end=end, warnings=warnings)
    normal, wanted = _normal(source), _Normal(quote).text
    start = normal.text.find(wanted)
    if start >= 0:
        again = normal.text.find(wanted, start + 1) >= 0
        warnings = _light(wanted, rules, again=again)
        first, last = normal.place(start, start + len(wanted))
        return Match(quote=quote, tier="normalized", similarity=1.0, start=first, end=last, warnings=warnings)
    return _nearly(quote, wanted, normal, rules)


def _nearly(quote: str, wanted: str, normal: _Normal, rules: AttributionRules) -> Match:
    """The fuzzy tier."""
    from rapidfuzz import fuzz

    if len(wanted) < rules.fuzzy_least or rules.fuzzy_threshold >= 1 or not normal.text:
        return Match(quote=quote, tier="none")
    if len(wanted) > len(normal.text):  # the alignment would look for the source in the quote
        start, end, similarity = 0, len(normal.text), fuzz.ratio(wanted, normal.text) / 100
    else:
        found = fuzz.partial_ratio_alignment(wanted, normal.text)
        if found is None or found.dest_start == found.dest_end:
            return Match(quote=quote, tier="none")
        start, end = found.dest_start, found.dest_end
        similarity = fuzz.ratio(wanted, normal.text[start:end]) / 100
    if similarity < rules.fuzzy_threshold:
        return Match(quote=quote, tier="none", similarity=round(similarity, 4))
    first, last = normal.place(start, end)
    there = _whole_words(normal.text, start, end)
    return Match(
        quote=quote,
        tier="fuzzy",
        similarity=round(similarity, 4),
        start=first,
        end=last,
        warnings=sorted(_changed(wanted, there)),
    )


def _light(quote: str, rules: AttributionRules, *, again: bool) -> list[str]:
    found = {"short"} if len(quote) < rules.short else set()
    return sorted(found | ({"repeated"} if again else set()))


def _changed(quote: str, there: str) -> set[str]:
    """What a similarity hides: other numbers, a negation more or less."""
    warnings = set()
    if Counter(_DIGITS.findall(quote)) != Counter(_DIGITS.findall(there)):
        warnings.add("digits")
    if _negations(quote) != _negations(there):
        warnings.add("negation")
    return warnings


def _negations(text: str) -> int:
    words = _WORD.findall(text.lower().replace("’", "'"))
    return sum(word in _NEGATIONS or word.endswith("n't") for word in words)


def _whole_words(text: str, start: int, end: int) -> str:
    """A stretch of a text, carried on to the ends of the words it begins and ends in."""
    first = text.rfind(" ", 0, start + 1) + 1
    last = text.find(" ", max(end - 1, start))
    return text[min(first, start) : len(text) if last < 0 else max(last, end)]


def _unwrapped(quote: str) -> str:
    """A quote without the quotation marks around it; empty where it has none."""
    wrapped = len(quote) > 2 and quote[0] + quote[-1] in _WRAPPERS
    return quote[1:-1].strip() if wrapped else ""
