"""Where quotes stand: tiers, offsets into the source as given, and what a similarity hides."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beirkit.evaluate.attribution.matching import Match, find_quote
from beirkit.evaluate.attribution.rules import AttributionRules

SOURCE = (
    "בשנת 1948 הוכרזה המדינה.\nראש הממשלה  בן-גוריון הכריז עליה\u200f בתל אביב, ולא בירושלים, "
    "בנוכחות 37 חותמים. הַשָּׁלוֹם נשמר."
)


def found(quote: str, source: str = SOURCE, **rules: object) -> Match:
    return find_quote(quote, source, AttributionRules(**rules))  # type: ignore[arg-type]  # by their names


def test_exact() -> None:
    match = found("בשנת 1948 הוכרזה המדינה")
    assert (match.tier, match.similarity, match.start, match.end) == ("exact", 1.0, 0, 23)


@pytest.mark.parametrize(
    "quote",
    [
        "המדינה. ראש הממשלה בן-גוריון הכריז עליה בתל אביב",
        "המדינה.\n\nראש  הממשלה בן-גוריון\u200f הכריז עליה בתל אביב",
    ],
)
def test_white_space_and_marks_are_normalised_and_offsets_are_of_the_source(quote: str) -> None:
    match = found(quote)
    assert (match.tier, match.similarity) == ("normalized", 1.0)
    assert SOURCE[match.start : match.end] == "המדינה.\nראש הממשלה  בן-גוריון הכריז עליה\u200f בתל אביב"


def test_a_copying_error_is_found_nearly_with_the_place_of_the_whole_quote() -> None:
    match = found("ראש הממשלה בן גוריון הכריז עליה בתל-אביב, ולא בירושלים")
    assert match.tier == "fuzzy"
    assert 0.9 <= match.similarity < 1
    assert match.warnings == []
    assert match.start is not None
    assert SOURCE[match.start :].startswith("ראש הממשלה")


def test_a_true_half_does_not_carry_a_false_one() -> None:
    half = "ראש הממשלה בן-גוריון הכריז עליה"
    assert found(half).verified
    assert not found(half + " בנאום ארוך שנשא בכנסת בשנה שלאחר מכן").verified


def test_a_quote_longer_than_the_source_is_measured_whole() -> None:
    source = "ראש הממשלה הכריז עליה"
    assert not found(source + " בנאום ארוך שנשא בכנסת", source).verified
    assert found(source + ".", source).tier == "fuzzy"


@pytest.mark.parametrize(
    ("quote", "warnings"),
    [
        ("בשנת 1947 הוכרזה המדינה", ["digits"]),
        ("הכריז עליה בתל אביב, בירושלים, בנוכחות 37 חותמים", ["negation"]),
        ("הכריז עליה בתל אביב, ולא בירושלים, בנוכחות 36 חותמים", ["digits"]),
        ("הכריז עליה בתל אביב, ולא בירושלים, בנוכחות 37 חותמימ", []),
    ],
)
def test_changed_numbers_and_dropped_negations_are_warned_of(quote: str, warnings: list[str]) -> None:
    match = found(quote)
    assert match.tier == "fuzzy"
    assert match.warnings == warnings


def test_a_dropped_not_in_english_is_warned_of() -> None:
    source = "The committee did not approve the new budget that year."
    assert found("The committee did approve the new budget that year", source).warnings == ["negation"]
    source = "The committee didn't approve the new budget that year."
    assert found("The committee didn’t approve the new budget that year", source).warnings == []


def test_a_short_quote_is_not_looked_for_nearly() -> None:
    assert found("בשנת 1949 הוכר").tier == "none"
    assert found("בשנת 1949 הוכר", fuzzy_least=5).tier == "fuzzy"


def test_the_threshold_is_a_rule() -> None:
    quote = "ראש הממשלה בן גוריון הכריז עליה בתל-אביב, ולא בירושלים"
    assert not found(quote, fuzzy_threshold=0.99).verified
    assert not found(quote, fuzzy_threshold=1.0).verified


def test_short_and_repeated_quotes_are_warned_of() -> None:
    assert found("המד").warnings == ["short"]
    assert found("המדינה", SOURCE * 2).warnings == ["repeated"]
    assert found("", SOURCE).warnings == ["empty"]
    assert not found("\u200f", SOURCE).verified


@pytest.mark.parametrize("marks", ["“”", '""', "״״", "«»"])
def test_quotation_marks_around_a_quote_are_taken_off_and_told(marks: str) -> None:
    match = found(f"{marks[0]}הוכרזה המדינה{marks[1]}")
    assert (match.tier, match.warnings) == ("exact", ["wrapped"])
    assert SOURCE[match.start : match.end] == "הוכרזה המדינה"


def test_points_in_another_order_are_no_exact_match() -> None:
    """Normal form C would reorder Hebrew points, and offsets would be of another text."""
    given = "\u05e9\u05c1\u05b8לום נשמר לאורך זמן"
    quote = unicodedata.normalize("NFC", given)
    assert quote != given
    assert found(given, f"א {given}").tier == "exact"
    assert found(quote, f"א {given}").tier == "fuzzy"


@given(st.text(alphabet="אבג 1\n\t\u200f.", max_size=80), st.data())
def test_any_slice_is_found_exactly_and_normalised_slices_where_they_stand(
    source: str, data: st.DataObject
) -> None:
    if not source:
        return
    start = data.draw(st.integers(0, len(source) - 1))
    end = data.draw(st.integers(start + 1, len(source)))
    match = find_quote(source[start:end], source)
    if source[start:end].strip(" \n\t\u200f"):
        assert match.tier == "exact"
        assert source[match.start : match.end] == source[start:end]
    else:
        assert not match.verified
    spaced = " ".join(source[start:end].replace("\u200f", "").split())
    match = find_quote(spaced, source)
    if spaced:
        assert match.tier in ("exact", "normalized")
        assert " ".join(source[match.start : match.end].replace("\u200f", "").split()) == spaced
