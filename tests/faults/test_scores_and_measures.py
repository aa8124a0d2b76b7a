"""K09 and K10: which scores can be ranked, and what each measure means."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from beirkit.cli.main import main
from beirkit.corpora.errors import DataError
from beirkit.corpora.run import Run
from beirkit.corpora.run_files import read_run
from beirkit.evaluate import evaluate
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.score_files import write_scores
from tests.faults.cases import QRELS, Case, case, check, score

RUNS: dict[str, Any] = {
    "K09-01": {"q": {"a": np.float32(1), "b": np.float16(0.5)}},
    "K09-03": {"q": {"a": math.nan, "b": 1.0, "c": 0.5}},
    "K09-04": {"q": {"a": -math.inf, "b": 1.0, "c": math.inf}},
    "K09-05": {"q": {"a": "10.2", "b": "9.5"}},
}
"""The runs that the file spells as Python, which JSON cannot hold."""


@case("K09-01")
def test_numbers_of_numpy_are_numbers(case: Case) -> None:
    check(score(case, case["expected"]["values"], run=RUNS[case["id"]]), case["expected"]["values"])


@pytest.mark.parametrize("kind", [np.float64, np.int64, np.uint8, int, np.array])
def test_every_kind_of_number_is_taken(kind: Any) -> None:
    run: Any = {"q": {"a": kind(3), "b": kind(1)}}
    assert evaluate({"q": {"a": 1}}, run, "RR").mean("RR") == 1.0


@case("K09-03")
def test_nan_is_refused_or_ranked_last_and_counted(
    case: Case, tmp_path: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    qrels, run = case["input"]["qrels"], RUNS[case["id"]]
    with pytest.raises(DataError, match="1 scores are not finite numbers: q/a = nan"):
        evaluate(qrels, run)
    scores = evaluate(qrels, run, "RR@10", lenient_scores=True)
    assert scores.mean("RR@10") == pytest.approx(1 / 3)
    assert scores.counts.scores_not_finite == 1
    assert "1 scores are not finite: NaN is ranked last, infinity by its sign (q/a)" in caplog.text

    path, judged = tmp_path / "run.trec", tmp_path / "q.tsv"
    path.write_text("q Q0 a 1 nan x\nq Q0 b 2 1.0 x\nq Q0 c 3 0.5 x\n", encoding="utf-8")
    judged.write_text(f"{QRELS}q\ta\t1\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"run\.trec:1: the score of q/a is 'nan', not a finite number"):
        read_run(path)
    assert evaluate(qrels, read_run(path, lenient_scores=True), "RR", lenient_scores=True).mean("RR") == 1 / 3
    assert main(["score", str(path), str(judged), "-m", "RR@10"]) == 2
    capsys.readouterr()
    assert main(["score", str(path), str(judged), "-m", "RR@10", "--lenient-scores", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["measures"] == {"RR@10": pytest.approx(1 / 3)}
    assert data["queries"]["scores_not_finite"] == 1


@case("K09-04")
def test_infinite_scores_are_refused_or_ranked_by_sign(case: Case, tmp_path: Path) -> None:
    qrels, run = case["input"]["qrels"], RUNS[case["id"]]
    with pytest.raises(DataError, match="2 scores are not finite numbers: q/a = -inf, q/c = inf"):
        evaluate(qrels, run)
    scores = evaluate(qrels, run, "RR@10", lenient_scores=True)
    assert scores.mean("RR@10") == pytest.approx(1 / 3)
    lists = dict(Run.from_dict(run, lenient_scores=True).ordered().lists())
    assert [doc_id for doc_id, _ in lists["q"]] == ["c", "b", "a"]
    write_scores(scores, tmp_path / "scores.jsonl")
    assert "Infinity" not in (tmp_path / "scores.jsonl").read_text(encoding="utf-8")


def test_several_nan_tie_and_come_after_minus_infinity() -> None:
    run = {"q": {"a": math.nan, "b": math.nan, "c": -math.inf, "d": 0.0}}
    for relevant, rank in (("d", 1), ("c", 2), ("b", 3), ("a", 4)):
        for order in ("abcd", "dcba"):
            shuffled = {"q": {name: run["q"][name] for name in order}}
            assert evaluate({"q": {relevant: 1}}, shuffled, "RR", lenient_scores=True).mean("RR") == 1 / rank


@case("K09-05")
def test_a_text_is_no_score(case: Case) -> None:
    with pytest.raises(DataError, match=r"the score of q/a is '10\.2', not a number"):
        evaluate(case["input"]["qrels"], RUNS[case["id"]])


def test_a_text_in_a_json_run_is_no_score(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"q": {"a": "10.2"}}', encoding="utf-8")
    with pytest.raises(DataError, match=r"run\.json: the score of q/a is '10\.2', not a number"):
        read_run(tmp_path / "run.json")


@case("K09-07", "K10-04", "K10-06", "K10-07")
def test_figures(case: Case) -> None:
    check(score(case, case["expected"]["values"]), case["expected"]["values"])


@case("K10-01")
def test_every_spelling_has_one_canonical_name(case: Case) -> None:
    # docs/decisions/0009: the names printed are ir_measures' own, nDCG@10 for ndcg@10 and so on.
    ours = {"ndcg@10": "nDCG@10", "recall@100": "R@100", "p@5": "P@5", "mrr@10": "RR@10", "map@100": "AP@100"}
    for name, canonical in zip(case["input"]["names"], case["expected"]["values"]["canonical"], strict=True):
        assert str(Measure.parse(name)) == ours[canonical], name
        assert str(Measure.parse(canonical)) == ours[canonical]


@case("K10-08")
def test_the_gain_is_linear_and_the_exponential_one_has_its_own_name(case: Case) -> None:
    linear, exponential = case["expected"]["values"].values()
    check(score(case, linear), linear)
    check(score(case, exponential), exponential)
    assert "linear gain" in score(case, linear).protocol.describe()


@case("K10-10")
def test_a_cutoff_cuts_a_longer_run(case: Case) -> None:
    assert case["input"]["run_rule"].startswith("d0001..d1499 with score 2000-i")
    run = {"q": {f"d{i:04}": 2000.0 - i for i in range(1, 1500)} | {"d0000": 0.5}}
    check(score(case, case["expected"]["values"], run=run), case["expected"]["values"])


@case("K10-11")
def test_bpref_with_few_judged_results(case: Case) -> None:
    check(score(case, case["expected"]["values"]), case["expected"]["values"])


MEASURES = (
    "nDCG@10 nDCG nDCG_exp@10 AP AP@10 RR RR@10 R@10 R_cap@10 P@5 Success@5 Judged@10 Hole@10 Bpref Rprec"
)


@case("K10-12")
def test_nothing_leaves_0_to_1_and_the_ideal_order_is_1(case: Case) -> None:
    import pytrec_eval

    assert "500 seeds" in case["input"]["generator"]
    compared = 0
    for seed in range(500):
        rng = random.Random(seed)
        docs = [f"d{i}" for i in range(30)]
        qrels = {
            f"q{i}": {d: rng.randint(0, 4) for d in rng.sample(docs, rng.randint(0, 8))} for i in range(3)
        }
        run = {
            f"q{i}": {d: float(rng.randint(0, 9)) for d in rng.sample(docs, rng.randint(0, 30))}
            for i in range(3)
        }
        if not any(qrels.values()) or not any(qrels[q] for q in run):
            continue
        scores = evaluate(qrels, run, MEASURES.split())
        assert not ((scores.values < 0) | (scores.values > 1)).any(), seed
        defined = [c for c, m in enumerate(scores.measures) if m.family not in ("R_cap", "Judged")]
        assert not np.isnan(scores.values[:, defined]).any(), seed

        ideal = {q: {d: float(grade) for d, grade in row.items()} for q, row in qrels.items() if row}
        best = evaluate(qrels, ideal, "nDCG@5")
        for query_id, value in zip(best.query_ids, best.of("nDCG@5").tolist(), strict=True):
            assert value == (1.0 if max(qrels[query_id].values()) > 0 else 0.0)

        distinct = {
            q: {d: i / 64 for i, d in enumerate(rng.sample(list(row), len(row)))} for q, row in run.items()
        }
        names = {"ndcg_cut_10": "nDCG@10", "map": "AP", "recip_rank": "RR", "P_5": "P@5", "recall_10": "R@10"}
        judged = {q: row for q, row in qrels.items() if row and max(row.values()) >= 0}
        theirs = pytrec_eval.RelevanceEvaluator(
            judged, {"ndcg_cut.10", "map", "recip_rank", "P.5", "recall.10"}
        )
        expected = theirs.evaluate({q: row for q, row in distinct.items() if row})
        ours = evaluate(qrels, distinct, names.values()).per_query()
        for query_id, row in expected.items():
            for trec, name in names.items():
                assert ours[query_id][name] == pytest.approx(row[trec], abs=1e-9), (seed, query_id, name)
                compared += 1
    assert compared > 5000
