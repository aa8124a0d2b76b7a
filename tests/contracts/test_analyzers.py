"""Every catalogued analyzer must pass every check here, on any Unicode text.

A language takes part by its row in the catalog, another analysis by an entry in ``OTHERS``.
"""

from __future__ import annotations

import json
import unicodedata
from importlib.util import find_spec
from itertools import chain
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from beirkit.retrievers.lexical.analysis.languages import LANGUAGES
from beirkit.retrievers.lexical.analysis.pipeline import GRAM, Pipeline
from beirkit.retrievers.lexical.analysis.steps import SNOWBALL
from beirkit.retrievers.lexical.analyzer import Analyzer, AnalyzerOptions
from beirkit.retrievers.lexical.counts import CountsBuilder
from beirkit.retrievers.lexical.lucene_analyzer import LuceneAnalyzer, LuceneAnalyzerOptions

OTHERS: dict[str, dict[str, Any]] = {
    "no language": {"language": "sw"},
    "as Lucene, no normal form": {"normal_form": "none"},
    "stems of Snowball": {"stemmer": "english", "stopwords": "none"},
    "Arabic by Snowball": {"language": "ar", "stemmer": "arabic", "ngrams": 3},
    "clitics off": {"language": "he", "clitics": "longest", "ngrams": 0},
    "Arabic with runs": {"language": "ar", "ngrams": 4, "stopwords": ["في"]},
}
OPTIONAL: dict[str, tuple[str, dict[str, Any]]] = {
    "jieba": ("rjieba", {"language": "zh", "segmenter": "jieba"}),
    "newmm": ("pythainlp", {"language": "th", "segmenter": "newmm"}),
    "iso": ("stopwordsiso", {"language": "fa", "stopwords": "iso"}),
}
"""Analyses that need a package which may be absent."""


def _made() -> dict[str, Pipeline]:
    of_lucene = {
        **{f"bm25-lucene, {tag}": {"language": tag} for tag in LANGUAGES},
        **OTHERS,
        **{name: options for name, (package, options) in OPTIONAL.items() if find_spec(package)},
    }
    of_words: dict[str, dict[str, Any]] = {
        **{f"bm25, {language}": {"language": language} for language in (*SNOWBALL, "hebrew")},
        "any pattern": {"pattern": r"\w*", "min_length": 1, "stemmer": "none"},
    }
    return {
        **{name: LuceneAnalyzer(LuceneAnalyzerOptions(**options)) for name, options in of_lucene.items()},
        **{name: Analyzer(AnalyzerOptions(**options)) for name, options in of_words.items()},
    }


ANALYZERS = _made()
SAME_FORM = {name for name in ANALYZERS if name != "as Lucene, no normal form"}
"""Analyzers that promise equal terms for a text in normal form C and D."""

_LETTERS = st.characters(codec="utf-8")
# Letters of the scripts that have steps of their own, beside any other character: what is random alone hardly
# ever makes a word of any of them.
_WORDS = st.text(
    alphabet="ab IİıßΣςéﬁ'’.\u0301 אבהוץ״׳־\u05b8 أةـ\u0651لاكي १२हिन्द\u094dी\u093c ไปเที่ยว "
    "北京べタｱ한국 ١۲ 🦉\u200d\u200b",
    max_size=30,
)
FEW = settings(max_examples=25)  # each goes through a hundred analyzers
TEXTS = st.one_of(st.text(alphabet=_LETTERS, max_size=40), _WORDS)


@pytest.fixture(params=sorted(ANALYZERS))
def name(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


def test_every_catalogued_language_is_held_to_this() -> None:
    assert {f"bm25-lucene, {tag}" for tag in LANGUAGES} <= set(ANALYZERS)


def test_facts_are_json_and_equal_for_equal_options(name: str) -> None:
    facts = ANALYZERS[name].describe()
    assert json.loads(json.dumps(facts, allow_nan=False)) == facts
    assert all(facts != other.describe() for key, other in ANALYZERS.items() if key != name)


def test_equal_options_make_equal_facts() -> None:
    assert {name: made.describe() for name, made in _made().items()} == {
        name: made.describe() for name, made in ANALYZERS.items()
    }


@FEW
@given(TEXTS)
@example("")
@example(" \n\t\x00")
@example("'" * 3 + "’s 's S’s")
@example("a" * 300 + "ה" * 300 + "ก" * 300 + "漢" * 300)
@example("\u0301\u05b0\u0651\u094d")
def test_any_text_has_terms_that_are_words(text: str) -> None:
    """No crash, no empty term, equal each time, and the trace, the words and the terms tell one story."""
    for name, analyzer in ANALYZERS.items():
        terms = analyzer.terms(text)
        words = analyzer.words(text)
        assert all(terms), name
        assert all(isinstance(term, str) and not term.isspace() for term in terms), name
        assert analyzer.terms(text) == terms, name
        assert [term for word in words for term in analyzer.terms_of(word)] == terms, name
        if analyzer.one_term_a_word:
            assert [term for word in words if (term := analyzer.term(word)) is not None] == terms, name
        last = analyzer.trace(text)[-1].tokens
        assert sorted(last) == sorted(terms), name


@FEW
@given(TEXTS)
@example("ﬁ Å \u212b é ﷺ \ufb2a \u1e9b\u0323")
def test_normal_forms_give_equal_terms(text: str) -> None:
    composed, decomposed = unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)
    for name in SAME_FORM:
        assert ANALYZERS[name].terms(composed) == ANALYZERS[name].terms(decomposed), name


@FEW
@given(st.lists(TEXTS, max_size=4))
def test_a_text_is_analysed_without_regard_to_others(texts: list[str]) -> None:
    """What was seen before changes nothing, nor does a neighbour behind a stop and the end of a line."""
    for name, analyzer in ANALYZERS.items():
        apart = [analyzer.terms(text) for text in texts]
        if name not in ("jieba", "newmm"):  # a dictionary looks at more than words
            assert analyzer.terms("\n.\n".join(texts)) == list(chain.from_iterable(apart)), name
        assert [analyzer.terms(text) for text in reversed(texts)] == apart[::-1], name


@given(st.lists(_WORDS, min_size=1, max_size=3))
def test_counted_as_analysed(texts: list[str]) -> None:
    for name in (
        "bm25-lucene, en",
        "bm25-lucene, und",
        "bm25-lucene, he",
        "bm25-lucene, ja",
        "bm25, english",
    ):
        analyzer = ANALYZERS[name]
        builder = CountsBuilder(analyzer)
        builder.add(texts)
        counts = builder.build()
        assert set(counts.vocabulary) == {term for text in texts for term in analyzer.terms(text)}, name
        assert counts.lengths.tolist() == [len(analyzer.terms(text)) for text in texts], name


def test_words_alone_are_no_runs() -> None:
    """No word can be taken for a run of characters."""
    for name, analyzer in ANALYZERS.items():
        assert not any(word.startswith(GRAM) for word in analyzer.words("~tilde ~ ~~ a~b")), name
