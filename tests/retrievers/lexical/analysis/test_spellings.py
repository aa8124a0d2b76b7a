"""Spellings made one, and stems, language by language."""

from __future__ import annotations

import pytest

from beirkit.retrievers.lexical.analysis import arabic, hindi, steps
from beirkit.retrievers.lexical.lucene_analyzer import LuceneAnalyzer, LuceneAnalyzerOptions


def terms(language: str, text: str) -> list[str]:
    return LuceneAnalyzer(LuceneAnalyzerOptions(language=language)).terms(text)


@pytest.mark.parametrize(
    ("word", "normal"),
    [
        ("أحمد", "احمد"),
        ("إلى", "الي"),
        ("آخر", "اخر"),
        ("مدرسة", "مدرسه"),
        ("كِتَابٌ", "كتاب"),
        ("كتـــاب", "كتاب"),
        ("سلام", "سلام"),
    ],
)
def test_arabic_is_spelt_in_one_way(word: str, normal: str) -> None:
    assert arabic.normalize(word) == normal


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("الكتاب", "كتاب"),
        ("والكتاب", "كتاب"),
        ("بالكتاب", "كتاب"),
        ("كالكتاب", "كتاب"),
        ("فالكتاب", "كتاب"),
        ("للكتاب", "كتاب"),
        ("وكتاب", "كتاب"),
        ("ولد", "ولد"),  # three letters keep their waw
        ("كتابها", "كتاب"),
        ("معلمون", "معلم"),
        ("معلمات", "معلم"),
        ("مدرسه", "مدرس"),
        ("ال", "ال"),
        ("ساهدهات", "ساهد"),  # the suffixes each in their turn
        ("ي", "ي"),
    ],
)
def test_arabic_is_stemmed_lightly(word: str, stem: str) -> None:
    assert arabic.stem(word) == stem


def test_one_arabic_word_in_many_forms() -> None:
    assert set(terms("ar", "المدرسة والمدرسة مدرسة مَدْرَسَة ﻣﺪﺭﺳﺔ")) == {"مدرس"}
    assert terms("ar", "عام ١٩٩٥") == ["عام", "1995"]


def test_persian_on_arabic_keyboards() -> None:
    assert set(terms("fa", "كتابي کتابی")) == set(terms("fa", "کتابی"))
    assert terms("fa", "۱۳۹۹") == ["1399"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("\u0958लम", "कलम"),  # nukta, in one character or two
        ("क\u093cलम", "कलम"),
        ("हिन्दी", "हिंदी"),  # a half n
        ("चाँद", "चांद"),  # chandrabindu
        ("पूजा", "पुजा"),
        ("ऑफिस", "ओफिस"),
    ],
)
def test_hindi_is_spelt_in_one_way(one: str, other: str) -> None:
    assert hindi.normalize(one) == hindi.normalize(other)
    assert terms("hi", one) == terms("hi", other)


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("tr", "IŞIK İstanbul'da", ["ışık", "istanbul"]),
        ("fr", "L’arbre d'or aujourd'hui", ["arbre", "or", "aujourd'hui"]),
        ("it", "dell'acqua", ["acqua"]),
        ("de", "Häuser Haus", ["haus", "haus"]),
        ("el", "ΘΆΛΑΣΣΑ θάλασσα", ["θαλασσ", "θαλασσ"]),
        ("ja", "ｱｲ ＡＢＣ", ["アイ", "abc"]),  # width
        ("th", "ไทย abc", ["ไทย", "abc"]),
        ("vi", "Việt Nam", ["việt", "nam"]),
        ("sw", "Wanyama wakubwa", ["wanyama", "~wany", "~anya", "~nyam", "~yama", "wakubwa",
                                   "~waku", "~akub", "~kubw", "~ubwa"]),
    ],
)  # fmt: skip
def test_terms(language: str, text: str, expected: list[str]) -> None:
    assert terms(language, text) == expected


def test_thai_is_runs_of_three() -> None:
    assert terms("th", "ประเทศ") == ["ประ", "ระเ", "ะเท", "เทศ"]


def test_filters() -> None:
    assert steps.lower_turkish("I\u0307I") == "iı"
    assert steps.without_elision("qu'il") == "il"
    assert steps.without_elision("l'") == "l'"
    assert steps.without_elision("o'clock") == "o'clock"
    assert steps.without_possessive("owl's") == "owl"
    assert steps.with_ascii_digits("१२abc") == "12abc"
