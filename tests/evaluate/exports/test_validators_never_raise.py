"""Whatever stands in a file, a validator tells it and does not fail."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from beirkit.evaluate.exports.hf_card import split_card
from beirkit.evaluate.exports.hf_eval_results import EvalResults, EvalResultsOptions
from beirkit.evaluate.exports.hf_model_index import ModelIndex, ModelIndexOptions
from beirkit.evaluate.exports.mteb import Mteb, MtebOptions
from beirkit.evaluate.exports.mteb_predictions import MtebPredictions, PredictionsOptions
from beirkit.validating import validate
from tests.evaluate.exports.mteb_entries import REVISION, entry

MODEL = f"sentence-transformers__all-MiniLM-L6-v2/{REVISION}"

# Values that a place in a file may be given instead of its own.
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 10**30) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a value, each as its keys."""
    inside = (
        list(value.items())
        if isinstance(value, dict)
        else list(enumerate(value))
        if isinstance(value, list)
        else []
    )
    return [path, *(found for key, inner in inside for found in places(inner, (*path, key)))]


def put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """The value with something else at one place."""
    if not path:
        return new
    at: Any = value
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = new
    return value


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("written")
    for name, target, options in (
        ("mteb", Mteb(), MtebOptions()),
        ("mteb-predictions", MtebPredictions(), PredictionsOptions()),
        ("hf-model-index", ModelIndex(), ModelIndexOptions()),
        ("hf-eval-results", EvalResults(), EvalResultsOptions()),
    ):
        target.write([entry()], folder / name, options)  # type: ignore[arg-type]  # each has its own options
    return folder


FILES = {
    "mteb task": ("mteb", f"results/{MODEL}/SciFact.json"),
    "mteb model": ("mteb", f"results/{MODEL}/model_meta.json"),
    "mteb settings": ("mteb", f"results/{MODEL}/run_settings.jsonl"),
    "predictions": ("mteb-predictions", f"{MODEL}/SciFact_predictions.json"),
    "card": ("hf-model-index", "README.md"),
    "results": ("hf-eval-results", ".eval_results/SciFact.yaml"),
}


def read(name: str, text: str) -> Any:
    if name == "card":
        header = split_card(text)
        return None if header is None else yaml.safe_load(header.text)
    return yaml.safe_load(text) if name == "results" else json.loads(text)


def told(name: str, data: Any) -> str:
    if name in ("card", "results"):
        text = yaml.safe_dump(data, allow_unicode=True)
        return f"---\n{text}---\n" if name == "card" else text
    return json.dumps(data)


@pytest.mark.parametrize("name", FILES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(data=st.data())
def test_other_values(name: str, written: Path, data: st.DataObject) -> None:
    target, file = FILES[name]
    path = written / target / file
    sound = path.read_text(encoding="utf-8")
    value = read(name, sound)
    place = data.draw(st.sampled_from(places(value)))
    try:
        path.write_bytes(told(name, put(value, place, data.draw(VALUES))).encode("utf-8", "surrogatepass"))
        for problem in validate(written / target, target):
            assert str(problem).isprintable()
            assert problem.file
            assert problem.found
    finally:
        path.write_text(sound, encoding="utf-8")


@pytest.mark.parametrize("name", FILES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(data=st.data())
def test_other_bytes(name: str, written: Path, data: st.DataObject) -> None:
    target, file = FILES[name]
    path = written / target / file
    sound = path.read_bytes()
    start = data.draw(st.integers(0, len(sound)))
    end = data.draw(st.integers(start, min(len(sound), start + 8)))
    try:
        path.write_bytes(sound[:start] + data.draw(st.binary(max_size=6)) + sound[end:])
        for problem in validate(written / target, target):
            assert str(problem).isprintable()
    finally:
        path.write_bytes(sound)
