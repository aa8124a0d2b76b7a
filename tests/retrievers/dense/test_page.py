"""The configurations on the page about dense retrieval are configurations, and retrieve."""

from __future__ import annotations

import re
import shutil
from importlib.util import find_spec
from pathlib import Path

import msgspec
import pytest
import yaml

from beirkit.configs.load import read_config
from beirkit.configs.schema import RetrieverConfig
from beirkit.corpora.errors import MissingExtraError
from beirkit.corpora.records import Document, Query
from beirkit.instructions import with_instruction
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.catalog import create

ROOT = Path(__file__).parents[3]
BLOCKS = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs" / "dense.md").read_text(encoding="utf-8"), re.S)
NAMES = [yaml.safe_load(block)["name"] for block in BLOCKS]
FUNCTION = """
import numpy as np

def encode(texts, role):
    return np.array([[text.count(letter) for letter in "aeiou"] for text in texts], dtype=np.float32)
"""
NOT_HERE = {"mtebs-e5": "its files come from the hub"}


def test_the_page_has_one_of_each_kind() -> None:
    assert len(set(NAMES)) == len(NAMES) >= 7


@pytest.mark.dense
@pytest.mark.parametrize("name", NAMES)
def test_it_retrieves(name: str, tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / f"{name}.yaml"
    file.write_text(BLOCKS[NAMES.index(name)], encoding="utf-8")
    (tmp_path / "mine.py").write_text(FUNCTION)
    for folder in ("my-model", "instruct"):
        shutil.copytree(tiny_model, tmp_path / "models" / folder)
    config = with_instruction(read_config(file, RetrieverConfig), "Find the bird")
    if name.startswith("minilm"):  # another model than the one it names: its weights are large
        options = {**config.options, "model": str(tiny_model)}
        options |= {"truncate_dim": 16} if "truncate_dim" in options else {}
        config = msgspec.structs.replace(config, options=options)
    retriever = create(config, Workplace(device="cpu", offline=True, cache=tmp_path / "cache"))
    if name in NOT_HERE:
        pytest.importorskip("mteb", reason="needs the extra 'mteb'")
        assert retriever.identity()["encoder"]["encoder"] == "mteb"
        return
    if name == "my-static" and find_spec("wordllama") is None:
        pytest.skip("needs the extra 'static'")
    try:
        retriever.identity()
    except MissingExtraError as error:
        pytest.skip(str(error))
    retriever.index([Document("owl", "Owl", "hunts voles at night"), Document("d2", text="the kestrel")])
    run = dict(retriever.search([Query("q", "owl hunts voles at night")], 2).lists())
    assert {doc for doc, _ in run["q"]} == {"owl", "d2"}
    assert retriever.report()["document"]["texts"] == 2
