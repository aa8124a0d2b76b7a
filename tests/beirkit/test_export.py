"""`beirkit export`: what it prints, what it writes, how it ends; and the facts it hands on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from beirkit import export
from beirkit.cli.main import main
from beirkit.configs.load import load_dataset
from beirkit.corpora.collection import Provenance
from beirkit.corpora.errors import UsageError
from beirkit.corpora.exports import catalog
from beirkit.corpora.exports.catalog import read_export
from beirkit.exporting import facts_of


def test_tells_what_was_written_where(
    birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", "birds", "--to", "trec", "--out", "trec", "--set", "topics=xml", "gzip=true"]) == 0
    shown = capsys.readouterr()
    assert shown.out == "trec: 4 documents, 4 queries; judgments: test 5\n"
    assert "documents/documents.trec.gz" in shown.err
    assert "topics.xml.gz" in shown.err
    assert read_export(tmp_path / "trec").options == {"topics": "xml", "gzip": True}
    assert (tmp_path / "trec/qrels.test.txt").read_text().startswith("q1 0 d1 2\n")


def test_json_is_the_manifest(birds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "birds", "--to", "jsonl", "--out", "out", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["path"] == "out"
    assert data["target"] == "jsonl"
    assert data["counts"]["documents"] == 4


def test_overwrites_when_asked(birds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["export", "birds", "--to", "jsonl", "--out", "out", "--quiet"]
    assert main(words) == 0
    assert main(words) == 2
    assert "is there already" in capsys.readouterr().err
    assert main([*words, "--overwrite"]) == 0
    assert main([*words[:-3], "--out", "birds", "--overwrite"]) == 2
    assert "lies in the folder that is exported" in capsys.readouterr().err
    assert main([*words[:-3], "--out", "birds/jsonl"]) == 2


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["birds", "--to", "trek", "--out", "out"], "did you mean 'trec'?"),
        (["birds", "--to", "trec", "--out", "out", "--set", "topic=xml"], "did you mean 'topics'?"),
        (["birds", "--to", "trec", "--out", "out", "--set", "topics=html"], "Invalid enum value 'html'"),
        (["birdz", "--to", "trec", "--out", "out"], "no dataset and no folder is called 'birdz'"),
    ],
)
def test_wrong_use_is_told_and_nothing_is_written(
    birds: Path, tmp_path: Path, words: list[str], found: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", *words]) == 2
    assert found in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_targets_that_take_results_are_refused(birds: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog.get("jsonl"), "takes", "results")
    with pytest.raises(UsageError, match="takes results, not a BEIR folder"):
        export("birds", "jsonl", "out")


def test_splits_are_renamed_from_the_command_line(birds: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    words = ["--set", "splits.test=validation", "language=en", "licence=CC0 1.0"]
    assert main(["export", "birds", "--to", "hf-dataset", "--out", "hub", "--quiet", *words]) == 0
    card = (tmp_path / "hub/README.md").read_text(encoding="utf-8")
    assert "license: cc0-1.0" in card
    assert (tmp_path / "hub/qrels/validation.parquet").is_file()


def test_facts_come_from_the_configuration_or_the_folder() -> None:
    config = load_dataset("scifact")
    facts = facts_of("scifact", config, Provenance(source="scifact", revision="r1"))
    assert (facts.name, facts.title, facts.language, facts.task) == (
        "scifact",
        "SciFact",
        "en",
        "fact checking",
    )
    assert (facts.licence, facts.citation, facts.source) == (config.licence, config.citation, config.obtain)
    assert (facts.reported_split, facts.revision) == ("test", "r1")
    own = facts_of("mine", None, Provenance(source="mine", licence="CC0", citation="Me.", revision="2"))
    assert (own.name, own.title, own.language) == ("mine", "", "")
    assert (own.licence, own.citation, own.revision) == ("CC0", "Me.", "2")
