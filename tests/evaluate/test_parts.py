"""A run file scored in parts has the scores, counts and messages of the run scored as a whole."""

from __future__ import annotations

import logging
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from beirkit.corpora import run_parts
from beirkit.corpora.errors import DataError
from beirkit.corpora.run_files import read_run
from beirkit.evaluate import evaluate
from beirkit.evaluate.protocol import protocol_names
from beirkit.evaluate.scores import Scores

MEASURES = [
    "nDCG@10", "AP", "AP@7", "R@5", "P@5", "RR", "RR@3", "Success@2", "Bpref", "Rprec", "NumRet", "NumRel",
    "Judged@5", "Hole@5", "R_cap@5", "nDCG_exp@5", "nDCG@5(judged_only=True)", "gm_map",
    "iprec_at_recall_0.1",
]  # fmt: skip


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of a few lists."""
    monkeypatch.setattr(run_parts, "BLOCK", 300)
    monkeypatch.setattr(run_parts, "_RESULTS", 40)


def case(seed: int, documents: str) -> tuple[dict[str, dict[str, int]], str]:
    """Judgments of 30 queries and a run that lacks some and has others, with ties and self-matches."""
    draw = random.Random(seed)
    ids = [documents.format(n) for n in range(60)] + [f"q{n}" for n in range(36)]
    qrels = {
        f"q{n}": {doc_id: draw.choice((-2, 0, 1, 1, 3)) for doc_id in draw.sample(ids, 12)} for n in range(30)
    }
    rows = []
    for n in draw.sample(range(36), 30):
        scores = sorted((draw.choice((0.5, 1.25, 2.5, -3.0, 12.75)) for _ in range(25)), reverse=True)
        if draw.random() < 0.3:
            draw.shuffle(scores)
        found = draw.sample(ids, draw.randint(1, 25))
        rows += [f"q{n} Q0 {doc_id} 1 {score} t\n" for doc_id, score in zip(found, scores, strict=False)]
    return qrels, "".join(rows)


def same(a: Scores, b: Scores) -> None:
    assert (a.query_ids, a.measures, a.counts, a.depth) == (b.query_ids, b.measures, b.counts, b.depth)
    assert np.array_equal(a.values, b.values, equal_nan=True)


@pytest.mark.parametrize("documents", ["{}", "document-{}", "d\u00e9-{}"])
@pytest.mark.parametrize("protocol", protocol_names())
def test_in_parts_and_as_a_whole(
    tmp_path: Path, protocol: str, documents: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    for seed in range(4):
        qrels, content = case(seed, documents)
        path = tmp_path / "run.trec"
        path.write_text(content, encoding="utf-8")
        assert len(list(run_parts.run_parts(path))) > 3
        options: dict[str, Any] = {
            "measures": MEASURES,
            "protocol": protocol,
            "depth": (None, 10)[seed % 2],
            "self_match_ids": {"q1", "q2"},
            "corpus_ids": [documents.format(n) for n in range(40)] if seed > 1 else None,
        }
        whole = evaluate(qrels, read_run(path), **options)
        told = [record.getMessage() for record in caplog.records]
        caplog.clear()
        same(evaluate(qrels, path, **options), whole)
        assert [record.getMessage() for record in caplog.records] == told
        caplog.clear()


def test_a_file_that_turns_out_odd_is_scored_as_a_whole_and_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    qrels, content = case(1, "{}")
    path = tmp_path / "run.trec"
    path.write_text(content + content.splitlines(keepends=True)[0])
    scores = evaluate(qrels, path, MEASURES)
    assert scores.counts.duplicates == 1
    assert caplog.text.count("1 duplicate results dropped") == 1
    assert caplog.text.count("judged queries have no results") == 1
    same(scores, evaluate(qrels, read_run(path), MEASURES))
    with pytest.raises(DataError, match="stand twice"):
        evaluate(qrels, path, MEASURES, strict=True)
    path.write_text(content + "q1 Q0 d 1 high t\n")
    with pytest.raises(DataError, match=rf"run\.trec:{content.count(chr(10)) + 1}: the score of q1/d is"):
        evaluate(qrels, path, MEASURES)


def test_a_run_of_other_queries_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.trec"
    path.write_text(case(1, "{}")[1])
    with pytest.raises(DataError, match=r"run\.trec: 0 of 1 judged queries are in the run.*'other'.*'q"):
        evaluate({"other": {"d": 1}}, path)


@pytest.mark.parametrize("protocol", protocol_names())
def test_a_searched_query_without_a_list_found_nothing(tmp_path: Path, protocol: str) -> None:
    qrels, content = case(2, "{}")
    path = tmp_path / "run.trec"
    path.write_text(content)
    run = read_run(path)
    assert set(qrels) - set(run.query_ids)
    expected = evaluate(qrels, run.including(qrels), MEASURES, protocol)
    same(evaluate(qrels, path, MEASURES, protocol, searched=qrels), expected)
    same(evaluate(qrels, run, MEASURES, protocol, searched=list(qrels)), expected)
    assert expected.n("nDCG@10") == len(qrels)
