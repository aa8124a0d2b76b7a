"""Published figures as data: known names, one number each, evidence, and whom they hold."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from beirkit.configs.load import load_suite, names
from beirkit.configs.references import (
    at_path,
    dataset_of,
    differing_contents,
    fits,
    known_contents,
    read_references,
    references,
)
from beirkit.configs.spec import parse_retriever
from beirkit.corpora.errors import ConfigError
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.protocol import get_protocol
from beirkit.retrievers.catalog import create


def test_every_dataset_measure_and_protocol_is_known() -> None:
    datasets = {*names("datasets"), *names("suites"), *known_contents()}
    for one in references():
        assert one.figure.dataset in datasets, one
        assert str(Measure.parse(one.figure.measure)) == one.figure.measure, one
        assert get_protocol(one.system.scored_as).name == one.system.scored_as, one


def test_a_figure_is_told_from_every_other_of_its_source() -> None:
    keys = Counter(
        (
            one.key,
            one.figure.system,
            one.figure.dataset,
            one.figure.split,
            one.figure.measure,
            one.figure.variant,
        )
        for one in references()
    )
    assert not [key for key, count in keys.items() if count > 1]


def test_figures_are_fractions_of_dated_sources() -> None:
    for one in references():
        assert 0 <= one.figure.value <= 1, one
        assert float(one.printed) == pytest.approx(one.figure.value, abs=1e-12), one
        assert one.source.url.startswith("https://"), one
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", one.source.date), one


def test_what_is_known_to_be_wrong_is_marked() -> None:
    wrong = [one for one in references() if one.figure.unusable]
    assert [(one.figure.dataset, one.figure.value) for one in wrong] == [("cqadupstack", 0.382758)]
    parts = [
        one.figure.value
        for one in references()
        if one.figure.system == "bge-small-en-v1.5" and one.figure.measure == "nDCG@10"
        and one.figure.dataset in load_suite("cqadupstack").datasets
    ]  # fmt: skip
    assert len(parts) == 12
    assert sum(parts) / 12 == pytest.approx(0.390577, abs=1e-6)


def test_splits_are_those_of_the_figures() -> None:
    found = {
        one.figure.split: one.figure.value
        for one in references()
        if (one.figure.system, one.figure.dataset, one.figure.measure)
        == ("all-MiniLM-L6-v2", "msmarco", "nDCG@10")
    }
    assert found == {"dev": pytest.approx(0.3654, abs=1e-4), "test": pytest.approx(0.6369, abs=1e-4)}


def test_a_dataset_is_known_by_its_contents() -> None:
    known = {part: ids[0] for part, ids in known_contents()["scifact"].items() if part != "qrels/train"}
    assert dataset_of("my-folder", known) == "scifact"
    assert dataset_of("scifact", known) == "scifact"
    assert differing_contents("scifact", known) == []
    other = {**known, "corpus": "0" * 64}
    assert dataset_of("my-folder", other) == "my-folder"
    assert differing_contents("scifact", other) == ["corpus"]
    assert differing_contents("never heard of", other) == []


def test_an_identity_fits_by_key_paths() -> None:
    identity = {"kind": "bm25", "analyzer": {"stemmer": "porter"}, "k1": 0.9}
    assert fits({"kind": "bm25", "analyzer.stemmer": ["porter", "english"]}, identity)
    assert not fits({"analyzer.stemmer": "english"}, identity)
    assert not fits({"analyzer.words": "UAX 29"}, identity)
    assert at_path(identity, "kind.deeper") is None


@pytest.mark.parametrize(
    ("retriever", "systems"),
    [
        ("bm25-lucene", {"bm25-flat"}),
        ("bm25-lucene-multifield", {"bm25-multifield"}),
        ("bm25-mteb", {"bm25s-mteb"}),
        ("bm25-mteb:k1=0.9,b=0.4", {"bm25s-lucene"}),
        ("bm25-lucene:k1=1.2", set()),
        ("bm25-lucene:template={text}", set()),
        ("rank-bm25", set()),
    ],
)
def test_shipped_retrievers_are_held_to_what_they_stand_for(retriever: str, systems: set[str]) -> None:
    identity = create(parse_retriever(retriever)).identity()
    assert {one.figure.system for one in references() if one.likeness_of(identity)} == systems


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"figures": [{"system": "b", "dataset": "d", "split": "s", "measure": "m", "value": 0,
                       "decimals": 1}]}, "is of 'b', which is no system"),
        ({"sources": {}}, "unknown field `sources`"),
        ({"systems": {"a": {"label": "A", "family": "magic"}}}, "magic"),
    ],
)  # fmt: skip
def test_a_damaged_file_is_refused(tmp_path: Path, change: dict[str, object], told: str) -> None:
    file = {
        "source": {"title": "t", "url": "https://a", "date": "2026-01-01"},
        "systems": {"a": {"label": "A", "family": "lexical"}},
        "figures": [],
        **change,
    }
    path = tmp_path / "one.json"
    path.write_text(json.dumps(file), encoding="utf-8")
    with pytest.raises(ConfigError, match=told):
        list(read_references(path))


def test_what_is_no_json_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    path.write_text("{", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"one\.json: is no JSON"):
        list(read_references(path))
