"""Means with and without the queries that were seen in training."""

from __future__ import annotations

import pytest

from beirkit.corpora.errors import UsageError
from beirkit.evaluate import evaluate
from beirkit.evaluate.contamination import with_and_without

QRELS = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}, "q4": {"d": 1}}
RUN = {"q1": {"a": 2.0}, "q2": {"x": 2.0, "b": 1.0}, "q3": {"x": 3.0}}


def test_the_three_means_and_their_numbers_of_queries() -> None:
    found = with_and_without(evaluate(QRELS, RUN, ["RR@10"]), "mrr@10", {"q1", "unknown"})
    assert (found.measure, found.n, found.n_without) == ("RR@10", 4, 3)
    assert found.all == pytest.approx(1.5 / 4)
    assert found.without == pytest.approx(0.5 / 3)
    assert (found.seen, found.n_seen) == (1.0, 1)
    assert found.difference == pytest.approx(1.5 / 4 - 0.5 / 3)


def test_nothing_seen_and_all_seen() -> None:
    scores = evaluate(QRELS, RUN, ["RR@10"])
    none = with_and_without(scores, "RR@10", ())
    assert (none.without, none.difference, none.seen, none.n_seen) == (none.all, 0.0, None, 0)
    every = with_and_without(scores, "RR@10", QRELS)
    assert (every.without, every.n_without, every.difference, every.seen) == (None, 0, None, every.all)


def test_queries_that_a_protocol_leaves_out_count_in_neither() -> None:
    found = with_and_without(evaluate(QRELS, RUN, ["RR@10"], "beirkit:missing=skip"), "RR@10", {"q4", "q2"})
    assert (found.n, found.n_without, found.n_seen) == (3, 2, 1)


def test_a_measure_that_was_not_computed_is_refused() -> None:
    with pytest.raises(UsageError, match="was not computed"):
        with_and_without(evaluate(QRELS, RUN, ["RR@10"]), "AP", ())
