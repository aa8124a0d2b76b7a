"""The presets beside the tools they stand for, run here on the same data."""

from __future__ import annotations

import copy
import logging
from typing import Any

import numpy as np
import pytest

from beirkit.corpora.run import Run
from beirkit.evaluate import evaluate
from beirkit.evaluate.abstention import CONFIDENCES, abstention
from beirkit.evaluate.protocol import get_protocol


def random_case(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Judgments with a relevant document for every query, and a run without ties that lacks some queries."""
    rng = np.random.default_rng(seed)
    ids = [f"d{i}" for i in range(40)] + [f"q{i}" for i in range(12)]  # queries stand in the corpus
    qrels = {
        f"q{q}": {ids[d]: int(rng.integers(0, 3)) for d in rng.choice(len(ids), 8, replace=False)}
        | {f"d{int(rng.integers(40))}": 1}
        for q in range(12)
    }
    run = {
        query: {
            ids[d]: float(rank) for rank, d in enumerate(rng.permutation(len(ids))[: rng.integers(1, 50)])
        }
        for query in qrels
        if rng.random() < 0.8
    }
    return qrels, run or {"q0": {"d1": 1.0}}


@pytest.mark.dense  # importing beir loads torch
@pytest.mark.slow
def test_the_beir_preset_is_beirs_evaluation() -> None:
    evaluation = pytest.importorskip("beir.retrieval.evaluation")
    tool: Any = evaluation.EvaluateRetrieval
    k_values = list(get_protocol("beir").k_values)
    logging.disable(logging.CRITICAL)
    try:
        for seed in range(25):
            qrels, run = random_case(seed)
            theirs: dict[str, float] = {}
            theirs_run = copy.deepcopy(run)  # beir removes self-matches from its caller's run
            for part in tool.evaluate(qrels, theirs_run, k_values):
                theirs |= part
            for metric in ("mrr", "recall_cap", "hole", "top_k_accuracy"):
                theirs |= tool.evaluate_custom(qrels, theirs_run, k_values, metric)
            # a name that ir_measures gives to another measure
            theirs = {name.replace("Accuracy", "Success"): value for name, value in theirs.items()}
            scores = evaluate(qrels, run, list(theirs), "beir")
            for name, value in theirs.items():
                ours = scores.mean(name)
                assert ours is not None
                assert round(ours, scores.protocol.digits) == pytest.approx(value, abs=1.01e-5), (seed, name)
    finally:
        logging.disable(logging.NOTSET)


def tied_case(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """The same with ties in the scores of a list, and between lists in how sure they seem."""
    qrels, run = random_case(seed)
    rng = np.random.default_rng(seed)
    steps = [0.25, 0.5, 0.5, 1.0, 2.0, 4.0]
    return qrels, {
        query: {doc_id: steps[rng.integers(len(steps))] for doc_id in row} for query, row in run.items()
    }


@pytest.mark.dense  # importing mteb loads torch
@pytest.mark.slow
@pytest.mark.parametrize("case", [random_case, tied_case])
def test_the_mteb_preset_is_mtebs_evaluation(case: Any) -> None:
    theirs = pytest.importorskip("mteb._evaluators.retrieval_metrics")
    k_values = list(get_protocol("mteb").k_values)
    names = {"ndcg": "nDCG", "map": "AP", "recall": "R", "precision": "P", "mrr": "RR", "hit_rate": "Success"}
    sure = {"NDCG": "nDCG", "MAP": "AP", "Recall": "R", "P": "P", "MRR": "RR"}
    compared = 0
    for seed in range(25):
        qrels, run = case(seed)
        if seed % 5 == 0:
            run[next(iter(run))] = {}
        found = theirs.calculate_retrieval_scores(run, qrels, k_values)
        measures = [f"{name}@{k}" for name in names.values() for k in k_values]
        scores = evaluate(qrels, run, measures, "mteb", self_match_ids=())
        for field, name in names.items():
            for key, value in getattr(found, field).items():
                ours = scores.mean(f"{name}@{key.rpartition('@')[2]}")
                assert ours is not None
                # mteb rounds all of these means but that of MRR
                assert ours == pytest.approx(value, abs=1e-12 if field == "mrr" else 0.501e-5), (seed, key)
                compared += 1
        lists = Run.from_dict(run)
        for kind, name in sure.items():
            for k in k_values:
                ours_by_kind = abstention(scores, lists, f"{name}@{k}")
                naucs = found.naucs_mrr if kind == "MRR" else found.naucs
                for how in CONFIDENCES:
                    value = naucs[f"nAUC_{kind}@{k}_{how}"]
                    ours = ours_by_kind[how]
                    if ours is None:  # nothing to gain but, where mteb has a number, an error of rounding
                        best = np.ptp(scores.of(f"{name}@{k}")[~np.isnan(scores.of(f"{name}@{k}"))])
                        assert np.isnan(value) or best < 1e-12
                    else:
                        assert ours == pytest.approx(value, abs=1e-9), (seed, kind, k, how)
                    compared += 1
    assert compared == 25 * len(k_values) * (len(names) + 3 * len(sure))


def test_the_trec_eval_preset_is_pytrec_evals_own_average_over_every_judged_query() -> None:
    """What trec_eval -c is: a judged query that the run lacks is one without results."""
    import pytrec_eval

    asked = {
        "map", "Rprec", "bpref", "recip_rank", "P_5", "P_10", "ndcg_cut_10", "recall_100", "map_cut_100",
        "ndcg", "success_5", "set_P", "set_recall", "set_F", "num_ret", "num_rel", "num_rel_ret", "gm_map",
        "infAP", "iprec_at_recall_0.50", "11pt_avg", "num_q",
    }  # fmt: skip
    for seed in range(25):
        qrels, run = tied_case(seed)
        lost = [query for query in qrels if query not in run]
        # A document that nobody judged stands for the results of a query that has none: it scores 0, too.
        complete = run | {query: {"nobody": 0.0} for query in lost}
        theirs = pytrec_eval.RelevanceEvaluator(qrels, asked).evaluate(complete)
        scores = evaluate(qrels, run, sorted(asked), "trec_eval")
        for name in next(iter(theirs.values())):
            total = pytrec_eval.compute_aggregated_measure(name, [row[name] for row in theirs.values()])
            if name == "num_ret":
                total -= len(lost)
            assert scores.mean(name) == pytest.approx(total, abs=1e-12), (seed, name)
