"""What we write, read by the tools it is made for; light ones, which are installed with the tests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from beirkit.evaluate.exports.sentence_transformers import Predictions, PredictionsOptions
from beirkit.evaluate.exports.trec import TrecOptions, TrecRuns
from beirkit.evaluate.protocol import get_protocol
from tests.evaluate.exports.small_results import make_entry

ir_measures = pytest.importorskip("ir_measures")


def test_ir_measures_reads_run_and_judgments(tmp_path: Path) -> None:
    entry, out = make_entry(tmp_path), tmp_path / "out"
    TrecRuns().write([entry], out, TrecOptions())
    run = list(ir_measures.read_trec_run(str(out / "runs" / "birds@test" / "bm25.trec")))
    qrels = list(ir_measures.read_trec_qrels(str(out / "qrels" / "birds@test.qrels")))
    found = ir_measures.calc_aggregate([ir_measures.nDCG @ 10, ir_measures.AP], qrels, run)
    protocol = get_protocol("beirkit")
    means = entry.take(protocol, protocol.measures).means()
    assert found[ir_measures.nDCG @ 10] == pytest.approx(means["nDCG@10"], abs=1e-12)
    assert found[ir_measures.AP] == pytest.approx(means["AP@100"], abs=1e-12)


def test_pytrec_eval_parses_both(tmp_path: Path) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    out = tmp_path / "out"
    TrecRuns().write([make_entry(tmp_path)], out, TrecOptions())
    with (out / "runs" / "birds@test" / "bm25.trec").open() as file:
        run = pytrec_eval.parse_run(file)
    with (out / "qrels" / "birds@test.qrels").open() as file:
        qrels = pytrec_eval.parse_qrel(file)
    assert run["q3"] == {"d5": 0.5, "d4": 0.5, "d3": 0.25}
    assert qrels == {"q1": {"d1": 2, "d3": 1}, "q2": {"d2": 1}, "q3": {"d3": 1}}


def test_predictions_have_the_keys_that_their_evaluator_writes(tmp_path: Path) -> None:
    out = tmp_path / "out"
    Predictions().write([make_entry(tmp_path)], out, PredictionsOptions(texts=True))
    for line in (out / "birds@test" / "bm25_score.jsonl").read_text(encoding="utf-8").splitlines():
        said = json.loads(line)
        assert list(said) == ["query_id", "query", "results"]
        assert all(list(row) == ["corpus_id", "score"] for row in said["results"])
