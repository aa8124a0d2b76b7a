"""Under which other rules a conclusion holds."""

from __future__ import annotations

import json

import numpy as np
import pytest

from beirkit.corpora.errors import UsageError
from beirkit.corpora.records import Qrels
from beirkit.corpora.run import Run
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.protocol import get_protocol
from beirkit.evaluate.robustness import Robustness, cutoffs, protocols, robustness

N = 30
QRELS: Qrels = {f"q{i}": {"good": 1, "bad": 0} for i in range(N)}
DOCS = ["good", *(f"x{i}" for i in range(12))]


def placed(ranks: list[int], depth: int = 12) -> Run:
    """The relevant document at these ranks, from 1, of one query each."""
    run = {}
    for i, rank in enumerate(ranks):
        docs = [d for d in DOCS if d != "good"][: depth - 1]
        docs.insert(rank - 1, "good")
        run[f"q{i}"] = {d: -float(place) for place, d in enumerate(docs)}
    return Run.from_dict(run)


def drawn(runs: dict[str, Run], measure: str = "RR@10", **other: object) -> Robustness:
    return robustness(runs, QRELS, measure, next(iter(runs)), samples=300, **other)  # type: ignore[arg-type]


def test_rules_that_change_nothing_are_one_setting() -> None:
    found = drawn({"A": placed([2] * N), "B": placed([1] * 25 + [3] * 5)}, "RR")
    assert found.asked == {"B": "ahead"}
    [only] = found.settings
    presets = {"beirkit", "beir", "trec_eval", "trec_eval-10", "mteb"}
    assert presets | {"beirkit:missing=skip"} <= set(only.protocols)
    assert only.differences["B"] == pytest.approx((25 * 0.5 - 5 / 6) / N)
    assert (found.holds("B"), found.flips("B"), found.refused) == (1, (), {})


def test_a_cutoff_may_turn_it() -> None:
    # A is always second; B is first in most queries and else far down
    found = drawn({"A": placed([2] * N), "B": placed([1] * 20 + [11] * 10)}, "Success@1")
    assert found.asked == {"B": "ahead"}
    assert [one.measure.at for one in found.settings] == [1, 3, 5, 10]
    assert [one.outcomes["B"] for one in found.settings] == ["ahead", "behind", "behind", "behind"]
    assert (found.holds("B"), [str(one.measure) for one in found.flips("B")]) == (
        1, ["Success@3", "Success@5", "Success@10"],
    )  # fmt: skip


def test_missing_queries_matter_where_there_are_any() -> None:
    ours, theirs = placed([1] * 20), placed([2] * 20)
    found = drawn({"A": theirs, "B": ours}, "RR")
    zero, skip = found.settings
    assert "trec_eval" in zero.protocols
    assert {"beir", "mteb"} & set(zero.protocols) == {"beir"}  # which counts RR as 0 and leaves out of nDCG
    assert set(skip.protocols) == {"mteb", "beirkit:missing=skip"}
    assert (zero.differences["B"], skip.differences["B"]) == pytest.approx((1 / 3, 1 / 2))
    ndcg = drawn({"A": theirs, "B": ours}, "nDCG")
    assert "beir" in ndcg.settings[1].protocols


def test_other_queries_missing_cannot_be_compared_where_they_are_left_out() -> None:
    found = drawn({"A": placed([2] * N), "B": placed([1] * 20)}, "RR")
    assert len(found.settings) == 1
    assert set(found.refused) == {"mteb", "beirkit:missing=skip"}
    assert "not comparable" in found.refused["mteb"]
    with pytest.raises(UsageError, match="not comparable"):
        drawn({"A": placed([2] * N), "B": placed([1] * 20)}, "RR", protocol="mteb")


def test_self_matches_and_precision_are_switches_where_they_matter() -> None:
    rng = np.random.default_rng(5)
    near = {f"q{i}": {f"q{i}": 3.0, "good": 1.0, "wrong": 1.0 + 1e-12} for i in range(N)}
    plain = {f"q{i}": {"good": 1.0, "wrong": float(rng.uniform(0, 2))} for i in range(N)}
    runs = {"A": Run.from_dict(plain), "B": Run.from_dict(near)}
    found = drawn(runs, "RR", self_match_ids={"A": QRELS.keys(), "B": QRELS.keys()})
    # in float32 "wrong" and "good" tie, and "wrong" comes first; in float64 it does all the more
    assert len({one.differences["B"] for one in found.settings}) == len(found.settings) == 2
    assert {name for one in found.settings for name in one.protocols if "keep" in name} == {
        "beirkit:self_match=keep"
    }
    near = {q: {**row, "good": 1.0 + 2e-12} for q, row in near.items()}  # ahead in float64 alone
    found = drawn({**runs, "B": Run.from_dict(near)}, "RR", self_match_ids={"A": None, "B": QRELS.keys()})
    assert [set(one.protocols) & {"beirkit", "trec_eval", "trec_eval-10"} for one in found.settings] == [
        {"beirkit"}, {"trec_eval"}, {"trec_eval-10"}, set(),
    ]  # fmt: skip
    assert found.settings[3].protocols == ("beirkit:precision=float64",)


def test_identical_systems_are_identical_everywhere() -> None:
    run = placed([1, 5] * (N // 2))
    found = drawn({"A": run, "B": run})
    assert found.asked == {"B": "identical"}
    assert found.holds("B") == len(found.settings)
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert (data["holds"], data["settings"][0]["measure"]) == ({"B": len(found.settings)}, "RR@10")


def test_names_of_settings_can_be_asked_for() -> None:
    for name in ("beirkit", "mteb", "beirkit:digits=3", "trec_eval:missing=skip,digits=3"):
        asked = get_protocol(name)
        made = protocols(asked)
        assert made[0] == asked
        assert [get_protocol(one.name) for one in made] == made
        assert len({one.name for one in made}) == len(made)


def test_cutoffs_that_lists_reach() -> None:
    assert [str(m) for m in cutoffs(Measure.parse("nDCG@7"), 20)] == [
        "nDCG@7", "nDCG@1", "nDCG@3", "nDCG@5", "nDCG@10", "nDCG@20",
    ]  # fmt: skip
    assert cutoffs(Measure.parse("AP"), 20) == [Measure.parse("AP")]
    assert cutoffs(Measure.parse("IPrec@0.1"), 20) == [Measure.parse("IPrec@0.1")]
