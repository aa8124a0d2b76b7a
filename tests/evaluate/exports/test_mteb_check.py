"""What mteb's own reader lets pass in a file of results, and this one tells with the key it stands at."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from beirkit.evaluate.exports.mteb import Mteb, MtebOptions
from beirkit.evaluate.exports.mteb_facts import shipped_facts
from tests.evaluate.exports.mteb_entries import REVISION, entry

HOME = f"results/sentence-transformers__all-MiniLM-L6-v2/{REVISION}"
Change = Callable[[dict[str, Any]], object]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The folder of one model with a sound file of one task."""
    Mteb().write([entry()], tmp_path, MtebOptions())
    return tmp_path / HOME


def change(file: Path, how: Change) -> None:
    data = json.loads(file.read_text())
    how(data)
    file.write_text(json.dumps(data))


def told(path: Path) -> list[str]:
    return [str(problem) for problem in Mteb().validate(path)]


def scores(data: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = data["scores"]["test"][0]
    return found


# what is changed in a sound file: the key of the finding, and words of it
CHANGES: dict[str, tuple[Change, str, str]] = {
    "unknown task": (lambda d: d.update(task_name="SciFakt"), "task_name", "did you mean 'SciFact'?"),
    "another task": (lambda d: d.update(task_name="ArguAna"), "task_name", "as the file is called"),
    "old revision": (
        lambda d: d.update(dataset_revision="0228b52cf27578f30900b9e5271d331663a030d7"),
        "dataset_revision",
        "expected 'd56462d0e63a25450459c4f213e49ffdb866f7f9'",
    ),
    "no revision": (lambda d: d.pop("dataset_revision"), "dataset_revision", "found nothing"),
    "percent": (
        lambda d: scores(d).update(main_score=64.5, ndcg_at_10=64.5),
        "scores.test[0].main_score",
        "fractions, not percent",
    ),
    "negative": (lambda d: scores(d).update(map_at_5=-0.1), "scores.test[0].map_at_5", "not negative"),
    "nauc above one": (
        lambda d: scores(d).update(nauc_map_at_5_std=1.5),
        "scores.test[0].nauc_map_at_5_std",
        "at most 1",
    ),
    "other main score": (
        lambda d: scores(d).update(main_score=0.5),
        "scores.test[0].main_score",
        "which ndcg_at_10 is",
    ),
    "extra key": (lambda d: d.update(note="mine"), "note", "expected no such key"),
    "extra measure": (
        lambda d: scores(d).update(ndcg_at_7=0.5),
        "scores.test[0].ndcg_at_7",
        "a measure of mteb",
    ),
    "NaN": (lambda d: scores(d).update(map_at_3=float("nan")), "scores.test[0].map_at_3", "found nan"),
    "infinite time": (lambda d: d.update(evaluation_time=float("inf")), "evaluation_time", "found inf"),
    "text for a score": (
        lambda d: scores(d).update(map_at_3="0.5"),
        "scores.test[0].map_at_3",
        "found '0.5'",
    ),
    "null for a score": (lambda d: scores(d).update(map_at_3=None), "scores.test[0].map_at_3", "found None"),
    "truth for a score": (lambda d: scores(d).update(map_at_1=True), "scores.test[0].map_at_1", "found True"),
    "no main score": (lambda d: scores(d).pop("main_score"), "scores.test[0].main_score", "found nothing"),
    "no main measure": (
        lambda d: scores(d).pop("ndcg_at_10"),
        "scores.test[0].ndcg_at_10",
        "the task's main measure",
    ),
    "no subset": (lambda d: scores(d).pop("hf_subset"), "scores.test[0].hf_subset", "found nothing"),
    "other subset": (
        lambda d: scores(d).update(hf_subset="en"),
        "scores.test[0].hf_subset",
        "a subset of the task",
    ),
    "no languages": (lambda d: scores(d).pop("languages"), "scores.test[0].languages", "found nothing"),
    "one language": (
        lambda d: scores(d).update(languages="eng-Latn"),
        "scores.test[0].languages",
        "a list of codes",
    ),
    "other language": (
        lambda d: scores(d).update(languages=["deu-Latn"]),
        "scores.test[0].languages",
        "expected ['eng-Latn']",
    ),
    "subset twice": (
        lambda d: d["scores"]["test"].append(d["scores"]["test"][0]),
        "scores.test[1].hf_subset",
        "each subset once",
    ),
    "train split": (
        lambda d: d["scores"].update(train=d["scores"]["test"]),
        "scores.train",
        "evaluated on nothing else",
    ),
    "no split": (lambda d: d.update(scores={}), "scores.test", "it is incomplete"),
    "scores in a list": (lambda d: d.update(scores=[d["scores"]]), "scores", "lists of entries by split"),
    "no time": (lambda d: d.pop("evaluation_time"), "evaluation_time", "found nothing"),
    "negative time": (lambda d: d.update(evaluation_time=-1), "evaluation_time", "a number from 0"),
    "no version": (lambda d: d.pop("mteb_version"), "mteb_version", "found nothing"),
    "no such version": (lambda d: d.update(mteb_version="latest"), "mteb_version", "found 'latest'"),
    "date as text": (lambda d: d.update(date="2026-01-01"), "date", "a number from 0"),
    "phases": (
        lambda d: d.update(evaluation_phases=[{"name": "x"}]),
        "evaluation_phases[0]",
        "start no later",
    ),
    "accuracy": (lambda d: scores(d).update(accuracy=0.9), "scores.test[0].accuracy", "which recall_at_1 is"),
    "falling recall": (
        lambda d: scores(d).update(recall_at_100=0.1),
        "scores.test[0].recall_at_100",
        "no less than 0.66667, since recall_at_3 is",
    ),
    "old form": (
        lambda d: d.update(mteb_dataset_name="SciFact"),
        "mteb_dataset_name",
        "the form of mteb before 1.11",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_each_change_is_told_by_its_key(name: str, home: Path) -> None:
    how, key, words = CHANGES[name]
    file = home / "SciFact.json"
    change(file, how)
    lines = [line for line in told(file) if line.startswith(f"error SciFact.json: {key}: ")]
    assert any(words in line for line in lines), told(file)


def test_nothing_is_told_of_a_sound_file(home: Path) -> None:
    assert told(home / "SciFact.json") == []
    assert told(home) == told(home.parent) == told(home.parent.parent) == []


def test_measures_may_be_missing_and_that_is_told(home: Path) -> None:
    """mteb's smallest file has one measure."""
    kept = ("ndcg_at_10", "main_score", "hf_subset", "languages")
    change(
        home / "SciFact.json",
        lambda d: d["scores"].update(test=[{key: scores(d)[key] for key in kept}]),
    )
    (line,) = told(home)
    assert line.startswith("warning SciFact.json: scores.test[0]: found 1 of 148 measures")


OTHER_KINDS: dict[str, dict[str, Any]] = {
    "STS12": {"cosine_spearman": -0.25, "spearman": -0.25},
    "Banking77Classification": {"accuracy": 0.5, "scores_per_experiment": [{"accuracy": 0.5}]},
    "SprintDuplicateQuestions": {"max_ap": 0.5, "dot_accuracy_threshold": 23.5},
}


@pytest.mark.parametrize("name", OTHER_KINDS)
def test_tasks_of_other_kinds_have_other_bounds(name: str, tmp_path: Path) -> None:
    """Correlations may be negative, thresholds are no fractions; the rest is checked alike."""
    task, values = shipped_facts().tasks[name], OTHER_KINDS[name]
    one = {**values, "main_score": values[task.main_score], "hf_subset": "default", "languages": ["eng-Latn"]}
    data = {
        "dataset_revision": task.revision,
        "task_name": name,
        "mteb_version": "2.0.0",
        "evaluation_time": 1.0,
        "scores": {task.splits[0]: [one]},
    }
    file = tmp_path / f"{name}.json"
    file.write_text(json.dumps(data))
    assert told(file) == []
    one["main_score"] = 0.75
    file.write_text(json.dumps(data))
    (line,) = told(file)
    assert f"scores.{task.splits[0]}[0].main_score: found 0.75; expected" in line
    one["main_score"] = None
    file.write_text(json.dumps(data))
    assert any("found None; expected a finite number" in line for line in told(file))


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"a": 1, "a": 2}', "\ufeff{}", "[" * 10_000])
def test_damage_is_a_finding(text: str, home: Path) -> None:
    (home / "SciFact.json").write_text(text)
    assert any(line.startswith("error SciFact.json: ") for line in told(home))
    (home / "SciFact.json").unlink()
    (home / "model_meta.json").write_text(text)
    assert told(home)


META_CHANGES: dict[str, tuple[Change, str, str]] = {
    **{
        f"no {key}": (lambda d, key=key: d.pop(key), key, "found nothing")  # type: ignore[misc]  # a default
        for key in ("name", "revision", "loader", "memory_usage_mb", "training_datasets", "framework")
    },
    "bare name": (lambda d: d.update(name="model"), "name", "ORGANISATION/MODEL"),
    "null name": (lambda d: d.update(name=None), "name", "ORGANISATION/MODEL"),
    "other name": (lambda d: d.update(name="me/mine"), "name", "expected a folder 'me__mine'"),
    "other revision": (lambda d: d.update(revision="a" * 40), "revision", "as the folder is called"),
    "extra key": (lambda d: d.update(memory_usage=1), "memory_usage", "mteb forbids it"),
    "old languages": (lambda d: d.update(languages=["en"]), "languages", "codes such as eng-Latn"),
    "infinite tokens": (lambda d: d.update(max_tokens=float("inf")), "max_tokens", "found inf"),
    "licence": (lambda d: d.update(license="Apache 2"), "license", "names of licences"),
    "framework": (lambda d: d.update(framework=["Torch"]), "framework", "Sentence Transformers"),
    "similarity": (lambda d: d.update(similarity_fn_name="euclidean"), "similarity_fn_name", "one of cosine"),
    "kind": (lambda d: d.update(model_type=["bm25"]), "model_type", "sparse"),
    "old training": (lambda d: d.update(training_datasets={"NQ": ["train"]}), "training_datasets", "a list"),
    "date": (lambda d: d.update(release_date="2026"), "release_date", "a date"),
    "address": (lambda d: d.update(reference="mine"), "reference", "a URL"),
}


@pytest.mark.parametrize("name", META_CHANGES)
def test_each_change_of_a_models_facts_is_told(name: str, home: Path) -> None:
    how, key, words = META_CHANGES[name]
    change(home / "model_meta.json", how)
    lines = [line for line in told(home) if f"model_meta.json: {key}: " in line]
    assert any(words in line for line in lines), told(home)


def test_folders_must_be_called_as_they_are(home: Path, tmp_path: Path) -> None:
    def renamed(revision: str) -> str:
        other = home.rename(home.with_name(revision))
        change(other / "model_meta.json", lambda d: d.update(revision=revision))
        lines = [line for line in told(tmp_path) if line.startswith("error")]
        change(other / "model_meta.json", lambda d: d.update(revision=home.name))
        other.rename(home)
        return "".join(lines)

    for revision in ("external", "no_revision_available", "abc", "0_1_10"):
        assert f"revision: found '{revision}'; expected 40 hexadecimal digits" in renamed(revision)
    assert renamed("1") == renamed("f" * 40) == ""
    home.parent.rename(home.parent.with_name("minilm"))
    assert any("it is called 'minilm'" in line for line in told(tmp_path))


def test_facts_of_the_model_must_be_there(home: Path) -> None:
    (home / "model_meta.json").unlink()
    assert told(home) == [
        "error model_meta.json: found nothing; expected the facts about the model "
        "(mteb leaves its results out)"
    ]


def test_a_task_stands_in_one_revision_only(home: Path, tmp_path: Path) -> None:
    other = home.with_name("f" * 40)
    other.mkdir()
    for file in home.iterdir():
        (other / file.name).write_bytes(file.read_bytes())
    change(other / "model_meta.json", lambda d: d.update(revision="f" * 40))
    (line,) = [line for line in told(tmp_path) if line.startswith("error")]
    assert "of another revision of the model" in line


def test_an_experiment_belongs_to_its_model(home: Path, tmp_path: Path) -> None:
    inside = home / "experiments" / "batch_16"
    inside.mkdir(parents=True)
    for name in ("SciFact.json", "model_meta.json"):
        (inside / name).write_bytes((home / name).read_bytes())
    assert told(tmp_path) == []


def test_run_settings_are_read_by_line(home: Path) -> None:
    settings = home / "run_settings.jsonl"
    line = settings.read_text()
    for text, key, words in (
        (line + "{", "line 2", "no JSON"),
        (line + "\n[]\n", "line 3", "an object"),
        (line.replace('"task": "SciFact"', '"task": "NQ"'), "line 1.task", "with a file in this folder"),
        (line.replace('"split": "test", ', ""), "line 1.split", "found nothing"),
    ):
        settings.write_text(text)
        (found,) = told(home)
        assert found.startswith(f"error run_settings.jsonl: {key}: ")
        assert words in found


def test_a_mean_over_fewer_forums_is_told(tmp_path: Path) -> None:
    """As published once: eleven forums in the folder, and their mean beside them."""
    parts = shipped_facts().tasks["CQADupstackRetrieval"].parts
    names = ["cqadupstack-" + p.removeprefix("CQADupstack").removesuffix("Retrieval").lower() for p in parts]
    Mteb().write([entry(name) for name in names], tmp_path, MtebOptions())
    home = tmp_path / HOME
    assert told(tmp_path) == []
    change(home / "CQADupstackRetrieval.json", lambda d: scores(d).update(main_score=0.25, ndcg_at_10=0.25))
    (line,) = told(tmp_path)
    assert "CQADupstackRetrieval.json: scores.test[0].main_score: found 0.25; expected" in line
    assert "the mean of its 12 parts" in line
    (home / "CQADupstackAndroidRetrieval.json").unlink()
    (line,) = [line for line in told(tmp_path) if "run_settings" not in line]
    assert "CQADupstackRetrieval.json: scores: found 11 of 12 parts, without CQADupstackAndroid" in line


def test_a_folder_without_results(tmp_path: Path) -> None:
    (line,) = told(tmp_path)
    assert "no file of a task" in line


def test_a_single_file_is_checked_for_what_it_is(home: Path) -> None:
    assert told(home / "model_meta.json") == []
    change(home / "model_meta.json", lambda d: d.update(frame=d.pop("framework")))
    assert any("frame: found" in line for line in told(home / "model_meta.json"))
    (home / "notes.txt").write_text("none")
    for other in ("run_settings.jsonl", "notes.txt"):
        (line,) = told(home / other)
        assert line.startswith(f"error {other}: found no file of a task")
