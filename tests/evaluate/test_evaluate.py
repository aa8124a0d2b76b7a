"""What a score is, case by case; expected values are worked out by hand or are trec_eval's."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from beirkit.corpora.errors import DataError, UnknownNameError, UsageError
from beirkit.corpora.run import Run
from beirkit.corpora.run_files import read_run
from beirkit.evaluate import evaluate
from beirkit.evaluate.scores import Scores

Values = dict[str, float]


def scored(qrels: Any, run: Any, *names: str, **options: Any) -> Scores:
    return evaluate(qrels, run, names or None, **options)


def check(scores: Scores, expected: Values) -> None:
    assert scores.means() == {name: pytest.approx(value, abs=5e-7) for name, value in expected.items()}


CASES: dict[str, tuple[Any, Any, Values]] = {
    "three tied documents stand c, b, a": (
        {"q": {"b": 1}},
        {"q": {"a": 0.5, "b": 0.5, "c": 0.5}},
        {"RR@10": 0.5, "AP@10": 0.5, "nDCG@10": 0.630930, "P@1": 0, "R@1": 0},
    ),
    "a constant scorer wins nothing": (
        {"q": {"aa": 1}},
        {"q": {"aa": 1.0} | {f"zz{i:02}": 1.0 for i in range(10)}},
        {"RR@10": 0, "nDCG@10": 0, "R@10": 0, "RR": 1 / 11},
    ),
    "RR@10 is cut, RR is not": (
        {"q": {"t": 1}},
        {"q": {f"d{i:02}": 20.0 - i for i in range(10)} | {"t": 1.0}},
        {"RR@10": 0, "RR": 1 / 11, "nDCG@10": 0, "nDCG": 0.278943, "AP@10": 0, "AP": 1 / 11},
    ),
    "recall, plain and capped": (
        {"q": {f"r{i}": 1 for i in range(5)}},
        {"q": {"r0": 5.0, "r1": 4.0, "x": 3.0}},
        {"R@1": 0.2, "R_cap@1": 1, "R@2": 0.4, "R_cap@2": 1, "R@10": 0.4, "R_cap@10": 0.4, "RR@1": 1},
    ),
    "precision divides by k, whatever came back": (
        {"q": {"a": 1}},
        {"q": {"a": 1.0, "b": 0.5}},
        {"P@10": 0.1, "P@2": 0.5, "P@1": 1},
    ),
    "linear and exponential gain": (
        {"q": {"a": 3, "b": 2, "c": 1, "d": 0}},
        {"q": {"b": 4.0, "d": 3.0, "a": 2.0, "c": 1.0}},
        {"nDCG@10": 0.825450, "nDCG@3": 0.735007, "nDCG_exp@10": 0.737872},
    ),
    "a level of 2 changes binary measures, nDCG keeps grades": (
        {"q": {"a": 1, "b": 2}},
        {"q": {"a": 2.0, "b": 1.0}},
        {"AP(rel=2)": 0.5, "RR(rel=2)@10": 0.5, "P(rel=2)@1": 0, "R(rel=2)@1": 0, "nDCG": 0.859719},
    ),
    "uncut measures see rank 1500": (
        {"q": {"d0000": 1}},
        {"q": {f"d{i:04}": 2000.0 - i for i in range(1, 1500)} | {"d0000": 0.5}},
        {"nDCG@1000": 0, "R@1000": 0, "RR@1000": 0, "AP@1000": 0, "nDCG": 0.094771, "AP": 1 / 1500},
    ),
    "bpref knows judged documents that were not retrieved": (
        {"q": {f"r{i}": 1 for i in range(6)} | {f"n{i}": 0 for i in range(4)}},
        {"q": {"n0": 5.0, "r0": 4.0, "r1": 3.0, "r2": 2.0, "r3": 1.0}},
        {"Bpref": 0.5},
    ),
    "negative scores are scores": (
        {"q": {"a": 1}},
        {"q": {"a": -1.0, "b": -5.0, "c": -7.5}},
        {"RR@10": 1, "nDCG@10": 1},
    ),
    "numpy scores and grades": (
        {"q": {"a": np.int64(1)}},
        {"q": {"a": np.float32(1), "b": np.float16(0.5)}},
        {"nDCG@10": 1, "RR@10": 1},
    ),
    "a query judged only with 0 counts 0": (
        {"q1": {"a": 1}, "q2": {"b": 0}},
        {"q1": {"a": 1.0}, "q2": {"b": 1.0}},
        {"nDCG@10": 0.5, "RR@10": 0.5, "R@10": 0.5, "Judged@10": 1},
    ),
    "negative grades gain nothing": (
        {"q": {"a": -1, "b": 1}},
        {"q": {"a": 2.0, "b": 1.0}},
        {"P@1": 0, "nDCG@10": 0.630930, "nDCG_exp@10": 0.630930},
    ),
    "grades of -2, on which pytrec_eval crashes, and none but negative ones, on which it may hang": (
        {"q1": {"a": -2, "b": 1}, "q2": {"a": -1, "c": -2}},
        {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 1.0}},
        {"nDCG@10": 0.315465, "nDCG": 0.315465, "AP": 0.25, "Bpref": 0.5, "NumRet": 3, "Judged@10": 1},
    ),
    "judged and holes": (
        {"q1": {"a": 1, "b": 0}, "q2": {"c": 1}},
        {"q1": {"a": 4.0, "c": 3.0, "b": 2.0, "x": 1.0}, "q2": {"c": 1.0}},
        # q1: a, b of 4 are judged for it, x for no query; q2: 1 of 1 judged
        {"Judged@10": 0.75, "Judged@2": 0.75, "Hole@4": 0.125, "Hole@2": 0, "Judged": 0.75},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_scores_are_what_the_definitions_say(name: str) -> None:
    qrels, run, expected = CASES[name]
    check(scored(qrels, run, *expected), expected)


def test_r_cap_has_no_value_without_positives_and_leaves_the_mean() -> None:
    scores = scored(
        {"q1": {"a": 1, "b": 1}, "q2": {"c": 0}}, {"q1": {"a": 1.0}, "q2": {"c": 1.0}}, "R_cap@10"
    )
    assert scores.per_query() == {"q1": {"R_cap@10": 0.5}, "q2": {"R_cap@10": None}}
    assert scores.mean("R_cap@10") == 0.5
    assert scores.n("R_cap@10") == 1
    assert scored({"q": {"c": 0}}, {"q": {"c": 1.0}}, "R_cap@10").mean("R_cap@10") is None


def test_scores_beyond_float32_tie_without_a_warning(recwarn: pytest.WarningsRecorder) -> None:
    scores = scored({"q": {"a": 1}}, {"q": {"a": 1e300, "b": 1e299, "c": 0.0}}, "RR")
    assert scores.mean("RR") == 0.5
    assert not recwarn.list


class TestRefusals:
    @pytest.mark.parametrize(
        ("qrels", "message"),
        [
            ({}, "there are no judgments"),
            ({"q": {}}, "there are no judgments"),
            ({"q": {"a": 0.5}}, r"the grade of q/a is 0\.5, not a whole number"),
            ({"q": {"a": True}}, "the grade of q/a is True"),
            ({"q": {"a": "1"}}, "the grade of q/a is '1'"),
            ({"q": {"a": None}}, "the grade of q/a is None"),
            ({"q": {"a": 2**30}}, "the grade of q/a is 1073741824, beyond 1000"),
            ({1: {"a": 1}}, "query id 1 is not a string"),
            ({"q": {1: 1}}, "judged document id 1 is not a string"),
            ({"q": {"a\0b": 1}}, r"'a\\x00b' holds a NUL"),
            ({"q": {"\ud800": 1}}, r"'\\ud800' holds a NUL or a lone surrogate"),
            ({"q\ud800": {"a": 1}}, "query id .* lone surrogate"),
        ],
    )
    def test_judgments(self, qrels: Any, message: str) -> None:
        with pytest.raises(DataError, match=message):
            evaluate(qrels, {"q": {"a": 1.0}}, ["nDCG@10"])

    @pytest.mark.parametrize(
        ("row", "message"),
        [
            ({"a": math.nan, "b": 1.0}, "q/a = nan"),
            (
                {"a": -math.inf, "b": 1.0, "c": math.inf},
                "2 scores are not finite numbers: q/a = -inf, q/c = inf",
            ),
            ({"a": "10.2", "b": "9.5"}, "the score of q/a is '10.2', not a number"),
            ({"a\0": 1.0}, "holds a NUL"),
            ({"\udfff": 1.0}, "lone surrogate"),
            ({7: 1.0}, "document id 7 is not a string"),
        ],
    )
    def test_runs(self, row: Any, message: str) -> None:
        with pytest.raises(DataError, match=message):
            evaluate({"q": {"a": 1}}, {"q": row}, ["nDCG@10"])

    def test_names_and_depth(self) -> None:
        with pytest.raises(UnknownNameError, match=r"unknown protocol 'bier' \(did you mean 'beir'\?\)"):
            evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, protocol="bier")
        with pytest.raises(UsageError, match="the depth must be a whole number from 1, not 0"):
            evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, depth=0)
        with pytest.raises(UsageError, match="no measure was asked for"):
            evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, [])

    def test_a_pair_of_ids_may_join_to_what_neither_is(self) -> None:
        # neighbours end and start with non-ASCII characters; nothing is wrong with either
        assert evaluate({"q": {"é": 1, "😀": 1}}, {"q": {"é": 1.0, "😀": 2.0}}, ["AP"]).mean("AP") == 1.0


class TestFiles:
    @pytest.fixture
    def files(self, tmp_path: Path) -> tuple[Path, Path]:
        qrels, run = tmp_path / "q.tsv", tmp_path / "a.trec"
        qrels.write_text("query-id\tcorpus-id\tscore\nq\td2\t1\n", encoding="utf-8")
        run.write_text("q Q0 d1 1 2 t\nq Q0 d2 2 1 t\nq Q0 d2 3 0 t\n", encoding="utf-8")
        return qrels, run

    def test_either_may_be_a_path_or_its_text(self, files: tuple[Path, Path]) -> None:
        qrels, run = files
        for judgments in (qrels, str(qrels), {"q": {"d2": 1}}):
            for results in (run, str(run), {"q": {"d1": 2.0, "d2": 1.0}}):
                assert scored(judgments, results, "RR").mean("RR") == 0.5
        assert scored(qrels, run, "RR").counts.duplicates == 1
        with pytest.raises(DataError, match=r"a\.trec: 1 results stand twice in a list"):
            scored(qrels, run, "RR", strict=True)

    def test_lenient_scores_reach_the_reader(self, files: tuple[Path, Path]) -> None:
        qrels, run = files
        run.write_text("q Q0 d1 1 nan t\nq Q0 d2 2 1 t\n", encoding="utf-8")
        with pytest.raises(DataError, match=r"a\.trec:1: the score of q/d1 is 'nan'"):
            scored(qrels, run, "RR")
        assert scored(qrels, run, "RR", lenient_scores=True).mean("RR") == 1

    def test_a_file_that_is_none_is_named(self, files: tuple[Path, Path], tmp_path: Path) -> None:
        for judgments, results in ((tmp_path / "no.tsv", files[1]), (files[0], "no.tsv")):
            with pytest.raises(DataError, match=r"no\.tsv: does not exist"):
                scored(judgments, results, "RR")

    @pytest.mark.parametrize(
        ("qrels", "run", "kind", "message"),
        [
            (None, {}, UsageError, "the judgments are of type NoneType (give {query_id: {doc_id: grade}}"),
            ([("q", "d")], {}, UsageError, "the judgments are of type list (give"),
            ({"q": {"d": 1}}, None, UsageError, "the run is of type NoneType (give {query_id: {doc_"),
            ({"q": {"d": 1}}, {"q": ["d"]}, DataError, "results of query 'q' are ['d'], not {doc_id: score}"),
            ({"q": ["d"]}, {"q": {"d": 1}}, DataError, "judgments of query 'q' are ['d'], not {doc_id: "),
        ],
    )  # fmt: skip
    def test_wrong_types_are_told(self, qrels: Any, run: Any, kind: type[Exception], message: str) -> None:
        with pytest.raises(kind) as caught:
            scored(qrels, run, "RR")
        assert message in str(caught.value)


def test_a_document_that_stands_twice_counts_once(caplog: pytest.LogCaptureFixture) -> None:
    run = Run(
        ["q"], ["d1", "d2"], np.array([0, 3]), np.array([0, 0, 1], dtype=np.int32), np.array([0.9, 0.8, 0.7])
    )
    qrels = {"q": {"d1": 1, "d2": 1}}
    scores = scored(qrels, run, "R@2", "nDCG@10", "AP@10", "P@2")
    assert scores.means() == dict.fromkeys(("R@2", "nDCG@10", "AP@10", "P@2"), 1.0)
    assert scores.counts.duplicates == 1
    assert "1 results stand twice in their list, the best score counts: q/d1" in caplog.text
    with pytest.raises(DataError, match="the first is q/d1"):
        scored(qrels, run, "R@2", strict=True)


def test_a_run_from_a_file_carries_its_name_and_what_was_dropped(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "mine.trec"
    path.write_text("q Q0 d1 1 2 t\nq Q0 d1 2 1 t\nr Q0 d1 1 2 t\n", encoding="utf-8")
    run = read_run(path)
    assert (run.source, run.duplicates) == (str(path), 1)
    assert run.ordered().top(1).including(["s"]).select(["s"]).source == str(path)
    scores = scored({"q": {"d1": 1}, "s": {"d1": 1}}, run, "P@1")
    assert scores.counts.duplicates == 1
    assert f"{path}: 1 of 2 judged queries have no results in the run" in caplog.text
    with pytest.raises(DataError) as caught:
        scored({"other": {"d1": 1}}, run, "P@1")
    assert str(caught.value).startswith(f"{path}: 0 of 1 judged queries are in the run: ")
    (tmp_path / "mine.json").write_text('{"q": {"d1": 1}}', encoding="utf-8")
    assert read_run(tmp_path / "mine.json").source == str(tmp_path / "mine.json")


def test_a_cut_run_gives_the_same_as_the_whole_one() -> None:
    rng = np.random.default_rng(3)
    run = {"q": {f"d{i}": float(s) for i, s in enumerate(rng.normal(size=300))}}
    qrels = {"q": {f"d{i}": 1 + i % 3 for i in range(0, 400, 7)}}
    names = ("nDCG@10", "AP@50", "R@50", "P@10", "RR@10", "Success@5", "Judged@10", "Hole@10", "R_cap@50")
    cut, whole = scored(qrels, run, *names), scored(qrels, run, *names, "AP")
    assert cut.means().items() <= whole.means().items()
