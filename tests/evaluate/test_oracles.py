"""Figures that others published: trec_eval's own tests, TREC-COVID, ir_measures, ranx, pytrec_eval."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from beirkit.corpora.errors import UnknownNameError, UsageError
from beirkit.corpora.qrels import read_qrels
from beirkit.corpora.run_files import read_run
from beirkit.evaluate import evaluate
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.spellings import parse_all

# Where recall x relevant documents is no whole number, trec_eval 10 rounds it and pytrec_eval (trec_eval 9)
# truncates it: only interpolated precision and its average can move.
TREC_EVAL_10_ROUNDS = {
    "out.test": {("all", "iprec_at_recall_0.10"), ("all", "iprec_at_recall_0.60")},
    "out.test.a": {("all", "iprec_at_recall_0.10"), ("all", "iprec_at_recall_0.60"), ("all", "11pt_avg")},
    "out.test.aq": {
        ("301", "iprec_at_recall_0.10"), ("302", "iprec_at_recall_0.60"), ("302", "11pt_avg"),
        ("all", "iprec_at_recall_0.10"), ("all", "iprec_at_recall_0.60"), ("all", "11pt_avg"),
    },
    "out.test.aqcM": set(),
    "out.test.aql": {
        ("301", "iprec_at_recall_0.10"), ("302", "iprec_at_recall_0.60"), ("303", "iprec_at_recall_0.90"),
        ("301", "11pt_avg"), ("302", "11pt_avg"), ("303", "11pt_avg"), ("all", "11pt_avg"),
        ("all", "iprec_at_recall_0.10"), ("all", "iprec_at_recall_0.60"), ("all", "iprec_at_recall_0.90"),
    },
    "out.test.meas_params": {
        ("301", "iprec_at_recall_0.10"), ("302", "iprec_at_recall_0.25"),
        ("all", "iprec_at_recall_0.10"), ("all", "iprec_at_recall_0.25"),
    },
}  # fmt: skip

# In no version of pytrec_eval, text instead of numbers, or parameters that end its process.
NOT_ASKED = {
    "rbp", "rbp_resid", "unj_5", "unj_10", "unj_20",
    "runid", "relstring", "relstring_20",
    "11pt_avg_.25,.5,.75", "ndcg_1=3,2=9,4=4.5", "utility_2,-1,0,0",
}  # fmt: skip

FILES = {
    "out.test": ("qrels.test", "results.test", {}, 29),
    "out.test with comments": ("qrels.test.with-comments", "results.test", {}, 29),
    "out.test.a": ("qrels.test", "results.test", {}, 93),
    "out.test.aq": ("qrels.test", "results.test", {}, 363),
    "out.test.aqcM": ("qrels.test", "results.trunc", {"depth": 100}, 363),
    "out.test.aql": ("qrels.rel_level", "results.test", {"level": 2}, 363),
    "out.test.meas_params": ("qrels.test", "results.test", {}, 76),
}


def printed(path: Path) -> Iterator[tuple[str, str, str]]:
    for line in path.read_text().splitlines():
        name, query, value = line.split()
        if name not in NOT_ASKED:
            yield query, name, value


@pytest.mark.parametrize("protocol", ["trec_eval", "trec_eval-10"])
@pytest.mark.parametrize("file", FILES)
def test_trec_evals_own_output_to_the_printed_digit(shared: Path, file: str, protocol: str) -> None:
    folder = shared / "data/metric_oracles/trec_eval"
    qrels, run, options, count = FILES[file]
    expected = list(printed(folder / file.split()[0]))
    level = options.get("level", 1)
    asked = {name: leveled(Measure.parse(name), level) for _, name, _ in expected}
    scores = evaluate(
        read_qrels(folder / qrels),
        read_run(folder / run),
        asked.values(),
        protocol,
        depth=options.get("depth"),
    )
    differing = set()
    for query, name, value in expected:
        measure = asked[name]
        ours = scores.mean(measure) if query == "all" else scores.per_query()[query][str(measure)]
        if f"{ours:.4f}" != f"{float(value):.4f}":
            differing.add((query, name))
    assert len(expected) == count
    assert differing == TREC_EVAL_10_ROUNDS[file.split()[0]]


def leveled(measure: Measure, level: int) -> Measure:
    return msgspec.structs.replace(measure, level=level) if measure.about.levels else measure


def test_the_leaderboard_of_trec_covid_round_1(shared: Path) -> None:
    folder = shared / "data/metric_oracles/trec_covid_round1"
    qrels = read_qrels(folder / "qrels-rnd1.txt")
    columns = {"ndcg@10": "nDCG@10", "p@5": "P@5", "bpref": "Bpref", "MAP": "AP"}
    runs = {path.stem: path for path in (folder / "runs").glob("*.gz")}
    checked = 0
    with (folder / "leaderboard.csv").open() as file:
        for row in csv.DictReader(file):
            if row["run"] in runs:
                scores = evaluate(qrels, read_run(runs[row["run"]]), columns.values(), "trec_eval")
                ours = {column: f"{scores.mean(name):.4f}" for column, name in columns.items()}
                assert ours == {column: row[column] for column in columns}, row["run"]
                assert scores.counts.judged == 30
                checked += 1
    assert checked == 14


class TestIrMeasures:
    @pytest.fixture
    def oracle(self, shared: Path) -> dict[str, Any]:
        text = (shared / "data/metric_oracles/ir_measures/expectations.json").read_text()
        loaded: dict[str, Any] = json.loads(text)
        return loaded

    # Other families (ERR), or parameters that the spelling has no place for yet.
    OTHERS = ("SetF(rel=1, beta", "nDCG(gains", "ERR@", "SetP(rel=2)@", "SetR(rel=2)@")

    def test_cases(self, oracle: dict[str, Any]) -> None:
        values = 0
        for case in oracle["cases"]:
            name = case["measure"]
            if (
                name.startswith(self.OTHERS) or case["provider"] == "accuracy"
            ):  # a pairwise measure of that name
                continue
            if case["provider"] == "gdeval":  # its gain is exponential
                name = name.replace("nDCG", "nDCG_exp")
            scores = evaluate(case["qrels"], case["run"], [name])
            within = 10.0 ** -(case["decimals"] or 4)
            for query, value in case["per_query"].items():
                ours = scores.per_query()[query][str(scores.measures[0])]
                assert ours == pytest.approx(value, abs=within), (case["test"], name, query)
                values += 1
            if case.get("mean") is not None:
                assert scores.mean(name) == pytest.approx(case["mean"], abs=within), (case["test"], name)
        assert values == 121

    def test_cwl_files(self, oracle: dict[str, Any], shared: Path) -> None:
        folder = shared / "data/metric_oracles/ir_measures"
        qrels, run = read_qrels(folder / "cwl.qrels"), read_run(folder / "cwl.run")
        known = {}
        for row in oracle["cwl_files"]["expected"]:
            try:
                known[Measure.parse(row["measure"])] = row["per_query"]
            except (UnknownNameError, UsageError):
                continue  # families of the C/W/L framework
        scores = evaluate(qrels, run, known)
        for measure, values in known.items():
            for query, value in values.items():
                ours = scores.per_query()[query][str(measure)]
                assert ours == pytest.approx(value, abs=1e-4), (str(measure), query)
        assert {str(m) for m in known} == {"AP", "P@1", "P@5", "P@10", "P@20", "RR"}
        means = evaluate(qrels, run, ["nDCG@10", "AP", "RR", "R@10", "P@5"]).means()
        assert means == pytest.approx(
            {"nDCG@10": 0.757715, "AP": 0.586475, "RR": 0.722222, "R@10": 1.0, "P@5": 0.4}, abs=5e-7
        )

    def test_names(self, oracle: dict[str, Any]) -> None:
        for text, expected in oracle["measure_name_parsing"].items():
            assert [str(measure) for measure in parse_all(text)] == expected


def test_ranx(shared: Path) -> None:
    oracle = json.loads((shared / "data/metric_oracles/ranx/expectations.json").read_text())
    names = {"r-precision": "Rprec", "ndcg_burges@10": "nDCG_exp@10", "f1 (no cut-off)": "SetF"}
    checked = 0
    for case in oracle["cases"]:
        name = names.get(case["metric"], case["metric"])
        if name.split("@")[0] not in {
            "hit_rate", "precision", "map", "mrr", "Rprec", "recall", "ndcg", "nDCG_exp", "bpref", "SetF",
        }:  # fmt: skip
            continue
        if "per_query" in case:
            ours = evaluate(case["qrels"], case["run"], [name]).per_query()
            found = {query: next(iter(row.values())) for query, row in ours.items()}
            assert found == pytest.approx(case["per_query"], abs=1e-9), name
            checked += len(found)
            continue
        for one in case.get("queries") or [r | {"judged": case["judged"]} for r in case["rankings"]]:
            run = {"q": {doc: -float(rank) for rank, doc in enumerate(one["ranking"])}}
            ours_mean = evaluate({"q": one["judged"]}, run, [name]).mean(name)
            assert ours_mean == pytest.approx(one["value"], abs=1e-9), name
            checked += 1
    assert checked == 31


def test_pytrec_eval(shared: Path) -> None:
    oracle = json.loads((shared / "data/metric_oracles/pytrec_eval/expectations.json").read_text())
    for case in oracle["ndcg"]:
        scores = evaluate(oracle["qrels"], case["run"], ["ndcg"])
        assert scores.per_query()["q1"]["nDCG"] == pytest.approx(case["q1 ndcg"], abs=1e-12)
    for case in oracle["ndcg_cut"]:
        scores = evaluate(oracle["qrels"], case["run"], list(case["q1"]))
        ours = {name: scores.per_query()["q1"][str(Measure.parse(name))] for name in case["q1"]}
        assert ours == pytest.approx(case["q1"], abs=1e-12)
