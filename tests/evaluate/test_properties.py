"""What holds for any run and any judgments."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beirkit.corpora.run import Run
from beirkit.evaluate import evaluate
from beirkit.evaluate.families import FAMILIES
from beirkit.evaluate.measures import Measure, parse_measures
from beirkit.evaluate.protocol import get_protocol

Qrels = dict[str, dict[str, int]]
Lists = dict[str, dict[str, float]]

DOCS = [f"d{i}" for i in range(12)] + ["é", "😀", "Z", "\uffff"]
QUERIES = ["q1", "q2", "q3", "d1"]
grades = st.dictionaries(st.sampled_from(DOCS), st.integers(-2, 4), min_size=1, max_size=8)
qrels_of = st.dictionaries(st.sampled_from(QUERIES), grades, min_size=1)
few_scores = st.sampled_from([0.0, 0.5, 0.5 + 1e-12, 1.0, -3.0, 7.25])
runs_of = st.fixed_dictionaries(
    {query: st.dictionaries(st.sampled_from(DOCS), few_scores, max_size=14) for query in QUERIES}
)
BOUNDED = parse_measures(
    f"{family.name}@{at}"
    if family.at in ("rank", "rank?")
    else f"{family.name}@0.3"
    if family.at == "share"
    else family.name
    for family in FAMILIES
    if family.bounded and family.by == "grades"
    for at in (1, 3, 10)
)


@given(qrels_of, runs_of)
@settings(max_examples=200, deadline=None)
def test_every_value_lies_within_0_and_1(qrels: Qrels, run: Lists) -> None:
    for row in evaluate(qrels, run, BOUNDED).per_query().values():
        for name, value in row.items():
            assert value is None or 0 <= value <= 1, name
            assert value is not None or name.startswith("R_cap")


@given(qrels_of, runs_of, st.integers(0, 1000))
@settings(max_examples=100, deadline=None)
def test_the_order_in_which_things_are_given_does_not_matter(qrels: Qrels, run: Lists, seed: int) -> None:
    rng = random.Random(seed)

    def shuffled(table: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
        return {
            query: dict(rng.sample(list(table[query].items()), len(table[query])))
            for query in rng.sample(list(table), len(table))
        }

    first = evaluate(qrels, run, BOUNDED)
    second = evaluate(shuffled(qrels), shuffled(run), BOUNDED)  # type: ignore[arg-type]  # grades stay int
    assert np.array_equal(first.values, second.values, equal_nan=True)
    assert first.means() == second.means()


@given(qrels_of, st.sampled_from([1, 3, 10]))
@settings(max_examples=100, deadline=None)
def test_a_run_in_the_order_of_the_grades_is_ideal(qrels: Qrels, k: int) -> None:
    run = {query: {doc: float(grade) for doc, grade in row.items()} for query, row in qrels.items()}
    scores = evaluate(qrels, run, [f"nDCG@{k}", f"nDCG_exp@{k}"])
    for query, row in qrels.items():
        best = 1.0 if max(row.values()) > 0 else 0.0
        assert scores.per_query()[query] == pytest.approx(
            {f"nDCG@{k}": best, f"nDCG_exp@{k}": best}, abs=1e-12
        )


@given(st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_pytrec_eval_says_the_same_of_scores_that_differ_as_floats(seed: int) -> None:
    import pytrec_eval

    rng = np.random.default_rng(seed)
    qrels = {
        f"q{q}": {f"d{d}": int(rng.integers(-1, 4)) for d in rng.choice(60, 12, replace=False)}
        for q in range(4)
    }
    run = {
        query: {f"d{d}": float(s) for d, s in enumerate(rng.permutation(60)[: rng.integers(1, 60)])}
        for query in qrels
    }
    names = sorted(pytrec_eval.supported_measures - {"runid", "relstring"})
    raw = pytrec_eval.RelevanceEvaluator(qrels, set(names)).evaluate(run)
    scores = evaluate(qrels, run, names).per_query()
    for query, row in raw.items():
        ours = {name: scores[query][str(Measure.parse(name))] for name in row}
        assert ours == pytest.approx(row, abs=1e-9)


@given(qrels_of, runs_of)
@settings(max_examples=100, deadline=None)
def test_columns_and_dictionaries_score_alike_in_any_block_size(qrels: Qrels, run: Lists) -> None:
    from unittest.mock import patch

    whole = evaluate(qrels, run, BOUNDED)
    with patch("beirkit.evaluate.trec.BLOCK", 1):
        blocks = evaluate(qrels, Run.from_dict(run).ordered("float32"), BOUNDED)
    assert np.array_equal(whole.values, blocks.values, equal_nan=True)


@given(qrels_of, runs_of, st.booleans())
@settings(max_examples=150, deadline=None)
def test_own_measures_equal_a_plain_loop(qrels: Qrels, run: Lists, remove: bool) -> None:
    protocol = get_protocol("beir" if remove else "beirkit")
    scores = evaluate(qrels, run, ["RR@3", "R_cap@3", "Judged@3", "Hole@3", "nDCG_exp@3"], protocol)
    anywhere = {doc for row in qrels.values() for doc in row}
    for query, judged in qrels.items():
        listed = {d: np.float32(s) for d, s in run[query].items() if not (remove and d == query)}
        top = sorted(listed, key=lambda d: (listed[d], d.encode()), reverse=True)[:3]
        hits = [rank for rank, doc in enumerate(top, 1) if judged.get(doc, 0) > 0]
        positives = sorted((g for g in judged.values() if g > 0), reverse=True)
        ideal = sum((2**g - 1) / np.log2(i + 2) for i, g in enumerate(positives[:3]))
        gain = sum((2 ** max(judged.get(d, 0), 0) - 1) / np.log2(i + 2) for i, d in enumerate(top))
        assert scores.per_query()[query] == {
            "RR@3": pytest.approx(1 / hits[0]) if hits else 0.0,
            "R_cap@3": pytest.approx(len(hits) / min(3, len(positives))) if positives else None,
            "Judged@3": pytest.approx(sum(d in judged for d in top) / len(top)) if top else 0.0,
            "Hole@3": pytest.approx(sum(d not in anywhere for d in top) / 3),
            "nDCG_exp@3": pytest.approx(gain / ideal if ideal else 0.0),
        }


def test_memory_does_not_grow_with_calls() -> None:
    from pathlib import Path

    status = Path("/proc/self/statm")
    if not status.exists():
        pytest.skip("needs /proc")
    rng = np.random.default_rng(1)
    qrels = {f"q{q}": {f"d{d}": 1 for d in range(0, 100, 7)} for q in range(100)}
    run = {f"q{q}": {f"d{d}": float(s) for d, s in enumerate(rng.normal(size=100))} for q in range(100)}
    pages, means = [], set()
    for _ in range(60):
        means.add(evaluate(qrels, run, ["AP", "nDCG@10", "RR@10"]).mean("AP"))
        pages.append(int(status.read_text().split()[1]))
    assert (pages[-1] - pages[19]) * 4096 < 20e6
    assert len(means) == 1
