"""Arabic and Persian: spellings made one, and Arabic words without their commonest prefixes and suffixes.

The rules for Arabic are those of Larkey, Ballesteros and Connell's light stemmer ("Light Stemming for Arabic
Information Retrieval", 2007), as Lucene's ArabicNormalizer and ArabicStemmer apply them.
"""

from __future__ import annotations

import re

_POINTS = re.compile("[\u064b-\u0652\u0640]")  # short vowels, doubling, silence; the stretching tatweel
_HIDDEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
_ARABIC = str.maketrans({"أ": "ا", "إ": "ا", "آ": "ا", "ى": "ي", "ة": "ه"})
_PERSIAN = str.maketrans(
    {"ي": "ی", "ى": "ی", "ے": "ی", "ك": "ک", "ة": "ه", "ۀ": "ه", "ہ": "ه", "أ": "ا", "إ": "ا"}
)

_PREFIXES = ("ال", "وال", "بال", "كال", "فال", "لل", "و")
_SUFFIXES = ("ها", "ان", "ات", "ون", "ين", "يه", "ية", "ه", "ة", "ي")


def normalize(word: str) -> str:
    """An Arabic word without points and tatweel, its alefs, ya and ta marbuta each in one form."""
    return _HIDDEN.sub("", _POINTS.sub("", word)).translate(_ARABIC)


def normalize_persian(word: str) -> str:
    """A Persian word without points, its ya and kaf those of Persian keyboards."""
    return _HIDDEN.sub("", _POINTS.sub("", word)).translate(_PERSIAN)


def stem(word: str) -> str:
    """A normalised Arabic word without one prefix and without suffixes, while two letters stay."""
    for prefix in _PREFIXES:
        # The conjunction alone is taken off longer words only: too many begin with its letter.
        least = 4 if len(prefix) == 1 else len(prefix) + 2
        if word.startswith(prefix) and len(word) >= least:
            word = word[len(prefix) :]
            break
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) >= len(suffix) + 2:
            word = word[: -len(suffix)]
    return word
