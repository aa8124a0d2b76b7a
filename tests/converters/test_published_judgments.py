"""The counts in every dataset's configuration against the published judgments, queries and statistics."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from beirkit.configs.load import load_dataset, names
from beirkit.configs.schema import Expected
from beirkit.corpora.qrels import read_qrels
from tests.house.published import published_queries
from tests.house.tree import CHECKOUT

# Rows that the copies of the published judgments lack, with the reason.
LEFT_OUT = {
    "trec-covid": {-1: 2},  # the copy has no negative grades; the zip has both rows
    "webis-touche2020": {0: 1282},  # the copy has positive grades only
}

# What ir_datasets calls them, where it is not `beir/NAME`.
OTHER_IDS = {"webis-touche2020": "beir/webis-touche2020/v2", "webis-touche2020-v1": "beir/webis-touche2020"}


def expected_of(name: str) -> Expected:
    expected = load_dataset(name).expected
    assert expected is not None
    return expected


def histogram(path: Path) -> Counter[int]:
    return Counter(grade for row in read_qrels(path).values() for grade in row.values())


def published(name: str, kind: str) -> list[Path]:
    """The published judgments or queries of one dataset in the handed data; none where it is not there."""
    shared = Path(os.environ.get("BEIRKIT_SHARED", CHECKOUT.parent / "shared"))
    return sorted((shared / "data").glob(f"*/beir/{kind}.beir-v1.0.0-{name}.test.t*"))


def of_beir(name: str) -> bool:
    config = load_dataset(name)
    return config.expected is not None and any(form.kind == "beir" for form in config.published)


PUBLISHED = [name for name in names("datasets") if published(name, "qrels")]


def test_most_of_the_names_are_compared(shared: Path) -> None:
    """The list is made of what is there; an empty one would pass."""
    files = list(shared.glob("data/*/beir/qrels.beir-v1.0.0-*.test.txt"))
    there = {path.name.removeprefix("qrels.beir-v1.0.0-").removesuffix(".test.txt") for path in files}
    assert len(there) >= 20
    assert there & set(names("datasets")) == set(PUBLISHED)


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_grades_are_those_of_the_published_judgments(name: str) -> None:
    (path,) = published(name, "qrels")
    expected = Counter(expected_of(name).judgments["test"])
    expected.subtract(LEFT_OUT.get(name, {}))
    assert histogram(path) == +expected


@pytest.mark.parametrize("name", [name for name in names("datasets") if published(name, "topics")])
def test_the_published_queries_are_those_that_are_judged(name: str) -> None:
    asked = published_queries(published(name, "topics")[0]).keys()
    for path in published(name, "qrels"):
        assert set(read_qrels(path)) == asked
    if len(expected_of(name).judgments) == 1 and expected_of(name).queries is not None:
        assert expected_of(name).queries == len(asked)


def test_msmarco_has_the_small_dev_set_and_deep_learning_2019(shared: Path) -> None:
    raw = shared / "data" / "msmarco" / "raw"
    expected = expected_of("msmarco").judgments
    assert histogram(raw / "qrels.msmarco-passage.dev-subset.txt") == expected["dev"]
    assert histogram(raw / "qrels.dl19-passage.txt") == expected["test"]


@pytest.mark.parametrize(
    "name", [name for name in (*names("datasets"),) if of_beir(name) or name in OTHER_IDS]
)
def test_the_counts_are_those_that_ir_datasets_publishes(name: str, shared: Path) -> None:
    metadata: dict[str, Any] = json.loads(
        (shared / "data" / "published_numbers" / "ir_datasets" / "metadata.json").read_text()
    )
    expected = expected_of(name)
    key = OTHER_IDS.get(name, f"beir/{name.replace('cqadupstack-', 'cqadupstack/')}")
    assert key in metadata
    told = metadata[key]
    assert expected.documents == told["docs"]["count"]
    assert expected.queries == told["queries"]["count"]
    for split, grades in expected.judgments.items():
        rows = metadata.get(f"{key}/{split}", told)["qrels"]
        counts = {
            int(grade): count for grade, count in rows["fields"]["relevance"]["counts_by_value"].items()
        }
        assert grades == counts, split
