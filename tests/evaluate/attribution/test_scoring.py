"""Precision of one output, the three rates, abstention, prompts and human ratings."""

from __future__ import annotations

import pytest

import beirkit
from beirkit.corpora.errors import ConfigError
from beirkit.evaluate.attribution.prompts import HEBREW, PromptTemplate
from beirkit.evaluate.attribution.ratings import ratings_of, summarize_ratings
from beirkit.evaluate.attribution.refusals import PATTERNS, pattern_judge
from beirkit.evaluate.attribution.rules import AttributionRules
from beirkit.evaluate.attribution.scoring import attribute
from beirkit.evaluate.attribution.summary import Outcome, ScoredRecord, summarize

SOURCE = "השוק נפתח במאי. הכניסה אינה כרוכה בתשלום."


def record(
    name: str, output: str, *, answerable: bool = True, outcome: Outcome = "answered", genre: str = "dialogue"
) -> ScoredRecord:
    return ScoredRecord(
        id=name,
        genre=genre,
        difficulty=1 if answerable else 0,
        answerable=answerable,
        outcome=outcome,
        attributed=attribute(output, SOURCE),
    )


def test_the_card_s_call_gives_a_dictionary_with_precision() -> None:
    scored = beirkit.score_model_output("1. א [השוק נפתח במאי]\n2. ב [אין כאן]", SOURCE)
    merged = {"id": "x", **scored}
    assert merged["precision"] == 0.5
    first = merged["claims"][0]["quotes"][0]
    assert (first["tier"], first["start"], first["end"]) == ("exact", 0, 14)
    assert beirkit.score_model_output("השוק נפתח במאי", SOURCE)["precision"] is None


def test_what_precision_counts_is_a_rule() -> None:
    output = "1. א [השוק נפתח] [אין כאן]\n2. ב [הכניסה אינה]"
    assert attribute(output, SOURCE).precision == pytest.approx(2 / 3)
    by_claim = attribute(output, SOURCE, AttributionRules(unit="claim"))
    assert (by_claim.precision, by_claim.verified, by_claim.total) == (0.5, 1, 2)


def test_an_empty_quote_is_a_quote_that_is_not_found() -> None:
    found = attribute("1. א []", SOURCE)
    assert (found.precision, found.cites) == (0.0, False)


