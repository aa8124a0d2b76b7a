"""The presets beside the tools they stand for, run here on the same data."""

from __future__ import annotations

import copy
import logging
from typing import Any

import numpy as np
import pytest

from beirkit.evaluate import evaluate

K_VALUES = [1, 3, 5, 10, 100]


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
    logging.disable(logging.CRITICAL)
    try:
        for seed in range(25):
            qrels, run = random_case(seed)
            theirs: dict[str, float] = {}
            theirs_run = copy.deepcopy(run)  # beir removes self-matches from its caller's run
            for part in tool.evaluate(qrels, theirs_run, K_VALUES):
                theirs |= part
            for metric in ("mrr", "recall_cap", "hole", "top_k_accuracy"):
                theirs |= tool.evaluate_custom(qrels, theirs_run, K_VALUES, metric)
            scores = evaluate(qrels, run, list(theirs), "beir")
            for name, value in theirs.items():
                ours = scores.mean(name)
                assert ours is not None
                assert round(ours, scores.protocol.digits) == pytest.approx(value, abs=1.01e-5), (seed, name)
    finally:
        logging.disable(logging.NOTSET)
