"""A dataset that extends another one takes over what is true of both."""

from __future__ import annotations

from pathlib import Path

import pytest

from beirkit.configs.load import load_dataset, read_config
from beirkit.configs.schema import DatasetConfig
from beirkit.corpora.errors import ConfigError


def read(folder: Path, text: str) -> DatasetConfig:
    file = folder / "mine.yaml"
    file.write_text(text, encoding="utf-8")
    return read_config(file, DatasetConfig)


def test_facts_about_the_subject_are_taken_over_and_facts_about_the_files_are_not(tmp_path: Path) -> None:
    parent = load_dataset("scifact")
    config = read(tmp_path, "name: mine\ntitle: Mine\nextends: scifact\n")
    assert (config.name, config.title) == ("mine", "Mine")
    assert (config.format, config.json, config.family) == ("scifact", "ascii", parent.family)
    assert (config.licence, config.task, config.instruction) == (
        parent.licence,
        parent.task,
        parent.instruction,
    )
    assert parent.expected is not None
    assert config.expected is None
    assert parent.known
    assert config.known == []


def test_another_format_takes_no_options_and_no_form_over(tmp_path: Path) -> None:
    text = "name: mine\ntitle: Mine\nextends: scifact\nformat: table\noptions: {question: q}\n"
    config = read(tmp_path, text)
    assert config.options == {"question": "q"}
    assert config.json == "utf-8"


def test_an_unknown_parent_is_named_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"extends 'scifcat', which is no dataset.*scifact"):
        read(tmp_path, "name: mine\ntitle: Mine\nextends: scifcat\n")
