"""Several seeds as one system, and bounds that a difference must keep."""

from __future__ import annotations

import math

import numpy as np
import pytest

from beirkit.corpora.errors import UsageError
from beirkit.evaluate import evaluate
from beirkit.evaluate.gate import Gate
from beirkit.evaluate.pairs import Comparison
from beirkit.evaluate.seeds import averaged, seed_spread

QRELS = {"q1": {"d1": 1}, "q2": {"d2": 1}, "q3": {"d3": 0}}
FIRST = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d2": 2.0}, "q3": {"d3": 1.0}}
SECOND = {"q1": {"d2": 2.0, "d1": 1.0}, "q2": {"d2": 2.0}, "q3": {"d3": 1.0}}


def test_seeds_are_averaged_on_each_query() -> None:
    seeds = [evaluate(QRELS, run, ["RR", "R_cap@5"]) for run in (FIRST, SECOND)]
    mean = averaged(seeds)
    assert mean.per_query()["q1"]["RR"] == 0.75
    assert mean.per_query()["q2"]["RR"] == 1.0
    assert math.isnan(mean.of("R_cap@5")[2])  # a query that has no value with any seed
    assert mean.n("R_cap@5") == 2
    assert mean.protocol == seeds[0].protocol


def test_the_deviation_is_that_of_the_seeds_means() -> None:
    spread = seed_spread([evaluate(QRELS, run, ["RR"]) for run in (FIRST, SECOND)], "RR")
    assert spread is not None
    assert spread.means == pytest.approx((2 / 3, 0.5))
    assert spread.mean == pytest.approx(7 / 12)
    assert spread.deviation == pytest.approx(float(np.std([2 / 3, 0.5], ddof=1)))
    with pytest.raises(UsageError, match="one run has no deviation"):
        seed_spread([evaluate(QRELS, FIRST, ["RR"])], "RR")


def test_seeds_over_other_queries_are_refused() -> None:
    one = evaluate(QRELS, FIRST, ["RR"])
    other = evaluate({"q1": {"d1": 1}}, FIRST, ["RR"])
    with pytest.raises(UsageError, match="not comparable: seed 2 has other queries"):
        averaged([one, other])


def row(low: float, high: float) -> Comparison:
    return Comparison(system="B", other="A", mean=0.5, difference=(low + high) / 2, interval=(low, high))


def test_a_gate_looks_at_the_lower_end() -> None:
    gate = Gate.parse(" ndcg_cut_10>=-0.01 ")
    assert str(gate) == "nDCG@10 >= -0.01"
    assert str(Gate.parse("map(rel=2)@10 >= 0")) == "AP(rel=2)@10 >= 0"
    assert gate.holds(row(-0.01, 0.03))
    assert not gate.holds(row(-0.0101, 0.5))
    assert gate.told(row(-0.02, 0.04)) == (
        "B against A: +0.0100 [-0.0200, 0.0400], whose lower end falls below -0.01"
    )
    bare = Comparison(system="B", other="A", mean=0.5, difference=0.1, note="too few queries for a test")
    assert not gate.holds(bare)
    assert gate.told(bare) == "B against A: no interval (too few queries for a test)"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nDCG@10", "cannot be read"),
        ("", "cannot be read"),
        (">= 0", "cannot be read"),
        ("nDCG@10 >=", "cannot be read"),
        ("nDCG@10 > 0", "has '>' where only >= is known"),
        ("nDCG@10 <= 0", "has '<=' where only >= is known"),
        ("nDCG@10 => 0", "has '=>' where only >= is known"),
        ("nDGC@10 >= 0", "unknown measure"),
        ("nDCG@10 >= -1%", "'-1%' is no number"),
        ("nDCG@10 >= nan", "lie between -1 and 1"),
        ("nDCG@10 >= -1.5", "a hundredth is 0.01"),
    ],
)
def test_a_gate_that_cannot_be_read_says_how_to_write_it(text: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        Gate.parse(text)
    assert said in str(caught.value)
    assert repr(text) in str(caught.value)
