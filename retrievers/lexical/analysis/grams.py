"""Runs of characters: beside the words of any language, and in place of words where no blank parts them."""

from __future__ import annotations

import re

from beirkit.retrievers.lexical.analysis.word_break_table import RANGES

_WITHOUT_BLANKS = re.compile(
    "["
    + "".join(
        f"{chr(int(first, 16))}-{chr(int(last or first, 16))}"
        for first, _, last in (item.partition("-") for item in f"{RANGES['S']} {RANGES['s']}".split())
    )
    + "]"
)
"""A character of Thai, Lao, Khmer, Myanmar and their like."""


def runs(word: str, n: int) -> list[str]:
    """Each run of ``n`` characters of a word; a shorter word is one run."""
    return [word[start : start + n] for start in range(max(1, len(word) - n + 1))]


def in_place(word: str, n: int) -> list[str]:
    """The runs of a word of a script that is written without blanks; any other word as it is."""
    return runs(word, n) if _WITHOUT_BLANKS.match(word) else [word]
