"""Unjudged results of several runs, by depth and by disagreement."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beirkit.corpora.errors import UsageError
from beirkit.corpora.run import Run
from beirkit.evaluate.pooling import By, Pooled, disagreement, pool_runs, shuffled

QRELS = {"q1": {"a": 1, "n": 0}, "q2": {"b": 1}}
ONE = {"q1": {"a": 9.0, "x": 8.0, "y": 7.0, "z": 6.0}, "q2": {"u": 2.0}, "q3": {"w": 1.0}}
TWO = {"q1": {"y": 9.0, "x": 8.0, "n": 7.0, "a": 6.0}, "q2": {"b": 2.0, "v": 1.0}}


def pooled(
    *runs: dict[str, dict[str, float]], depth: int = 10, by: By = "depth", limit: int | None = None,
    own: set[str] | None = None, unjudged_queries: bool = False,
) -> list[tuple[str, str, dict[str, int]]]:  # fmt: skip
    named = {f"s{number}": Run.from_dict(run) for number, run in enumerate(runs, 1)}
    pool = pool_runs(
        QRELS, named, depth=depth, by=by, limit=limit, self_match_ids=own, unjudged_queries=unjudged_queries
    )
    return [(one.query_id, one.doc_id, one.ranks) for one in pool.items]


def test_the_best_rank_comes_first_and_then_what_more_systems_found() -> None:
    assert pooled(ONE, TWO) == [
        ("q1", "y", {"s1": 3, "s2": 1}),
        ("q2", "u", {"s1": 1}),
        ("q1", "x", {"s1": 2, "s2": 2}),
        ("q2", "v", {"s2": 2}),
        ("q1", "z", {"s1": 4}),
    ]


def test_depth_limits_every_list_and_grade_0_is_judged() -> None:
    assert [item[1] for item in pooled(ONE, TWO, depth=1)] == ["y", "u"]
    assert [item[1] for item in pooled(TWO, depth=3)] == ["y", "x", "v"]


def test_a_document_that_all_have_at_one_rank_matters_last_by_disagreement() -> None:
    order = [item[1] for item in pooled(ONE, TWO, by="disagreement")]
    assert order[0] == "u", "one system has it first, the other not at all"
    assert order[-1] == "x"


def test_disagreement_is_the_deviation_of_discounts() -> None:
    assert disagreement(Pooled("q", "d", {"a": 1}), 2) == pytest.approx(0.5)
    found = disagreement(Pooled("q", "d", {"a": 1, "b": 3}), 2)
    assert found == pytest.approx((1 - 1 / math.log2(4)) / 2)
    assert disagreement(Pooled("q", "d", {"a": 2, "b": 2}), 2) == 0


def test_the_limit_is_over_all_queries_and_what_it_left_is_counted() -> None:
    named = {"s1": Run.from_dict(ONE), "s2": Run.from_dict(TWO)}
    pool = pool_runs(QRELS, named, limit=2)
    assert [one.doc_id for one in pool.items] == ["y", "u"]
    assert pool.left == 3


def test_the_query_itself_is_not_pooled_where_it_stands_in_the_corpus() -> None:
    run = {"q1": {"q1": 2.0, "x": 1.0}}
    assert pooled(run, own={"q1"}) == [("q1", "x", {"s1": 1})]
    assert len(pooled(run, own=set())) == 2


def test_queries_without_judgments_are_pooled_when_asked_for() -> None:
    assert ("q3", "w", {"s1": 1}) in pooled(ONE, unjudged_queries=True)
    assert all(item[0] != "q3" for item in pooled(ONE))


def test_impossible_pools_are_refused() -> None:
    run = {"s": Run.from_dict(ONE)}
    with pytest.raises(UsageError, match="needs a run"):
        pool_runs(QRELS, {})
    with pytest.raises(UsageError, match="needs a run"):
        pool_runs(QRELS, run, depth=0)
    with pytest.raises(UsageError, match="no order"):
        pool_runs(QRELS, run, by="luck")  # type: ignore[arg-type]  # what a caller without types may say


lists = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 5).map(float), max_size=8)
runs = st.lists(
    st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), lists, min_size=1), min_size=1, max_size=3
)


@given(
    given_runs=runs,
    depth=st.integers(1, 5),
    by=st.sampled_from(["depth", "disagreement"]),
    seed=st.integers(min_value=0),
)
def test_every_unjudged_result_is_there_once_whatever_the_order(
    given_runs: list[dict[str, dict[str, float]]], depth: int, by: By, seed: int
) -> None:
    expected: dict[tuple[str, str], dict[str, int]] = {}
    for number, run in enumerate(given_runs, 1):
        for query_id in run.keys() & QRELS.keys():
            ranked = sorted(run[query_id].items(), key=lambda pair: (pair[1], pair[0]), reverse=True)
            for rank, (doc_id, _) in enumerate(ranked[:depth], 1):
                if doc_id not in QRELS[query_id]:
                    expected.setdefault((query_id, doc_id), {})[f"s{number}"] = rank
    named = {f"s{number}": Run.from_dict(run) for number, run in enumerate(given_runs, 1)}
    pool = pool_runs(QRELS, named, depth=depth, by=by)
    assert {(one.query_id, one.doc_id): one.ranks for one in pool.items} == expected
    assert len(pool.items) == len(expected)
    shown = shuffled(pool.items, seed)
    assert sorted(shown, key=repr) == sorted(pool.items, key=repr)
    assert shown == shuffled(pool.items[::-1], seed), "the order says nothing about how it came"
    queries = [one.query_id for one in shown]
    assert len([one for at, one in enumerate(queries) if queries[at - 1 : at] != [one]]) == len(set(queries))


def test_a_negative_seed_is_refused() -> None:
    with pytest.raises(UsageError, match="the seed -1 is negative"):
        shuffled([], -1)
