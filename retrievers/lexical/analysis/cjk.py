"""Chinese, Japanese and Korean by pairs of characters, as Lucene's CJKBigramFilter makes them."""

from __future__ import annotations

import re

from beirkit.retrievers.lexical.analysis.word_break import spans
from beirkit.retrievers.lexical.analysis.word_break_table import RANGES


def _class_of(ranges: str) -> str:
    pairs = (item.partition("-") for item in ranges.split())
    return "".join(f"{chr(int(first, 16))}-{chr(int(last or first, 16))}" for first, _, last in pairs)


_HANGUL = (
    "1100-11ff 3131-318e a960-a97c ac00-d7a3 d7b0-d7c6 d7cb-d7fb ffa0-ffbe ffc2-ffc7 ffca-ffcf ffd2-ffd7 "
    "ffda-ffdc"
)
_MARKS = f"[{_class_of(RANGES['x'])}]*"
_CJK = re.compile(
    f"[{_class_of(RANGES['I'])}{_class_of(RANGES['J'])}]{_MARKS}"
    f"|(?:[{_class_of(RANGES['K'])}]{_MARKS})+|(?:[{_class_of(_HANGUL)}]{_MARKS})+"
)
"""A word of Han, Hiragana, Katakana or Hangul alone."""


def bigrams(text: str) -> list[str]:
    """The words of a text, but each pair of neighbours where Han, kana or Hangul stand together.

    A character that stands alone is a word by itself. Pairs go across scripts (``食べ``), not across anything
    that is no word (a blank, a stop), and never into words of other scripts.
    """
    found: list[str] = []
    run, last = "", -1
    for start, end in spans(text):
        word = text[start:end]
        is_cjk = _CJK.fullmatch(word) is not None
        if run and not (is_cjk and start == last):
            found += _pairs(run)
            run = ""
        if is_cjk:
            run, last = run + word, end
        else:
            found.append(word)
    return found + (_pairs(run) if run else [])


def _pairs(run: str) -> list[str]:
    return [run[place : place + 2] for place in range(len(run) - 1)] or [run]
