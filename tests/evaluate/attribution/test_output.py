"""Outputs of the form ``N. claim [quote]`` and whatever models make of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beirkit.evaluate.attribution.output import parse_output
from beirkit.evaluate.attribution.rules import AttributionRules

CASES = {
    "as asked for": ("1. א [ב ג]\n2. ד [ה]", [(1, "א", ["ב ג"]), (2, "ד", ["ה"])], []),
    "windows line ends": ("1. א [ב]\r\n2. ג [ד]\r\n", [(1, "א", ["ב"]), (2, "ג", ["ד"])], []),
    "byte-order mark": ("\ufeff1. א [ב]", [(1, "א", ["ב"])], ["direction marks"]),
    "text around": (
        "להלן:\n\n1. א [ב]\n\nבברכה",
        [(1, "א", ["ב"])],
        ["text after the list", "text before the list"],
    ),
    "text between": (
        "1. א [ב]\nועוד:\n2. ג [ד]",
        [(1, "א", ["ב"]), (2, "ג", ["ד"])],
        ["text between claims"],
    ),
    "parenthesis": ("1) א [ב]", [(1, "א", ["ב"])], ["another form of numbers"]),
    "parentheses": ("(1) א [ב]", [(1, "א", ["ב"])], ["another form of numbers"]),
    "bold number": ("**1.** א [ב]", [(1, "א", ["ב"])], ["another form of numbers"]),
    "bold before the stop": ("**1**. א [ב]", [(1, "א", ["ב"])], ["another form of numbers"]),
    "bold claim": ("**1. א** [ב]", [(1, "א", ["ב"])], ["another form of numbers"]),
    "list of Markdown": ("- 1. א [ב]", [(1, "א", ["ב"])], ["another form of numbers"]),
    "no blank": ("1.א [ב]", [(1, "א", ["ב"])], ["another form of numbers"]),
    "bracket in a quote": ("1. א [ב [ג] ד]", [(1, "א", ["ב [ג] ד"])], []),
    "bracket in a claim": ("1. א [sic] ב [ג]", [(1, "א [sic] ב", ["ג"])], []),
    "several quotes": ("1. א [ב], [ג] [ד].", [(1, "א", ["ב", "ג", "ד"])], []),
    "unclosed before": ("1. א [ב ג [ד]", [(1, "א [ב ג", ["ד"])], []),
    "unclosed": ("1. א [ב", [], ["claim without a quote"]),
    "unclosed, then another": ("1. א [ב\n2. ג [ד]", [(2, "ג", ["ד"])], ["claim without a quote"]),
    "empty quote": ("1. א [ ]", [(1, "א", [""])], ["empty quote"]),
    "no quote": ("1. א\n2. ב [ג]", [(2, "ב", ["ג"])], ["claim without a quote"]),
    "text after a quote": ("1. א [ב] כך", [(1, "א", ["ב"])], ["text after a quote"]),
    "marks": ("\u200f1.\u200e\u2067 א [\u2067ב\u2069]\u202c", [(1, "א", ["ב"])], ["direction marks"]),
    "starts again": ("1. א [ב]\n1. ג [ד]", [(1, "א", ["ב"]), (1, "ג", ["ד"])], ["numbering starts again"]),
    "skips": ("1. א [ב]\n3. ג [ד]", [(1, "א", ["ב"]), (3, "ג", ["ד"])], ["numbering skips"]),
    "starts late": ("2. א [ב]", [(2, "א", ["ב"])], ["numbering skips"]),
    "over lines": (
        "1. א [ב\n\nג]\n2. ד [ה]",
        [(1, "א", ["ב\n\nג"]), (2, "ד", ["ה"])],
        ["quote over several lines"],
    ),
    "numbered lines in a quote": (
        "1. א [סעיף\n2. ב\n3. ג]\n2. ד [ה]",
        [(2, "ד", ["ה"])],
        ["claim without a quote", "numbering starts again"],
    ),
    "on its own line": (
        "1. א\n[ב]\n2. ג [ד]",
        [(1, "א", ["ב"]), (2, "ג", ["ד"])],
        ["quote on a line of its own"],
    ),
    "thoughts": ("<think>1. x [y]\n</think>\n1. א [ב]", [(1, "א", ["ב"])], ["block of thoughts"]),
    "thoughts that the template opened": (
        "1. x [y]</think>1. א [ב]",
        [(1, "א", ["ב"])],
        ["block of thoughts"],
    ),
    "endless thoughts": ("<think>\n1. א [ב]", [], ["block of thoughts", "empty output"]),
    "year": ("1948. א [ב]", [], ["no numbered claim", "text before the list"]),
    "decimal": ("3.5 א [ב]", [], ["no numbered claim", "text before the list"]),
    "prose": ("לא נמצא במסמך", [], ["no numbered claim", "text before the list"]),
    "empty": (" \n", [], ["empty output"]),
    "line separator in a quote": ("1. א [ב\u2028ג]", [(1, "א", ["ב\u2028ג"])], []),
}


@pytest.mark.parametrize("case", sorted(CASES))
def test_parses(case: str) -> None:
    output, claims, deviations = CASES[case]
    parsed = parse_output(output)
    assert [(claim.number, claim.text, claim.quotes) for claim in parsed.claims] == claims
    assert parsed.deviations == deviations


@pytest.mark.parametrize(
    ("brackets", "claim"),
    [
        ("trailing", ("א [ב] ג", ["ד", "ה"])),
        ("last", ("א [ב] ג [ד]", ["ה"])),
        ("all", ("א", ["ב", "ד", "ה"])),
    ],
)
def test_which_brackets_are_quotes_is_a_rule(brackets: str, claim: tuple[str, list[str]]) -> None:
    rules = AttributionRules(brackets=brackets)  # type: ignore[arg-type]  # one of the three
    (found,) = parse_output("1. א [ב] ג [ד] [ה]", rules).claims
    assert (found.text, found.quotes) == claim


def test_which_lists_count_is_a_rule() -> None:
    output = "1. א [ב]\n2. ג [ד]\nבתיקון:\n1. ה [ו]"
    assert [claim.quotes for claim in parse_output(output).claims] == [["ב"], ["ד"], ["ו"]]
    last = parse_output(output, AttributionRules(lists="last"))
    assert [claim.quotes for claim in last.claims] == [["ו"]]


def test_only_a_quote_that_is_not_empty_cites() -> None:
    assert parse_output("1. א [ב]").cites
    assert not parse_output("1. א []").cites
    assert not parse_output("אין תשובה").cites


@given(st.text(alphabet="1.2)[]אב \n*<think>/\u200f-", max_size=60))
def test_any_text_is_read_and_quotes_are_its_own(output: str) -> None:
    parsed = parse_output(output)
    for claim in parsed.claims:
        assert claim.quotes
        for quote in claim.quotes:
            assert quote in output or "\n" in quote
    assert parsed.cites == any(quote for claim in parsed.claims for quote in claim.quotes)


def test_a_long_unclosed_bracket_takes_no_time() -> None:
    parsed = parse_output("1. א [ב\n" + "ג ד ה\n" * 20_000)
    assert parsed.claims == []
    assert parsed.unquoted == 1
