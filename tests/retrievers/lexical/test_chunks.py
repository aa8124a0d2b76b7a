"""Looking up what stands between blanks changes no term."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from beirkit.retrievers.lexical import occurrences
from beirkit.retrievers.lexical.analysis import word_break
from beirkit.retrievers.lexical.lucene_analyzer import LuceneAnalyzer, LuceneAnalyzerOptions
from beirkit.retrievers.lexical.occurrences import Occurrences

# What holds words together or is held, and what breaks them.
ODD = " ab1.,:'\"_-\u0301\u00ad\u200d\u202f\u2019\ufe0f\u20e3#\U0001f468\U0001f1e9\U0001f1eaאב字ไカ\n\t"
TEXTS = st.lists(st.text(max_size=40) | st.text(ODD, max_size=40), max_size=6)


@given(st.text(max_size=60) | st.text(ODD, max_size=60))
def test_words_never_go_over_a_blank(text: str) -> None:
    apart = [word for chunk in text.split(" ") for word in word_break.words(chunk)]
    assert apart == word_break.words(text)


@given(TEXTS, st.integers(0, 3), st.integers(0, 3))
@pytest.mark.parametrize("language", ["en", "de", "tr", "he", "und"])
def test_terms_are_those_of_the_analyzer(language: str, texts: list[str], most: int, longest: int) -> None:
    analyzer = LuceneAnalyzer(LuceneAnalyzerOptions(language=language))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(occurrences, "MOST_CHUNKS", most)
        patch.setattr(occurrences, "LONGEST_CHUNK", longest)
        made = Occurrences(analyzer)
        found = [made.of(texts) for _ in range(2)]
    names = list(made.vocabulary)
    for terms, ends in found:
        lists = np.split(terms, ends[:-1]) if texts else []
        assert [sorted(names[term] for term in row) for row in lists] == [
            sorted(analyzer.terms(text)) for text in texts
        ]
