"""K18: fusing runs."""

from __future__ import annotations

import math
from typing import Any, cast

import pytest

from beirkit.corpora.run import Run
from beirkit.retrievers.fusion.methods import CONSTANT, Fusion, fuse
from tests.faults.cases import Case, case


def fused(case: Case) -> Run:
    given: dict[str, Any] = case["input"]
    method = {"minmax-sum": "minmax"}.get(given["method"], given["method"])
    how = Fusion(
        method=cast("Any", method),
        weights=given.get("weights", []),
        k=given.get("k", 60),
        directions=given.get("directions", []),
    )
    return fuse([Run.from_dict(run) for run in given["runs"]], how)


def check_list(run: Run, query: str, scores: dict[str, float]) -> None:
    found = run.to_dict()[query]
    assert set(found) == set(scores)
    assert all(math.isclose(found[doc], value, abs_tol=5e-7) for doc, value in scores.items())


@case("K18-01")
def test_equal_scores_are_a_documented_constant(case: Case) -> None:
    run = fused(case)
    assert list(run.to_dict()["q"]) == case["expected"]["values"]["ranking"]
    assert run.to_dict()["q"] == {"b": 0.5, "a": 0.5}
    assert CONSTANT == 1.0


@case("K18-03", "K18-04", "K18-05")
def test_values_and_order(case: Case) -> None:
    run = fused(case)
    check_list(run, "q", case["expected"]["values"]["scores"])
    assert list(run.to_dict()["q"]) == case["expected"]["values"]["ranking"]


@case("K18-06")
def test_a_query_of_one_run_only_is_kept_and_told(case: Case, caplog: pytest.LogCaptureFixture) -> None:
    run = fused(case)
    for query, scores in case["expected"]["values"].items():
        check_list(run, query, scores)
    assert "run 1 has no list for 1 of 2 queries" in caplog.text
    assert "'q2'" in caplog.text
