"""Results on the Hugging Face hub: its own parsers take what is written, and what they let pass is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from beirkit.corpora.errors import BeirkitError
from beirkit.evaluate.exports.base import Entry
from beirkit.evaluate.exports.hf_card import split_card
from beirkit.evaluate.exports.hf_eval_results import EvalResults, EvalResultsOptions
from beirkit.evaluate.exports.hf_model_index import ModelIndex, ModelIndexOptions
from beirkit.evaluate.exports.mteb import Mteb, MtebOptions
from beirkit.evaluate.exports.mteb_facts import shipped_facts
from tests.evaluate.exports.mteb_entries import QRELS, entry

GOLDEN = Path(__file__).parent / "golden"
Change = Callable[[dict[str, Any]], object]


def card(folder: Path, *entries: Entry, **options: Any) -> Path:
    ModelIndex().write(entries, folder, msgspec.convert(options, ModelIndexOptions))
    return folder / "README.md"


def files(folder: Path, *entries: Entry, **options: Any) -> Path:
    EvalResults().write(entries, folder, msgspec.convert(options, EvalResultsOptions))
    return folder


def header(path: Path) -> dict[str, Any]:
    found = split_card(path.read_text())
    assert found is not None
    data: dict[str, Any] = yaml.safe_load(found.text)
    return data


def told(path: Path) -> list[str]:
    return [str(problem) for problem in ModelIndex().validate(path)]


def test_goldens_byte_for_byte(tmp_path: Path) -> None:
    made = card(tmp_path, entry(), entry("arguana"))
    assert made.read_text() == (GOLDEN / "hf-model-index/README.md").read_text()
    assert told(tmp_path) == told(made) == []
    files(tmp_path, entry(), date="2026-11-30", source="https://example.org/run")
    written = (tmp_path / ".eval_results/SciFact.yaml").read_text()
    assert written == (GOLDEN / "hf-eval-results/.eval_results/SciFact.yaml").read_text()
    assert EvalResults().validate(tmp_path) == []


def test_a_card_keeps_every_other_byte(tmp_path: Path) -> None:
    old = tmp_path / "card.md"
    old.write_bytes(b"---\r\nlicense:   mit\r\n---\r\n\r\n# Mine\r\n\xc3\xa9 no line end")
    made = card(tmp_path / "out", entry(), card=str(old)).read_bytes()
    before, after = b"---\r\nlicense:   mit\r\n", b"---\r\n\r\n# Mine\r\n\xc3\xa9 no line end"
    assert made.startswith(before)
    assert made.endswith(after)
    assert made[len(before) : -len(after)].startswith(b"model-index:\r\n- name: all-MiniLM-L6-v2\r\n")
    old.write_bytes(b"\xff")
    with pytest.raises(BeirkitError, match="cannot be read as a card"):
        card(tmp_path / "other", entry(), card=str(old))


def test_values_say_their_scale(tmp_path: Path) -> None:
    """The three queries have nDCG .920, .631 and 0, which is .51688 in the mean."""
    percent = header(card(tmp_path / "a", entry()))["model-index"][0]["results"][0]["metrics"]
    fraction = header(card(tmp_path / "b", entry(), scale="fraction"))["model-index"][0]["results"][0][
        "metrics"
    ]
    assert percent[0] == {"type": "ndcg_at_10", "name": "ndcg_at_10, percent", "value": 51.688}
    assert fraction[0] == {"type": "ndcg_at_10", "name": "ndcg_at_10, fraction", "value": 0.51688}
    assert [one["type"] for one in percent] == ["ndcg_at_10", "map_at_100", "recall_at_100", "mrr_at_10"]


@pytest.mark.parametrize(
    ("given", "options", "said"),
    [
        ([entry(sampled=True)], {}, "is a sample"),
        ([entry(revision="")], {}, "its revision is not known"),
        ([entry(), entry("arguana", system="b", model="me/b")], {}, "is written for one model"),
        ([entry(depth=3)], {}, "holds 3 results per query"),
    ],
)
def test_refuses(given: list[Entry], options: dict[str, Any], said: str, tmp_path: Path) -> None:
    for write in (card, files):
        with pytest.raises(BeirkitError) as error:
            write(tmp_path, *given, **options)
        assert said in str(error.value)
    assert not list(tmp_path.iterdir())


def test_wrong_options_are_told(tmp_path: Path) -> None:
    with pytest.raises(BeirkitError, match="did you mean 'ndcg_at_10'"):
        card(tmp_path, entry(), measures=["ndgc_at_10"])
    with pytest.raises(BeirkitError, match="is no date"):
        files(tmp_path, entry(), date="30.11.2026")


def first(data: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = data["model-index"][0]["results"][0]
    return found


def metric(data: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = first(data)["metrics"][0]
    return found


RESULT = "model-index[0].results[0]"
CARD_CHANGES: dict[str, tuple[Change, str, str]] = {
    "fractions among percentages": (
        lambda d: (metric(d).update(value=0.5, name=""), first(d)["metrics"][1].update(name="")),
        f"{RESULT}.metrics[0].value",
        "one scale",
    ),
    "beyond the scale": (lambda d: metric(d).update(value=140), f"{RESULT}.metrics[0].value", "0 to 100"),
    "beyond what it says": (
        lambda d: metric(d).update(name="ndcg_at_10, fraction"),
        f"{RESULT}.metrics[0].value",
        "0 to 1, as its name says",
    ),
    "negative": (lambda d: metric(d).update(value=-1), f"{RESULT}.metrics[0].value", "0 to 100"),
    "unknown measure": (
        lambda d: metric(d).update(type="ndgc_at_10"),
        f"{RESULT}.metrics[0].type",
        "did you mean 'ndcg_at_10'?",
    ),
    "text": (lambda d: metric(d).update(value="51.7"), f"{RESULT}.metrics[0].value", "found '51.7'"),
    "NaN": (lambda d: metric(d).update(value=float("nan")), f"{RESULT}.metrics[0].value", "found nan"),
    "no value": (lambda d: metric(d).pop("value"), f"{RESULT}.metrics[0].value", "found nothing"),
    "no type": (lambda d: first(d)["task"].pop("type"), f"{RESULT}.task.type", "found nothing"),
    "null type": (lambda d: first(d)["task"].update(type=None), f"{RESULT}.task.type", "a text"),
    "no dataset": (lambda d: first(d).pop("dataset"), f"{RESULT}.dataset", "found nothing"),
    "no name": (lambda d: first(d)["dataset"].pop("name"), f"{RESULT}.dataset.name", "found nothing"),
    "split": (
        lambda d: first(d)["dataset"].update(split="dev"),
        f"{RESULT}.dataset.split",
        "expected 'test'",
    ),
    "no split": (lambda d: first(d)["dataset"].pop("split"), f"{RESULT}.dataset.split", "expected 'test'"),
    "revision": (
        lambda d: first(d)["dataset"].update(revision="main"),
        f"{RESULT}.dataset.revision",
        "d56462d0e63a25450459c4f213e49ffdb866f7f9",
    ),
    "config": (lambda d: first(d)["dataset"].update(config="en"), f"{RESULT}.dataset.config", "'default'"),
    "source": (lambda d: first(d).update(source={"name": "me"}), f"{RESULT}.source.url", "an address"),
    "unknown key": (lambda d: first(d).update(metric=[]), f"{RESULT}.metric", "did you mean 'metrics'?"),
    "mark": (lambda d: metric(d).update(verified=True), f"{RESULT}.metrics[0].verified", "the hub sets it"),
    "twice": (
        lambda d: first(d)["metrics"].append(metric(d)),
        f"{RESULT}.metrics[4]",
        f"what {RESULT}.metrics[0] is",
    ),
    "no measures": (lambda d: first(d).update(metrics=[]), f"{RESULT}.metrics", "a list of measures"),
    "no index": (lambda d: d.pop("model-index"), "model-index", "found nothing"),
    "empty index": (lambda d: d.update({"model-index": []}), "model-index", "a list with the model"),
}


@pytest.mark.parametrize("name", CARD_CHANGES)
def test_each_change_of_a_card_is_told_by_its_key(name: str, tmp_path: Path) -> None:
    how, key, words = CARD_CHANGES[name]
    path = card(tmp_path, entry())
    data = header(path)
    how(data)
    path.write_text(f"---\n{yaml.safe_dump(data, sort_keys=False)}---\n")
    lines = [line for line in told(path) if line.startswith(f"error README.md: {key}: ")]
    assert any(words in line for line in lines), told(path)


def test_a_scale_that_is_not_said_is_told(tmp_path: Path) -> None:
    path = card(tmp_path, entry())
    path.write_text(path.read_text().replace(", percent", ""))
    (line,) = told(path)
    assert line.startswith(f"warning README.md: {RESULT}.metrics[0].value: found a value that is percent")


@pytest.mark.parametrize("place", range(4))
def test_one_fraction_among_values_that_are_named_percent_is_refused(place: int, tmp_path: Path) -> None:
    path = card(tmp_path, entry())
    data = header(path)
    one = first(data)["metrics"][place]
    one["value"] /= 100
    path.write_text(f"---\n{yaml.safe_dump(data, sort_keys=False)}---\n")
    (line,) = [line for line in told(path) if line.startswith("error")]
    assert line.startswith(
        f"error README.md: {RESULT}.metrics[{place}].value: found {one['value']}; expected no less"
    )
    assert "in one scale" in line


def test_fractions_that_are_all_named_percent_are_told(tmp_path: Path) -> None:
    path = card(tmp_path, entry())
    data = header(path)
    for one in first(data)["metrics"]:
        one["value"] /= 100
    path.write_text(f"---\n{yaml.safe_dump(data, sort_keys=False)}---\n")
    lines = told(path)
    assert len(lines) == 4
    assert all(line.startswith("warning") and "expected percent, as its name says" in line for line in lines)


def test_tasks_of_several_languages_are_checked_too(tmp_path: Path) -> None:
    codes = list(shipped_facts().tasks["XQuADRetrieval"].subsets)
    entries = [entry(code, split="validation") for code in codes]
    path = card(tmp_path, *entries, task={code: f"XQuADRetrieval/{code}" for code in codes})
    assert told(path) == []
    text = path.read_text()
    path.write_text(text.replace("split: validation", "split: test", 1))
    assert told(path) == [
        f"error README.md: {RESULT}.dataset.split: found 'test'; expected 'validation' "
        f"(XQuADRetrieval of mteb {shipped_facts().mteb} have no other)"
    ]
    path.write_text(text.replace("config: ", "config: x", 1))
    assert f"error README.md: {RESULT}.dataset.config: found 'x{codes[0]}'; expected" in told(path)[0]


def test_other_peoples_datasets_are_left_alone(tmp_path: Path) -> None:
    path = card(tmp_path, entry())
    path.write_text(path.read_text().replace("mteb/scifact", "beans").replace("ndcg_at_10", "accuracy"))
    assert told(path) == []


@pytest.mark.parametrize(
    "text", ["", "# no header\n", "---\n[\n---\n", "---\na: 1\na: 2\n---\n", "---\n- a\n---\n"]
)
def test_damage_of_a_card_is_a_finding(text: str, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(text)
    assert len(told(tmp_path)) == 1
    (tmp_path / "README.md").write_bytes(b"\xff")
    assert len(told(tmp_path)) == 1
    (tmp_path / "README.md").unlink()
    assert len(told(tmp_path)) == 1


ENTRY_CHANGES: dict[str, tuple[Change, str, str]] = {
    "text": (lambda d: d.update(value="51.7"), "[0].value", "found '51.7'"),
    "truth": (lambda d: d.update(value=True), "[0].value", "found True"),
    "NaN": (lambda d: d.update(value=float("nan")), "[0].value", "a finite number"),
    "beyond": (lambda d: d.update(value=100.5), "[0].value", "0 to 100"),
    "no value": (lambda d: d.pop("value"), "[0].value", "found nothing"),
    "bad date": (lambda d: d.update(date="30.11.2026"), "[0].date", "an ISO date"),
    "year": (lambda d: d.update(date=2026), "[0].date", "an ISO date"),
    "misspelt token": (
        lambda d: d.update(verify_token="x"),
        "[0].verify_token",
        "did you mean 'verifyToken'?",
    ),
    "no id": (lambda d: d["dataset"].pop("id"), "[0].dataset.id", "found nothing"),
    "no task": (lambda d: d["dataset"].pop("task_id"), "[0].dataset.task_id", "found nothing"),
    "unknown task": (
        lambda d: d["dataset"].update(task_id="SciFakt"),
        "[0].dataset.task_id",
        "did you mean 'SciFact'?",
    ),
    "revision": (lambda d: d["dataset"].update(revision="main"), "[0].dataset.revision", "d56462d0e63a"),
    "dataset of another task": (
        lambda d: d["dataset"].update(id="mteb/scifact2"),
        "[0].dataset.id",
        "found 'mteb/scifact2'; expected 'mteb/scifact'",
    ),
    "extra key": (lambda d: d["dataset"].update(split="test"), "[0].dataset.split", "no such key"),
    "source": (lambda d: d.update(source={"name": "me"}), "[0].source.url", "an address"),
    "notes": (lambda d: d.update(notes=["a"]), "[0].notes", "a text"),
}


@pytest.mark.parametrize("name", ENTRY_CHANGES)
def test_each_change_of_an_entry_is_told_by_its_key(name: str, tmp_path: Path) -> None:
    how, key, words = ENTRY_CHANGES[name]
    path = files(tmp_path, entry()) / ".eval_results/SciFact.yaml"
    data = yaml.safe_load(path.read_text())
    how(data[0])
    path.write_text(yaml.safe_dump(data, sort_keys=False))
    lines = [str(one) for one in EvalResults().validate(tmp_path)]
    expected = f"error .eval_results/SciFact.yaml: {key}: "
    assert any(line.startswith(expected) and words in line for line in lines), lines


def test_more_than_one_file(tmp_path: Path) -> None:
    folder = files(tmp_path, entry()) / ".eval_results"
    text = (folder / "SciFact.yaml").read_text()
    (folder / "again.yml").write_text(text)
    lines = [str(one) for one in EvalResults().validate(tmp_path)]
    assert any("again.yml: found 'again.yml'; expected a name that ends in .yaml" in line for line in lines)
    assert any("[0].dataset.task_id: found what .eval_results/SciFact.yaml [0] is" in line for line in lines)
    (folder / "again.yml").write_text("- value: 1\n  value: 2\n")
    assert any("YAML takes the last" in str(one) for one in EvalResults().validate(folder / "again.yml"))
    for text in ("", "[", "{}", "- 1"):
        (folder / "again.yml").write_text(text)
        assert len(EvalResults().validate(folder / "again.yml")) >= 2


def test_the_hubs_parser_takes_the_card(tmp_path: Path) -> None:
    hub = pytest.importorskip("huggingface_hub", reason="needs huggingface_hub")
    from huggingface_hub.repocard_data import model_index_to_eval_results

    path = card(tmp_path, entry(), entry("arguana"))
    name, results = model_index_to_eval_results(header(path)["model-index"])
    assert name == "all-MiniLM-L6-v2"
    assert len(results) == 8
    one = next(r for r in results if r.dataset_type == "mteb/scifact" and r.metric_type == "ndcg_at_10")
    assert (one.metric_value, one.dataset_split, one.dataset_config) == (51.688, "test", "default")
    loaded = hub.ModelCard.load(path)
    assert len(loaded.data.eval_results) == 8


def test_the_hubs_parser_takes_the_files(tmp_path: Path) -> None:
    hub = pytest.importorskip("huggingface_hub", reason="needs huggingface_hub")
    files(tmp_path, entry(), date="2026-11-30", source="https://example.org/run")
    entries = hub.parse_eval_result_entries(
        yaml.safe_load((tmp_path / ".eval_results/SciFact.yaml").read_text())
    )
    assert [(one.task_id, one.value, one.date) for one in entries] == [
        ("SciFact_default_test", 51.688, "2026-11-30"),
        ("SciFact", 51.688, "2026-11-30"),
    ]


def test_what_the_hubs_parsers_let_pass(tmp_path: Path) -> None:
    """Why ours are needed: a text, a bad date and a misspelt key go through."""
    hub = pytest.importorskip("huggingface_hub", reason="needs huggingface_hub")
    (odd,) = hub.parse_eval_result_entries(
        [{"dataset": {"id": "a", "task_id": "b"}, "value": "x", "date": "never", "verify_token": "t"}]
    )
    assert (odd.value, odd.date, odd.verify_token) == ("x", "never", None)


def test_steps(tmp_path: Path) -> None:
    path = card(tmp_path, entry())
    assert f"Put {path} in the place of the model's README.md" in ModelIndex().steps(tmp_path)[0].what
    files(tmp_path, entry())
    assert ".eval_results/SciFact.yaml" in EvalResults().steps(tmp_path)[0].what


def test_the_whole_is_the_mean_of_its_subsets(tmp_path: Path) -> None:
    codes = list(shipped_facts().tasks["XQuADRetrieval"].subsets)
    best = {query: dict.fromkeys(row, 1.0) for query, row in QRELS.items()}
    entries = [entry(code, split="validation", run=best if code == "de" else None) for code in codes]
    files(tmp_path, *entries, task={code: f"XQuADRetrieval/{code}" for code in codes})
    data = yaml.safe_load((tmp_path / ".eval_results/XQuADRetrieval.yaml").read_text())
    values = {one["dataset"]["task_id"]: one["value"] for one in data}
    assert len(values) == len(codes) + 1
    parts = [values[f"XQuADRetrieval_{code}_validation"] for code in codes]
    assert values["XQuADRetrieval"] == round(sum(parts) / len(parts), 5)


def test_no_text_of_the_data_is_in_any_file(tmp_path: Path) -> None:
    texts = {"q1": "private words", "q2": "more private words", "q3": "private too"}
    one = entry(texts=texts)
    card(tmp_path / "card", one)
    files(tmp_path / "files", one)
    Mteb().write([one], tmp_path / "mteb", MtebOptions(predictions=True))
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) == 6
    assert all(b"private" not in path.read_bytes() for path in written)
