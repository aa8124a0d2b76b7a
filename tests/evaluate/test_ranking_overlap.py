"""How alike two systems' lists are: overlap, rank-biased overlap, Kendall's tau."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from beirkit.corpora.run import Run
from beirkit.evaluate import evaluate
from beirkit.evaluate.ranking_overlap import Overlap, overlaps, rbo

LETTERS = "abcdefghij"


def alike(ours: list[str], theirs: list[str], at: int = 10, protocol: str = "beirkit") -> Overlap:
    """Lists of one-letter documents of the queries q0, q1, …"""
    runs = {
        name: Run.from_dict(
            {f"q{i}": {d: -float(place) for place, d in enumerate(docs)} for i, docs in enumerate(lists)}
        )
        for name, lists in (("A", ours), ("B", theirs))
    }
    qrels = {f"q{i}": {"a": 1} for i in range(len(ours))}
    scores = {name: evaluate(qrels, run, ["RR"], protocol) for name, run in runs.items()}
    [found] = overlaps(scores, runs, "A", at=at)
    return found


def biased(ours: str, theirs: str, persistence: float) -> float:
    shared = sorted(set(ours) & set(theirs))
    ranks, others = (np.array([docs.index(d) for d in shared], dtype=np.int64) for docs in (ours, theirs))
    return rbo(len(ours), len(theirs), ranks, others, persistence)


def test_by_hand() -> None:
    found = alike(["abc", "ab"], ["bax", "xy"], at=3)
    assert (found.system, found.other, found.queries, found.at) == ("B", "A", 2, 3)
    assert found.overlap == pytest.approx((2 / 4 + 0) / 2)
    # depth 1 shares nothing, 2 both, 3 the same two: .1/.9 * (.81 + 2/3 * .729) + 2/3 * .729, halved by q1
    assert found.rbo == pytest.approx((0.1 / 0.9 * (0.81 + 0.486) + 0.486) / 2)
    assert (found.tau, found.tau_queries) == (-1, 1)


@pytest.mark.parametrize(
    ("ours", "theirs", "persistence", "expected"),
    [
        ("abcdefg", "bacxefg", 0.9, 0.7828913571428572),
        ("abcdefg", "bacxefg", 0.5, 0.47328869047619043),
        ("abc", "cbadefg", 0.9, 0.855),
        ("abc", "cbadefg", 0.5, 0.375),
        ("abcdefghij", "jabcdefghi", 0.9, 0.7684578054642858),
        ("abcde", "xyzuv", 0.9, 0.0),
        ("a", "a", 0.5, 1.0),
    ],
)
def test_rbo_equals_that_of_the_rbo_package(
    ours: str, theirs: str, persistence: float, expected: float
) -> None:
    """Figures of rbo 0.1.3."""
    assert biased(ours, theirs, persistence) == pytest.approx(expected, abs=1e-12)


@given(
    st.permutations(LETTERS), st.permutations(LETTERS), st.integers(1, 10), st.integers(1, 10),
    st.floats(0.05, 0.99),
)  # fmt: skip
def test_rbo_is_symmetric_within_0_and_1_and_1_for_a_list_that_goes_on(
    ours: list[str], theirs: list[str], n: int, m: int, persistence: float
) -> None:
    one, two = "".join(ours[:n]), "".join(theirs[:m])
    found = biased(one, two, persistence)
    assert -1e-12 <= found <= 1 + 1e-12
    assert found == pytest.approx(biased(two, one, persistence), abs=1e-12)
    whole = "".join(ours)
    assert biased(whole[:n], whole[:m], persistence) == pytest.approx(1, abs=1e-9)


@given(st.permutations(LETTERS), st.permutations(LETTERS), st.integers(1, 12))
def test_overlap_and_tau_by_their_definitions(ours: list[str], theirs: list[str], at: int) -> None:
    one, two = "".join(ours[:7]), "".join(theirs[:8])
    found = alike([one], [two], at)
    a, b = set(one[:at]), set(two[:at])
    assert found.overlap == pytest.approx(len(a & b) / len(a | b))
    shared = sorted(set(one) & set(two))  # five at least
    signs = [
        np.sign((one.index(x) - one.index(y)) * (two.index(x) - two.index(y)))
        for i, x in enumerate(shared)
        for y in shared[:i]
    ]
    assert found.tau == pytest.approx(np.mean(signs))


def test_the_order_is_the_protocols() -> None:
    """Scores that tie as float32 are in the order of ids, so the same list under float64 is another."""
    run = Run.from_dict({"q1": {"a": 1.0 + 1e-12, "b": 1.0}})
    qrels = {"q1": {"a": 1}}
    scores = {
        name: evaluate(qrels, run, ["RR"], protocol)
        for name, protocol in (("A", "trec_eval"), ("B", "trec_eval-10"))
    }
    [found] = overlaps(scores, {"A": run, "B": run})
    assert found.tau == -1


def test_nothing_in_common() -> None:
    runs = {"A": Run.from_dict({"q1": {"a": 1.0}}), "B": Run.from_dict({"q2": {"a": 1.0}})}
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    scores = {name: evaluate(qrels, run, ["RR"]) for name, run in runs.items()}
    [found] = overlaps(scores, runs)
    assert (found.queries, found.overlap, found.rbo, found.tau, found.tau_queries) == (0, None, None, None, 0)
