"""Hindi spelt in one way, by the rules of Lucene's HindiNormalizer.

They come from Larkey, Connell and Abduljaleel, "Hindi CLIR in Thirty Days" (2003): signs that are written or
left out at will (nukta, chandrabindu, a half n) and vowels whose length is confused.
"""

from __future__ import annotations

import unicodedata

_NASAL = "\u0902"
_VIRAMA = "\u094d"
_DROPPED = dict.fromkeys("\u093c\u094d\u200b\u200c\u200d", "")  # nukta, virama, joiners
_CHANDRA = {"\u0945": "\u0947", "\u0946": "\u0947", "\u0949": "\u094b", "\u094a": "\u094b",
            "\u090d": "\u090f", "\u090e": "\u090f", "\u0911": "\u0913", "\u0912": "\u0913",
            "\u0972": "\u0905"}  # fmt: skip
_LENGTHS = {"\u0906": "\u0905", "\u0908": "\u0907", "\u090a": "\u0909", "\u0960": "\u090b",
            "\u0961": "\u090c", "\u0910": "\u090f", "\u0914": "\u0913", "\u0940": "\u093f",
            "\u0942": "\u0941", "\u0944": "\u0943", "\u0963": "\u0962", "\u0948": "\u0947",
            "\u094c": "\u094b"}  # fmt: skip
_MAPPED = str.maketrans(_DROPPED | _CHANDRA | _LENGTHS | {"\u0901": _NASAL})


def normalize(word: str) -> str:
    """A word without nukta and virama, nasals in one spelling, long vowels short."""
    word = unicodedata.normalize("NFD", word)  # letters with a nukta are two characters
    return word.replace(f"\u0928{_VIRAMA}", _NASAL).translate(_MAPPED)
