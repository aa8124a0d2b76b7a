"""Who is ranked beside whom."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from beirkit.configs.suites import SuiteNode
from beirkit.evaluate.compare import compare
from beirkit.evaluate.compare_suites import compare_suite
from beirkit.evaluate.leaderboard import leaderboard, ranked
from beirkit.evaluate.site.ranking import (
    Draw,
    everything,
    same_queries,
    shared_by_most,
    stated_view,
    view_of,
)
from tests.house.site_data import MEASURE, drawn_scores

DRAW = Draw(MEASURE, samples=300)


def test_ranks_are_those_of_the_leaderboard_of_compare() -> None:
    scores = drawn_scores(["a", "b", "c", "d"], 80, 3)
    whole = leaderboard(scores, MEASURE, samples=300).places
    bare = ranked(scores, MEASURE, samples=300)
    assert bare == whole


@pytest.mark.parametrize("queries", [2, 6, 80])
def test_an_interval_is_the_same_in_every_bit_whoever_stands_beside(queries: int) -> None:
    names = [f"system {number:02}" for number in range(21)]
    scores = drawn_scores(names, queries, 3)
    many = {place.system: place.interval for place in DRAW.places(scores)}
    for few in (names[:1], names[7:9], names[::-1]):
        table = compare({name: scores[name] for name in few}, MEASURE, few[0], samples=300)
        assert {one.system: one.interval for one in table.standings} == {name: many[name] for name in few}


def test_a_mean_over_datasets_has_the_same_interval_whatever_the_suite_is_called() -> None:
    scores = {name: drawn_scores(["a", "b", "c"], 10, place) for place, name in enumerate(["reeds", "lake"])}
    boards = {name: f"{name}@test" for name in scores}
    ours = view_of(SuiteNode("all 2 datasets", ("lake", "reeds")), scores, DRAW, boards).places
    theirs = compare_suite(SuiteNode("2 datasets", ("reeds", "lake")), scores, MEASURE, "b", samples=300)
    assert theirs.leaderboard is not None
    assert theirs.leaderboard.places == ours


def test_a_system_with_other_queries_is_apart_and_the_reason_counts_them() -> None:
    scores = drawn_scores(["a", "b", "c"], 10, 1)
    scores["c"] = replace(scores["c"], query_ids=scores["c"].query_ids[1:], values=scores["c"].values[1:])
    same, apart = same_queries(scores, MEASURE)
    assert same == ["a", "b"]
    assert apart == {"c": "its nDCG@10 is over 9 queries, and that of the others over 10"}


def test_a_query_without_a_value_is_another_set_of_queries() -> None:
    scores = drawn_scores(["a", "b", "c"], 10, 1)
    values = scores["b"].values.copy()
    values[3] = np.nan
    scores["b"] = replace(scores["b"], values=values)
    assert same_queries(scores, MEASURE)[0] == ["a", "c"]


def test_a_system_that_lacks_a_dataset_has_no_rank() -> None:
    scores = {"lake": drawn_scores(["a", "b"], 10, 1), "reeds": drawn_scores(["a", "b"], 10, 2)}
    del scores["reeds"]["b"]
    suite = SuiteNode("both", ("lake", "reeds"))
    view = view_of(suite, scores, DRAW, {"lake": "lake@test", "reeds": "reeds@test"})
    assert [place.system for place in view.places] == ["a"]
    assert view.incomplete == {"b": "incomplete: 1 of 2, missing reeds"}
    assert view.boards == ("lake@test", "reeds@test")


def test_a_suite_with_a_dataset_that_nobody_has_ranks_nobody() -> None:
    suite = SuiteNode("three", ("lake", "reeds", "shore"))
    scores = {"lake": drawn_scores(["a"], 10, 1), "reeds": drawn_scores(["a"], 10, 2)}
    view = view_of(suite, scores, DRAW, {"lake": "lake@test", "reeds": "reeds@test"})
    assert view.places == ()
    assert view.missing == ("shore",)
    assert set(view.incomplete) == {"a"}


def test_languages_of_one_dataset_count_as_one_member() -> None:
    suite = everything([("lake", ["lake"]), ("tongues", ["tongues-de", "tongues-fr"])])
    assert suite.name == "all 2 datasets"
    means = {"lake": {"a": 0.2}, "tongues-de": {"a": 0.4}, "tongues-fr": {"a": 0.8}}
    [place] = stated_view(suite, means, {name: name for name in means}).places
    assert place.mean == pytest.approx((0.2 + (0.4 + 0.8) / 2) / 2)
    assert place.interval is None


def test_the_shared_datasets_are_those_with_most_systems_times_datasets() -> None:
    tasks = [("a", ["a"]), ("b", ["b"]), ("c", ["c"])]
    most = frozenset("vwxyz")
    found = shared_by_most(tasks, {"a": most, "b": most - {"z"}, "c": frozenset("v")})
    assert found == SuiteNode("2 datasets that 4 systems have", ("a", "b"))
    assert shared_by_most(tasks, {"a": most, "b": most, "c": most}) is None
    assert shared_by_most(tasks, dict.fromkeys("abc", frozenset("v"))) is None
