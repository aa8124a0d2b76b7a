from __future__ import annotations

import unicodedata
from typing import Any

import bm25s
import pytest
import Stemmer
from hypothesis import example, given
from hypothesis import strategies as st

from beirkit.corpora.errors import ConfigError
from beirkit.retrievers.lexical.analyzer import LUCENE_ENGLISH, SNOWBALL, Analyzer, AnalyzerOptions


def _terms(text: str, **options: Any) -> list[str]:
    return Analyzer(AnalyzerOptions(**options)).terms(text)


def test_default_english() -> None:
    assert _terms("The Owls are hunting, at night: 3 owls!") == ["owl", "hunt", "night", "owl"]


@pytest.mark.parametrize("text", ["", " \n", "the of and", "a 1 +", "…—"])
def test_nothing_left(text: str) -> None:
    assert _terms(text) == []


def test_one_accent_however_it_was_typed() -> None:
    composed, decomposed = "\u00e9cole", "e\u0301cole"
    assert composed != decomposed
    assert _terms(composed) == _terms(decomposed) == ["\u00e9cole"]


def test_stop_words_are_dropped_before_stemming() -> None:
    assert _terms("being there") == ["be"]


def test_options() -> None:
    assert _terms("vitamin A", min_length=1, stopwords="none") == ["vitamin", "a"]
    assert _terms("C++ or C#", pattern="symbols", min_length=1) == ["c++", "c#"]
    assert _terms("C++ or C#", pattern="symbols") == ["c++", "c#"]
    assert _terms("The Owls", stemmer="none", stopwords="none") == ["the", "owls"]
    assert _terms("The Owls", stopwords=["OWLS"]) == ["the"]
    assert _terms("a-b_c", pattern=r"[a-z]+(?:-[a-z_]+)?", stemmer="none") == ["a-b_c"]
    assert _terms("generously", stemmer="porter") == ["gener"]
    assert _terms("generously") == ["generous"]


@pytest.mark.parametrize("language", ["german", "de", "de-AT", "de_CH", "DE"])
def test_a_language_brings_its_stemmer_and_no_english_stop_words(language: str) -> None:
    analyzer = Analyzer(AnalyzerOptions(language=language))
    assert analyzer.terms("in den Häusern") == ["in", "den", "haus"]
    assert (analyzer.language, analyzer.stemmer, analyzer.stopwords_name) == ("german", "german", "none")


def test_known_stemmers_are_those_of_pystemmer() -> None:
    assert sorted(SNOWBALL) == sorted(Stemmer.algorithms())


def test_stop_words_are_lucenes() -> None:
    assert len(LUCENE_ENGLISH) == 33
    assert set(bm25s.stopwords.STOPWORDS_EN) == LUCENE_ENGLISH


@given(st.text(max_size=60))
@example("Straße İstanbul ǅ ﬁne Σίσυφος naïve 東京 e\u0301 a\u0345 can't co-op x² ١٢ \u1e9e")
@example("The U.S.A. and the running_dogs were 10% of the 1,000 flies")
def test_token_for_token_bm25s_on_nfc_text(text: str) -> None:
    text = unicodedata.normalize("NFC", text)
    theirs = bm25s.tokenize(
        [text], stopwords="en", stemmer=Stemmer.Stemmer("english"), return_ids=False, show_progress=False
    )[0]
    assert _terms(text) == [token for token in theirs if token]


@given(st.text(max_size=60))
def test_normal_forms_give_equal_terms(text: str) -> None:
    assert _terms(unicodedata.normalize("NFD", text)) == _terms(unicodedata.normalize("NFC", text))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"language": "englsh"}, "'englsh' (did you mean 'english'?; to index words as they are: "),
        (
            {"language": "th"},
            "neither a stemmer nor a list of stop words for the language 'th' (bm25-lucene:language=th knows "
            "its words; to index words as they are: analyzer.stemmer=none,analyzer.stopwords=none and no "
            "language; known: arabic, ",
        ),
        ({"stemmer": "portr"}, "'portr' (did you mean 'porter'?)"),
        ({"stopwords": "lucen"}, "'lucen' (did you mean 'lucene'?)"),
        ({"pattern": "("}, "is no regular expression"),
        ({"pattern": r"(\w+)"}, "has groups"),
    ],
)
def test_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError) as error:
        Analyzer(AnalyzerOptions(**options))
    assert told in str(error.value)


def test_describe_is_resolved() -> None:
    facts = Analyzer().describe()
    assert facts["stemmer"] == "english"
    assert facts["stopwords"] == "lucene"
    assert facts["normal_form"] == "NFC"
    assert facts["pattern"] == r"\w+"
    assert facts["min_length"] == 2
    assert facts["pystemmer"].startswith("3.")
    assert facts["unicode"] == unicodedata.unidata_version


def test_describe_tells_two_lists_of_stop_words_apart() -> None:
    one, other = (Analyzer(AnalyzerOptions(stopwords=words)).describe() for words in (["owl"], ["night"]))
    assert one["stopwords"] == other["stopwords"] == "list"
    assert one["stopwords_sha256"] != other["stopwords_sha256"]
