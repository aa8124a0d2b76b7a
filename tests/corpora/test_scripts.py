"""Letters counted by script."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from beirkit.corpora.scripts import OTHER, count_scripts


def test_letters_are_counted_by_script() -> None:
    texts = ["Ab, 12 é", "שלום", "ｱＢ 東京ひカ", "ไทย हि 한글 \U00010400"]
    assert dict(count_scripts(texts)) == {
        "Latn": 4, "Hebr": 4, "Kana": 2, "Hani": 2, "Hira": 1, "Thai": 3, "Deva": 1, "Hang": 2, OTHER: 1,
    }  # fmt: skip
    assert not count_scripts(["", "12 !"])


@given(st.text(max_size=30))
def test_every_letter_is_counted_once(text: str) -> None:
    assert count_scripts([text]).total() == sum(letter.isalpha() for letter in text)
