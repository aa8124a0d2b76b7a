"""Runs and judgments in TREC's columns, and everything that TREC's own tools let through."""

from __future__ import annotations

from pathlib import Path

import pytest

from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.qrels import read_qrels
from beirkit.corpora.run_files import read_run
from beirkit.evaluate.engine import evaluate
from beirkit.evaluate.exports.known import Known
from beirkit.evaluate.exports.trec import TrecOptions, TrecRuns
from tests.evaluate.exports.small_results import LISTS, QRELS, golden, make_entry, told, tree

RUN = "q1 Q0 d1 1 3.5 mine\nq1 Q0 d2 2 1.25 mine\nq2 Q0 d2 1 2.0 mine\nq2 Q0 d1 2 2.0 mine\n"


def problems(path: Path, text: str, name: str = "run.trec", severity: str = "error") -> list[str]:
    (path / name).write_text(text, encoding="utf-8")
    return told(TrecRuns().validate(path / name), severity)


def test_golden(tmp_path: Path) -> None:
    out = tmp_path / "out"
    TrecRuns().write([make_entry(tmp_path / "results")], out, TrecOptions())
    assert tree(out) == golden("trec")
    assert TrecRuns().validate(out) == []


def test_what_is_written_scores_the_same(tmp_path: Path) -> None:
    entry, out = make_entry(tmp_path / "results"), tmp_path / "out"
    TrecRuns().write([entry], out, TrecOptions(gzip=True))
    run = read_run(out / "runs" / "birds@test" / "bm25.trec.gz")
    qrels = read_qrels(out / "qrels" / "birds@test.qrels.gz")
    measures = ["nDCG@10", "AP", "RR"]
    ours = entry.take(evaluate(QRELS, LISTS, measures).protocol, evaluate(QRELS, LISTS, measures).measures)
    assert evaluate(qrels, run, measures).means() == ours.means()


def test_depth_and_files_left_out(tmp_path: Path) -> None:
    entry, out = make_entry(tmp_path / "results"), tmp_path / "out"
    TrecRuns().write([entry], out, TrecOptions(depth=1, qrels=False))
    assert {name: data.count(b"\n") for name, data in tree(out).items()} == {"runs/birds@test/bm25.trec": 3}
    with pytest.raises(UsageError, match="holds 10 results per query, not 11"):
        TrecRuns().write([entry], tmp_path / "more", TrecOptions(depth=11))


def test_ids_with_white_space_are_refused(tmp_path: Path) -> None:
    entry = make_entry(tmp_path, lists={"q1": {"d 1": 1.0}}, qrels={"q1": {"d 1": 1}})
    with pytest.raises(DataError, match="document id 'd 1' holds white space"):
        TrecRuns().write([entry], tmp_path / "out", TrecOptions())


def test_results_of_one_name_are_refused(tmp_path: Path) -> None:
    entries = [make_entry(tmp_path / "a"), make_entry(tmp_path / "b")]
    with pytest.raises(UsageError, match=r"would both be birds@test/bm25\.trec"):
        TrecRuns().write(entries, tmp_path / "out", TrecOptions())


