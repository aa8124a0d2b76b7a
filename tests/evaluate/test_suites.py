"""Means over suites: equal weights, nested members, and never a number for a part."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from beirkit.configs.schema import SuiteConfig
from beirkit.configs.suites import SuiteNode, suite_tree
from beirkit.corpora.errors import ConfigError
from beirkit.evaluate.suites import suite_mean

FORUMS = ("android", "english", "gaming")
NESTED = SuiteNode("outer", ("fiqa", SuiteNode("forums", FORUMS)))
VALUES = {"fiqa": 0.2, "android": 0.6, "english": 0.3, "gaming": 0.0}


def test_a_suite_inside_a_suite_is_one_member() -> None:
    mean = suite_mean(NESTED, VALUES)
    assert mean.value is not None
    assert math.isclose(mean.value, (0.2 + 0.3) / 2)
    assert (mean.members, mean.there, mean.missing, str(mean)) == (2, 2, (), "2 of 2")


@pytest.mark.parametrize("value", [None, "absent"])
def test_a_missing_member_leaves_no_number(value: str | None) -> None:
    values: dict[str, float | None] = {**VALUES, "android": None}
    if value == "absent":
        del values["android"]
    inner = suite_mean(SuiteNode("forums", FORUMS), values)
    assert (inner.value, str(inner)) == (None, "incomplete: 2 of 3, missing android")
    outer = suite_mean(NESTED, values)
    assert (outer.value, outer.there, outer.missing) == (None, 1, ("android",))


def test_cqadupstack_is_refused_over_eleven_forums_and_has_its_mean_over_twelve(shared: Path) -> None:
    """MTEB stores .382758 for bge-small-en-v1.5, which is the mean of eleven forums without android."""
    numbers = json.loads((shared / "reference/numbers.json").read_text(encoding="utf-8"))
    values: dict[str, float | None] = {
        row["dataset"]: row["value"]
        for row in numbers["scores"]
        if (row["system"], row["metric"]) == ("bge-small-en-v1.5", "ndcg@10")
        and row["dataset"].startswith("cqadupstack/")
    }
    suite = SuiteNode("cqadupstack", tuple(sorted(values)))
    whole = suite_mean(suite, values)
    assert whole.value is not None
    assert (whole.members, round(whole.value, 6)) == (12, 0.390577)
    eleven = {name: value for name, value in values.items() if name != "cqadupstack/android"}
    refused = suite_mean(suite, eleven)
    assert (refused.value, str(refused)) == (None, "incomplete: 11 of 12, missing cqadupstack/android")
    stored = suite_mean(SuiteNode("eleven", tuple(eleven)), eleven)
    assert stored.value is not None
    assert round(stored.value, 6) == 0.382758


def test_suites_are_opened_and_may_not_hold_themselves(tmp_path: Path) -> None:
    inner, outer = tmp_path / "inner.yaml", tmp_path / "outer.yaml"
    inner.write_text("name: inner\ndatasets: [scifact, pystdlib]\n")
    outer.write_text(f"name: outer\ndatasets: [scifact, {inner}]\n")
    config = SuiteConfig(name="top", datasets=[str(outer), "pystdlib"])
    tree = suite_tree(config)
    assert tree.leaves() == ("scifact", "pystdlib")
    assert [node.name for node in tree.suites()] == ["inner", "outer", "top"]
    inner.write_text(f"name: inner\ndatasets: [{outer}]\n")
    with pytest.raises(ConfigError, match=r"'outer' is a member of itself: top > outer > inner > outer"):
        suite_tree(config)
