"""nAUC: hand-computed curves, bounds, and what has no value."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beirkit.corpora.run import Run
from beirkit.evaluate import evaluate
from beirkit.evaluate.abstention import abstention, nauc, sureness


def test_kinds_of_confidence() -> None:
    run = Run.from_dict({"a": {"x": 1.0, "y": 4.0}, "b": {"x": 2.0}, "empty": {}})
    expected = {"max": {"a": 4.0, "b": 2.0}, "std": {"a": 1.5, "b": 0.0}, "diff1": {"a": 3.0, "b": 0.0}}
    assert sureness([run]) == expected
    assert sureness([run.select(["b"]), run.select(["a"])]) == expected


def test_scores_that_are_not_finite_have_no_say_but_a_place() -> None:
    run = Run.from_dict(
        {"a": {"x": np.nan, "y": 1.0}, "b": {"x": np.nan}, "c": {"x": np.inf, "y": np.inf}, "d": {"x": -1.0}},
        lenient_scores=True,
    )
    assert sureness([run]) == {
        "max": {"a": 1.0, "c": np.inf, "d": -1.0},
        "std": {"a": 0.0, "c": -np.inf, "d": 0.0},
        "diff1": {"a": 0.0, "c": -np.inf, "d": 0.0},
    }


def test_a_curve_by_hand() -> None:
    """Of two queries the weaker is dropped from a share of .3 on: round(.25 * 2) is 0, round(.3 * 2) is 1."""
    values = np.array([0.2, 0.8])
    assert nauc(values, np.array([1.0, 2.0])) == pytest.approx(1.0)
    # the area of abstaining on the better query: means .5 at 0, .1, .2, then .2
    reached = 0.1 * (0.5 + 0.5 + (0.5 + 0.2) / 2 + 6 * 0.2)
    best = 0.1 * (0.5 + 0.5 + (0.5 + 0.8) / 2 + 6 * 0.8)
    assert nauc(values, np.array([2.0, 1.0])) == pytest.approx((reached - 0.45) / (best - 0.45))


def test_equal_values_leave_nothing_to_gain() -> None:
    assert nauc(np.array([0.3, 0.3, 0.3]), np.array([1.0, 2.0, 3.0])) is None
    assert nauc(np.array([0.3]), np.array([1.0])) is None


def test_no_value_at_all_is_none() -> None:
    assert nauc(np.array([]), np.array([])) is None


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 10), st.integers(0, 2)), min_size=2, max_size=20), st.randoms())
def test_the_order_of_equally_confident_queries_does_not_matter(
    pairs: list[tuple[int, int]], draw: random.Random
) -> None:
    def found(some: list[tuple[int, int]]) -> float | None:
        return nauc(np.array([v / 10 for v, _ in some]), np.array([float(sure) for _, sure in some]))

    expected = found(pairs)
    mixed = draw.sample(pairs, len(pairs))
    assert found(mixed) == (expected if expected is None else pytest.approx(expected, abs=1e-9))


def test_equal_confidence_everywhere_is_chance() -> None:
    assert nauc(np.array([0.1, 0.9, 0.4]), np.ones(3)) == pytest.approx(0.0)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 10), st.integers(-5, 5)), min_size=2, max_size=40))
def test_no_confidence_beats_the_oracle(pairs: list[tuple[int, int]]) -> None:
    values = np.array([value / 10 for value, _ in pairs])
    found = nauc(values, np.array([float(sure) for _, sure in pairs]))
    if found is not None:
        assert found <= 1 + 1e-9
        assert nauc(values, values) == pytest.approx(1.0)


def test_over_a_scored_run() -> None:
    qrels = {"a": {"x": 1}, "b": {"x": 1}, "c": {"x": 1}}
    run = Run.from_dict({"a": {"x": 9.0}, "b": {"y": 2.0, "x": 1.0}, "c": {"y": 1.0}})
    scores = evaluate(qrels, run, "RR")
    found = abstention(scores, run, "RR")
    assert found["max"] == pytest.approx(1.0)
    assert set(found) == {"max", "std", "diff1"}


def test_a_query_without_results_under_mteb_has_the_confidence_0() -> None:
    """The list of negative scores is better; mteb takes the empty one for the surer, which it is not."""
    run = Run.from_dict({"a": {"x": -3.0}, "b": {}})
    qrels = {"a": {"x": 1}, "b": {"x": 1}}
    assert abstention(evaluate(qrels, run, "RR"), run, "RR")["max"] == pytest.approx(1.0)
    theirs = abstention(evaluate(qrels, run, "RR", "mteb"), run, "RR")["max"]
    assert theirs is not None
    assert theirs < 0
