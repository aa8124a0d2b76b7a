"""What counts as a word where texts are compared without regard to their language."""

from __future__ import annotations

import re

_IDEOGRAMS = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"  # no blanks stand between the words of their languages
_WORD = re.compile(f"[{_IDEOGRAMS}]|[^\\W{_IDEOGRAMS}]+")


def words(text: str) -> list[str]:
    """Runs of letters and digits without case, and each ideogram or kana by itself."""
    return _WORD.findall(text.casefold())