@pytest.mark.parametrize(
    "rules", [{"fuzzy_threshold": 0.0}, {"fuzzy_threshold": 1.1}, {"fuzzy_least": 0}, {"short": 0}]
)
def test_impossible_rules_are_refused(rules: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must be"):
        AttributionRules(**rules)  # type: ignore[arg-type]  # by their names


def test_three_rates_are_kept_apart() -> None:
    records = [
        record("a", "1. א [השוק נפתח במאי]"),
        record("b", "1. א [השוק נפתח במאי]\n2. ב [אין כאן]", genre="journalistic"),
        record("c", "השוק נפתח במאי, לדעתי."),
        record("d", "תשובה:\n1) א [השוק נפתח במאי]"),
        record("e", "", outcome="missing"),
        record("f", "1. א [השוק]", answerable=False),
    ]
    summary = summarize(records, AttributionRules())
    rates = summary.overall
    assert (rates.records, rates.parsed) == (5, 3)
    assert rates.verified_quote_rate_strict == pytest.approx(2.5 / 5)  # the card's formula
    assert rates.verified_quote_rate_parsed == pytest.approx(2.5 / 3)
    assert rates.format_compliance == pytest.approx(3 / 5)
    assert rates.exact_format == pytest.approx(2 / 5)
    assert rates.strict_interval is not None
    assert rates.strict_interval[0] <= 0.5 <= rates.strict_interval[1]
    assert summary.quotes == {"exact": 3, "normalized": 0, "fuzzy": 0, "none": 1}
    assert summary.tier_shares["exact"] == 0.75
    assert summary.genres["journalistic"].verified_quote_rate_strict == 0.5
    assert summary.genres["journalistic"].strict_interval is None
    assert summary.difficulties["1"] == rates
    assert summary.deviations == {
        "text before the list": 2, "another form of numbers": 1, "no numbered claim": 1,
    }  # fmt: skip


def test_abstention_is_counted_by_whether_there_is_an_answer() -> None:
    records = [
        record("a", "1. א [השוק]"),
        record("b", "אין תשובה", outcome="declined"),
        record("c", "אין תשובה", answerable=False, outcome="declined"),
        record("d", "1. א [השוק]", answerable=False),
        record("e", "", answerable=False, outcome="empty"),
    ]
    found = summarize(records, AttributionRules()).abstention
    assert found.answerable == {"answered": 1, "declined": 1, "empty": 0, "missing": 0}
    assert found.unanswerable == {"answered": 1, "declined": 1, "empty": 1, "missing": 0}
    assert found.declined_unanswerable == pytest.approx(1 / 3)
    assert found.declined_answerable == 0.5


def test_without_records_there_are_no_rates() -> None:
    summary = summarize([], AttributionRules())
    assert summary.overall.verified_quote_rate_strict is None
    assert summary.abstention.declined_unanswerable is None


@pytest.mark.parametrize(
    "output",
    [
        "אין תשובה במסמך.",
        "אין במסמך מידע על כך.",
        "התשובה אינה מופיעה במסמך.",
        "המידע המבוקש לא נמצא בטקסט",
        "לא צוין במסמך מי היה השר.",
        "המסמך אינו מתייחס לשאלה זו.",
        "לא ניתן לענות על השאלה על סמך המסמך",
        "The answer is not in the document.",
        "The document does not mention it.",
        "This cannot be answered from the text.",
    ],
)
def test_refusals_by_pattern(output: str) -> None:
    assert pattern_judge(PATTERNS)(output)


@pytest.mark.parametrize("output", ["השוק נפתח במאי.", "הכניסה אינה כרוכה בתשלום.", "The market opened.", ""])
def test_answers_are_no_refusals(output: str) -> None:
    assert not pattern_judge(PATTERNS)(output)


def test_a_pattern_that_is_none_is_named() -> None:
    with pytest.raises(ConfigError, match=r"'\('"):
        pattern_judge(["("])


def test_braces_survive_in_prompts() -> None:
    template = PromptTemplate('{"a": 1} {source_text} | {question} {other}')
    assert template.render("x {question} {y}", "q {source_text}") == (
        '{"a": 1} x {question} {y} | q {source_text} {other}'
    )
    assert PromptTemplate().text == HEBREW
    assert PromptTemplate().sha256 != template.sha256
    with pytest.raises(ConfigError, match=r"no \{question\}"):
        PromptTemplate("{source_text}")


def test_ratings_of_every_shape_are_the_same() -> None:
    by_dimension = {"a": [2, 1], "b": [0, 0]}
    shapes = [
        by_dimension,
        {"annotator_1": {"a": 2, "b": 0}, "annotator_2": {"a": 1, "b": 0}},
        {"a": {"r1": 2, "r2": 1}, "b": {"r1": 0, "r2": 0}},
        [{"annotator": "x", "a": 2, "b": 0}, {"annotator": "y", "a": 1, "b": 0}],
        [{"scores": {"a": 2, "b": 0}}, {"scores": {"a": 1, "b": 0}}],
    ]
    summaries = [summarize_ratings([ratings_of(shape)]) for shape in shapes]
    assert all(one == summaries[0] for one in summaries)
    assert summaries[0].indicative
    assert summaries[0].dimensions["a"].mean == 1.5
    assert summaries[0].dimensions["a"].same == 0.0
    for wrong in (3, {"a": 1}, [1], {"a": ["2"]}, {"a": [True]}):
        with pytest.raises(ValueError, match=r"ratings|score"):
            list(ratings_of(wrong))


def test_alpha_is_krippendorff_s() -> None:
    """By hand: two raters of three records, 1-1, 1-2, 2-2: 1 - (2/6) / (18/30)."""
    records = [ratings_of({"a": pair}) for pair in ([1, 1], [1, 2], [2, 2])]
    found = summarize_ratings(records).dimensions["a"]
    assert found.alpha == pytest.approx(1 - (2 / 6) / (18 / 30))
    assert found.same == pytest.approx(2 / 3)
    assert summarize_ratings([ratings_of({"a": [1, 1]})]).dimensions["a"].alpha is None
