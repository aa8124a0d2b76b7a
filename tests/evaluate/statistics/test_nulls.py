"""Under a true null every test rejects at its level, and every interval covers at its confidence.

Rates are compared with the level within four standard errors of the simulation, so a wrong factor fails and
chance does not: each is one draw with a fixed seed.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import numpy as np
import numpy.typing as npt
import pytest

from beirkit.configs.suites import SuiteNode
from beirkit.evaluate.statistics.chance import rng_for
from beirkit.evaluate.statistics.corrections import CORRECTIONS
from beirkit.evaluate.statistics.hierarchy import draw_suite
from beirkit.evaluate.statistics.intervals import bootstrap_interval
from beirkit.evaluate.statistics.paired import TESTS, Test, p_value

LEVEL = 0.05
FAMILIES = 300
QUERIES = 50


def tolerance(rate: float, n: int) -> float:
    return 4 * sqrt(rate * (1 - rate) / n)


def null_differences(rng: np.random.Generator, n: int = QUERIES) -> npt.NDArray[np.float64]:
    """Differences of two systems of one quality: values of a measure, many of them equal."""
    pair = rng.choice([0.0, 0.25, 0.5, 1.0], size=(2, n), p=[0.3, 0.2, 0.2, 0.3]) * rng.uniform(
        0.5, 1, (2, n)
    )
    found: npt.NDArray[np.float64] = pair[0] - pair[1]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("test", TESTS)
def test_a_test_rejects_at_its_level(test: Test) -> None:
    rng = np.random.default_rng(11)
    n = 1000
    found = [p_value(test, null_differences(rng), rng_for(1, str(i)), samples=399) for i in range(n)]
    rate = np.mean([p <= LEVEL for p in found])
    assert abs(rate - LEVEL) <= tolerance(LEVEL, n)


@pytest.mark.slow
def test_holm_bounds_any_false_finding_and_bh_the_share_of_them() -> None:
    rng = np.random.default_rng(12)
    families = [
        [p_value("t", null_differences(rng), rng, samples=1) for _ in range(8)] for _ in range(FAMILIES)
    ]
    rates = {
        name: np.mean([min(adjust(family)) <= LEVEL for family in families])
        for name, adjust in CORRECTIONS.items()
    }
    assert rates["holm"] <= LEVEL + tolerance(LEVEL, FAMILIES)
    assert rates["bh"] <= LEVEL + tolerance(LEVEL, FAMILIES)  # under a global null the same bound
    assert rates["none"] > 0.2  # 1 - .95^8 = .34: what the corrections are for


@pytest.mark.slow
def test_the_interval_of_a_mean_covers_it() -> None:
    rng = np.random.default_rng(13)
    n, covered = 400, 0
    for i in range(n):
        low, high = bootstrap_interval(rng.beta(2, 2, 80), rng_for(1, str(i)), samples=499)
        covered += low <= 0.5 <= high
    # a percentile interval of 80 values covers a little less than it says
    assert abs(covered / n - 0.95) <= tolerance(0.95, n)


@pytest.mark.slow
def test_the_interval_over_datasets_covers_the_mean_of_their_population() -> None:
    """Datasets differ: the interval of the queries alone would cover far less."""
    rng = np.random.default_rng(14)
    names = tuple(f"d{i}" for i in range(12))
    suite = SuiteNode("suite", names)
    n, covered, covered_by_queries = 120, 0, 0
    for i in range(n):
        values = {name: np.clip(rng.normal(0.5, 0.15) + rng.normal(0, 0.2, (30, 1)), -1, 2) for name in names}
        draws = draw_suite(suite, values, ["A"], seed=i, samples=200)
        low, high = draws.interval("A")
        covered += low <= 0.5 <= high
        pooled = np.concatenate([column[:, 0] for column in values.values()])
        low, high = bootstrap_interval(pooled, rng_for(1, str(i)), samples=200)
        covered_by_queries += low <= 0.5 <= high
    assert covered / n >= 0.95 - tolerance(0.95, n)
    assert covered_by_queries / n < 0.7


def test_a_duplicated_system_is_never_told_apart() -> None:
    rng = np.random.default_rng(15)
    values = {name: np.repeat(rng.uniform(size=(12, 1)), 2, axis=1) for name in ("x", "y", "z")}
    draws = draw_suite(SuiteNode("s", ("x", "y", "z")), values, ["A", "copy"], seed=1, samples=200)
    assert draws.difference("A", "copy") == (0.0, 0.0)
    assert (draws.first("A"), draws.first("copy")) == (0.5, 0.5)
    assert draws.rank_interval("A") == draws.rank_interval("copy") == (1, 1)


Adjust = Callable[[list[float]], list[float]]


@pytest.mark.parametrize(("name", "theirs"), [("holm", "holm"), ("bh", "fdr_bh")])
def test_corrections_equal_statsmodels(name: str, theirs: str) -> None:
    multipletests = pytest.importorskip("statsmodels.stats.multitest").multipletests
    rng = np.random.default_rng(16)
    for size in (1, 2, 5, 40):
        p_values = np.round(rng.uniform(size=size) ** 2, 3).tolist()
        ours = CORRECTIONS[name](p_values)  # type: ignore[index]  # a key of the table
        assert ours == pytest.approx(multipletests(p_values, method=theirs)[1].tolist(), abs=1e-12)
