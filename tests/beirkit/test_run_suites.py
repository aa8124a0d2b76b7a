"""Suites of suites: what is searched, and what their means say."""

from __future__ import annotations

import json
import logging
import shutil
from pathlib import Path
from typing import Any

import pytest

from beirkit.cli.main import main
from beirkit.configs.load import load_retriever


@pytest.fixture
def suites(birds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A suite with a dataset and an inner suite of two, one of which a test may take away."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BEIRKIT_HOME", str(tmp_path / "home"))
    for name in ("reed", "lake", "shore"):
        shutil.copytree(birds, tmp_path / name)
    queries = tmp_path / "lake" / "qrels" / "test.tsv"
    rows = queries.read_text(encoding="utf-8").splitlines(keepends=True)
    queries.write_text("".join(rows[:2]), encoding="utf-8")  # another mean than the other two
    (tmp_path / "water.yaml").write_text("name: water\ndatasets: [./lake, ./shore]\n", encoding="utf-8")
    outer = tmp_path / "outer.yaml"
    outer.write_text("name: outer\ndatasets: [./reed, water.yaml]\n", encoding="utf-8")
    return outer


def run(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main(["run", *words, "-r", "bm25", "-m", "nDCG@10", "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_every_member_counts_the_same(suites: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = run(capsys, str(suites))
    value = {row["dataset"]: row["measures"]["nDCG@10"] for row in found["results"]}
    assert set(value) == {"reed", "lake", "shore"}
    assert value["lake"] != value["shore"]
    means = {row["name"]: row["measures"]["nDCG@10"] for row in found["means"]}
    inner = (value["lake"] + value["shore"]) / 2
    assert means["water"] == {"mean": inner, "members": 2, "there": 2, "missing": []}
    assert means["outer"]["mean"] == (value["reed"] + inner) / 2
    assert main(["run", str(suites), "-r", "bm25", "-m", "nDCG@10"]) == 0
    shown = capsys.readouterr().out
    assert "mean of outer" in shown
    assert "2 of 2" in shown


def test_a_member_that_is_not_built_leaves_no_mean(
    suites: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    (suites.parent / "water.yaml").write_text("name: water\ndatasets: [./lake, scifact]\n", encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        found = run(capsys, str(suites))
    assert "dataset 'scifact' is not built yet" in caplog.text
    means = {row["name"]: row["measures"]["nDCG@10"] for row in found["means"]}
    assert means["water"] == {"mean": None, "members": 2, "there": 1, "missing": ["scifact"]}
    assert means["outer"] == {"mean": None, "members": 2, "there": 1, "missing": ["scifact"]}
    assert main(["run", str(suites), "-r", "bm25", "-m", "nDCG@10"]) == 0
    assert "incomplete: 1 of 2, missing scifact" in " ".join(capsys.readouterr().out.split())


def test_datasets_side_by_side_have_no_mean_and_must_be_there(
    suites: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys, "-d", "reed", "-d", "lake")["means"] == []
    assert main(["run", "-d", "reed", "-d", "scifact", "-r", "bm25"]) == 2
    assert "dataset 'scifact' is not built yet" in capsys.readouterr().err


def test_a_suite_of_datasets_alone_needs_retrievers(suites: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(suites)]) == 2
    assert "says what to search, not with what (add -r bm25)" in capsys.readouterr().err


def test_means_over_all_and_over_what_was_not_trained_on(
    suites: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    own = "name: {0}\ntitle: {0}\nextends: scifact\nformat: beir\nfamily: {1}\n"
    for name, family in (("reed", "reeds"), ("lake", "waters")):
        (suites.parent / f"{name}.yaml").write_text(own.format(f"my-{name}", family), encoding="utf-8")
        assert main(["convert", f"{name}.yaml", name]) == 0
    bm25 = load_retriever("bm25")
    options = json.dumps(bm25.options)
    trained = suites.parent / "trained.yaml"
    trained.write_text(
        f"name: trained\nkind: bm25\noptions: {options}\ntrained_on: [waters]\n", encoding="utf-8"
    )
    suites.write_text("name: outer\ndatasets: [reed.yaml, lake.yaml]\n", encoding="utf-8")
    capsys.readouterr()
    words = ["run", str(suites), "-r", "bm25", "-r", str(trained), "-m", "nDCG@10", "--json"]
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)
    status = {(row["dataset"], row["retriever"]): row["training"] for row in found["results"]}
    assert status == {
        ("my-reed", "bm25"): "zero-shot",
        ("my-lake", "bm25"): "zero-shot",
        ("my-reed", "trained"): "zero-shot",
        ("my-lake", "trained"): "in-domain",
    }
    means = {(row["retriever"], row["training"]): row["measures"]["nDCG@10"] for row in found["means"]}
    assert set(means) == {("bm25", "all"), ("trained", "all"), ("trained", "zero-shot")}
    [reed] = [r for r in found["results"] if (r["dataset"], r["retriever"]) == ("my-reed", "trained")]
    assert means["trained", "zero-shot"]["mean"] == reed["measures"]["nDCG@10"]
    assert means["trained", "zero-shot"]["members"] == 1
    assert means["trained", "all"]["members"] == 2


def test_a_missing_member_that_was_trained_on_is_no_zero_shot_member(
    suites: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """SciFact is not built, and what training on its family means is known all the same."""
    own = "name: my-reed\ntitle: Reed\nextends: scifact\nformat: beir\nfamily: reeds\n"
    (suites.parent / "reed.yaml").write_text(own, encoding="utf-8")
    assert main(["convert", "reed.yaml", "reed"]) == 0
    trained = suites.parent / "trained.yaml"
    options = json.dumps(load_retriever("bm25").options)
    suites.write_text("name: outer\ndatasets: [reed.yaml, scifact]\n", encoding="utf-8")
    there = {}
    for families in ("[scifact]", "[other]", "null"):
        trained.write_text(
            f"name: trained\nkind: bm25\noptions: {options}\ntrained_on: {families}\n", encoding="utf-8"
        )
        capsys.readouterr()
        assert main(["run", str(suites), "-r", str(trained), "-m", "nDCG@10", "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        there[families] = {
            row["training"]: (row["measures"]["nDCG@10"]["there"], row["measures"]["nDCG@10"]["missing"])
            for row in found["means"]
        }
    assert there == {
        "[scifact]": {"all": (1, ["scifact"]), "zero-shot": (1, [])},
        "[other]": {"all": (1, ["scifact"])},
        "null": {"all": (1, ["scifact"])},
    }


def test_members_of_one_name_are_told_apart_and_counted_each(
    suites: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two conversions of one dataset beside each other, and one that has the name of what is not built."""
    own = "name: my-reed\ntitle: My reed\nextends: scifact\nformat: beir\n"
    (suites.parent / "my-reed.yaml").write_text(own, encoding="utf-8")
    for source, out in (("reed", "one"), ("lake", "two")):
        assert main(["convert", "my-reed.yaml", source, "--out", out]) == 0
        manifest = suites.parent / out / "manifest.json"
        data = json.loads(manifest.read_text(encoding="utf-8"))
        data["provenance"] |= {"source": "scifact", "converter": "scifact"}
        manifest.write_text(json.dumps(data), encoding="utf-8")
    suites.write_text("name: outer\ndatasets: [./one, ./two]\n", encoding="utf-8")
    capsys.readouterr()
    found = run(capsys, str(suites))
    values = [row["measures"]["nDCG@10"] for row in found["results"]]
    names = {row["dataset"] for row in found["results"]}
    assert len(names) == 2
    assert values[0] != values[1]
    [mean] = found["means"]
    assert mean["measures"]["nDCG@10"]["mean"] == sum(values) / 2
    suites.write_text("name: outer\ndatasets: [./one, scifact]\n", encoding="utf-8")
    found = run(capsys, str(suites))
    assert found["means"][0]["measures"]["nDCG@10"] == {
        "mean": None, "members": 2, "there": 1, "missing": ["scifact"]
    }  # fmt: skip
    assert found["results"][0]["dataset"] != "scifact"


def test_a_task_is_no_mean_of_those_of_its_members_that_are_there(
    suites: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = "name: {0}\ntitle: {0}\nextends: {1}\nformat: beir\n"
    for name, parent in (("reed", "scifact"), ("lake", "pystdlib")):
        text = own.format(f"my-{name}", parent)
        (suites.parent / f"{name}.yaml").write_text(text, encoding="utf-8")
        assert main(["convert", f"{name}.yaml", name]) == 0
    suites.write_text("name: outer\ndatasets: [reed.yaml, lake.yaml, fever]\n", encoding="utf-8")
    capsys.readouterr()
    found = run(capsys, str(suites))
    tasks = {row["name"]: row["measures"]["nDCG@10"] for row in found["means"] if row["kind"] == "task"}
    assert tasks["fact checking"] == {"mean": None, "members": 2, "there": 1, "missing": ["fever"]}
    assert tasks["documentation retrieval"]["members"] == 1
