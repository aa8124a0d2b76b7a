"""Systems against a baseline: intervals, tests, corrections, and what may be compared at all."""

from __future__ import annotations

import itertools
import json

import msgspec
import numpy as np
import pytest

from beirkit.corpora.errors import UnknownNameError, UsageError
from beirkit.evaluate import evaluate
from beirkit.evaluate.compare import compare
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.protocol import get_protocol
from beirkit.evaluate.scores import Counts, Scores
from beirkit.evaluate.statistics.chance import rng_for
from beirkit.evaluate.statistics.corrections import holm
from beirkit.evaluate.statistics.intervals import bootstrap_interval
from beirkit.evaluate.statistics.paired import randomisation_p


def made(values: list[float], *, ids: list[str] | None = None, protocol: str = "beirkit") -> Scores:
    names = tuple(ids or [f"q{i:03}" for i in range(len(values))])
    counts = Counts(judged=len(names), scored=len(names))
    column = np.array(values, dtype=np.float64)[:, None]
    return Scores(names, (Measure.parse("AP"),), column, get_protocol(protocol), counts)


def drawn(seed: int, n: int = 40, shift: float = 0.0) -> list[float]:
    rng = np.random.default_rng(seed)
    values: list[float] = np.clip(rng.uniform(0, 0.8, n) + shift, 0, 1).tolist()
    return values


def test_identical_systems_are_called_identical() -> None:
    table = compare({"A": made([0.5, 0.7, 0.1]), "B": made([0.5, 0.7, 0.1])}, "AP", "A")
    row = table.rows[0]
    assert (row.difference, row.p, row.p_adjusted, row.interval) == (0.0, 1.0, 1.0, (0.0, 0.0))
    assert row.note == "identical per-query scores"
    assert (row.wins, row.ties, row.losses) == (0, 3, 0)


def test_one_query_is_too_few() -> None:
    row = compare({"A": made([1.0]), "B": made([0.5])}, "AP", "A").rows[0]
    assert (row.difference, row.p, row.p_adjusted, row.interval) == (-0.5, None, None, None)
    assert row.note == "too few queries for a test"


def test_rows_wins_and_json() -> None:
    table = compare(
        {"B": made([0.5, 0.2, 0.3, 0.9]), "A": made([0.4, 0.2, 0.5, 0.1])}, "map", "A", samples=500
    )
    [row] = table.rows
    assert (table.measure, table.queries, table.baseline) == (Measure.parse("AP"), 4, "A")
    assert [standing.system for standing in table.standings] == ["B", "A"]
    assert (row.system, row.other) == ("B", "A")
    assert (row.wins, row.ties, row.losses) == (2, 1, 1)
    assert row.mean == pytest.approx(0.475)
    assert row.difference == pytest.approx(0.175)
    # sums of ±.1 ±.2 ±.8: .7 or more in absolute value in 6 of the 8 ways
    assert row.p == pytest.approx(6 / 8)
    data = json.loads(json.dumps(table.to_dict(), allow_nan=False))
    assert (data["measure"], data["baseline"], len(data["rows"])) == ("AP", "A", 1)


def test_small_samples_are_enumerated() -> None:
    differences = np.array([0.3, -0.1, 0.25, 0.05, 0.4, -0.2, 0.15])
    sums = [abs(float(np.dot(s, differences))) for s in itertools.product((1, -1), repeat=7)]
    expected = np.mean([s >= abs(differences.sum()) - 1e-12 for s in sums])
    found = randomisation_p(differences, np.random.default_rng(1), samples=1000)
    assert found == pytest.approx(expected)
    # queries without a difference change nothing
    padded = np.concatenate([differences, np.zeros(50)])
    assert randomisation_p(padded, np.random.default_rng(1), samples=1000) == found


def test_many_samples_are_drawn_and_never_give_p_0() -> None:
    differences = np.full(60, 0.1)
    assert randomisation_p(differences, np.random.default_rng(1), samples=999) == pytest.approx(1 / 1000)


def test_a_drawn_p_is_near_the_t_tests() -> None:
    from scipy import stats

    differences = np.random.default_rng(4).normal(0.03, 0.15, 200)
    found = randomisation_p(differences, np.random.default_rng(1), samples=20_000)
    assert found == pytest.approx(float(stats.ttest_1samp(differences, 0).pvalue), abs=0.003)


def test_the_interval_is_the_percentiles_of_resampled_means() -> None:
    differences = np.random.default_rng(5).normal(0.05, 0.2, 300)
    low, high = bootstrap_interval(differences, np.random.default_rng(1), samples=10_000)
    half = 1.96 * differences.std() / np.sqrt(300)
    assert low == pytest.approx(differences.mean() - half, abs=0.002)
    assert high == pytest.approx(differences.mean() + half, abs=0.002)


