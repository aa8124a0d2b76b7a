"""Exact match and F1 of answers, by the rules of SQuAD's evaluation."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalize_answer(text: str) -> str:
    """Lower case, without ASCII punctuation, then without English articles, with single blanks."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def exact_match(answer: str, references: Sequence[str]) -> float:
    """1 where the answer equals a reference once both are normalised, else 0.

    Args:
        answer: what a system said; the empty text declines.
        references: accepted answers; none where the question has no answer.
    """
    return max(float(normalize_answer(answer) == normalize_answer(one)) for one in references or [""])


def token_f1(answer: str, references: Sequence[str]) -> float:
    """Best harmonic mean of precision and recall of the answer's words over the references, 0 to 1.

    Where the answer or a reference has no word left, both must have none.
    """
    return max(
        _f1(normalize_answer(answer).split(), normalize_answer(one).split()) for one in references or [""]
    )


def _f1(answer: list[str], reference: list[str]) -> float:
    if not answer or not reference:
        return float(answer == reference)
    shared = (Counter(answer) & Counter(reference)).total()
    return 2 * shared / (len(answer) + len(reference))