def test_a_sound_run_has_no_problem(tmp_path: Path) -> None:
    assert problems(tmp_path, RUN) == []
    assert problems(tmp_path, RUN, "run.txt") == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        pytest.param("q1 Q0 d1 1", "q1 Q0 d1 0", "line 1: rank: '0'", id="rank 0"),
        pytest.param("d2 2 1.25", "d2 2 4.25", "line 2: score: 4.25 below 3.5", id="unsorted scores"),
        pytest.param("d1 2 2.0", "d1 3 2.0", "line 4: rank: '3'", id="ranks that do not follow the order"),
        pytest.param("1.25 mine", "1.25 yours", "line 2: tag: 'yours'", id="any tag: two in one run"),
        pytest.param("1.25 mine", "1.25 my run", "line 2: tag: 7 columns", id="any tag: with a blank"),
        pytest.param("q1 Q0 d2", "q1 Q0 d1", "line 2: document id: 'd1' again", id="duplicate"),
        pytest.param("q2 Q0 d1", "q2 Q0 d3", "line 4: score: 'd3' after 'd2' with the same score", id="ties"),
        pytest.param("1.25", "nan", "line 2: score: 'nan'", id="NaN"),
        pytest.param("1.25", "1_0", "line 2: score: '1_0'", id="Python's own spelling"),
        pytest.param(
            "q2 Q0 d1 2 2.0 mine\n", "q1 Q0 d5 1 2.0 mine\n", "line 4: query id: 'q1' again", id="pieces"
        ),
        pytest.param("q1 Q0 d1 1 3.5 mine\n", "\n", "line 1: nothing", id="blank line"),
        pytest.param(" mine\nq2", "\nq2", "line 2: columns: 5 columns", id="no tag"),
    ],
)
def test_what_trec_eval_lets_through_is_told(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in RUN
    assert said in problems(tmp_path, RUN.replace(old, new, 1))


def test_what_is_odd_is_a_warning(tmp_path: Path) -> None:
    tie = "q1 Q0 d1 1 1.0000000001 None\nq1 Q0 d2 2 1.0 None\n"
    assert problems(tmp_path, tie) == []
    assert problems(tmp_path, tie, severity="warning") == [
        "line 2: score: 1.0 after 1.0000000001",
        "line 1: tag: 'None'",
    ]
    deep = "".join(f"q1 Q0 d{n} {n} {2000 - n} mine\n" for n in range(1, 1002))
    assert problems(tmp_path, deep, severity="warning") == ["query 'q1': 1,001 results"]


def test_many_problems_of_a_kind_are_counted(tmp_path: Path) -> None:
    zeros = "".join(f"q1 Q0 d{n} 0 {200 - n} mine\n" for n in range(100))
    found = problems(tmp_path, zeros)
    assert len(found) == 6
    assert found[-1] == ": 95 more ranks that do not follow the lines"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("query-id corpus-id score x\n", "line 1: grade: 'x'"),
        ("q1 0 d1 1.5\n", "line 1: grade: '1.5'"),
        ("q1 0 d1 1\nq1 0 d1 2\n", "line 2: document id: q1/d1 2 again"),
        ("q1 0 d1\n", "line 1: columns: 3 columns"),
        ("", ": no judgment"),
    ],
)
def test_judgments_are_checked_too(tmp_path: Path, text: str, said: str) -> None:
    assert said in problems(tmp_path, text, "test.qrels")


def test_nothing_that_cannot_be_read_raises(tmp_path: Path) -> None:
    (tmp_path / "run.trec.gz").write_bytes(b"no gzip at all")
    (tmp_path / "run.txt").write_bytes(b"q1 Q0 d\xff 1 1.0 mine\n")
    (tmp_path / "test.qrels").write_bytes(b"\xff\xfeq")
    found = TrecRuns().validate(tmp_path)
    assert {one.file for one in found} == {"run.trec.gz", "run.txt", "test.qrels"}
    assert told(TrecRuns().validate(tmp_path / "run.txt")) == [
        "line 1: b'q1 Q0 d\\xff 1 1.0 mine'",
        ": no result",
    ]
    (tmp_path / "empty").mkdir()
    assert told(TrecRuns().validate(tmp_path / "empty")) == [": no run and no judgments"]


def test_ids_of_another_dataset(tmp_path: Path) -> None:
    (tmp_path / "run.trec").write_text(RUN, encoding="utf-8")
    known = Known(
        dataset="birds",
        splits={"test": frozenset({"q1"}), "dev": frozenset({"q2"})},
        queries=frozenset({"q1", "q2"}),
        documents=frozenset({"d1"}),
    )
    found = TrecRuns().validate_against(tmp_path, known)
    assert told(found) == ["document 'd2': a document that birds does not have"]
    assert told(found, "warning") == [": queries of 2 splits"]
    other = Known(dataset="bats", splits={}, queries=frozenset({"q1"}))
    assert told(TrecRuns().validate_against(tmp_path / "run.trec", other)) == [
        "query 'q2': a query that bats does not have"
    ]
