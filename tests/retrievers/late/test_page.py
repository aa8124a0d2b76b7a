"""The configurations on the page about late interaction, and the one that is shipped, retrieve."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import msgspec
import pytest
import yaml

from beirkit.configs.load import read_config
from beirkit.configs.schema import RetrieverConfig
from beirkit.configs.spec import parse_retriever
from beirkit.corpora.records import Document, Query
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.catalog import create
from tests.house.tree import CHECKOUT

PAGE = (CHECKOUT / "docs" / "late-interaction.md").read_text(encoding="utf-8")
BLOCKS = {yaml.safe_load(text)["name"]: text for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.S)}

pytestmark = pytest.mark.dense


def _retrieves(config: RetrieverConfig, cache: Path) -> None:
    late = create(config, Workplace(device="cpu", offline=True, cache=cache))
    late.index([Document("owl", "Owl", "hunts voles at night"), Document("d2", text="the kestrel")])
    found = dict(late.search([Query("q", "owl hunts voles at night")], 2).lists())["q"]
    assert [doc for doc, _ in found] == ["owl", "d2"]
    assert late.report()["document"]["texts"] == 2


def test_the_page_has_a_model_of_each_kind() -> None:
    assert list(BLOCKS) == ["my-colbert", "minilm-tokens"]


def test_a_model_for_token_vectors(tiny_late: Path, tmp_path: Path) -> None:
    file = tmp_path / "my-colbert.yaml"
    file.write_text(BLOCKS["my-colbert"], encoding="utf-8")
    shutil.copytree(tiny_late, tmp_path / "models" / "my-colbert")
    _retrieves(read_config(file, RetrieverConfig), tmp_path / "cache")


@pytest.mark.parametrize("where", ["page", "shipped"])
def test_a_model_for_one_vector_per_text(where: str, tiny_bert: Path, tmp_path: Path) -> None:
    file = tmp_path / "minilm-tokens.yaml"
    file.write_text(BLOCKS["minilm-tokens"], encoding="utf-8")
    config = read_config(file, RetrieverConfig) if where == "page" else parse_retriever("minilm-tokens")
    # another model than the one it names: its weights are large
    options = {**config.options, "model": str(tiny_bert), "weights_sha256": None}
    _retrieves(msgspec.structs.replace(config, options=options), tmp_path / "cache")
