"""Leaderboards: who shares a rank, how sure a rank is, and what 14 runs of TREC-COVID are worth."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from beirkit.corpora.errors import UnknownNameError, UsageError
from beirkit.corpora.qrels import read_qrels
from beirkit.corpora.run_files import read_run
from beirkit.evaluate import evaluate
from beirkit.evaluate.leaderboard import Leaderboard, leaderboard, rank_means
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.protocol import get_protocol
from beirkit.evaluate.scores import Counts, Scores


def made(values: npt.ArrayLike) -> Scores:
    column = np.asarray(values, dtype=np.float64)[:, None]
    names = tuple(f"q{i:03}" for i in range(len(column)))
    counts = Counts(judged=len(names), scored=len(names))
    return Scores(names, (Measure.parse("AP"),), column, get_protocol("beirkit"), counts)


def shifted(n: int = 60) -> dict[str, Scores]:
    """A and B are alike, C is far behind both, D is C again."""
    rng = np.random.default_rng(3)
    hard = rng.uniform(0.3, 0.8, n)
    a = hard + rng.normal(0, 0.05, n)
    c = hard - 0.2 + rng.normal(0, 0.05, n)
    return {"A": made(a), "B": made(a + rng.normal(0, 0.05, n)), "C": made(c), "D": made(c)}


def test_equal_means_share_a_rank_and_stand_by_name() -> None:
    assert rank_means({"zeta": 0.5, "mid": 0.4, "alpha": 0.5}) == [
        (1, "alpha", 0.5),
        (1, "zeta", 0.5),
        (3, "mid", 0.4),
    ]


def test_a_mean_that_differs_by_the_order_of_additions_is_equal() -> None:
    rows = rank_means({"b": 0.1 + 0.2, "a": 0.3, "c": 0.2})
    assert [(rank, name) for rank, name, _ in rows] == [(1, "a"), (1, "b"), (3, "c")]


def test_what_has_no_mean_is_last_and_blank() -> None:
    assert rank_means({"x": None, "a": 0.1}) == [(1, "a", 0.1), (None, "x", None)]


def test_a_rank_is_shared_with_the_leader_of_the_group_only() -> None:
    """B is not separable from A; C is from A and not from B: a group of its own; D goes with C."""
    apart = {("A", "C"), ("A", "D")}
    rows = rank_means({"A": 0.9, "B": 0.8, "C": 0.7, "D": 0.6}, lambda lead, name: (lead, name) in apart)
    assert [(rank, name) for rank, name, _ in rows] == [(1, "A"), (1, "B"), (3, "C"), (3, "D")]


def test_equal_means_share_a_rank_even_where_one_alone_is_separable() -> None:
    rows = rank_means({"A": 0.9, "B": 0.8, "C": 0.8}, lambda _, name: name == "C")
    assert [rank for rank, _, _ in rows] == [1, 1, 1]


def test_ranks_intervals_and_the_chance_of_being_first() -> None:
    board = leaderboard(shifted(), "AP", samples=2000)
    by_name = {place.system: place for place in board.places}
    assert [place.rank for place in board.places] == [1, 1, 3, 3]
    assert [place.system for place in board.places][2:] == ["C", "D"]
    assert by_name["A"].rank_interval == by_name["B"].rank_interval == (1, 2)
    assert by_name["C"].rank_interval == by_name["D"].rank_interval == (3, 3)
    assert by_name["C"].first == by_name["D"].first == 0
    assert by_name["A"].first is not None
    assert by_name["B"].first is not None
    assert by_name["A"].first + by_name["B"].first == pytest.approx(1)
    first, second, third = board.adjacent
    assert (first.separable(0.05), second.separable(0.05), third.separable(0.05)) == (False, True, False)
    assert third.note == "identical per-query scores"
    assert board.separable == 1
    data = json.loads(json.dumps(board.to_dict(), allow_nan=False))
    assert data["separable_adjacent_pairs"] == 1
    assert [place["rank"] for place in data["places"]] == [1, 1, 3, 3]


def test_identical_systems_are_first_half_the_time() -> None:
    values = np.random.default_rng(1).uniform(size=40)
    board = leaderboard({"A": made(values), "copy": made(values)}, "AP", samples=300)
    assert [(place.rank, place.first) for place in board.places] == [(1, 0.5), (1, 0.5)]
    assert board.separable == 0


def test_a_system_that_is_better_by_the_same_everywhere_is_separable() -> None:
    values = np.linspace(0, 0.5, 30)
    board = leaderboard({"A": made(values), "B": made(values + 0.25)}, "AP", samples=300)
    assert [(place.rank, place.system) for place in board.places] == [(1, "B"), (2, "A")]


def test_the_order_of_systems_changes_nothing() -> None:
    scores = shifted()
    turned = dict(reversed(scores.items()))
    assert leaderboard(scores, "AP", samples=500) == leaderboard(turned, "AP", samples=500)


def test_one_query_has_ranks_and_nothing_else() -> None:
    board = leaderboard({"A": made([0.1]), "B": made([0.9])}, "AP")
    assert [(place.rank, place.system, place.first) for place in board.places] == [
        (1, "B", None),
        (2, "A", None),
    ]
    assert board.adjacent == ()


def test_one_system_is_first() -> None:
    [place] = leaderboard({"A": made([0.1, 0.2])}, "AP", samples=100).places
    assert (place.rank, place.rank_interval, place.first) == (1, (1, 1), 1.0)


def test_what_cannot_be_asked_for() -> None:
    with pytest.raises(UsageError, match="no system to rank"):
        leaderboard({}, "AP")
    with pytest.raises(UnknownNameError, match="no test is called"):
        leaderboard(shifted(), "AP", test="sign")  # type: ignore[arg-type]  # what a user may write
    with pytest.raises(UsageError, match="level lies between"):
        leaderboard(shifted(), "AP", level=5)


@pytest.mark.slow
@pytest.mark.parametrize("n", [20, 100])
def test_equal_systems_are_rarely_called_separable(n: int) -> None:
    """Over all pairs of six systems, at the level .05, within four standard errors of 400 simulations."""
    rng = np.random.default_rng(5)
    found = 0
    for _ in range(400):
        table = np.clip(rng.uniform(0, 0.6, (n, 1)) + rng.normal(0, 0.2, (n, 6)), 0, 1)
        board = leaderboard({f"s{i}": made(table[:, i]) for i in range(6)}, "AP", test="t", samples=20)
        found += len({place.rank for place in board.places}) > 1
    assert found / 400 <= 0.05 + 4 * (0.05 * 0.95 / 400) ** 0.5


@pytest.fixture(scope="module")
def covid(shared: Path) -> Leaderboard:
    """The 14 runs of TREC-COVID's round 1 that are handed along, over 30 topics."""
    folder = shared / "data/metric_oracles/trec_covid_round1"
    qrels = read_qrels(folder / "qrels-rnd1.txt")
    scores = {
        path.stem: evaluate(qrels, read_run(path), ["nDCG@10"], "trec_eval")
        for path in (folder / "runs").glob("*.gz")
    }
    return leaderboard(scores, "nDCG@10")


class TestTrecCovid:
    def test_one_of_thirteen_adjacent_pairs_is_separable(self, covid: Leaderboard) -> None:
        assert (len(covid.places), len(covid.adjacent), covid.separable) == (14, 13, 1)
        [pair] = [pair for pair in covid.adjacent if pair.separable(0.05)]
        assert (pair.other, pair.system) == ("dmis-rnd1-run2", "BERT")

    def test_fourteen_systems_have_four_ranks(self, covid: Leaderboard) -> None:
        assert [place.rank for place in covid.places] == [1] * 5 + [6] * 5 + [11] * 3 + [14]
        best, second = covid.places[:2]
        assert (best.system, f"{best.mean:.4f}", best.rank_interval) == ("cu_dbmi_bm25_2", "0.5819", (1, 3))
        assert (second.system, f"{second.mean:.4f}") == ("sheikh_bm25_manual", "0.5790")
        assert best.first == pytest.approx(0.51, abs=0.02)
        assert second.first == pytest.approx(0.47, abs=0.02)
