"""Tests of pairs against scipy and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from beirkit.evaluate.statistics.effects import detectable_difference, effect_size
from beirkit.evaluate.statistics.intervals import resampled_means
from beirkit.evaluate.statistics.paired import TESTS, p_value, t_p, wilcoxon_p


def drawn(n: int, seed: int = 3) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.random.default_rng(seed).normal(0.05, 0.2, n)


def test_t_equals_scipy_and_knows_constant_differences() -> None:
    assert t_p(drawn(30)) == pytest.approx(float(stats.ttest_1samp(drawn(30), 0).pvalue), abs=1e-15)
    assert t_p(np.zeros(5)) == 1.0
    assert t_p(np.full(5, 0.1)) == 0.0


def test_wilcoxon_is_exact_for_few_without_ties_and_leaves_zeros_out() -> None:
    values = drawn(12)
    assert wilcoxon_p(values) == pytest.approx(float(stats.wilcoxon(values, method="exact").pvalue))
    assert wilcoxon_p(np.append(values, np.zeros(7))) == wilcoxon_p(values)
    tied = np.array([0.5, -0.5, 0.5, 0.5, 0.25, 0.0, 0.0])
    assert 0 < wilcoxon_p(tied) < 1
    assert wilcoxon_p(np.zeros(4)) == 1.0
    # three positive differences of different size: both tails of 2^3 ways
    assert wilcoxon_p(np.array([0.1, 0.2, 0.3])) == pytest.approx(2 / 8)


@pytest.mark.parametrize("test", TESTS)
def test_no_difference_is_no_evidence(test: str) -> None:
    assert p_value(test, np.zeros(9), np.random.default_rng(1), samples=99) == 1.0  # type: ignore[arg-type]  # a key


def test_effect_size_by_hand() -> None:
    assert effect_size(np.array([1.0, 3.0])) == pytest.approx(2 / np.sqrt(2))
    assert effect_size(np.zeros(3)) == 0.0
    assert effect_size(np.full(3, 0.2)) is None
    assert effect_size(np.array([0.2])) is None


def test_the_detectable_difference_is_found_as_often_as_it_says() -> None:
    """Of samples with that true difference, the t-test finds four in five."""
    n, deviation = 40, 0.2
    spread = np.random.default_rng(5).normal(0, 1, n)
    spread = deviation * (spread - spread.mean()) / spread.std(ddof=1)
    smallest = detectable_difference(spread)
    assert smallest is not None
    rng = np.random.default_rng(6)
    trials = rng.normal(smallest, deviation, (2000, n))
    power = np.mean(stats.ttest_1samp(trials, 0, axis=1).pvalue < 0.05)
    assert abs(power - 0.8) < 0.04
    assert detectable_difference(np.array([0.1])) is None


def test_resampled_means_are_of_the_same_rows_in_every_column() -> None:
    values = drawn(25)[:, None] * np.array([1.0, 2.0])
    found = resampled_means(values, np.random.default_rng(1), samples=50)
    assert found.shape == (50, 2)
    assert np.allclose(found[:, 1], 2 * found[:, 0])
    assert found[:, 0].std() > 0


@pytest.mark.parametrize("n", [3, 8, 12])
def test_few_sign_flips_are_all_tried_and_equal_scipys(n: int) -> None:
    values = np.round(drawn(n, seed=n), 1)  # many ways have one sum
    values[values == 0] = 0.1
    theirs = stats.permutation_test(
        (values,),
        lambda x, axis: np.abs(x.sum(axis=axis)),
        permutation_type="samples",
        alternative="greater",
        vectorized=True,
        n_resamples=10_000,
    ).pvalue
    ours = p_value("randomisation", values, np.random.default_rng(1), samples=10_000)
    assert ours == pytest.approx(float(theirs), abs=1e-15)


def test_many_sign_flips_are_drawn_in_batches_and_near_scipys() -> None:
    values = drawn(5000) - 0.048
    theirs = stats.permutation_test(
        (values,),
        lambda x, axis: np.abs(x.sum(axis=axis)),
        permutation_type="samples",
        alternative="greater",
        vectorized=True,
        n_resamples=2000,
        batch=500,
        rng=np.random.default_rng(2),
    ).pvalue
    ours = p_value("randomisation", values, np.random.default_rng(1), samples=2000)
    assert 0.1 < theirs < 0.9
    assert ours == pytest.approx(float(theirs), abs=4 * (2 * 0.25 / 2000) ** 0.5)
