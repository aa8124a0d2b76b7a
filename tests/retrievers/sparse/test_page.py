"""The configurations on the page about learned sparse retrieval are configurations, and retrieve."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
import yaml

from beirkit.configs.load import read_config
from beirkit.configs.schema import RetrieverConfig
from beirkit.corpora.records import Document, Query
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.catalog import create
from beirkit.retrievers.sparse.vector_files import read_vectors

PAGE = (Path(__file__).parents[3] / "docs" / "sparse.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```yaml\n(.*?)```", PAGE, re.S)
NAMES = [yaml.safe_load(block)["name"] for block in BLOCKS]
LINE = re.findall(r"```json\n(.*?)```", PAGE, re.S)[0]


def test_the_page_has_one_of_each_family() -> None:
    assert NAMES == ["my-splade", "my-doc-only", "their-vectors"]


@pytest.mark.dense
@pytest.mark.parametrize("name", NAMES)
def test_it_retrieves(
    name: str, tiny_splade: Path, tiny_static_queries: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MY_SPLADE", raising=False)
    file = tmp_path / f"{name}.yaml"
    file.write_text(BLOCKS[NAMES.index(name)], encoding="utf-8")
    shutil.copytree(tiny_splade, tmp_path / "models" / "my-splade")
    shutil.copytree(tiny_static_queries, tmp_path / "models" / "my-doc-only")
    (tmp_path / "their" / "corpus").mkdir(parents=True)
    (tmp_path / "their" / "corpus" / "part1.jsonl").write_text(LINE, encoding="utf-8")
    (tmp_path / "their" / "topics.tsv").write_text("q\towl vole\n", encoding="utf-8")
    retriever = create(read_config(file, RetrieverConfig), Workplace(device="cpu", offline=True))
    retriever.index([Document("d1", "", "owl hunts voles at night")])
    run = dict(retriever.search([Query("q", "owl voles")], 2).lists())
    assert [doc for doc, _ in run["q"]] == ["d1"]
    assert retriever.report()["flops"] > 0


def test_the_line_on_the_page_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(LINE, encoding="utf-8")
    (vector,) = read_vectors(tmp_path / "a.jsonl", "document")
    assert vector.weights == {"owl": 3.1, "vole": 0.42}
