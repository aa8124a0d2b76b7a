"""Texts of a test set in training data: what is there is found, and what is told is there."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beirkit.corpora import overlap as module
from beirkit.corpora.overlap import Found, TrainingText, find_overlap
from beirkit.corpora.words import words

LONG = "the moon pulls the sea and the sea follows the moon around the turning earth every single day"
OTHER = "a kestrel hovers over the field until a vole that thinks itself safe leaves its cover at dusk"


def find(test: Sequence[str], train: Sequence[str], *, ngram: int = 13) -> dict[int, Found]:
    texts = [TrainingText(text, f"line {number}") for number, text in enumerate(train, 1)]
    return find_overlap([(text,) for text in test], texts, ngram=ngram).found


def test_a_text_is_the_same_but_for_case_and_white_space() -> None:
    found = find(["How  big is\tIT?", "How big is that?"], ["other", " how big is it? ", "How big is it?"])
    assert list(found) == [0]
    assert found[0].exact is not None
    assert (found[0].exact.where, found[0].exact.text) == ("line 2", " how big is it? ")
    assert found[0].near is None, "what is the same is not nearly the same too"


def test_thirteen_words_in_a_row_are_found_and_twelve_are_not() -> None:
    taken = LONG.split()[2:15]
    thirteen = f"{OTHER} {' '.join(taken)} {OTHER}"
    twelve = f"{OTHER} {' '.join(taken[:12])} {OTHER}"
    assert find([LONG], [twelve]) == {}
    found = find([LONG], [twelve, thirteen])
    assert found[0].ngram is not None
    assert found[0].ngram.where == "line 2"
    assert found[0].share == pytest.approx(1 / 6), "one of the six rows that eighteen words have"
    assert find([LONG], [twelve], ngram=12)[0].ngram is not None


def test_the_share_is_of_all_training_texts_together() -> None:
    row = LONG.split()
    found = find([LONG], [" ".join(row[:14]), " ".join(row[1:15]), " ".join(row[:14])])
    assert found[0].share == pytest.approx(3 / 6)


def test_a_short_text_is_looked_for_as_a_whole_from_eight_words_on() -> None:
    eight, seven = "which bird hovers over fields and hunts voles", "which bird hovers over fields and hunts"
    found = find([eight, seven], [f"Question: {eight}? Answer: {OTHER}"])
    assert list(found) == [0]
    assert found[0].ngram is not None
    assert found[0].share == 1.0
    assert found[0].exact is None


def test_the_nearest_training_text_is_told_with_its_similarity() -> None:
    row = LONG.split()
    nearer, near = " ".join([*row[:-1], "night"]), " ".join([*row[:-2], "other", "night"])
    found = find([LONG], [near, nearer, near])
    assert found[0].near is not None
    assert found[0].near.where == "line 2"
    assert found[0].similarity == pytest.approx(13 / 15)  # 14 shingles each, one of them another


def test_nearly_the_same_is_what_comparing_all_pairs_says() -> None:
    """Of 300 texts and changed copies of some, each with the most similar copy."""
    draw = random.Random(7)
    vocabulary = [f"w{number}" for number in range(400)]
    test = [" ".join(draw.choices(vocabulary, k=draw.randint(30, 90))) for _ in range(300)]
    train = []
    for text in draw.choices(test, k=400):
        row = text.split()
        for _ in range(draw.randint(1, 3)):
            row[draw.randrange(len(row))] = draw.choice(vocabulary)
        train.append(" ".join(row))
    found = find(test, train, ngram=91)
    ours, theirs = [_rows(text, 5) for text in test], [_rows(text, 5) for text in train]
    best = [max((len(a & b) / len(a | b), -at) for at, b in enumerate(theirs)) for a in ours]
    near = {
        place for place, (similarity, _) in enumerate(best) if similarity >= 0.8 and test[place] not in train
    }
    assert 50 < len(near) < 250
    assert {place for place, one in found.items() if one.near} == near
    for place in near:
        similarity, at = best[place]
        assert found[place].similarity == pytest.approx(similarity)
        assert found[place].near == module.Evidence(f"line {1 - at}", train[-at][:200])


def test_punctuation_alone_makes_a_text_nearly_the_same() -> None:
    found = find(["What is a kite?"], ["what is a kite"])
    assert found[0].exact is None
    assert found[0].similarity == 1.0


def test_other_spellings_are_found_exactly_only() -> None:
    found = find_overlap(
        [("Kestrel A small falcon.", "A small falcon.")], [TrainingText("a small FALCON.", "line 1")]
    ).found
    assert found[0].exact is not None
    assert find_overlap([("Owl", "A small falcon.")], [TrainingText("a small falcon", "line 1")]).found == {}


def test_empty_texts_are_never_found() -> None:
    assert find(["", "  ", "?!"], ["", " ", "!?"]) == {}
    assert find([], ["a"]) == {}
    assert find(["a"], []) == {}


def test_equal_test_texts_are_all_found() -> None:
    assert list(find([LONG, OTHER, LONG], [LONG])) == [0, 2]


def test_a_notice_that_all_texts_share_is_found_in_all_of_them_at_little_cost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each is told once, however often it comes, and of nearly equal texts some are compared only."""
    monkeypatch.setattr(module, "_BUCKET", 3)
    monkeypatch.setattr(module, "_MANY", 2)
    notice = "this page uses small files to remember what you have chosen please agree before going on"
    told = find([f"{notice} {number}" for number in range(9)], [f"{notice} or leave"] * 5)
    assert [one.ngram is not None for one in told.values()] == [True] * 9
    assert 3 <= sum(one.near is not None for one in told.values()) < 9


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    test = [LONG, OTHER, "which bird hovers over fields and hunts voles", "short one"]
    train = [OTHER.upper(), f"x {LONG}", "short  ONE", "which bird hovers over fields and hunts voles today"]
    whole = find(test, train)
    monkeypatch.setattr(module, "_MANY", 1)
    assert find(test, train) == whole
    assert list(whole) == [0, 1, 2, 3]


@given(
    test=st.lists(st.text("ab cd", max_size=30), max_size=8),
    train=st.lists(st.text("ab cd", max_size=30), max_size=8),
    ngram=st.integers(2, 5),
)
def test_equal_to_looking_at_every_pair(test: list[str], train: list[str], ngram: int) -> None:
    found = find(test, train, ngram=ngram)
    for place, text in enumerate(test):
        folded = " ".join(text.casefold().split())
        exact = [number for number, one in enumerate(train, 1) if folded and folded == " ".join(one.split())]
        one = found.get(place, Found())
        assert (one.exact.where if one.exact else None) == (f"line {exact[0]}" if exact else None)
        ours = _rows(text, ngram)
        rows = [_rows(other, ngram) for other in train]
        with_one = [number for number, theirs in enumerate(rows, 1) if ours & theirs]
        assert (one.ngram.where if one.ngram else None) == (f"line {with_one[0]}" if with_one else None)
        assert one.share == pytest.approx(len(ours & set().union(*rows)) / len(ours) if ours else 0.0)


def _rows(text: str, width: int) -> set[tuple[str, ...]]:
    row = words(text)
    return {tuple(row[start : start + width]) for start in range(len(row) - width + 1)}
