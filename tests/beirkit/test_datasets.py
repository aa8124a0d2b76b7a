from __future__ import annotations

import logging
from pathlib import Path

import msgspec
import pytest

from beirkit.corpora.errors import ConfigError, DataError, UnknownNameError, UsageError
from beirkit.corpora.folder import open_folder
from beirkit.corpora.manifest import read_manifest, write_manifest
from beirkit.datasets import Dataset, choose_split, convert_source, find_dataset, self_match_ids


def test_a_folder_goes_by_its_own_name(birds: Path) -> None:
    dataset = find_dataset(str(birds))
    assert (dataset.name, dataset.config) == ("birds", None)


def test_a_misspelt_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'scifact'"):
        find_dataset("scifakt")


def test_a_dataset_that_needs_raw_files_says_which_command_builds_it() -> None:
    with pytest.raises(UsageError, match="beirkit convert scifact RAW"):
        find_dataset("scifact")


def test_a_file_that_is_no_folder_says_how_to_make_one(tmp_path: Path) -> None:
    raw = tmp_path / "my data.csv"
    raw.write_text("question,answer\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"beirkit convert FORMAT '.*my data.csv' --out FOLDER"):
        find_dataset(str(raw))


def test_a_dataset_without_raw_files_is_built_when_it_is_asked_for(home: Path) -> None:
    dataset = find_dataset("pystdlib")
    assert dataset.folder == home / "corpora" / "built" / "pystdlib"
    assert dataset.config is not None
    assert dataset.open().splits == ("test",)


def test_a_built_dataset_is_known_wherever_it_lies(tmp_path: Path) -> None:
    folder, manifest = convert_source("pystdlib", None, tmp_path / "docs")
    assert manifest.provenance.source == "pystdlib"
    assert find_dataset(str(folder)).name == "pystdlib"


def test_a_format_needs_somewhere_to_write(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--out"):
        convert_source("beir", tmp_path, None)


def _splits(birds: Path, *names: str) -> Path:
    rows = (birds / "qrels" / "test.tsv").read_text(encoding="utf-8")
    (birds / "qrels" / "test.tsv").unlink()
    for name in names:
        (birds / "qrels" / f"{name}.tsv").write_text(rows, encoding="utf-8")
    return birds


@pytest.mark.parametrize(
    ("have", "asked", "chosen"),
    [
        (["test"], None, "test"),
        (["dev"], None, "dev"),
        (["train"], "train", "train"),
        (["dev", "test"], "dev", "dev"),
    ],
)
def test_the_split_is_the_one_asked_for_or_the_only_one(
    birds: Path, have: list[str], asked: str | None, chosen: str
) -> None:
    folder = _splits(birds, *have)
    assert choose_split(Dataset("birds", folder, None), open_folder(folder), asked) == chosen


@pytest.mark.parametrize(
    ("have", "asked"), [(["train"], None), (["dev", "test"], None), (["train", "dev"], "test")]
)
def test_another_split_is_never_taken_in_its_place(birds: Path, have: list[str], asked: str | None) -> None:
    folder = _splits(birds, *have)
    with pytest.raises(UsageError) as refusal:
        choose_split(Dataset("birds", folder, None), open_folder(folder), asked)
    assert all(name in str(refusal.value) for name in have)


def test_only_a_query_that_stands_in_the_corpus_with_its_text_is_its_own_match(birds: Path) -> None:
    (birds / "queries.jsonl").write_text(
        '{"_id": "d1", "text": "A small falcon that hovers over fields."}\n'
        '{"_id": "d2", "text": "something else"}\n'
        '{"_id": "d3", "text": "Red kite A large bird of prey with a forked tail."}\n',
        encoding="utf-8",
    )
    dataset = Dataset("birds", birds, None)
    assert self_match_ids(dataset, dataset.open(), {"d1", "d2", "d3"}) == {"d1", "d3"}


def test_a_conversion_that_differs_from_what_is_expected_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    raw = tmp_path / "raw"
    raw.mkdir()
    (raw / "corpus.jsonl").write_text('{"doc_id": 1, "title": "T", "abstract": ["A."]}\n', encoding="utf-8")
    claim = '{"id": 2, "claim": "c", "evidence": {}, "cited_doc_ids": [1]}\n'
    for name in ("claims_train.jsonl", "claims_dev.jsonl"):
        (raw / name).write_text(claim.replace("2", "3") if "dev" in name else claim, encoding="utf-8")
    with caplog.at_level(logging.WARNING, logger="beirkit"):
        convert_source("scifact", raw, tmp_path / "out")
    assert "5183" in caplog.text.replace(",", "")


def test_a_dataset_built_by_another_python_is_built_anew(home: Path) -> None:
    folder = find_dataset("pystdlib").folder
    manifest = read_manifest(folder)
    old = msgspec.structs.replace(manifest.provenance, revision="3.11.0")
    write_manifest(msgspec.structs.replace(manifest, provenance=old), folder)
    assert read_manifest(find_dataset("pystdlib").folder) == manifest


OWN = """name: my-birds
title: Birds of my own
extends: scifact
format: table
options: {question: question, positive: passage}
expected: {documents: 3}
"""


def test_a_dataset_of_ones_own_is_one_yaml_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("BEIRKIT_HOME", str(tmp_path / "home"))
    (tmp_path / "birds.yaml").write_text(OWN)
    (tmp_path / "birds.csv").write_text("question,passage\nWho sings?,The wren.\nWho dives?,The gannet.\n")
    with pytest.raises(UsageError, match=r"beirkit convert .*birds\.yaml RAW"):
        find_dataset(str(tmp_path / "birds.yaml"))
    folder, manifest = convert_source(str(tmp_path / "birds.yaml"), tmp_path / "birds.csv", None)
    assert manifest.provenance.source == "my-birds"
    assert "my-birds differs from what is expected of it: 2 documents instead of 3" in caplog.text
    dataset = find_dataset(str(tmp_path / "birds.yaml"))
    assert (dataset.name, dataset.folder) == ("my-birds", folder)
    assert dataset.config is not None
    assert dataset.config.reported_split == "test"


@pytest.mark.parametrize(
    ("name", "message"),
    [("scifact", "is that of the shipped dataset 'scifact'"), ("../up", "which cannot name a folder")],
)
def test_a_dataset_of_ones_own_needs_a_name_of_its_own(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "birds.yaml").write_text(OWN.replace("my-birds", name))
    with pytest.raises(ConfigError, match=message):
        convert_source(str(tmp_path / "birds.yaml"), None, None)


def test_a_conversion_ends_with_the_check(
    birds: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with (birds / "corpus.jsonl").open("a", encoding="utf-8") as out:
        out.write('{"_id": "e1", "title": "", "text": ""}\n')
    convert_source("beir", birds, tmp_path / "unchecked", check=False)
    assert "the check found" not in caplog.text
    convert_source("beir", birds, tmp_path / "checked")
    assert "the check found 1 warning (BK010 1); to see them: beirkit check" in caplog.text
