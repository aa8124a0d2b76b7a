"""What a conversion's counts are compared with."""

from __future__ import annotations

from pathlib import Path

import pytest

from beirkit.configs.schema import Expected
from beirkit.converters.expected import differences
from beirkit.corpora.collection import Collection
from beirkit.corpora.folder import write_folder
from beirkit.corpora.manifest import Manifest


@pytest.fixture
def manifest(tmp_path: Path) -> Manifest:
    corpus = {"a": {"text": "one"}, "b": {"text": "two"}}
    collection = Collection.from_dicts(corpus, {"q": "x"}, {"q": {"a": 2, "b": 0}})
    return write_folder(collection, tmp_path / "out")


def test_equal_counts_differ_nowhere(manifest: Manifest) -> None:
    expected = Expected(documents=2, queries=1, judgments={"test": {0: 1, 2: 1}})
    assert differences(manifest, expected) == []
    assert differences(manifest, Expected()) == []


def test_each_difference_is_a_sentence(manifest: Manifest) -> None:
    expected = Expected(documents=3, queries=2, judgments={"dev": {1: 1}, "test": {1: 4, 2: 1}})
    assert differences(manifest, expected) == [
        "2 documents instead of 3",
        "1 queries instead of 2",
        "no split 'dev' (it has: test)",
        "split 'test': 1 judgments of grade 0 instead of 0",
        "split 'test': 0 judgments of grade 1 instead of 4",
    ]
