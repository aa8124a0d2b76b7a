"""The walk of docs/submitting.md, command by command, over small stand-ins for the boards' data."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
import yaml

from beirkit.cli.arguments import expand_lists
from beirkit.cli.main import build_parser, main
from beirkit.configs.load import load_retriever
from beirkit.corpora.collection import Collection, Download, Provenance
from beirkit.corpora.folder import write_folder
from beirkit.corpora.records import Document, Judgment, Query
from beirkit.evaluate.exports.mteb_facts import mteb_facts
from tests.house.tree import CHECKOUT
from tests.test_docs import command_lines

PAGE = "docs/submitting.md"
TASKS = {"scifact": "SciFact", "nfcorpus": "NFCorpus", "arguana": "ArguAna"}


def stand_in(dataset: str, home: Path) -> None:
    """A few records that say of themselves that they were fetched from the task's repository."""
    facts = mteb_facts().task(TASKS[dataset])
    fetched = [Download(address=f"https://huggingface.co/datasets/{facts.path}", revision=facts.revision)]
    words = ("kestrel", "heron", "owl", "kite")
    collection = Collection(
        documents=lambda: iter(
            [Document(f"d{i}", "", f"The {word} of {dataset}.") for i, word in enumerate(words)]
        ),
        queries=lambda: iter([Query(f"q{i}", f"{word} {dataset}") for i, word in enumerate(words)]),
        judgments={"test": lambda: iter([Judgment(f"q{i}", f"d{i}", 1) for i in range(len(words))])},
        provenance=Provenance(source=dataset, fetched=fetched),
    )
    folder = home / "corpora" / "built" / dataset
    write_folder(collection, folder)
    Path(f"{dataset}.tsv").write_bytes((folder / "qrels/test.tsv").read_bytes())


def call_minilm_what_stands_for_it() -> None:
    """Results of a second lexical retriever get the name and the model that a page speaks of."""
    source = load_retriever("minilm").options["model"]
    name, _, revision = next(s for s in source if s.startswith("hub:")).removeprefix("hub:").partition("@")
    for path in Path("results").glob("*/rank-bm25--*/manifest.json"):
        facts = json.loads(path.read_text())
        facts |= {"name": "minilm", "report": {"model": name, "revision": revision}}
        path.write_text(json.dumps(facts))


def test_the_walk(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for dataset in TASKS:
        stand_in(dataset, home)
    said: dict[str, str] = {}
    for words in command_lines(PAGE, "beirkit"):
        if words[0] in ("fetch", "list") or "air-bench" in words:  # its sets are not at hand
            continue
        words = [
            one for word in words for one in (map(str, sorted(Path().glob(word))) if "*" in word else [word])
        ]
        if words[0] == "run":
            words = ["rank-bm25" if word == "minilm" else word for word in words]
        code = main(words)
        shown = capsys.readouterr()
        said[shlex.join(words)] = shown.out + shown.err
        assert code == (1 if words[:2] == ["submit", "mteb"] else 0), f"{shlex.join(words)}\n{shown.err}"
        if words[0] == "run":
            call_minilm_what_stands_for_it()
    assert {words.split()[0] for words in said} == {"run", "compare", "export", "validate", "submit"}
    assert sorted(path.name for path in Path("to-mteb").rglob("*.json")) == [
        "ArguAna.json", "NFCorpus.json", "SciFact.json", "export.json", "model_meta.json",
    ]  # fmt: skip
    steps = said["submit mteb to-mteb --dry-run"]
    assert "Have mteb implement sentence-transformers/all-MiniLM-L6-v2 at revision" in steps
    assert "BEIR: 3 of the board's 15 tasks." in steps
    assert "--dataset ID --system bm25" in said["submit tira to-tira --dry-run"]
    assert "cannot be proven" not in "".join(said.values())
    derived = next(text for words, text in said.items() if "--hidden-qrels" in words)
    assert "447 of 447 scores are what the submitted runs come to" in derived
    assert "q3" not in derived
    next(Path("with-runs/predictions").rglob("NFCorpus_*.json")).unlink()
    again = "validate with-runs --as mteb --recompute SciFact=scifact.tsv --recompute ArguAna=arguana.tsv"
    assert main(again.split()) == 1
    assert "NFCorpus.json: scores: found no run to derive them from" in capsys.readouterr().out


def test_the_action_is_sound() -> None:
    """It is YAML, its commands are commands, and nothing of the pull request is executed."""
    data = yaml.safe_load((CHECKOUT / "docs/submission-check.yml").read_text(encoding="utf-8"))
    events = data[True]  # YAML 1.1 reads the key `on` so
    assert list(events) == ["pull_request_target"]
    assert data["permissions"] == {"contents": "read"}
    (job,) = data["jobs"].values()
    runs = [step["run"] for step in job["steps"] if "run" in step]
    parser = build_parser()
    checked = [shlex.split(run) for run in runs if run.startswith("beirkit ")]
    assert len(checked) == 2
    for words in checked:
        assert parser.parse_args(expand_lists(words[1:])).target == "mteb"
    assert "--hidden-qrels" in checked[1]
    others = [run for run in runs if not run.startswith("beirkit ")]
    assert all("theirs" not in run for run in others)
    checkout = next(step for step in job["steps"] if step.get("uses", "").startswith("actions/checkout"))
    assert checkout["with"]["persist-credentials"] is False
