"""Which scripts texts are written in, counted by their letters."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import cache

OTHER = "Zzzz"
"""ISO 15924's code for a script that has none here."""

_CODES = {
    "ARABIC": "Arab", "ARMENIAN": "Armn", "BENGALI": "Beng", "BOPOMOFO": "Bopo", "CJK": "Hani",
    "CYRILLIC": "Cyrl", "DEVANAGARI": "Deva", "ETHIOPIC": "Ethi", "GEORGIAN": "Geor", "GREEK": "Grek",
    "GUJARATI": "Gujr", "GURMUKHI": "Guru", "HANGUL": "Hang", "HEBREW": "Hebr", "HIRAGANA": "Hira",
    "KANNADA": "Knda", "KATAKANA": "Kana", "KHMER": "Khmr", "LAO": "Laoo", "LATIN": "Latn",
    "MALAYALAM": "Mlym", "MYANMAR": "Mymr", "ORIYA": "Orya", "SINHALA": "Sinh", "TAMIL": "Taml",
    "TELUGU": "Telu", "THAI": "Thai", "TIBETAN": "Tibt",
}  # fmt: skip
"""First word of the names that Unicode gives to the letters of a script, and ISO 15924's code."""


def count_scripts(texts: Iterable[str]) -> Counter[str]:
    """How many letters of each script texts have, by ISO 15924 code; other characters are not counted."""
    letters: Counter[str] = Counter()
    for text in texts:
        letters.update(text)
    counted: Counter[str] = Counter()
    for letter, times in letters.items():
        if letter.isalpha():
            counted[_script(letter)] += times
    return counted


@cache
def _script(letter: str) -> str:
    # In compatibility form, so that wide Latin and narrow kana are Latin and kana.
    name = unicodedata.name(unicodedata.normalize("NFKC", letter)[0], "")
    return _CODES.get(name.partition(" ")[0], OTHER)
