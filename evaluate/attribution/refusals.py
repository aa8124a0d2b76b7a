"""Whether an output declines to answer: by the user's label, the user's function, or patterns."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from beirkit.corpora.errors import ConfigError

DEFAULT = "beirkit-refusals/1"
"""Name of the patterns below, which are ours: no benchmark fixes what a refusal says."""

PATTERNS = (
    r"אין\s+(?:\S+\s+){0,4}?(?:תשובה|מידע|התייחסות|אזכור)",
    r"(?:תשובה|תשובתה|מידע|פרט|נתון)\S*\s+(?:\S+\s+){0,4}?(?:אינ[הוםן]|איננ[הו]|לא)\s+(?:\S+\s+)?"
    r"(?:נמצא|מופיע|מצוי|קיי[םמ]|כלול|נית[ןנ])",
    r"(?:לא|אינ[הו]|איננ[הו])\s+(?:נמצא|מופיע|מצוי|מוזכר|נאמר|צוי[ןנ]|כלול|נזכר)\S*\s+(?:\S+\s+){0,4}?"
    r"(?:במסמך|בטקסט|במקור|בקטע)",
    r"(?:המסמך|הטקסט|הקטע|המקור)\s+(?:\S+\s+){0,2}?(?:אינו|איננו|לא)\s+"
    r"(?:מכיל|כולל|עונה|מספק|מציין|מתייחס|מזכיר|מספר|עוסק|אומר)",
    r"(?:לא|אי)\s+(?:ניתן|אפשר)\s+(?:להשיב|לענות|לקבוע|לדעת)",
    r"\b(?:not|nowhere)\s+(?:\w+\s+){0,3}(?:in|by)\s+the\s+(?:document|text|source|passage|context)\b",
    r"\bthe\s+(?:document|text|source|passage|context)\s+"
    r"(?:does\s+not|doesn['’]t|has\s+no|contains\s+no|gives\s+no)\b",
    r"\b(?:cannot|can\s?not|can['’]t|unable\s+to)\s+(?:be\s+)?(?:answer|determine|find|tell)",
    r"\b(?:no\s+answer|unanswerable|not\s+enough\s+information|insufficient\s+information)\b",
)

Judge = Callable[[str], bool]


def pattern_judge(patterns: Sequence[str] = PATTERNS) -> Judge:
    """A judge that takes an output for a refusal where any pattern is found in it.

    Raises:
        ConfigError: a pattern is no regular expression.
    """
    compiled = []
    for pattern in patterns:
        try:
            compiled.append(re.compile(pattern, re.IGNORECASE))
        except re.error as error:
            raise ConfigError(f"the pattern {pattern!r} is no regular expression: {error}") from error
    return lambda output: any(pattern.search(output) for pattern in compiled)
