"""The cues of answers: each kind fires where it should and nowhere near."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from beirkit.evaluate.answer_cues import AnswerCues, Fired, traits

RANGE = "172 (acceptable range: anything between 170 and 174)"
SCALED = "1.65 million USD (acceptable range: anything between 1.6 million and 1.7 million USD)"
SIZE = "405 x 480 cm (acceptable range: [400-409] x [475-485] cm)"
AGE = "1 year, 161 days (acceptable range: 1 year, anything between 160 and 162 days)"

FIRES = [
    (RANGE, "", "It is 171.5 m long.", "range"),
    (RANGE, "", "170", "range"),
    (RANGE, "", "about 174m", "range"),
    ("8,282 (acceptable range: anything between 8199 and 8365)", "", "some 8,300 people", "range"),
    ("55% (acceptable range: anything between 54% and 56%)", "", "a share of 54.5%", "range"),
    (SCALED, "", "sold for $1.62 million", "range"),
    (SCALED, "", "sold for $1,650,000", "range"),
    (SIZE, "", "400 cm x 480 cm", "range"),
    (AGE, "", "after 1 year and 160 days", "range"),
    ("2007", "", "It opened in 2007.", "number"),
    ("1200", "", "with 1,200 seats", "number"),
    ("June 24, 1896", "Date", "on 24 June 1896", "date"),
    ("June 24, 1896", "Date", "1896-06-24", "date"),
    ("June 24, 1896", "Date", "the 24th of June, 1896", "date"),
    ("June 24, 1896", "Date", "24/06/1896", "date"),
    ("June 24, 1896", "Date", "06/24/1896", "date"),
    ("June 24, 1896", "Date", "1896 June 24", "date"),
    ("9, September 2016", "Date", "Sept. 9, 2016", "date"),
    ("18th of April, 1954", "Date", "April 18, 1954", "date"),
    ("October, 2015", "Date", "on 3 October 2015", "date"),
    ("14 October 1990.", "Date", "October 14th 1990", "date"),
    ("10 February, 1135", "Date", "February 10, 1135", "date"),
    ("1837 to 1839", "Date", "from 1837 to 1839", "text"),
    ("1949", "Date", "in 1949", "number"),
    ("No", "", "The answer is no.", "short"),
    ("Ann Lee", "Person", "painted by ANN  LEE.", "text"),
    ("University of Gdańsk", "", "the University of Gdansk", "text"),
    ("The Bing Crosby – Chesterfield Show", "", "The Bing Crosby-Chesterfield Show", "text"),
    ("François de Malherbe.", "", "by Francois de Malherbe,", "text"),
    (" Rovinj, Croatia (formerly Rovigno, Italy)", "", "born in Rovinj, Croatia", "text"),
    (" Rovinj, Croatia (formerly Rovigno, Italy)", "", "born in Rovigno, Italy", "alternative"),
    ("tramp steamer (or collier)", "", "a collier", "alternative"),
    ('Empire (also know as "First Style" or "2nd Style")', "", "in the 2nd style", "alternative"),
    ("€4,000", "", "a prize of 4000 euros", "text"),
]

SILENT = [
    (RANGE, "", "It is 175 m long."),
    (RANGE, "", "no figure"),
    (RANGE, "", "the 1172nd"),
    (SCALED, "", "1.65 USD"),
    (SIZE, "", "480 x 405 cm"),
    (SIZE, "", "400 cm is one thing. There is much text between that and the other, which is 480."),
    (AGE, "", "2 years and 160 days"),
    ("5", "", "It costs 15, 5.3 or 1,500."),
    ("5", "", "the 5th"),
    ("12", "", "in 2012"),
    ("2007", "", "1,2007"),
    ("June 24, 1896", "Date", "June 25, 1896"),
    ("June 24, 1896", "Date", "in June 1896"),
    ("June 24, 1896", "Date", "24 and 1896"),
    ("October, 2015", "Date", "October 2016"),
    ("No", "", "Nothing is known."),
    ("Ann", "", "annals"),
    ("Ann Lee", "", "Lee, Ann"),
    ("Ann Lee", "", "Joann Lee"),
    ("Ann Lee", "", ""),
]


@pytest.mark.parametrize(("answer", "kind_of_answer", "text", "cue"), FIRES)
def test_a_cue_fires(answer: str, kind_of_answer: str, text: str, cue: str) -> None:
    found = AnswerCues(answer, kind_of_answer).find(text)
    assert found is not None
    assert found.kind == cue


@pytest.mark.parametrize(("answer", "kind_of_answer", "text"), SILENT)
def test_no_cue_fires(answer: str, kind_of_answer: str, text: str) -> None:
    assert AnswerCues(answer, kind_of_answer).find(text) is None


def test_accents_are_folded_and_told() -> None:
    cues = AnswerCues("Jóhanna Sigurðardóttir")
    assert cues.find("Johanna Sigurdardottir") == Fired("text", False)
    assert cues.find("Jóhanna Sigurðardóttir") == Fired("text", True)


def test_an_answer_without_a_word_fires_nowhere() -> None:
    assert AnswerCues("?").find("?") is None


def test_traits_of_the_real_answers(shared: Path) -> None:
    raw = shared / "data" / "simpleqa_verified" / "raw" / "simpleqa_verified.csv"
    with raw.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if len(row["problem"]) <= 128]
    counts = Counter(trait for row in rows for trait in traits(row["answer"], row["answer_type"]))
    assert counts == {
        "range": 71, "digits": 148, "short": 70, "date": 172, "full stop": 39, "edge space": 2,
        "parenthesis": 5, "non-ASCII": 23,
    }  # fmt: skip
    fired = Counter[str]()
    for row in rows:  # every answer finds itself
        plain = row["answer"].partition(" (acceptable range:")[0]
        found = AnswerCues(row["answer"], row["answer_type"]).find(f"It is said: {plain} and more.")
        assert found is not None, row["answer"]
        assert found.strict
        fired[found.kind] += 1
    assert fired["range"] == 71
    assert fired["number"] == 148
