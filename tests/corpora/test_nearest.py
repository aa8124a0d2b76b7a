"""Hints that name what is known."""

from __future__ import annotations

from beirkit.corpora.errors import nearest


def test_one_name_a_few_names_and_some_of_very_many() -> None:
    few, many = ["ant", "bee"], [f"qa/web/l{number}_set" for number in range(70)]
    assert nearest("aant", few) == "did you mean 'ant'?"
    assert nearest("zebra", few) == "known: ant, bee"
    assert nearest("x", []) == "none are known"
    told = nearest("x", many)
    assert told.startswith("nearest of 70 that are known: ")
    assert len(told.split(", ")) == 5
