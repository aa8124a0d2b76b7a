"""Exact match and F1 of answers against values computed by hand."""

from __future__ import annotations

import pytest

from beirkit.evaluate.answers import exact_match, normalize_answer, token_f1


@pytest.mark.parametrize(
    ("answer", "references", "exact", "f1"),
    [
        ("The Eiffel Tower!", ["eiffel tower"], 1.0, 1.0),
        ("in the Eiffel Tower", ["Eiffel Tower", "Paris"], 0.0, 0.8),
        ("cat cat", ["cat"], 0.0, 2 / 3),
        ("dog", ["cat"], 0.0, 0.0),
        ("", [], 1.0, 1.0),
        ("cat", [], 0.0, 0.0),
        ("", ["cat"], 0.0, 0.0),
        ("the", [""], 1.0, 1.0),
        ("בתל אביב", ["תל אביב"], 0.0, 0.5),
    ],
)
def test_by_hand(answer: str, references: list[str], exact: float, f1: float) -> None:
    assert exact_match(answer, references) == exact
    assert token_f1(answer, references) == pytest.approx(f1)


def test_normalisation_is_squads() -> None:
    assert normalize_answer("  A man, a plan: THE canal-2 ") == "man plan canal2"
    assert normalize_answer("theatre") == "theatre"
