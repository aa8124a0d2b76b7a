"""Predictions for mteb's second stage."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from beirkit.evaluate.exports.known import Known
from beirkit.evaluate.exports.mteb_predictions import MtebPredictions, PredictionsOptions, read_predictions
from tests.evaluate.exports.mteb_entries import MODEL, REVISION, RUN, entry

FILE = f"sentence-transformers__all-MiniLM-L6-v2/{REVISION}/SciFact_predictions.json"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    MtebPredictions().write([entry()], tmp_path, PredictionsOptions())
    return tmp_path / FILE


def told(path: Path) -> list[str]:
    return [str(problem) for problem in MtebPredictions().validate(path)]


def errors(path: Path) -> list[str]:
    return [line for line in told(path) if line.startswith("error")]


def test_the_file_byte_for_byte(file: Path) -> None:
    assert file.read_text() == (
        '{"mteb_model_meta": {"model_name": "sentence-transformers/all-MiniLM-L6-v2", '
        '"revision": "8b3219a92973c328a8e22fadcfa821b5dc75636a"}, "default": {"test": '
        '{"q1": {"d1": 0.9, "d2": 0.5, "d3": 0.25}, "q2": {"d3": 0.75, "d2": 0.5, "q2": 0.25}, '
        '"q3": {"d1": 0.5, "d2": 0.25}}}}'
    )
    run = read_predictions(file, "default", "test")
    assert run is not None
    assert run.to_dict() == RUN
    assert read_predictions(file, "default", "dev") is None


def test_no_deeper_than_asked_for(tmp_path: Path) -> None:
    MtebPredictions().write([entry()], tmp_path, PredictionsOptions(depth=1))
    data = json.loads((tmp_path / FILE).read_text())
    assert data["default"]["test"] == {"q1": {"d1": 0.9}, "q2": {"d3": 0.75}, "q3": {"d1": 0.5}}


def test_fewer_queries_than_the_split_has_are_told(file: Path) -> None:
    assert errors(file) == []
    (line,) = told(file)
    assert "default.test: found 3 queries; expected 300, as the split has" in line


CHANGES: dict[str, tuple[Callable[[dict[str, Any]], object], str, str]] = {
    "subset": (lambda d: d.update(en=d.pop("default")), "en", "a subset of the task"),
    "split": (lambda d: d["default"].update(dev=d["default"].pop("test")), "default.dev", "expected 'test'"),
    "score as text": (
        lambda d: d["default"]["test"]["q1"].update(d1="0.9"),
        "default.test.q1.d1",
        "a finite number",
    ),
    "null": (lambda d: d["default"]["test"]["q1"].update(d1=None), "default.test.q1.d1", "a finite number"),
    "list": (lambda d: d["default"]["test"].update(q1=["d1"]), "default.test.q1", "an object"),
    "no model": (lambda d: d.pop("mteb_model_meta"), "mteb_model_meta", "model_name and revision"),
    "no revision": (
        lambda d: d["mteb_model_meta"].update(revision=None),
        "mteb_model_meta.revision",
        "expected a text",
    ),
    "too many": (
        lambda d: d["default"]["test"].update({f"x{i}": {"d1": 1.0} for i in range(300)}),
        "default.test",
        "expected 300",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_each_change_is_told(name: str, file: Path) -> None:
    how, key, words = CHANGES[name]
    data = json.loads(file.read_text())
    how(data)
    file.write_text(json.dumps(data))
    lines = [line for line in errors(file) if line.startswith(f"error {file.name}: {key}: ")]
    assert any(words in line for line in lines), told(file)


def test_what_is_no_json_is_told(file: Path) -> None:
    file.write_text(file.read_text().replace("0.9", "NaN"))
    assert any("NaN" in line for line in errors(file))
    file.write_text(file.read_text().replace("NaN, ", "0.9, ").replace('"d2": 0.5, "d3"', '"d1": 0.5, "d3"'))
    assert any("the key 'd1' twice" in line for line in errors(file))


def test_unknown_tasks_and_names(file: Path, tmp_path: Path) -> None:
    other = file.rename(file.with_name("SciFakt_predictions.json"))
    assert any("did you mean 'SciFact'?" in line for line in errors(other))
    other.rename(file.with_name("SciFact.json"))
    assert any("another name" in line for line in errors(tmp_path))


def test_ids_that_the_dataset_does_not_have(file: Path) -> None:
    known = Known(
        dataset="toy",
        splits={"test": frozenset({"q1", "q2", "q4"}), "dev": frozenset({"q3"})},
        queries=frozenset({"q1", "q2", "q3", "q4"}),
        documents=frozenset({"d1", "d2", "d3"}),
    )
    lines = [str(one) for one in MtebPredictions().validate_against(file, known)]
    assert any("default.test.q3: found a query of the split 'dev'" in line for line in lines)
    assert any("default.test.q2.q2: found a document that toy does not have" in line for line in lines)
    assert any("default.test.q4: found no result for 1 of 3 judged queries" in line for line in lines)


def test_names_are_asked_for(tmp_path: Path) -> None:
    options = msgspec.convert({"model": {"minilm": "me/mine"}}, PredictionsOptions)
    MtebPredictions().write([entry(model="")], tmp_path, options)
    data = json.loads((tmp_path / f"me__mine/{REVISION}/SciFact_predictions.json").read_text())
    assert data["mteb_model_meta"] == {"model_name": "me/mine", "revision": REVISION}
    assert MODEL not in json.dumps(data)
