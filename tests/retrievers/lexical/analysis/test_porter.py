from __future__ import annotations

import pytest
import Stemmer
from hypothesis import assume, example, given
from hypothesis import strategies as st

from beirkit.retrievers.lexical.analysis.porter import stem


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("caresses", "caress"), ("ponies", "poni"), ("agreed", "agre"), ("plastered", "plaster"),
        ("hopping", "hop"), ("falling", "fall"), ("filing", "file"), ("happy", "happi"), ("sky", "sky"),
        ("relational", "relat"), ("conditional", "condit"), ("vietnamization", "vietnam"),
        ("electrical", "electr"), ("adoption", "adopt"), ("probate", "probat"), ("cease", "ceas"),
        ("controlling", "control"), ("retrieval", "retriev"), ("toy", "toi"), ("syzygy", "syzygi"),
        ("ied", "i"), ("ing", "ing"), ("x1s", "x1"),
    ],
)  # fmt: skip
def test_stems(word: str, expected: str) -> None:
    assert stem(word) == expected


@pytest.mark.parametrize(
    ("word", "here", "as_published"),
    [("us", "us", "u"), ("possibly", "possibl", "possibli"), ("technology", "technolog", "technologi")],
)
def test_where_it_differs_from_the_published_algorithm(word: str, here: str, as_published: str) -> None:
    assert stem(word) == here
    assert Stemmer.Stemmer("porter").stemWord(word) == as_published


WORDS = st.lists(
    st.sampled_from([
        *"abcdeilosty", "tional", "ation", "izer", "iviti", "ousness", "ement", "ed", "ing", "eed", "ies",
        "ss",
    ]),
    min_size=3,
    max_size=9,
).map("".join)  # fmt: skip


@given(WORDS)
@example("generalizations")
@example("oscillators")
def test_everywhere_else_it_is_snowballs_porter(word: str) -> None:
    published = Stemmer.Stemmer("porter").stemWord(word)
    assume(not any(part in word for part in ("bl", "log")))
    assert stem(word) == published
