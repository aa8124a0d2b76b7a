"""A dataset's instruction reaches the retrievers that take one, and no other."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from beirkit.configs.schema import RetrieverConfig
from beirkit.instructions import PLACE, told, with_instruction
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.catalog import create

TINY = Path(__file__).parents[1] / "fixtures" / "models" / "tiny"
PLACE_OF_WORK = Workplace(device="cpu", offline=True)


def _config(kind: str = "dense", **options: object) -> RetrieverConfig:
    return RetrieverConfig(name="r", kind=kind, options=dict(options))


def test_a_kind_that_has_the_option_gets_it() -> None:
    assert with_instruction(_config(model="m"), "Find it").options == {"model": "m", "instruction": "Find it"}
    assert (
        with_instruction(_config(model="m", instruction="Mine"), "Find it").options["instruction"] == "Mine"
    )
    assert with_instruction(_config("bm25", k1=1.0), "Find it").options == {"k1": 1.0}


def test_a_dataset_without_one_changes_nothing() -> None:
    config = _config(model="m", prompts={"query": f"Task: {PLACE} "})
    assert with_instruction(config, "") is config


def test_the_place_is_filled_at_any_depth_but_in_prompts() -> None:
    config = _config("beir", **{"class": "a:B", "arguments": {"task": f"({PLACE})", "list": [PLACE]}})
    assert with_instruction(config, "x").options["arguments"] == {"task": "(x)", "list": ["x"]}
    prompts = {"query": f"Task: {PLACE} "}
    assert with_instruction(_config(model="m", prompts=prompts), "x").options["prompts"] == prompts


@pytest.fixture
def instructed(tmp_path: Path) -> Path:
    """A model of a family that takes instructions."""
    made = Path(shutil.copytree(TINY, tmp_path / "multilingual-e5-large-instruct"))
    (made / "config_sentence_transformers.json").write_text(json.dumps({"prompts": {}}))
    return made


def test_each_dataset_gets_a_retriever_of_its_own_where_the_model_takes_instructions(
    instructed: Path,
) -> None:
    given = _config(model=str(instructed))
    general = create(with_instruction(given, PLACE), PLACE_OF_WORK)
    queries = []
    for instruction in ("Find the law", "Find the owl", ""):
        config, retriever = told(given, general, instruction, PLACE_OF_WORK)
        assert config.options.get("instruction", "") == instruction
        queries.append(retriever.identity()["encoder"]["prompts"]["query"])
    assert queries[:2] == ["Instruct: Find the law\nQuery: ", "Instruct: Find the owl\nQuery: "]
    assert queries[2].startswith("Instruct: Given a web search query")


def test_a_model_that_takes_none_stays_the_one_that_was_made() -> None:
    given = _config(model=str(TINY))
    made = create(with_instruction(given, PLACE), PLACE_OF_WORK)
    assert told(given, made, "Find the law", PLACE_OF_WORK) == (given, made)
