"""What each preset does with self-matches, missing queries and ties."""

from __future__ import annotations

import copy
import logging
import math
from typing import Any, ClassVar

import msgspec
import pytest

from beirkit.corpora.errors import DataError, UsageError
from beirkit.evaluate import evaluate
from beirkit.evaluate.protocol import SWITCHES, Protocol, get_protocol, protocol_names
from beirkit.evaluate.scores import Scores


def scored(qrels: Any, run: Any, *names: str, **options: Any) -> Scores:
    return evaluate(qrels, run, names or None, **options)


@pytest.mark.parametrize(
    ("preset", "expected"), [("beirkit", 0.5), ("trec_eval", 0.5), ("trec_eval-10", 1.0)]
)
def test_the_protocol_says_whether_the_16th_digit_counts(preset: str, expected: float) -> None:
    run = {"q": {"a": 0.9222621453752582, "b": 0.9222621453752581}}
    scores = scored({"q": {"a": 1}}, run, "RR", "RR@10", protocol=preset)
    assert scores.means() == {"RR": expected, "RR@10": expected}


class TestSelfMatches:
    QRELS: ClassVar = {"q1": {"d2": 1}}
    RUN: ClassVar = {"q1": {"q1": 9.0, "d2": 5.0, "d3": 1.0}}

    @pytest.mark.parametrize(
        ("rule", "ids", "expected", "removed", "kept"),
        [
            ("remove", None, 1.0, 1, 0),
            ("keep", {"q1"}, 0.63093, 0, 1),
            ("dataset", {"q1"}, 1.0, 1, 0),
            ("dataset", {"q2"}, 0.63093, 0, 1),
            ("dataset", None, 0.63093, 0, 1),
        ],
    )
    def test_each_rule(self, rule: Any, ids: Any, expected: float, removed: int, kept: int) -> None:
        protocol = msgspec.structs.replace(get_protocol("beirkit"), self_match=rule)
        scores = scored(self.QRELS, self.RUN, "nDCG@10", "RR@10", protocol=protocol, self_match_ids=ids)
        assert scores.mean("nDCG@10") == pytest.approx(expected, abs=5e-6)
        assert scores.mean("RR@10") == (1.0 if expected == 1.0 else 0.5)
        assert (scores.counts.self_matches_removed, scores.counts.self_matches_kept) == (removed, kept)

    def test_removal_comes_before_the_cut(self) -> None:
        run = {"a": {"a": 1.0, "b": 0.9, "c": 0.0}}
        scores = scored({"a": {"b": 1}}, run, "R@1", "RR@1", protocol="beir", depth=1)
        assert scores.means() == {"R@1": 1.0, "RR@1": 1.0}

    def test_only_the_querys_own_document_goes(self) -> None:
        run = {"a": {"b": 2.0, "a": 1.0}, "b": {"a": 2.0, "b": 1.0}}
        scores = scored({"a": {"b": 1}, "b": {"a": 1}}, run, "nDCG@10", "NumRet", protocol="beir")
        assert scores.means() == {"nDCG@10": 1.0, "NumRet": 2.0}

    def test_inputs_stay_as_they_were(self) -> None:
        qrels, run = copy.deepcopy(self.QRELS), copy.deepcopy(self.RUN)
        first = scored(qrels, run, "nDCG@10", protocol="beir").mean("nDCG@10")
        second = scored(qrels, run, "nDCG@10", protocol="trec_eval").mean("nDCG@10")
        assert (qrels, run) == (self.QRELS, self.RUN)
        assert first == 1.0
        assert second == pytest.approx(0.63093, abs=5e-6)


