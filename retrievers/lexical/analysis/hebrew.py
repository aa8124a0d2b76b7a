"""Hebrew words for matching: normalised, whole with their gershayim, without clitics, and as 4-grams.

No stemmer is at hand that knows Hebrew without a dictionary. What stands here needs none, and is ours.
"""

from __future__ import annotations

import re
import unicodedata

from beirkit.retrievers.lexical.analysis.grams import runs

WORD = (
    r"(?<=')\w+(?:[\"']\w+)*"  # after an apostrophe that opens a quotation, one at the end closes it
    r"|\w+(?:[\"']\w+)*(?:(?<=[גזצץ])'(?!\w)|(?<=\b[א-ת])'(?!\w))?"
)
"""A word with gershayim or a geresh inside, and a geresh at its end that makes another sound or a number."""

CLITICS = frozenset("והבכלמש")
"""Letters that stand before a word as conjunction, article or preposition, alone and in chains."""

LEAST_STEM = 3
"""Letters that must be left of a word when a clitic is taken off."""

# Points and accents alone: maqaf (05BE), paseq (05C0), sof pasuq (05C3) and nun hafukha (05C6) among them are
# punctuation and part words.
_POINTS = "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
_HIDDEN = "\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff"
_DROPPED = re.compile(f"[{_POINTS}{_HIDDEN}]")
_MAPPED = str.maketrans(
    dict.fromkeys("\u05f4\u201c\u201d\u201e\u201f", '"')
    | dict.fromkeys("\u05f3\u2018\u2019\u201a\u201b", "'")
    | dict.fromkeys("\u05be\u05c0\u05c3\u05c6", " ")
)
_FINALS = str.maketrans("םןץףך", "מנצפכ")

VERSION = 1
"""Of the rules in this module; it is part of what an index is known by."""


def normalize(text: str) -> str:
    """Text in normal form KC and lower case, without points, accents and direction marks.

    Presentation forms (U+FB1D to U+FB4F) become letters; gershayim, geresh and curly quotation marks their
    ASCII likes, which is how most people type them; maqaf and the other punctuation of the points' range a
    blank. Final letters stay.
    """
    return _DROPPED.sub("", unicodedata.normalize("NFKC", text)).translate(_MAPPED).lower()


def without_clitics(word: str) -> list[str]:
    """The word without its first clitic, without its first two, and so on, as long as enough is left.

    Whether a letter is a clitic cannot be told without a dictionary, so all are tried.
    """
    found = []
    while word[0] in CLITICS and len(word) > LEAST_STEM:
        word = word[1:]
        found.append(word)
    return found


def variants(word: str) -> list[str]:
    """The word, and each of its forms without some clitics."""
    return [word, *without_clitics(word)]


def shortest(word: str) -> list[str]:
    """The form that has lost the most clitics, the word itself where it has none."""
    return variants(word)[-1:]


def fold_finals(word: str) -> str:
    """The word with the letters that only end words as they are written elsewhere."""
    return word.translate(_FINALS)


def grams(word: str, n: int) -> list[str]:
    """Each run of ``n`` characters of a word, final letters folded; a shorter word is one run."""
    return runs(fold_finals(word), n)
