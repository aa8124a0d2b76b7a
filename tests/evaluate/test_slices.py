"""Queries divided into slices, and systems compared in each."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from beirkit.corpora.records import Document, Query
from beirkit.evaluate.compare import compare
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.protocol import get_protocol
from beirkit.evaluate.scores import Counts, Scores
from beirkit.evaluate.slices import compare_groups, compare_slices
from beirkit.evaluate.slicings import (
    Slicing,
    by_label,
    by_quantiles,
    metadata_labels,
    query_lengths,
    relevant_documents,
    word_overlap,
)
from beirkit.evaluate.statistics.corrections import holm


def made(values: list[float]) -> Scores:
    ids = tuple(f"q{i}" for i in range(len(values)))
    column = np.array(values, dtype=np.float64)[:, None]
    counts = Counts(judged=len(ids), scored=len(ids))
    return Scores(ids, (Measure.parse("AP"),), column, get_protocol("beirkit"), counts)


def named(slicing: Slicing) -> dict[str, list[str]]:
    return {label: sorted(ids) for label, ids in slicing.slices.items()}


def test_quartiles_by_hand() -> None:
    values = {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7, "h": 20}
    assert named(by_quantiles("length", values)) == {
        "1–2": ["a", "b"], "3–4": ["c", "d"], "5–6": ["e", "f"], "7–20": ["g", "h"],
    }  # fmt: skip


def test_equal_values_stay_together() -> None:
    assert named(by_quantiles("relevant", {"a": 1, "b": 1, "c": 1, "d": 2, "e": 9})) == {
        "1": ["a", "b", "c"],
        "2": ["d"],
        "9": ["e"],
    }
    assert named(by_quantiles("relevant", dict.fromkeys("abc", 1.0))) == {"1": ["a", "b", "c"]}
    assert by_quantiles("none", {}).slices == {}


@given(st.lists(st.integers(0, 12), min_size=1, max_size=40), st.integers(1, 5))
def test_quantiles_part_every_query_once_and_keep_the_order(numbers: list[int], parts: int) -> None:
    values = {f"q{i}": float(number) for i, number in enumerate(numbers)}
    slices = list(by_quantiles("n", values, parts=parts).slices.values())
    assert len(slices) <= parts
    assert sorted(q for ids in slices for q in ids) == sorted(values)
    ends = [sorted({values[q] for q in ids}) for ids in slices]
    assert all(before[-1] < after[0] for before, after in itertools.pairwise(ends))


def test_labels_by_size() -> None:
    assert list(by_label("lang", {"a": "de", "b": "en", "c": "en", "d": "cs"}).slices) == ["en", "cs", "de"]


def test_facts_of_queries() -> None:
    assert query_lengths({"a": "Who's in Łódź?", "b": "", "c": "東京 2020"}) == {"a": 4, "b": 0, "c": 3}
    qrels = {"a": {"x": 2, "y": 1, "z": 0}, "b": {"x": 0}}
    assert relevant_documents(qrels) == {"a": 2, "b": 0}
    assert relevant_documents(qrels, 2) == {"a": 1, "b": 0}
    queries = [Query("a", "", {"lang": "de", "n": 3}), Query("b", "", {"n": [1]}), Query("c", "")]
    assert metadata_labels(queries, "lang") == {"a": "de"}
    assert metadata_labels(queries, "n") == {"a": "3"}


def test_word_overlap_by_hand() -> None:
    documents = [
        Document("x", "Cats", "sleep all day"),
        Document("y", "", "a cat and dogs"),
        Document("z", "", "cats dogs"),
    ]
    queries = {"a": "Cats, cats and dogs", "b": "sleep", "c": "?", "d": "lost", "unjudged": "cats"}
    qrels = {"a": {"x": 1, "y": 2, "z": 0}, "b": {"z": 1}, "c": {"x": 1}, "d": {"gone": 1}}
    # {cats, and, dogs}: x has one of the three, y two; z is not relevant
    assert word_overlap(queries, qrels, documents) == {"a": pytest.approx(0.5), "b": 0}
    assert word_overlap(queries, qrels, documents, level=2) == {"a": pytest.approx(2 / 3)}


def test_each_slice_is_compared_by_itself_and_all_are_corrected_together() -> None:
    rng = np.random.default_rng(3)
    base = rng.uniform(0, 1, 40)
    systems = {
        "A": made(base.tolist()),
        "B": made((base * np.where(np.arange(40) < 20, rng.uniform(0.7, 1, 40), 1)).tolist()),
        "C": made(rng.uniform(0, 1, 40).tolist()),
    }
    halves = Slicing(
        name="half",
        slices={
            "first": frozenset(f"q{i}" for i in range(20)),
            "second": frozenset(f"q{i}" for i in range(20, 40)),
            "elsewhere": frozenset({"q99"}),
        },
    )
    whole = Slicing(name="whole", slices={"all": frozenset(f"q{i}" for i in range(40))})
    table = compare_slices(systems, "AP", "A", [halves, whole], samples=500)
    assert table.undivided == ("whole",)
    told = [(row.slicing, row.label, row.queries, row.comparison.system) for row in table.rows]
    assert told == [
        ("half", "first", 20, "B"), ("half", "first", 20, "C"),
        ("half", "second", 20, "B"), ("half", "second", 20, "C"),
    ]  # fmt: skip
    second = table.rows[2].comparison
    assert (second.difference, second.p, second.note) == (0, 1, "identical per-query scores")
    # the first half alone gives the same figures as a comparison of nothing else
    part = {name: made(one.values[:20, 0].tolist()) for name, one in systems.items()}
    alone = compare(part, "AP", "A", samples=500).rows
    for row, expected in zip(table.rows[:2], alone, strict=True):
        assert row.comparison.difference == expected.difference
        assert (row.comparison.interval, row.comparison.p) == (expected.interval, expected.p)
    p_values = [row.comparison.p or 0.0 for row in table.rows]
    assert [row.comparison.p_adjusted for row in table.rows] == holm(p_values)
    assert table.rows[0].comparison.p_adjusted == pytest.approx(4 * p_values[0])
    data = json.loads(json.dumps(table.to_dict(), allow_nan=False))
    assert (data["measure"], data["rows"][0]["comparison"]["system"]) == ("AP", "B")


def test_groups_of_datasets_weigh_every_dataset_the_same() -> None:
    scores = {
        "small": {"A": made([0.0, 0.0]), "B": made([1.0, 0.5])},
        "large": {"A": made([0.5] * 8), "B": made([0.25] * 8)},
        "other": {"B": made([0.0, 0.0, 0.2]), "A": made([0.1, 0.1, 0.1])},
        "lacking": {"A": made([0.0, 1.0])},
        "unknown": {"A": made([0.0, 1.0]), "B": made([0.0, 1.0])},
    }
    groupings = {
        "task": {"small": "qa", "large": "qa", "other": "facts", "lacking": "news"},
        "language": {"small": "en", "large": "en", "other": "en"},
    }
    table = compare_groups(scores, "AP", "A", groupings, samples=300)
    assert table.undivided == ("language",)
    told = [(row.slicing, row.label, row.queries, row.comparison.system) for row in table.rows]
    assert told == [("task", "qa (2 datasets)", 10, "B"), ("task", "facts (1 dataset)", 3, "B")]
    qa, facts = (row.comparison for row in table.rows)
    assert qa.difference == pytest.approx((0.75 - 0.25) / 2)  # not (1.5 - 2) / 10
    assert (qa.wins, qa.losses) == (2, 8)
    assert facts.difference == pytest.approx(-0.1 / 3)
    assert [qa.p_adjusted, facts.p_adjusted] == holm([qa.p or 0, facts.p or 0])


def test_a_slice_of_one_query_has_no_test() -> None:
    slicing = by_label("kind", {"q0": "x", "q1": "y", "q2": "y"})
    table = compare_slices({"A": made([0, 0, 0]), "B": made([1, 1, 1])}, "AP", "A", [slicing], samples=100)
    assert [(row.label, row.comparison.p) for row in table.rows][1] == ("x", None)
    assert table.rows[1].comparison.note == "too few queries for a test"


def test_many_slices_of_nothing_hold_no_finding() -> None:
    """Of tables over twelve slices without any difference, at most the level's share has a finding."""
    simulations, corrected, uncorrected = 60, 0, 0
    for seed in range(simulations):
        rng = np.random.default_rng(seed)
        systems = {name: made(rng.uniform(0, 1, 80).tolist()) for name in "AB"}
        divided = [
            by_quantiles(
                str(way), {f"q{i}": value for i, value in enumerate(rng.uniform(0, 99, 80).tolist())}
            )
            for way in range(3)
        ]
        rows = compare_slices(systems, "AP", "A", divided, samples=199).rows
        corrected += any(row.comparison.separable(0.05) for row in rows)
        uncorrected += any((row.comparison.p or 0) < 0.05 for row in rows)
    assert corrected <= simulations * 0.05 + 3 * (simulations * 0.05 * 0.95) ** 0.5
    assert uncorrected > simulations / 4