class TestMissingQueries:
    QRELS: ClassVar = {"q1": {"a": 1}, "q2": {"b": 1}}
    RUN: ClassVar = {"q1": {"a": 1.0}}
    NAMES = ("nDCG@1", "AP@10", "R@10", "P@1", "RR@1", "R_cap@1", "Success@1")

    @pytest.mark.parametrize("preset", ["beirkit", "trec_eval", "trec_eval-10"])
    def test_count_zero(self, preset: str, caplog: pytest.LogCaptureFixture) -> None:
        scores = scored(self.QRELS, self.RUN, *self.NAMES, protocol=preset)
        assert scores.means() == dict.fromkeys(self.NAMES, 0.5)
        assert (scores.counts.judged, scores.counts.scored, scores.counts.missing) == (2, 1, 1)
        assert (
            f"1 of 2 judged queries have no results in the run; by protocol {preset}, "
            "a missing query counts 0: 'q2'"
        ) in caplog.text

    @pytest.mark.parametrize(
        ("protocol", "run", "said"),
        [
            ("beir", {}, "2 of 3 judged queries have no results in the run; by protocol beir, missing "
             "queries are left out of nDCG, AP, R, P and count 0 in the rest: 'q2', 'q3'"),
            ("mteb", {}, "by protocol mteb, missing queries are left out: 'q2', 'q3'"),
            ("mteb", {"q2": {}}, "by protocol mteb, missing queries are left out "
             "(1 have an empty list, which counts 0): 'q2', 'q3'"),
            ("mteb", {"q2": {}, "q3": {}}, "by protocol mteb, an empty list counts 0: 'q2', 'q3'"),
            ("beirkit", {"q2": {}}, "by protocol beirkit, a missing query counts 0: 'q2', 'q3'"),
        ],
    )  # fmt: skip
    def test_what_becomes_of_them_is_said_in_words(
        self, protocol: str, run: Any, said: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        scored(self.QRELS | {"q3": {"c": 1}}, self.RUN | run, "P@1", protocol=protocol)
        assert said in caplog.text

    def test_beir_has_two_denominators(self) -> None:
        scores = scored(self.QRELS, self.RUN, *self.NAMES, protocol="beir")
        skipped = dict.fromkeys(("nDCG@1", "AP@10", "R@10", "P@1"), 1.0)
        assert scores.means() == skipped | dict.fromkeys(("RR@1", "R_cap@1", "Success@1"), 0.5)
        assert scores.n("nDCG@1") == 1

    def test_mteb_skips(self) -> None:
        scores = scored(self.QRELS, self.RUN, *self.NAMES, protocol="mteb")
        assert scores.means() == dict.fromkeys(self.NAMES, 1.0)

    @pytest.mark.parametrize("preset", protocol_names())
    def test_an_empty_list_counts_zero_everywhere(self, preset: str) -> None:
        scores = scored(self.QRELS, {"q1": {"a": 1.0}, "q2": {}}, *self.NAMES, protocol=preset)
        assert scores.means() == dict.fromkeys(self.NAMES, 0.5)
        assert scores.counts.missing == 1

    def test_unjudged_queries_are_ignored_and_said_once(self, caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level(logging.INFO)
        run = {"q1": {"a": 1.0}, "q8": {"a": 1.0}, "q9": {"b": 3.0}}
        scores = scored({"q1": {"a": 1}}, run, "nDCG@10")
        assert scores.mean("nDCG@10") == 1.0
        assert scores.counts.unjudged == 2
        assert [r.getMessage() for r in caplog.records] == [
            "2 queries of the run have no judgments and are ignored: 'q8', 'q9'"
        ]

    def test_no_common_query_is_an_error_with_an_example_of_each_side(self) -> None:
        with pytest.raises(DataError, match=r"0 of 1 judged queries are in the run.*'a1'.*'b1'"):
            scored({"a1": {"d": 1}}, {"b1": {"d": 1.0}, "b2": {"d": 1.0}}, "nDCG@10")
        with pytest.raises(DataError, match="the run is empty"):
            scored({"a1": {"d": 1}}, {}, "nDCG@10")

    def test_what_trec_eval_counts_for_a_missing_query(self) -> None:
        qrels = {"q1": {"a": 1}, "q2": {"b": 1, "c": 2, "d": 0}}
        scores = scored(qrels, self.RUN, "NumQ", "NumRel", "NumRel(rel=2)", "NumRet", "gm_map")
        assert scores.means() == {
            "NumQ": 2.0, "NumRel": 3.0, "NumRel(rel=2)": 1.0, "NumRet": 1.0,
            "gm_map": pytest.approx(math.sqrt(1 * 0.00001)),
        }  # fmt: skip


def test_mteb_orders_mrr_by_doubles_and_the_rest_by_floats() -> None:
    run = {"q": {"a": 0.9222621453752582, "b": 0.9222621453752581}}
    scores = scored({"q": {"a": 1}}, run, "nDCG@1", "RR@10", protocol="mteb")
    assert scores.means() == {"nDCG@1": 0.0, "RR@10": 1.0}


def test_default_measures_and_the_line_that_describes_a_protocol() -> None:
    scores = scored({"q": {"a": 1}}, {"q": {"a": 1.0}})
    assert list(scores.means()) == ["nDCG@10", "R@100", "RR@10", "AP@100", "Judged@10"]
    assert protocol_names() == ("beirkit", "beir", "trec_eval", "trec_eval-10", "mteb")
    line = get_protocol("beir").describe()
    assert line == (
        "beir: self-matches removed; missing queries are left out of nDCG, AP, R, P and count 0 in the rest; "
        "float32 scores, ties by document id descending; linear gain, plain recall; mean over queries; 5 "
        "digits"
    )
    assert "float64 for RR@k" in get_protocol("mteb").describe()
    assert all("\n" not in get_protocol(name).describe() for name in protocol_names())


def test_one_switch_can_be_replaced_alone() -> None:
    changed = msgspec.structs.replace(get_protocol("beirkit"), missing="skip")
    assert changed != get_protocol("beirkit")
    assert isinstance(changed, Protocol)
    scores = scored({"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": {"a": 1.0}}, "AP", protocol=changed)
    assert scores.mean("AP") == 1.0


def test_switches_follow_the_name_of_a_preset() -> None:
    changed = get_protocol(" beirkit : digits=3, missing=skip,self_match=dataset ")
    assert changed.name == "beirkit:missing=skip,digits=3"  # what differs, in one order
    assert (changed.missing, changed.digits, changed.self_match) == ("skip", 3, "dataset")
    assert changed.describe().startswith("beirkit:missing=skip,digits=3: ")
    assert get_protocol("mteb:missing=skip") == get_protocol("mteb")
    for switch in SWITCHES:
        assert hasattr(changed, switch)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("beirkit:mising=skip", r"no switch 'mising' \(did you mean 'missing'\?\)"),
        ("beirkit:missing=no", r"missing cannot be 'no' \(it may be zero, skip, skip-trec\)"),
        ("beirkit:digits=16", r"digits cannot be '16' \(it may be a whole number from 0 to 15\)"),
        ("beirkit:digits=2,digits=3", r"sets 'digits' twice"),
        ("beirkit:missing", r"cannot be read at 'missing'"),
        ("berikit:missing=skip", r"did you mean 'beirkit'\?"),
    ],
)
def test_an_impossible_switch_is_named(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        get_protocol(text)
