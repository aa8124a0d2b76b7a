"""The figures of a folder, against figures counted by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from beirkit.corpora.collection import Collection
from beirkit.corpora.folder import open_folder
from beirkit.corpora.manifest import content_ids
from beirkit.corpora.stats import Lengths, SplitStats, collection_stats, folder_stats


def test_a_folder_counted_by_hand(folder: Path) -> None:
    stats = folder_stats(folder)
    assert (stats.documents.count, stats.documents.empty) == (4, 0)
    # "Tides The moon pulls the sea.", "Rain falls ...", "Föhn A dry wind on the lee side X", "Dew"
    assert stats.documents.words == Lengths((6 + 6 + 9 + 1) / 4, 6.0, 9)
    assert stats.documents.characters == Lengths((29 + 33 + 33 + 3) / 4, 31.0, 33)
    assert (stats.queries.count, stats.queries.words) == (3, Lengths((4 + 2 + 2) / 3, 2.0, 4))
    assert stats.splits == {
        "dev": SplitStats(1, 1, {"1": 1}, 1.0),
        "test": SplitStats(2, 3, {"0": 1, "1": 1, "2": 1}, 1.0),
    }
    assert stats.content_ids == content_ids(open_folder(folder))


def test_empty_texts_and_negative_grades() -> None:
    corpus = {"a": {"text": ""}, "b": {"title": " ", "text": ""}, "c": {"text": "one two"}}
    stats = collection_stats(Collection.from_dicts(corpus, {"q": ""}, {"q": {"a": -1, "b": 0, "c": 3}}))
    assert (stats.documents.count, stats.documents.empty, stats.queries.empty) == (3, 2, 1)
    assert stats.documents.words.median == 0
    assert stats.splits["test"] == SplitStats(1, 3, {"-1": 1, "0": 1, "3": 1}, 1.0)


def test_nothing_at_all() -> None:
    stats = collection_stats(Collection.from_dicts({}, {}, {}))
    assert stats.documents.characters == Lengths(0.0, 0.0, 0)
    assert stats.splits["test"] == SplitStats(0, 0, {}, 0.0)
    assert ("split test", "no judgments") in stats.rows()


def test_forms_for_people_and_machines(folder: Path) -> None:
    stats = folder_stats(folder)
    told = json.loads(json.dumps(stats.to_dict()))
    assert told["splits"]["test"]["grades"] == {"0": 1, "1": 1, "2": 1}
    assert told["documents"]["characters"]["max"] == 33
    rows = dict(stats.rows())
    assert rows["documents"] == "4"
    assert rows["split test"] == "3 judgments of 2 queries (grade 0: 1, 1: 1, 2: 1)"
    assert rows["content id of corpus"] == stats.content_ids["corpus"]


def test_scifact(shared: Path) -> None:
    stats = folder_stats(shared / "data" / "scifact" / "beir")
    assert (stats.documents.count, stats.queries.count) == (5183, 1109)
    assert stats.splits["test"].positives_per_query == pytest.approx(339 / 300)
    assert (stats.splits["train"].queries, stats.splits["train"].judgments) == (809, 919)
