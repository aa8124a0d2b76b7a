"""The published files of MTEB's results repository: each is sound, or what is wrong with it is named."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

from beirkit.evaluate.exports.mteb import Mteb
from beirkit.evaluate.exports.mteb_facts import shipped_facts
from beirkit.evaluate.exports.mteb_tree import META


@pytest.fixture(scope="module")
def found(shared: Path) -> dict[str, dict[str, str]]:
    """For each file with errors, what was found by the kind of key."""
    problems: dict[str, dict[str, str]] = defaultdict(dict)
    for one in Mteb().validate(shared / "data/published_numbers/mteb_results"):
        if one.severity == "error":
            key = re.sub(r"_at_\d+(_\w+)?$", "", re.sub(r"\[\d+\]", "", one.key))
            problems[one.file].setdefault(re.sub(r"^scores\.\w+\.nauc_\w+$", "nauc", key), one.found)
    return problems


def test_half_of_the_files_of_tasks_are_sound(found: dict[str, dict[str, str]], shared: Path) -> None:
    files = [
        path for path in (shared / "data/published_numbers/mteb_results").rglob("*.json") if path.name != META
    ]
    wrong = [name for name in found if not name.endswith(META)]
    assert (len(files), len(wrong)) == (222, 103)


def test_most_of_the_rest_are_of_another_revision_of_the_data(found: dict[str, dict[str, str]]) -> None:
    revisions = [name for name, keys in found.items() if "dataset_revision" in keys]
    assert len(revisions) == 95
    old = {found[name]["dataset_revision"] for name in revisions if name.endswith("/SciFact.json")}
    assert old == {"'0228b52cf27578f30900b9e5271d331663a030d7'", "'None'"}
    assert shipped_facts().tasks["SciFact"].revision.startswith("d56462d0")


def test_some_hold_nan_other_splits_some_of_the_subsets_or_measures_that_are_gone(
    found: dict[str, dict[str, str]],
) -> None:
    by_key: dict[str, set[str]] = defaultdict(set)
    for name, keys in found.items():
        for key in keys if not name.endswith(META) else ():
            by_key[key].add(name)
    assert len(by_key["nauc"]) == 52
    assert {name.split("/")[-1] for name in by_key["scores.train"]} == {"SciFact.json", "FiQA2018.json"}
    partial = {
        name: found[name][key]
        for key in ("scores.dev", "scores.validation")
        for name in by_key[key]
        if "subsets" in found[name][key]
    }
    assert len(partial) == 6
    assert {text.partition(",")[0] for text in partial.values()} == {
        "1 of 18 subsets", "4 of 18 subsets", "5 of 18 subsets", "2 of 12 subsets",
    }  # fmt: skip
    gone = {name for key, names in by_key.items() if key.endswith("cv_recall") for name in names}
    assert len(gone) == 8


def test_facts_about_models(found: dict[str, dict[str, str]]) -> None:
    by_key: dict[str, int] = defaultdict(int)
    for name, keys in found.items():
        for key in keys if name.endswith(META) else ():
            by_key[key] += 1
    assert by_key["max_tokens"] == 16  # Infinity, which is no JSON
    assert by_key["revision"] == 14  # external, no_revision_available, and versions of bm25s
    assert by_key["training_datasets"] >= 13  # splits by task, an older form
