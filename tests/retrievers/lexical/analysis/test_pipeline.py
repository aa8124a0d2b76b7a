"""Steps in their order: what each gives, what ends a word, what is remembered."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beirkit.retrievers.lexical.analysis import pipeline
from beirkit.retrievers.lexical.analysis.pipeline import (
    ExpandStep,
    Pipeline,
    SplitStep,
    TextStep,
    Traced,
    WordStep,
)
from beirkit.retrievers.lexical.analysis.steps import least, ngrams, stop, word_filter
from beirkit.retrievers.lexical.analyzer import Analyzer, AnalyzerOptions
from beirkit.retrievers.lexical.lucene_analyzer import LuceneAnalyzer, LuceneAnalyzerOptions

UPPER = TextStep("upper", str.upper, {"case": "upper"})
BLANKS = SplitStep("blanks", str.split)
HALVES = ExpandStep("halves", lambda word: [word, word[: len(word) // 2], word[len(word) // 2 :]])


def test_each_step_gets_what_the_one_before_gave() -> None:
    made = Pipeline([UPPER, BLANKS, word_filter("lower"), stop("list", ["to"]), ngrams(3)])
    assert made.trace("Go to sea") == [
        Traced("upper", "GO TO SEA", ()),
        Traced("blanks", None, ("GO", "TO", "SEA")),
        Traced("lower", None, ("go", "to", "sea")),
        Traced("stop:list", None, ("go", "sea")),
        Traced("ngrams:3", None, ("go", "sea", "~go", "~sea")),
    ]
    assert made.words("Go to sea") == ["GO", "TO", "SEA"]
    assert made.terms("Go to sea go") == ["go", "~go", "sea", "~sea", "go", "~go"]
    assert made.describe()["steps"] == ["upper", "blanks", "lower", "stop:list", "ngrams:3"]
    assert made.describe()["case"] == "upper"


def test_runs_of_characters_are_finished() -> None:
    """What comes behind changes the word and no run of it."""
    made = Pipeline([BLANKS, ngrams(2), WordStep("shout", str.upper), least(3)])
    assert made.terms_of("abc") == ["ABC", "~ab", "~bc"]
    assert made.terms_of("ab") == ["~ab"]


def test_a_word_of_nothing_is_dropped() -> None:
    made = Pipeline([BLANKS, HALVES, WordStep("without a", lambda word: word.replace("a", ""))])
    assert made.terms_of("abab") == ["bb", "b", "b"]
    assert made.terms_of("aa") == []
    assert made.term("aa") is None
    assert made.term("abab") == "bb"
    assert not made.one_term_a_word
    assert Pipeline([BLANKS, least(2)]).one_term_a_word


def test_the_last_step_that_splits_decides() -> None:
    made = Pipeline([BLANKS, SplitStep("letters", list)])
    assert made.terms("a b") == ["a", " ", "b"]
    assert [traced.tokens for traced in made.trace("a b")] == [("a", "b"), ("a", " ", "b")]


def test_stop_words_are_looked_up_as_they_are_spelt_by_then() -> None:
    filters = [word_filter("lower"), word_filter("arabic")]
    step = stop("list", ["إلى", "IT", ""], filters)
    assert [word for word in ("الي", "it", "IT", "إلى") if step.apply(word) is None] == ["الي", "it"]
    assert step.facts["stopwords_count"] == 2


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """With more distinct words than are remembered, each is worked out again and comes out the same."""
    monkeypatch.setattr(pipeline, "KNOWN_WORDS", 3)
    asked: list[str] = []

    def noted(word: str) -> str:
        asked.append(word)
        return word

    made = Pipeline([BLANKS, WordStep("noted", noted)])
    assert made.terms("a b c a b c") == ["a", "b", "c"] * 2
    assert asked == ["a", "b", "c"]
    assert made.terms("d a") == ["d", "a"]
    assert asked == ["a", "b", "c", "d", "a"]


BY_BLANKS = [
    *(LuceneAnalyzer(LuceneAnalyzerOptions(language=tag)) for tag in ("en", "de", "he", "ar", "und")),
    *(Analyzer(AnalyzerOptions(language=name)) for name in ("english", "hebrew")),
    Analyzer(AnalyzerOptions(pattern="symbols")),
]
"""Analyzers whose words are found chunk by chunk, between blanks."""

PIECES = st.sampled_from(
    [" ", "  ", "owls", "Owl's", "C++", "3.14", "e\u0301", "\u0301x", "\u200d", "\u200b", "ΟΔΟΣ", "Σ", "ΑΣ'",
     "\u05d0\u05f4\u05d1", "\u05d4'", "'", '"', "\u05beט", "東", "かな", "カ", "ไทย", "👩\u200d👧", "\u00ad",
     "\u0640", "_", "\n", "\u00a0", "x" * 40, "x" * 260, ".", ","]
)  # fmt: skip


@pytest.mark.parametrize("made", BY_BLANKS, ids=lambda made: f"{made.name}-{made.language}")
@given(text=st.lists(PIECES | st.text(max_size=3), max_size=12).map("".join))
def test_no_word_goes_over_a_blank(made: Pipeline, text: str) -> None:
    """What is found chunk by chunk is what is found in the text as a whole."""
    assert made.terms(text) == [term for word in made.words(text) for term in made.terms_of(word)]


def test_a_pattern_of_somebody_may_go_over_blanks() -> None:
    made = Analyzer(AnalyzerOptions(pattern="[a-z ]+", stemmer="none", stopwords="none"))
    assert made.terms("New York, Old York") == ["new york", " old york"]
