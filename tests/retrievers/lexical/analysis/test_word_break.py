from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beirkit.retrievers.lexical.analysis.word_break import LONGEST, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n—…", []),
        ("The owl's nest, at 3,000.5 m!", ["The", "owl's", "nest", "at", "3,000.5", "m"]),
        ("U.S.A. 1.e4 a,b 1,2 a:b 1:2", ["U.S.A", "1", "e4", "a", "b", "1,2", "a:b", "1", "2"]),
        ("state-of-the-art snake_case __ _x_", ["state", "of", "the", "art", "snake_case", "_x_"]),
        ("caf\u00e9 cafe\u0301 \u2019t", ["caf\u00e9", "cafe\u0301", "t"]),
        ("\u05e6\u05d4\u05f4\u05dc \u05e6\u05d4\"\u05dc \u05d2'", ["\u05e6\u05d4\u05f4\u05dc", "\u05e6\u05d4\"\u05dc", "\u05d2'"]),  # noqa: E501
        ("東京タワーとは", ["東", "京", "タワー", "と", "は"]),
        ("서울 도서관", ["서울", "도서관"]),
        ("ภาษาไทย ok", ["ภาษาไทย", "ok"]),
        ("a👩\u200d🔬b 🇨🇭🇩🇪 #\ufe0f\u20e3 # *", ["a", "👩\u200d🔬", "b", "🇨🇭", "🇩🇪", "#\ufe0f\u20e3"]),
        ("１２ ３", ["１２", "３"]),
    ],
)  # fmt: skip
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_long_words_are_cut_where_a_word_can_end() -> None:
    assert LONGEST == 255
    assert [len(word) for word in words("a" * 600)] == [255, 255, 90]
    assert [len(word) for word in words("é" * 256)] == [255, 1]
    # The 255th character is a full stop, which ends no word: it goes with neither piece.
    assert words("ab." * 90) == ["ab." * 84 + "ab", "ab.ab.ab.ab.ab"]


def test_a_word_of_marks_alone_behind_the_cut_is_left_out() -> None:
    assert words("a" + "\u0301" * 700) == ["a" + "\u0301" * 254]


ASCII = st.text(st.characters(max_codepoint=127) | st.sampled_from("ab1._',:;"), max_size=40)


@given(ASCII)
def test_ascii_alone_gives_what_the_general_rules_give(text: str) -> None:
    assert words(text) == words(f"{text} é")[:-1]


@given(st.text(max_size=60))
def test_words_stand_in_the_text_in_order(text: str) -> None:
    place = 0
    for word in words(text):
        assert word
        place = text.index(word, place) + len(word)
