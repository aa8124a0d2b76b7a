"""nAUC: hand-computed curves, bounds, and what has no value."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beirkit.corpora.run import Run
from beirkit.evaluate import evaluate
from beirkit.evaluate.abstention import abstention, confidences, nauc


def test_confidences() -> None:
    run = Run.from_dict({"a": {"x": 1.0, "y": 4.0}, "b": {"x": 2.0}, "empty": {}})
    queries = ("a", "b", "empty", "absent")
    assert confidences(run, queries, "max").tolist() == [4.0, 2.0, -np.inf, -np.inf]
    assert confidences(run, queries, "std").tolist() == [1.5, 0.0, -np.inf, -np.inf]
    assert confidences(run, queries, "diff1").tolist() == [3.0, 2.0, -np.inf, -np.inf]


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
