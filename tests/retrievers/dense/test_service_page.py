"""The configurations on the page about embedding services retrieve, from a server with their forms."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from beirkit.configs.load import read_config
from beirkit.configs.schema import RetrieverConfig
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.catalog import create
from tests.retrievers.dense.local_embeddings import LocalEmbeddings
from tests.retrievers.dense.over_service import DOCUMENTS, QUERIES

PAGE = (Path(__file__).parents[3] / "docs" / "embedding-services.md").read_text(encoding="utf-8")
BLOCKS = {yaml.safe_load(block)["name"]: block for block in re.findall(r"```yaml\n(.*?)```", PAGE, re.S)}


def as_ollama(answer: dict[str, Any]) -> dict[str, Any]:
    vectors = [entry["embedding"] for entry in answer["data"]]
    tokens = answer["usage"]["total_tokens"]
    return {"model": answer["model"], "embeddings": vectors, "prompt_eval_count": tokens}


def as_cohere(answer: dict[str, Any]) -> dict[str, Any]:
    vectors = [entry["embedding"] for entry in answer["data"]]
    billed = {"input_tokens": float(answer["usage"]["total_tokens"])}
    return {"id": "1", "texts": [], "embeddings": {"float": vectors}, "meta": {"billed_units": billed}}


FORMS = {"openai-small": None, "ollama-nomic": as_ollama, "cohere": as_cohere}


def test_each_configuration_of_the_page_is_tried() -> None:
    assert set(BLOCKS) == set(FORMS)


@pytest.mark.parametrize("name", sorted(BLOCKS))
def test_it_retrieves(
    name: str, service: LocalEmbeddings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = yaml.safe_load(BLOCKS[name])
    asked = data["options"]["service"]
    asked["url"] = service.host + re.sub(r"https?://[^/]+", "", asked["url"])
    if key := asked.get("key"):
        monkeypatch.setenv(key, "sesame-7351")
        service.key = "sesame-7351"
    service.input_key = asked.get("input", "input")
    service.change = FORMS[name]
    file = tmp_path / "service.yaml"
    file.write_text(yaml.safe_dump(data), encoding="utf-8")
    retriever = create(read_config(file, RetrieverConfig), Workplace())
    retriever.index(DOCUMENTS)
    found = retriever.search(QUERIES, 3).to_dict()
    assert "d07" in found["q1"]
    bill = retriever.report()["service"]
    assert bill["tokens_counted_by"] == "service"
    assert bill["tokens"] >= 206
