"""What mean scores cannot be beside each other: bounds that hold for real scores, and what breaks them."""

from __future__ import annotations

import random

import pytest

from beirkit.corpora.run import Run
from beirkit.evaluate.exports.mteb_facts import Size
from beirkit.evaluate.exports.mteb_scores import mteb_scores
from beirkit.evaluate.exports.score_bounds import contradictions


@pytest.mark.parametrize("seed", range(40))
def test_the_scores_of_any_run_contradict_nothing(seed: int) -> None:
    draw = random.Random(seed)
    documents = [f"d{number}" for number in range(draw.randint(3, 60))]
    qrels = {
        f"q{number}": {one: draw.randint(0, 4) for one in draw.sample(documents, draw.randint(1, 3))}
        for number in range(draw.randint(1, 12))
    }
    qrels = {query: {**row, documents[0]: 1} for query, row in qrels.items()}
    run = Run.from_dict(
        {query: {one: draw.random() for one in draw.sample(documents, draw.randint(1, 3))} for query in qrels}
    )
    scores = mteb_scores(qrels, run, remove_self=False)
    values = {name: value for name, value in scores.items() if value is not None}
    relevant = sum(grade > 0 for row in qrels.values() for grade in row.values())
    size = Size(None, 0, len(qrels), 0, relevant)
    assert list(contradictions(values, size, tolerance=2e-5, with_ties=1.0)) == []


@pytest.mark.parametrize(
    ("values", "name", "least"),
    [
        ({"recall_at_5": 0.5, "recall_at_10": 0.4}, "recall_at_10", 0.5),
        ({"map_at_10": 0.5, "recall_at_10": 0.4}, "recall_at_10", 0.5),
        ({"ndcg_at_10": 0.5, "hit_rate_at_10": 0.4}, "hit_rate_at_10", 0.5),
        ({"ndcg_at_10": 0.6, "mrr_at_10": 0.01}, "mrr_at_10", 0.06),
        ({"mrr_at_1": 0.8, "ndcg_at_1": 0.01}, "ndcg_at_1", 0.2),
        ({"ndcg_at_10": 0.6, "recall_at_100": 0.01}, "recall_at_100", 0.18),
        ({"mrr_at_10": 0.6, "map_at_100": 0.01}, "map_at_100", 0.18),
    ],
)
def test_a_score_that_is_too_low_beside_another(values: dict[str, float], name: str, least: float) -> None:
    size = Size(None, 0, 100, 0, 200)
    (one,) = contradictions(values, size, tolerance=1e-6, with_ties=1.0)
    assert one.name == name
    assert one.least == pytest.approx(least)


def test_depths_may_differ_and_ties_may_have_their_own_order() -> None:
    later = {"recall_at_100": 0.9, "mrr_at_10": 0.01}
    assert list(contradictions(later, None, tolerance=0.0, with_ties=1.0)) == []
    assert list(contradictions({"mrr_at_1": 0.6, "hit_rate_at_1": 0.5}, None, tolerance=0.0)) == []
