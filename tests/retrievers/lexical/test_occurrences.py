"""Terms as numbers: compiled or not, remembered or forgotten, they are the analyzer's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from beirkit.corpora.folder import open_folder
from beirkit.retrievers.lexical import native
from beirkit.retrievers.lexical.analysis import word_break, word_numbers
from beirkit.retrievers.lexical.lucene_analyzer import LuceneAnalyzer, LuceneAnalyzerOptions
from beirkit.retrievers.lexical.occurrences import Occurrences


def analyzer(**options: Any) -> LuceneAnalyzer:
    return LuceneAnalyzer(LuceneAnalyzerOptions(**options))


@pytest.fixture(params=["0", "1"], ids=["rules", "compiled"])
def _switch(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "1":
        pytest.importorskip("numba", reason="numba is not installed")
    monkeypatch.setenv(native.SWITCH, request.param)


def by_hand(made: LuceneAnalyzer, texts: Sequence[str]) -> tuple[list[list[str]], list[str]]:
    """The terms of each text, and all terms in the order in which they are first met."""
    terms = [made.terms(text) for text in texts]
    return terms, list(dict.fromkeys(term for row in terms for term in row))


def rows(made: Occurrences, texts: Sequence[str]) -> list[list[str]]:
    terms, ends = made.of(texts)
    assert terms.dtype == np.int32
    assert ends.dtype == np.int64
    assert len(ends) == len(texts)
    names = list(made.vocabulary)
    return [[names[term] for term in row] for row in np.split(terms, ends[:-1])] if texts else []


TEXTS = [
    "The owls' hunt; owls hunt 3.14 times, e.g. U.S.A.",
    "",
    "Zoë's naïve “café” isn’t 1,000.5 µm_wide __ _x_ a_1.b",
    "東京 owls สวัสดี",
    "x" * 300 + " short",
    "no new word: owls owls OWLS",
    "e\u0301cole \u200bhidden",
]


@pytest.mark.usefixtures("_switch")
@pytest.mark.parametrize(
    "options", [{}, {"language": "de"}, {"language": "de", "ngrams": 3}, {"language": "und"}]
)
def test_terms_are_the_analyzers_and_numbered_as_they_come(options: dict[str, Any]) -> None:
    made = Occurrences(analyzer(**options))
    terms, order = by_hand(analyzer(**options), TEXTS + TEXTS[::-1])
    assert rows(made, TEXTS) + rows(made, TEXTS[::-1]) == terms
    assert list(made.vocabulary) == order
    assert list(made.vocabulary.values()) == list(range(len(order)))
    assert rows(made, []) == []


@pytest.mark.usefixtures("_switch")
def test_with_room_for_few_words_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    """All words are forgotten again and again, some texts at a time."""
    monkeypatch.setattr(word_numbers, "_AT_ONCE", 20)
    texts = [f"owl{n} flies over town{n % 7}, owl{n // 2}" for n in range(200)]
    made = Occurrences(analyzer(), most=5)
    terms, order = by_hand(analyzer(), texts)
    assert rows(made, texts[:90]) + rows(made, texts[90:]) == terms
    assert list(made.vocabulary) == order


_LETTERS = st.one_of(
    st.text(alphabet="aZ09_.,':;\u2019\u00b7 -#*\"é\u0301אЖ漢\u0130\n", max_size=30),
    st.text(alphabet=st.characters(codec="utf-8"), max_size=30),
)


@given(st.lists(_LETTERS, max_size=6))
@example(["a.b", "1.b", "a.1", "1,1", "a,a", "_.a", "a_.a", "a..b", "a'", "'a", "1.", "_", "___a___"])
@example(["a" * 254 + " " + "b" * 255, "c" * 256, "a:b 1:1 1;1 a;b a\u2019b \uff11\uff0e\uff11"])
def test_compiled_words_are_those_of_the_rules(texts: list[str]) -> None:
    pytest.importorskip("numba", reason="numba is not installed")
    words = word_numbers.WordNumbers()
    found, hard = words_of(words, texts), set()
    for place, text in enumerate(texts):
        if found[place] is None:
            hard.add(place)
        else:
            assert found[place] == word_break.words(text)
    assert all(not texts[place].isascii() or len(texts[place]) > word_break.LONGEST for place in hard)


def words_of(made: word_numbers.WordNumbers, texts: Sequence[str]) -> list[list[str] | None]:
    """The words of each text, ``None`` where it is left to the written rules."""
    found: list[list[str] | None] = []
    for split in made.split(texts):
        starts = [0, *split.ends.tolist()]
        for place in range(split.texts):
            numbers = split.numbers[starts[place] : starts[place + 1]].tolist()
            found.append(None if split.hard[place] else [made.word(number) for number in numbers])
    return found


@pytest.mark.parametrize(
    ("name", "most_hard"),
    [("xquad/beir/en", 5), ("xquad/beir/hi", 240), ("xquad/beir/ar", 240), ("xquad/beir/zh", 240),
     ("heq_he/beir", 239), ("cranfield/beir", 0)],
)  # fmt: skip
def test_real_texts(name: str, most_hard: int, shared: Path) -> None:
    """Word for word the rules', and how many texts are left to them."""
    pytest.importorskip("numba", reason="numba is not installed")
    texts = [document.text for document in open_folder(shared / "data" / name).documents()]
    found = words_of(word_numbers.WordNumbers(), texts)
    assert len(found) == len(texts)
    assert sum(words is None for words in found) <= most_hard
    for words, text in zip(found, texts, strict=True):
        assert words is None or words == word_break.words(text)


@pytest.mark.parametrize("language", ["en", "hi", "und"])
def test_real_texts_counted_by_either(language: str, shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba", reason="numba is not installed")
    texts = [
        document.text
        for name in ("xquad/beir/en", "heq_he/beir", "xquad/beir/hi", "xquad/beir/zh")
        for document in open_folder(shared / "data" / name).documents()
    ]
    results = []
    for switch in ("0", "1"):
        monkeypatch.setenv(native.SWITCH, switch)
        made = Occurrences(analyzer(language=language))
        terms, ends = made.of(texts)
        results.append((terms.tobytes(), ends.tobytes(), list(made.vocabulary.items())))
    assert results[0] == results[1]
