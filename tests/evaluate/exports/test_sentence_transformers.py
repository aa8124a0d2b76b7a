"""Predictions as sentence-transformers' evaluators write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from beirkit.corpora.errors import DataError
from beirkit.evaluate.exports.known import Known
from beirkit.evaluate.exports.sentence_transformers import (
    Predictions,
    PredictionsOptions,
    read_predictions,
)
from tests.evaluate.exports.small_results import golden, make_entry, told, tree

LINE = '{"query_id": "q1", "query": "x", "results": [{"corpus_id": "d1", "score": 2.0}, '
LINE += '{"corpus_id": "d2", "score": 1.5}]}\n'


def problems(path: Path, text: str, severity: str = "error") -> list[str]:
    (path / "a.jsonl").write_text(text, encoding="utf-8")
    return told(Predictions().validate(path / "a.jsonl"), severity)


def test_golden(tmp_path: Path) -> None:
    out = tmp_path / "out"
    Predictions().write([make_entry(tmp_path)], out, PredictionsOptions(texts=True))
    assert tree(out) == golden("sentence-transformers")
    assert Predictions().validate(out) == []


def test_texts_are_left_out_unless_asked_for(tmp_path: Path) -> None:
    out = tmp_path / "out"
    Predictions().write([make_entry(tmp_path)], out, PredictionsOptions())
    (data,) = tree(out).values()
    assert b"text of" not in data
    assert told(Predictions().validate(out)) == []
    assert told(Predictions().validate(out), "warning")[0] == "line 1: query: no text"


def test_a_dense_retriever_names_its_similarity(tmp_path: Path) -> None:
    entry = make_entry(tmp_path)
    dense = {**entry.manifest, "retriever": {"kind": "dense", "similarity": "cosine"}}
    Predictions().write(
        [make_entry(tmp_path / "b", manifest=dense)], tmp_path / "out", PredictionsOptions(depth=1)
    )
    assert [*tree(tmp_path / "out")] == ["birds@test/bm25_cosine.jsonl"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        pytest.param('"d2"', '"d1"', "line 1: results[1].corpus_id: 'd1' again", id="repeated corpus_id"),
        pytest.param("1.5", "2.5", "line 1: results[1].score: 2.5 below 2.0", id="unsorted"),
        pytest.param("1.5", "NaN", "line 1: NaN, which is no JSON", id="NaN"),
        pytest.param("1.5", '"1.5"', "line 1: results[1].d2: '1.5'", id="score as text"),
        pytest.param('"q1"', "1", "line 1: query_id: 1", id="query id as number"),
        pytest.param('"x"', "null", "line 1: query: None", id="query without text"),
        pytest.param('"query":', '"text":', "line 1: text: 'x'", id="unknown key"),
        pytest.param('"corpus_id": "d2", ', "", "line 1: results[1]: {'score': 1.5}", id="no corpus_id"),
        pytest.param('"results"', '"rank"', "line 1: results: None", id="no results"),
    ],
)
def test_what_nobody_checks(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert problems(tmp_path, LINE) == []
    assert said in problems(tmp_path, LINE.replace(old, new))


def test_queries_stand_once(tmp_path: Path) -> None:
    assert problems(tmp_path, LINE + LINE) == ["line 2: query_id: 'q1' again"]
    assert problems(tmp_path, "") == [": no query"]
    assert told(Predictions().validate(tmp_path / "no")) == [": no predictions"]


def test_ids_of_another_dataset(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(LINE, encoding="utf-8")
    known = Known(
        dataset="birds",
        splits={"test": frozenset({"q2"})},
        queries=frozenset({"q2"}),
        documents=frozenset({"d1"}),
    )
    assert told(Predictions().validate_against(tmp_path, known)) == [
        "q1: a query that birds does not have",
        "q1.d2: a document that birds does not have",
    ]


def test_reading_names_the_line(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(LINE + "{}\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"a\.jsonl:2: line 2: query_id: found None"):
        read_predictions(tmp_path / "a.jsonl")
    (tmp_path / "a.jsonl").write_text(LINE, encoding="utf-8")
    assert read_predictions(tmp_path / "a.jsonl") == {"q1": {"d1": 2.0, "d2": 1.5}}
