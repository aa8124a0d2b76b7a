"""The contract: every shipped dataset × every check, each on a small raw source of its own.

A dataset brings ``tests/fixtures/datasets/<name>/``: ``raw`` (a folder or file, with any ending) in the
source's own form, written by hand after the rules of the source, ``options.json`` where the fixture needs
options beside those of the dataset's configuration, and ``beir/``, the folder that must come out byte for
byte. The fixture of a format that has the dataset's name will do; one that extends another dataset in its
format, and one of a format in which every dataset looks alike, need none of their own.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from beirkit.configs.load import load_dataset, names
from beirkit.converters import catalog
from beirkit.corpora.check import check_folder
from beirkit.datasets import convert_source

FIXTURES = Path(__file__).parent.parent / "fixtures"

BEIR = (
    "arguana", "bioasq", "climate-fever", "cqadupstack-android", "dbpedia-entity", "fever", "fiqa",
    "hotpotqa", "msmarco", "nfcorpus", "nq", "quora", "robust04", "scidocs", "scifact", "signal1m",
    "trec-covid", "trec-news", "webis-touche2020",
)  # fmt: skip
ALIKE = {"huggingface"}  # formats in which every dataset has the same form
PROGRAMMING_LANGUAGE = {"pystdlib"}  # its source is the installed Python


def fixture_of(name: str, part: str = "raw*") -> Path | None:
    """A part of the dataset's own fixture, else of that of the format of its name."""
    for folder in (FIXTURES / "datasets" / name, FIXTURES / name):
        if found := sorted(folder.glob(part)):
            assert len(found) == 1, f"{folder} needs exactly one {part}"
            return found[0]
    return None


def needs_fixture(name: str) -> bool:
    config = load_dataset(name)
    own = not config.extends or load_dataset(config.extends).format != config.format
    return own and config.format not in ALIKE and name not in PROGRAMMING_LANGUAGE


def files_in(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


WITH_FIXTURE = [name for name in names("datasets") if fixture_of(name)]
golden = pytest.mark.parametrize("name", WITH_FIXTURE)
each = pytest.mark.parametrize("name", names("datasets"))


def converted(name: str, out: Path) -> Path:
    options = fixture_of(name, "options.json")
    given: dict[str, Any] = json.loads(options.read_text()) if options else {}
    convert_source(name, fixture_of(name), out, given)
    return out


@golden
def test_gives_its_golden_folder(name: str, tmp_path: Path) -> None:
    written = files_in(converted(name, tmp_path / "out"))
    del written["manifest.json"]
    expected = fixture_of(name, "beir")
    assert expected is not None
    assert written == files_in(expected)


@golden
def test_what_comes_out_has_no_error(name: str, tmp_path: Path) -> None:
    findings = check_folder(converted(name, tmp_path / "out"))
    assert not [str(finding) for finding in findings if finding.severity == "error"]


@pytest.mark.parametrize("name", sorted({*BEIR} & {*names("datasets")}))
def test_every_name_of_beir_is_there_with_its_facts(name: str) -> None:
    config = load_dataset(name)
    assert config.expected is not None
    assert config.expected.judgments
    assert config.reported_split in config.expected.judgments
    assert config.licence
    assert config.citation
    assert config.obtain


@each
def test_its_format_exists_and_takes_its_options(name: str) -> None:
    config = load_dataset(name)
    options = catalog.get(config.format).Options
    catalog.check_options(config.format, config.options)
    assert options is not None
    assert config.name == name


@each
def test_a_dataset_of_its_own_form_has_a_fixture(name: str) -> None:
    assert not needs_fixture(name) or fixture_of(name)
