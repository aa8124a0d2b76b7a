"""Pairs of Han, kana and Hangul."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beirkit.retrievers.lexical.analysis.cjk import bigrams
from beirkit.retrievers.lexical.analysis.word_break import words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("北京大学", ["北京", "京大", "大学"]),
        ("北", ["北"]),
        ("北 京大", ["北", "京大"]),
        ("北。京", ["北", "京"]),
        ("我买iPhone手机", ["我买", "iPhone", "手机"]),
        ("食べる", ["食べ", "べる"]),  # across scripts
        ("東京タワーへ", ["東京", "京タ", "タワ", "ワー", "ーへ"]),
        ("한국어 문서", ["한국", "국어", "문서"]),
        ("2024年", ["2024", "年"]),
        ("한글abc", ["한글abc"]),  # one word of two scripts is no run of Hangul
        ("𠀀𠀁", ["𠀀𠀁"]),  # beyond the basic plane
        ("plain words", ["plain", "words"]),
        ("", []),
    ],
)
def test_bigrams(text: str, expected: list[str]) -> None:
    assert bigrams(text) == expected


@given(st.text(alphabet="北京大学べタ한국ab 1。-", max_size=40))
def test_no_letter_is_lost_and_no_other_word_touched(text: str) -> None:
    found = bigrams(text)
    assert all(found)
    assert {letter for word in found for letter in word} == {
        letter for word in words(text) for letter in word
    }
    if text.isascii():
        assert found == words(text)


@given(st.text(alphabet="北京大学べを", min_size=1, max_size=40))
def test_a_run_of_n_is_n_minus_one_pairs(text: str) -> None:
    assert len(bigrams(text)) == max(1, len(text) - 1)
    assert "".join(pair[0] for pair in bigrams(text)) + text[-1:] * (len(text) > 1) == text
