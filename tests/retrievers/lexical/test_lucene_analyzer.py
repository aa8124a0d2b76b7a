from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beirkit.corpora.errors import ConfigError
from beirkit.retrievers.lexical.lucene_analyzer import LuceneAnalyzer, LuceneAnalyzerOptions


def _terms(text: str, **options: Any) -> list[str]:
    return LuceneAnalyzer(LuceneAnalyzerOptions(**options)).terms(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Owls' hunting dogs, searches' Retrieval!", ["owl", "hunt", "dog", "search", "retriev"]),
        ("It's the owl\u2019s and the OWL'S", ["owl", "owl"]),
        ("vitamin B, a 3 and C++", ["vitamin", "b", "3", "c"]),
        ("\u0130zmir \u03a3\u0391\u03a3", ["izmir", "\u03c3\u03b1\u03c3"]),
        ("the of and", []),
    ],
)
def test_terms(text: str, expected: list[str]) -> None:
    assert _terms(text) == expected


def test_one_accent_however_it_was_typed() -> None:
    composed, decomposed = "\u00e9cole", "e\u0301cole"
    assert _terms(composed) == _terms(decomposed) == ["\u00e9cole"]
    assert _terms(decomposed, normal_form="none") == ["e\u0301col"]


def test_options() -> None:
    assert _terms("The owls", stemmer="none") == ["owls"]
    assert _terms("The owls", stopwords="none") == ["the", "owl"]
    assert _terms("The owls", stopwords=["owls"]) == ["the"]


@given(st.text(max_size=60))
def test_terms_are_those_of_the_words(text: str) -> None:
    analyzer = LuceneAnalyzer()
    found = [term for word in analyzer.words(text) for term in analyzer.terms_of(word)]
    assert analyzer.terms(text) == analyzer.terms(text) == found
    assert all(found)


@pytest.mark.parametrize(
    ("options", "told"),
    [({"stemmer": "portr"}, "did you mean 'porter'?"), ({"stopwords": "lucen"}, "did you mean 'lucene'?")],
)
def test_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError) as error:
        LuceneAnalyzer(LuceneAnalyzerOptions(**options))
    assert told in str(error.value)


def test_describe_tells_two_lists_of_stop_words_apart() -> None:
    one, other = (
        LuceneAnalyzer(LuceneAnalyzerOptions(stopwords=words)).describe() for words in (["owl"], ["night"])
    )
    assert one["stopwords"] == other["stopwords"] == "list"
    assert one["stopwords_sha256"] != other["stopwords_sha256"]
    assert one["unicode"] == "12.1"