def test_neither_order_of_systems_nor_of_queries_matters() -> None:
    systems = {name: made(drawn(i, shift=i / 50)) for i, name in enumerate("ABCD")}
    table = compare(systems, "AP", "A", samples=2000)

    def shuffled(scores: Scores) -> Scores:
        order = np.random.default_rng(9).permutation(len(scores.query_ids))
        ids = [scores.query_ids[i] for i in order]
        return made(scores.values[order, 0].tolist(), ids=ids)

    other = compare({name: shuffled(systems[name]) for name in "DCBA"}, "AP", "A", samples=2000)
    assert {row.system: row for row in table.rows} == {row.system: row for row in other.rows}
    assert compare(systems, "AP", "A", samples=2000) == table
    assert compare(systems, "AP", "A", samples=2000, seed=2) != table
    alone = compare({"A": systems["A"], "C": systems["C"]}, "AP", "A", samples=2000).rows[0]
    assert (alone.p, alone.interval) == (table.rows[1].p, table.rows[1].interval)


@pytest.mark.slow  # importing statsmodels
def test_holm_equals_statsmodels() -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    rng = np.random.default_rng(2)
    for size in (1, 2, 3, 7, 20):
        for _ in range(40):
            p_values = np.round(rng.uniform(0, 1, size) ** 3, 3).tolist()
            expected = multitest.multipletests(p_values, method="holm")[1].tolist()
            assert holm(p_values) == pytest.approx(expected, abs=1e-15)


def test_holm_covers_the_table() -> None:
    systems = {"A": made(drawn(1)), "B": made(drawn(1, shift=0.03)), "C": made(drawn(3))}
    rows = compare(systems, "AP", "A", samples=999).rows
    p_values = [row.p for row in rows]
    assert None not in p_values
    assert [row.p_adjusted for row in rows] == holm([p for p in p_values if p is not None])


class TestOnlyLikeWithLike:
    def test_everything_that_differs_is_listed(self) -> None:
        systems = {
            "A": made([0.1, 0.2]),
            "B": made([0.1, 0.2], protocol="trec_eval"),
            "C": made([0.1, 0.2], ids=["q000", "x"]),
        }
        with pytest.raises(UsageError) as caught:
            compare(systems, "AP", "A")
        message = str(caught.value)
        assert "B was scored under trec_eval: self-matches kept" in message
        assert "A under beirkit: self-matches removed where the dataset says so" in message
        assert "C has other queries (2, such as 'q001')" in message

    def test_depth_belongs_to_the_rules(self) -> None:
        qrels, run = {"q": {"a": 1}, "r": {"a": 1}}, {"q": {"a": 1.0}, "r": {"a": 1.0}}
        systems = {"A": evaluate(qrels, run, ["AP"]), "B": evaluate(qrels, run, ["AP"], depth=10)}
        with pytest.raises(UsageError, match="depth 10"):
            compare(systems, "AP", "A")

    def test_queries_that_count_in_one_system_only(self) -> None:
        qrels = {f"q{i}": {"a": 1} for i in range(3)}
        whole = {query: {"a": 1.0} for query in qrels}
        part = {query: {"a": 1.0} for query in ("q0", "q2")}
        systems = {n: evaluate(qrels, r, ["AP"], "mteb") for n, r in (("A", whole), ("B", part))}
        with pytest.raises(UsageError, match="1 queries, such as 'q1', count in one of B, A"):
            compare(systems, "AP", "A")

    def test_queries_without_a_value_are_left_out_of_both(self) -> None:
        qrels = {"q0": {"a": 1}, "q1": {"a": 0}, "q2": {"a": 1}}
        run = {query: {"a": 1.0} for query in qrels}
        systems = {n: evaluate(qrels, run, ["R_cap@5"]) for n in "AB"}
        assert compare(systems, "R_cap@5", "A").queries == 2

    def test_wrong_use(self) -> None:
        systems = {"bm25": made([0.1, 0.2])}
        with pytest.raises(UnknownNameError, match=r"no system is called 'bm52' \(did you mean 'bm25'\?\)"):
            compare(systems, "AP", "bm52")
        with pytest.raises(UsageError, match="nDCG@10 was not computed"):
            compare(systems | {"other": made([0.1, 0.2])}, "nDCG@10", "bm25")
        for samples, level, least in ((0, 0.05, "20"), (19, 0.05, "20"), (1, 0.9, "2"), (20, 0.001, "1,000")):
            said = f"{samples} samples are too few for the level {level}, which takes {least}"
            with pytest.raises(UsageError, match=said):
                compare(systems, "AP", "bm25", samples=samples, level=level)
        column = msgspec.structs.replace(Measure.parse("AP"), family="gm_map")
        with pytest.raises(UsageError, match="gm_map is no mean of per-query values"):
            compare(systems, column, "bm25")


def test_chance_depends_on_names_alone() -> None:
    first, again, other = (rng_for(1, *n).random() for n in (("a", "b"), ("a", "b"), ("b", "a")))
    assert first == again != other
