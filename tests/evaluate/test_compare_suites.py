"""Systems over a suite: equal members, holes without a figure, and intervals that allow for few datasets."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from beirkit.configs.suites import SuiteNode
from beirkit.corpora.errors import UnknownNameError, UsageError
from beirkit.evaluate.compare_suites import SuiteTable, compare_suite
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.protocol import get_protocol
from beirkit.evaluate.scores import Counts, Scores
from beirkit.evaluate.verdict import verdict

NESTED = SuiteNode("outer", ("reed", SuiteNode("water", ("lake", "shore"))))


def made(values: npt.ArrayLike, protocol: str = "beirkit") -> Scores:
    column = np.asarray(values, dtype=np.float64)[:, None]
    names = tuple(f"q{i:03}" for i in range(len(column)))
    counts = Counts(judged=len(names), scored=len(names))
    return Scores(names, (Measure.parse("AP"),), column, get_protocol(protocol), counts)


def table(scores: dict[str, dict[str, Scores]], suite: SuiteNode = NESTED, **options: object) -> SuiteTable:
    return compare_suite(suite, scores, "AP", "A", samples=400, **options)  # type: ignore[arg-type]  # passed on


def test_every_member_counts_the_same_however_many_queries_it_has() -> None:
    """reed .2 of two queries, lake .6 of four, shore 0: (.2 + (.6 + 0) / 2) / 2."""
    scores = {
        "reed": {"A": made([0.1, 0.3])},
        "lake": {"A": made([0.6] * 4)},
        "shore": {"A": made([0.0] * 3)},
    }
    found = table(scores)
    assert found.leaderboard is not None
    assert found.leaderboard.places[0].mean == pytest.approx((0.2 + 0.3) / 2)
    assert (found.members, found.datasets) == (2, ("reed", "lake", "shore"))


def many(n_sets: int = 12, shift: float = 0.05) -> tuple[SuiteNode, dict[str, dict[str, Scores]]]:
    rng = np.random.default_rng(6)
    names = tuple(f"d{i}" for i in range(n_sets))
    scores = {}
    for name in names:
        a = rng.uniform(0.1, 0.8, 30)
        scores[name] = {"A": made(a), "B": made(a + shift + rng.normal(0, 0.03, 30)), "copy": made(a)}
    return SuiteNode("twelve", names), scores


def test_a_difference_over_datasets_and_a_copy() -> None:
    suite, scores = many()
    found = table(scores, suite)
    better, copy = found.rows
    assert (better.system, better.other, better.wins, better.losses) == ("B", "A", 12, 0)
    assert better.interval is not None
    assert 0.03 < better.interval[0] < better.difference < better.interval[1] < 0.07
    assert better.separable(0.05)
    assert (copy.difference, copy.p, copy.interval) == (0.0, 1.0, (0.0, 0.0))
    assert copy.note == "identical on every query"
    assert found.leaderboard is not None
    assert [(p.rank, p.system) for p in found.leaderboard.places] == [(1, "B"), (2, "A"), (2, "copy")]
    assert found.leaderboard.separable == 1
    assert verdict(found)[0].startswith("B beats A by 0.0")
    assert len(table(scores, suite, pairs="all").rows) == 3
    assert "NaN" not in json.dumps(found.to_dict(), allow_nan=False)


def test_two_datasets_separate_nothing_that_differs_between_them() -> None:
    suite, scores = many(2)
    first, second = suite.members
    scores[str(second)]["B"] = made(scores[str(second)]["A"].of("AP") + 0.01)
    row = table(scores, suite).rows[0]
    assert row.difference == pytest.approx(0.03, abs=0.01)
    assert not row.separable(0.05)
    assert str(first) in scores


def test_no_interval_reaches_beyond_the_differences_that_there_can_be() -> None:
    """Student's t of one degree of freedom reaches far beyond 1; a number of documents has no bound."""
    rng = np.random.default_rng(4)
    values = {name: rng.uniform(0, 1, 6) for name in ("reed", "lake")}
    scores = {
        name: {"A": made(one), "B": made(1 - one if name == "reed" else one / 2)}
        for name, one in values.items()
    }
    row = table(scores, SuiteNode("two", ("reed", "lake"))).rows[0]
    assert row.interval == (-1.0, 1.0)
    found = Measure.parse("num_rel_ret")
    counts = {
        name: {system: replace(one, measures=(found,)) for system, one in by.items()}
        for name, by in scores.items()
    }
    [other] = compare_suite(SuiteNode("two", ("reed", "lake")), counts, found, "A", samples=400).rows
    assert other.interval is not None
    assert other.interval[1] - other.interval[0] > 2


def test_a_hole_leaves_no_figure() -> None:
    suite, scores = many()
    del scores["d3"]["B"]
    found = table(scores, suite)
    assert found.incomplete == {"B": "incomplete: 11 of 12, missing d3"}
    assert [row.system for row in found.rows] == ["copy"]
    assert "B" not in {place.system for place in found.leaderboard.places} if found.leaderboard else False


def test_a_member_that_nobody_has_leaves_no_figure_at_all() -> None:
    suite, scores = many()
    wider = SuiteNode("thirteen", (*suite.members, "android"))
    found = table(scores, wider)
    assert set(found.incomplete.values()) == {"incomplete: 12 of 13, missing android"}
    assert (found.rows, found.leaderboard) == ((), None)


def test_without_the_baselines_mean_nothing_is_compared_with_it() -> None:
    suite, scores = many()
    del scores["d0"]["A"]
    found = table(scores, suite)
    assert found.rows == ()
    assert found.leaderboard is not None
    assert {place.system for place in found.leaderboard.places} == {"B", "copy"}


def test_the_outcome_depends_on_the_seed_and_not_on_order() -> None:
    suite, scores = many()
    turned = {name: dict(reversed(by.items())) for name, by in reversed(scores.items())}
    rows = {row.system: row for row in table(scores, suite).rows}
    again = {row.system: row for row in table(turned, suite).rows}
    assert rows["B"].interval == pytest.approx(again["B"].interval, abs=1e-12)
    assert table(scores, suite, seed=2).rows[0].interval != rows["B"].interval


def test_other_rules_are_refused() -> None:
    scores = {"reed": {"A": made([0.1, 0.2])}, "lake": {"A": made([0.1, 0.2], "beir")}}
    with pytest.raises(UsageError, match=r"not comparable: reed was scored under beirkit.*lake was scored"):
        table(scores, SuiteNode("s", ("reed", "lake")))
    with pytest.raises(UnknownNameError, match="no system is called 'Z'"):
        compare_suite(NESTED, scores, "AP", "Z")


@pytest.mark.parametrize("members", [3, 5, 12])
def test_equal_systems_are_rarely_told_apart_however_few_the_datasets(members: int) -> None:
    """Systems that are better here and worse there; percentiles of three datasets reject a quarter."""
    rng = np.random.default_rng(5)
    suite = SuiteNode("s", tuple(f"d{i}" for i in range(members)))
    n, found = 150, 0
    for seed in range(n):
        scores = {}
        for name in suite.leaves():
            base = rng.normal(0.5, 0.2, 40)
            other = base + rng.normal(0, 0.1) + rng.normal(0, 0.1, 40)
            scores[name] = {"A": made(base), "B": made(other)}
        row = compare_suite(suite, scores, "AP", "A", seed=seed, samples=100).rows[0]
        found += row.separable(0.05)
    assert found / n <= 0.05 + 4 * (0.05 * 0.95 / n) ** 0.5
