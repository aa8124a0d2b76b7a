"""The queries on which two systems differ most."""

from __future__ import annotations

import json

import pytest

from beirkit.corpora.records import Qrels
from beirkit.corpora.run import Run
from beirkit.evaluate import evaluate
from beirkit.evaluate.differences import largest_differences

QRELS: Qrels = {"q1": {"a": 1, "b": 0}, "q2": {"a": 2}, "q3": {"c": 1}, "q4": {"a": 1}}
TEXTS = {"q1": "first", "q2": "second"}


def as_run(**lists: str) -> Run:
    return Run.from_dict({q: {d: -float(place) for place, d in enumerate(docs)} for q, docs in lists.items()})


RUNS = {
    "A": as_run(q1="ba", q2="a", q3="xyzc", q4="xa"),
    "B": as_run(q1="ab", q2="b", q3="c", q4="xa"),
}


def test_largest_first_with_texts_and_ranks() -> None:
    scores = {name: evaluate(QRELS, run, ["RR@3"]) for name, run in RUNS.items()}
    [found] = largest_differences(scores, RUNS, QRELS, "RR@3", "A", count=10, queries=TEXTS)
    assert (found.system, found.other) == ("B", "A")
    told = [(one.query_id, one.text, one.value, one.other_value) for one in found.queries]
    # q4 does not differ; q2 and q3 differ equally, so their ids decide
    assert told == [("q2", "second", 0, 1), ("q3", "", 1, 0), ("q1", "first", 1, 0.5)]
    assert [(one.first, one.other_first) for one in found.queries] == [(None, 1), (1, 4), (1, 2)]
    assert [one.difference for one in found.queries] == [-1, 1, 0.5]
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert (data["measure"], data["queries"][2]["difference"]) == ("RR@3", 0.5)


def test_as_many_as_asked_for() -> None:
    scores = {name: evaluate(QRELS, run, ["RR"]) for name, run in RUNS.items()}
    [found] = largest_differences(scores, RUNS, QRELS, "RR", "A", count=1)
    assert [one.query_id for one in found.queries] == ["q2"]


def test_identical_systems_differ_nowhere() -> None:
    runs = {"A": RUNS["A"], "C": RUNS["A"]}
    scores = {name: evaluate(QRELS, run, ["nDCG@10"]) for name, run in runs.items()}
    [found] = largest_differences(scores, runs, QRELS, "nDCG@10", "A")
    assert found.queries == ()


@pytest.mark.parametrize(("depth", "first"), [(3, None), (4, 4)])
def test_ranks_are_those_of_results_that_count(depth: int, first: int | None) -> None:
    scores = {name: evaluate(QRELS, run, ["RR"], depth=depth) for name, run in RUNS.items()}
    [found] = largest_differences(scores, RUNS, QRELS, "RR", "A")
    assert [one.other_first for one in found.queries if one.query_id == "q3"] == [first]


def test_self_matches_and_levels_are_those_of_the_scores() -> None:
    qrels: Qrels = {"q1": {"a": 1, "b": 2}}
    runs = {"A": as_run(q1="acb"), "B": Run.from_dict({"q1": {"q1": 3.0, "b": 2.0}})}
    measure = "RR(rel=2)@10"
    own = {"q1"}
    scores = {n: evaluate(qrels, run, [measure], self_match_ids=own) for n, run in runs.items()}
    [found] = largest_differences(scores, runs, qrels, measure, "A", self_match_ids={"A": own, "B": own})
    [one] = found.queries
    assert (one.value, one.first, one.other_first) == (1, 1, 3)


def test_ranks_follow_the_order_that_the_protocol_has_for_rr() -> None:
    """mteb compares float64 scores for RR@k, and float32 ones, which tie here, for the rest."""
    qrels: Qrels = {"q1": {"a": 1}}
    runs = {
        "A": Run.from_dict({"q1": {"x": 1.0}}),
        "B": Run.from_dict({"q1": {"a": 1.0 + 1e-12, "b": 1.0}}),
    }
    for measure, rank in (("RR@10", 1), ("nDCG@10", 2)):
        scores = {n: evaluate(qrels, run, [measure], "mteb") for n, run in runs.items()}
        [found] = largest_differences(scores, runs, qrels, measure, "A")
        assert [one.first for one in found.queries] == [rank]
