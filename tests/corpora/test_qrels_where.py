"""The language of conditions: what it means, what it refuses and where, and that nothing in it is run."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beirkit.corpora.errors import UsageError
from beirkit.corpora.qrels_where import parse_where
from beirkit.corpora.records import Judgment

ROWS = [
    Judgment("31", "web-1", 2),
    Judgment("31", "news-1", 0),
    Judgment("32", "32", 1),
    Judgment("PLAIN-7", "it's [x]", -1),
]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("grade>=2", [0]),
        ("grade > 0 and grade < 2", [2]),
        ("grade = 0 or grade == -1", [1, 3]),
        ("grade != 2", [1, 2, 3]),
        ("2 <= grade", [0]),
        ("grade in (-1, +2)", [0, 3]),
        ("grade not in (0,1)", [0, 3]),
        ("query = '31'", [0, 1]),
        ("query = 31", [0, 1]),
        ('query in (32, "PLAIN-7")', [2, 3]),
        ("query = doc", [2]),
        ("not query = doc and not grade < 0", [0, 1]),
        ("not (query = doc or grade < 0)", [0, 1]),
        ("grade = 2 or grade = 1 and query = 31", [0]),
        ("doc matches 'web-*'", [0]),
        ("doc not matches '*-1'", [2, 3]),
        ("query matches 'plain-?'", []),
        ("query matches 'PLAIN-?'", [3]),
        ("doc matches '*[[]x]'", [3]),
        ("doc matches '*[]]'", [3]),
        ("doc matches '*[!]]'", [0, 1, 2]),
        ("doc = 'it\\'s [x]'", [3]),
        ('doc = "it\'s [x]"', [3]),
        ("32 in (query)", [2]),
    ],
)
def test_meaning(text: str, kept: list[int]) -> None:
    condition = parse_where(text)
    assert [place for place, row in enumerate(ROWS) if condition(row)] == kept


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("grade>>2", "column 7: expected grade, query, doc, a number or a quoted text, not '>'"),
        ("", "column 1: expected grade, query, doc, a number or a quoted text, not the end"),
        ("grade >= 2 grade < 3", "column 12: 'grade' cannot follow here (join conditions by and, or)"),
        ("grad >= 2", "column 1: 'grad' is no name (did you mean 'grade'?; quote texts: 'grad')"),
        ("grade >= two", "column 10: 'two' is no name"),
        ("grade >= 1.5", "column 10: '1.5' is not understood (grades are whole numbers; quote ids)"),
        ("query = 'q1", 'column 9: "\'q1" is not understood (close the quote)'),
        ("query = PLAIN-7", "column 9: 'PLAIN-7' is no name (quote texts: 'PLAIN-7')"),
        ("query = q1", "column 9: 'q1' is no name (quote texts: 'q1')"),
        ("query = 31a and grade = 1", "column 9: '31a' is not understood (quote texts: '31a')"),
        ("grade => 1", "column 7: '=>' is not understood (did you mean '>='?)"),
        ("grade =< 1", "column 7: '=<' is not understood (did you mean '<='?)"),
        ("grade <> 1", "column 7: '<>' is not understood (did you mean '!='?)"),
        ("grade = 1 && grade = 2", "column 11: '&&' is not understood (did you mean 'and'?)"),
        ("grade = 1 || grade = 2", "column 11: '||' is not understood (did you mean 'or'?)"),
        ("!(grade = 1)", "column 1: '!' is not understood (did you mean 'not'?)"),
        ("doc matches '['", "column 13: the [ in '[' is never closed (a [ as it stands is [[])"),
        ("doc matches '[a][]'", "column 13: the [ in '[a][]' is never closed"),
        ("doc matches '[!]'", "column 13: the [ in '[!]' is never closed"),
        ("doc matches 'x[z-a]'", "column 13: a range in 'x[z-a]' holds no character"),
        ("query < 'q1'", "column 7: '<' compares grades, not ids"),
        ("grade = query", "column 1: grade and query do not compare: one is a grade, the other a text"),
        ("grade = '2'", "column 1: grade and '2' do not compare"),
        ("grade matches '2*'", "column 1: matches is for ids, not for grades"),
        ("doc matches query", "column 13: after matches stands 'query'"),
        ("grade in 1, 2", "column 10: expected '(', not '1'"),
        ("grade in (1, 2", "column 15: expected ')', not the end"),
        ("(grade = 1", "column 11: expected ')', not the end"),
        ("grade", "column 6: after 'grade' stands the end (expected =, !="),
        ("grade not = 1", "column 11: after 'grade' stands '='"),
        ("(" * 60 + "grade = 1" + ")" * 60, "column 51: more than 50 levels"),
        ("__import__('os') = 1", "column 1: '__import__' is no name"),
        ("grade.real = 1", "column 6: '.real' is not understood"),
    ],
)
def test_mistakes_are_told_with_their_column(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_where(text)
    assert f"condition {text!r}, {message}" in str(caught.value)


WORDS = [
    "grade",
    "query",
    "doc",
    "and",
    "or",
    "not",
    "in",
    "matches",
    "(",
    ")",
    ",",
    "=",
    "<",
    "1",
    "'a'",
    "x",
    ".",
]


@given(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join) | st.text(max_size=30))
def test_any_text_is_a_condition_or_a_mistake(text: str) -> None:
    try:
        condition = parse_where(text)
    except UsageError:
        return
    assert condition(ROWS[0]) in (True, False)


def test_a_long_condition_is_shown_around_the_mistake() -> None:
    parts = ["grade = 1"] * 500
    with pytest.raises(UsageError) as caught:
        parse_where(" or ".join([*parts, "grad = 2", *parts]))
    message = str(caught.value)
    assert "or grad = 2 or" in message
    assert "column 6501: 'grad' is no name" in message
    assert len(message) < 250


@pytest.mark.parametrize(("doc", "met"), [("axb", False), ("ayb", True), ("a^b", True)])
def test_a_class_may_be_negated_as_in_a_shell(doc: str, met: bool) -> None:
    for glob in ("a[^x]b", "a[!x]b"):
        assert parse_where(f"doc matches '{glob}'")(Judgment("q", doc, 1)) is met
