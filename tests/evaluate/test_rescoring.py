"""Who moved between two scorings, and how far the orders agree."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beirkit.corpora.errors import UsageError
from beirkit.evaluate import evaluate
from beirkit.evaluate.rescoring import rescored, rescored_means

OLD = {"a": 0.5, "b": 0.4, "c": 0.3, "d": 0.2}


def test_means_ranks_and_who_moved() -> None:
    found = rescored_means(OLD, {"a": 0.3, "b": 0.6, "c": 0.3, "d": 0.1}, "ndcg_cut_10")
    assert found.measure == "nDCG@10"
    assert [(one.system, one.old_rank, one.new_rank, one.moved) for one in found.moves] == [
        ("b", 2, 1, True),
        ("a", 1, 2, True),
        ("c", 3, 2, True),
        ("d", 4, 4, False),
    ]
    assert (found.moves[0].old, found.moves[0].new) == (0.4, 0.6)


def test_tau_of_orders_without_ties_is_the_share_of_pairs() -> None:
    # of six pairs one is turned round
    found = rescored_means(OLD, {"a": 0.4, "b": 0.5, "c": 0.3, "d": 0.2}, "AP")
    assert found.tau == pytest.approx((5 - 1) / 6)
    assert rescored_means(OLD, {name: -value for name, value in OLD.items()}, "AP").tau == pytest.approx(-1)
    assert rescored_means(OLD, OLD, "AP").tau == pytest.approx(1)


def test_tau_is_absent_where_there_is_no_order() -> None:
    assert rescored_means({"a": 0.1}, {"a": 0.2}, "AP").tau is None
    assert rescored_means({"a": 0.1, "b": 0.1}, {"a": 0.1, "b": 0.2}, "AP").tau is None


def test_a_system_without_a_mean_has_no_rank_and_is_in_no_order() -> None:
    found = rescored_means(OLD | {"e": None}, OLD | {"a": None, "e": 0.9}, "AP")
    ranks = {one.system: (one.old_rank, one.new_rank) for one in found.moves}
    assert (ranks["e"], ranks["a"]) == ((None, 1), (1, None))
    assert found.tau == pytest.approx(1)


def test_other_systems_are_refused() -> None:
    with pytest.raises(UsageError, match="scored only once: d, e"):
        rescored_means(OLD, {"a": 0.1, "b": 0.1, "c": 0.1, "e": 0.1}, "AP")


def test_scores_under_two_protocols() -> None:
    qrels = {"q1": {"d1": 1}, "q2": {"d2": 1}}
    runs: dict[str, dict[str, dict[str, float]]] = {
        "half": {"q1": {"d1": 1.0}},
        "whole": {"q1": {"x": 2.0, "d1": 1.0}, "q2": {"x": 2.0, "d2": 1.0}},
    }
    old = {name: evaluate(qrels, run, ["RR@10"], "beirkit") for name, run in runs.items()}
    new = {name: evaluate(qrels, run, ["RR@10"], "beirkit:missing=skip") for name, run in runs.items()}
    found = rescored(old, new, "RR@10")
    assert [(one.system, one.old, one.new) for one in found.moves] == [
        ("half", 0.5, 1.0),
        ("whole", 0.5, 0.5),
    ]


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=8))
def test_tau_b_by_counting_pairs(pairs: list[tuple[int, int]]) -> None:
    found = rescored_means(
        {str(at): float(one) for at, (one, _) in enumerate(pairs)},
        {str(at): float(two) for at, (_, two) in enumerate(pairs)},
        "AP",
    )
    signs = [((a > c) - (a < c), (b > d) - (b < d)) for (a, b), (c, d) in combinations(pairs, 2)]
    free = [sum(sign[side] != 0 for sign in signs) for side in (0, 1)]
    if not all(free):
        assert found.tau is None
    else:
        assert found.tau == pytest.approx(sum(a * b for a, b in signs) / (free[0] * free[1]) ** 0.5)
