"""K17-06, K19 and K20: splits, averages, repeated scoring, comparison, leaderboards."""

from __future__ import annotations

import gc
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from beirkit.cli.main import main
from beirkit.configs.suites import SuiteNode
from beirkit.corpora.errors import DataError, UsageError
from beirkit.datasets import choose_split, find_dataset
from beirkit.evaluate import evaluate
from beirkit.evaluate.compare import ComparisonTable, compare
from beirkit.evaluate.compare_suites import compare_suite
from beirkit.evaluate.leaderboard import leaderboard, rank_means
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.protocol import get_protocol
from beirkit.evaluate.scores import Counts, Scores
from beirkit.evaluate.stated import rank_stated, read_stated
from beirkit.figures import figure
from tests.faults.cases import QRELS, Case, case, open_case


def made_scores(per_query: dict[str, float], measure: str = "nDCG@10") -> Scores:
    """Scores with the given values."""
    return Scores(
        tuple(per_query),
        (Measure.parse(measure),),
        np.array([[value] for value in per_query.values()]),
        get_protocol("beirkit"),
        Counts(judged=len(per_query), scored=len(per_query)),
    )


@case("K19-03")
def test_a_missing_split_is_never_replaced(
    case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = f"{QRELS}q\td1\t1\n"
    files = {"queries.jsonl": '{"_id": "q", "text": "x"}\n', "qrels/train.tsv": row, "qrels/dev.tsv": row}
    collection = open_case({"input": {"files": files}}, tmp_path / "birds")
    with pytest.raises(UsageError, match=r"no split 'test' \(it has: dev, train\)"):
        collection.qrels(case["input"]["split"])
    command = ["run", "-d", str(tmp_path / "birds"), "-r", "bm25", "--out", str(tmp_path / "out")]
    assert main([*command, "--split", case["input"]["split"]]) == 2
    assert "it has: dev, train" in capsys.readouterr().err
    assert main(command) == 2
    assert "needs --split: it has dev, train" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@case("K19-05")
def test_train_is_never_taken_by_default(case: Case, tmp_path: Path) -> None:
    assert case["input"]["split"] is None
    files = {"queries.jsonl": '{"_id": "q", "text": "x"}\n', "qrels/train.tsv": f"{QRELS}q\td1\t1\n"}
    collection = open_case({"input": {"files": files}}, tmp_path)
    dataset = find_dataset(str(tmp_path))
    with pytest.raises(UsageError, match="add --split train"):
        choose_split(dataset, collection, None)
    assert choose_split(dataset, collection, "train") == "train"


@case("K19-06")
def test_a_mean_is_taken_before_rounding(case: Case) -> None:
    given = case["input"]
    scores = made_scores(given["scores"]["m"])
    mean = scores.mean("nDCG@10")
    assert mean is not None
    assert f"{mean * given['scale']:.{given['digits']}f}" == case["expected"]["values"]["avg_display"]
    assert figure(mean, 3) == "0.101"  # of 0.102, 0.102 and 0.101 it would be 0.102
    rounded = [round(value, 3) for value in given["scores"]["m"].values()]
    assert f"{sum(rounded) / len(rounded):.3f}" == "0.102"


@case("K19-01")
def test_a_benchmark_of_parts_is_the_mean_of_their_means(case: Case) -> None:
    parts = case["input"]["subsets"]
    scores = {
        part: {"A": made_scores({f"q{i}": facts["ndcg@10"] for i in range(facts["n"])})}
        for part, facts in parts.items()
    }
    table = compare_suite(SuiteNode("forums", tuple(parts)), scores, "nDCG@10", "A", samples=50)
    assert table.leaderboard is not None
    expected = case["expected"]["values"]
    assert table.leaderboard.places[0].mean == expected["macro (reported)"]
    pooled = [value for part in scores.values() for value in part["A"].of("nDCG@10").tolist()]
    assert sum(pooled) / len(pooled) == expected["micro (query-weighted)"]
    assert expected["micro (query-weighted)"] != expected["macro (reported)"]
    part = {name: scores[name] for name in list(parts)[:1]}
    refused = compare_suite(SuiteNode("forums", tuple(parts)), part, "nDCG@10", "A")
    assert refused.leaderboard is None
    assert refused.incomplete == {"A": "incomplete: 1 of 2, missing gaming"}


@case("K19-07")
def test_figures_of_others_are_checked_when_they_are_read(case: Case, tmp_path: Path) -> None:
    for name, content in case["input"]["files"].items():
        (tmp_path / name).write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(DataError, match=r"b\.json: 41\.5 outside 0\.\.1 as the value of ndcg_at_10"):
        read_stated(tmp_path / "b.json")
    known = [read_stated(tmp_path / name) for name in ("c.json", "a.json")]
    assert [one.dataset for one in known] == ["x", "x"]
    assert rank_stated(known, "ndcg@10") == [(1, "A", 0.41), (None, "C", None)]


@case("K20-04")
def test_equal_means_share_a_rank_and_stand_by_name(case: Case) -> None:
    scores = case["input"]["scores"]
    for order in (scores, dict(reversed(scores.items()))):
        assert [list(row) for row in rank_means(order)] == case["expected"]["values"]["rows"]
    made = {name: made_scores({"q1": mean, "q2": mean}) for name, mean in scores.items()}
    board = leaderboard(made, "nDCG@10", samples=50)
    rows = [[place.rank, place.system, place.mean] for place in board.places]
    assert rows == case["expected"]["values"]["rows"]


def compared(case: Case) -> ComparisonTable:
    """B against A."""
    per_query = case["input"]["per_query"]
    return compare({name: made_scores(row) for name, row in per_query.items()}, "nDCG@10", "A")


@case("K20-01")
def test_identical_systems_do_not_differ(case: Case) -> None:
    row = compared(case).rows[0]
    expected = case["expected"]["values"]
    assert (row.difference, row.p, row.p_adjusted) == (expected["delta"], expected["p"], 1.0)
    assert row.note == "identical per-query scores"
    assert row.interval == (0.0, 0.0)
    assert "nan" not in str(compared(case).to_dict()).lower()


@case("K20-03")
def test_one_query_is_too_few_for_a_test(case: Case) -> None:
    row = compared(case).rows[0]
    assert row.difference == case["expected"]["values"]["delta"]
    assert (row.p, row.p_adjusted) == (None, None)
    assert row.note == "too few queries for a test"


@case("K20-06")
def test_only_like_is_compared_with_like(
    case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = case["input"]["results"]
    assert (first["ignore_identical_ids"], second["ignore_identical_ids"]) == (True, False)
    qrels, run = {"q": {"d": 1}}, {"q": {"d": 1.0}}
    scores = {
        "A": evaluate(qrels, run, first["metric"], "beir", depth=first["top_k"]),
        "B": evaluate(qrels, run, second["metric"], "trec_eval", depth=second["top_k"]),
    }
    with pytest.raises(UsageError, match="not comparable: B was scored under trec_eval: ") as caught:
        compare(scores, first["metric"], "A")
    for setting in ("self-matches kept", "self-matches removed", "depth 100", "depth 1000"):
        assert setting in str(caught.value)

    files = {"queries.jsonl": '{"_id": "q", "text": "x"}\n', "qrels/test.tsv": f"{QRELS}q\td1\t1\n"}
    open_case({"input": {"files": files}}, tmp_path / "birds")
    folders: list[str] = []
    listed: list[str] = []
    for one in (first, second):
        k = one["top_k"]
        out = tmp_path / str(k)
        protocol = "beir" if one["ignore_identical_ids"] else "trec_eval"
        command = ["run", "-d", str(tmp_path / "birds"), "-r", "bm25", "-k", str(k), "--out", str(out)]
        assert main([*command, "--protocol", protocol, "-m", one["metric"]]) == 0
        listed += map(str, out.glob("*.json"))
        (manifest,) = out.glob("*/*/manifest.json")
        folders.append(str(manifest.parent))
    capsys.readouterr()
    command = ["compare", *folders, "--qrels", str(tmp_path / "birds")]
    assert main(command) == 2
    assert "not comparable: k is 1000 in bm25--" in capsys.readouterr().err
    assert main([*command, "--force"]) == 0
    assert "both cut to depth 100 (" in " ".join(capsys.readouterr().out.split())
    capsys.readouterr()
    assert main(["compare", *listed]) == 2
    told = capsys.readouterr().err
    assert "their protocols are beir and trec_eval" in told
    assert "k is 1000 in" in told
    assert main(["compare", *listed, "--force"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "both cut to depth 100 (" in shown
    assert main(["compare", *listed, "--force", "--format", "csv"]) == 0
    assert "their protocols are beir and trec_eval" in capsys.readouterr().out
    assert main(["compare", *folders]) == 2
    assert "not comparable: k is 1000 in 1000/bm25" in capsys.readouterr().err
    assert main(["compare", *folders, "--force"]) == 0
    assert "both cut to depth 100 (" in " ".join(capsys.readouterr().out.split())


def resident() -> int:
    """Bytes of memory this process holds now."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.split("VmRSS:")[1].split()[0]) * 1024


@pytest.mark.skipif(sys.platform != "linux", reason="reads its memory from /proc")
@case("K17-06")
def test_scoring_again_and_again_keeps_no_memory(case: Case) -> None:
    assert case["input"]["rule"] == "100 queries x 100 results"
    qrels = {f"q{q}": {f"d{d}": d % 3 for d in range(20)} for q in range(100)}
    run = {f"q{q}": {f"d{d}": float((d * 7 + q) % 101) for d in range(100)} for q in range(100)}
    values, after_20 = set(), 0
    for call in range(1, case["input"]["n"] + 1):
        values.add(evaluate(qrels, run, ["nDCG@10", "AP", "R@100"]).mean("nDCG@10"))
        if call == 20:
            gc.collect()
            after_20 = resident()
    gc.collect()
    assert len(values) == 1
    assert resident() - after_20 < 20 << 20
