"""Published numbers as they are typed."""

from __future__ import annotations

import pytest

from beirkit.corpora.errors import UsageError
from beirkit.typed_numbers import typed


@pytest.mark.parametrize(
    ("text", "value", "decimals", "reading"),
    [
        ("0.665", 0.665, 3, ""),
        (".665", 0.665, 3, ""),
        (" 0.6650 ", 0.665, 4, ""),
        ("1.0", 1.0, 1, ""),
        ("0.0", 0.0, 1, ""),
        ("8.4", 0.084, 3, "8.4 is read as a percentage: 0.084"),
        ("66.50", 0.665, 4, "66.50 is read as a percentage: 0.6650"),
        ("100", 1.0, 2, "100 is read as a percentage: 1.00"),
        ("1.5", 0.015, 3, "1.5 is read as a percentage: 0.015"),
        ("0.5%", 0.005, 3, ""),
        ("8.4 %", 0.084, 3, ""),
        ("66.5%", 0.665, 3, ""),
        ("1%", 0.01, 2, ""),
        ("0%", 0.0, 2, ""),
        ("100%", 1.0, 2, ""),
    ],
)
def test_a_fraction_or_a_percentage(text: str, value: float, decimals: int, reading: str) -> None:
    found = typed(text, "a blog")
    assert (found.value, found.decimals, found.reading, found.says) == (value, decimals, reading, "a blog")


@pytest.mark.parametrize(
    ("text", "told", "hint"),
    [
        ("much", "is no number", "0.665, 66.5 or 66.5%"),
        ("", "is no number", "as it is printed"),
        (".", "is no number", "as it is printed"),
        ("%", "is no number", "as it is printed"),
        ("0.5%%", "is no number", "as it is printed"),
        ("1e-1", "is no number", "as it is printed"),
        ("0x1", "is no number", "as it is printed"),
        ("0_1.5", "is no number", "as it is printed"),
        ("\u0660.\u0665", "is no number", "as it is printed"),  # which float() takes
        ("nan", "can be printed", "as it is printed"),
        ("-inf", "can be printed", "as it is printed"),
        ("Infinity", "can be printed", "as it is printed"),
        ("-0.1", "is negative", "as it is printed"),
        ("\u22120.1", "is negative", "as it is printed"),
        ("-3%", "is negative", "as it is printed"),
        ("0,665", "has a comma", "write 0.665"),
        ("66,5%", "has a comma", "write 66.5%"),
        ("100.1", "more than 100%", "as it is printed"),
        ("700%", "more than 100%", "as it is printed"),
        ("1", "has no decimals", "1.000, or a percentage, as 1%"),
        ("0.", "has no decimals", "0.000, or a percentage, as 0%"),
    ],
)
def test_what_is_none(text: str, told: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        typed(text)
    assert told in caught.value.found
    assert hint in (caught.value.hint or "")
