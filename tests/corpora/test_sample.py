"""Samples: the same draw whatever the order, and never without the judged documents."""

from __future__ import annotations

import random

import pytest

from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import UsageError
from beirkit.corpora.sample import sample


def source(order: int = 0) -> Collection:
    """A hundred documents and twenty judged queries, in an order of their own."""
    docs, queries = [f"d{n}" for n in range(100)], [f"q{n}" for n in range(25)]
    shuffle = random.Random(order).shuffle
    shuffle(docs)
    shuffle(queries)
    judged = [query_id for query_id in queries if int(query_id[1:]) < 20]
    qrels = {q: {f"d{int(q[1:]) * 2}": 1, f"d{int(q[1:]) * 2 + 1}": 0} for q in judged}
    other = {"q0": {"d99": 1}}
    return Collection.from_dicts(
        {d: {"text": d} for d in docs},
        {q: q for q in queries},
        {"test": qrels, "dev": other},
        split=None,
        source="s",
    )


def ids(collection: Collection) -> tuple[set[str], set[str]]:
    return {d.doc_id for d in collection.documents()}, {q.query_id for q in collection.queries()}


def test_judged_documents_stay() -> None:
    part = sample(source(), "test", queries=5, docs=30, seed=7)
    docs, queries = ids(part)
    assert (len(docs), len(queries)) == (30, 5)
    qrels = part.qrels("test")
    assert set(qrels) == queries
    assert qrels == {query_id: source().qrels("test")[query_id] for query_id in queries}
    assert {doc_id for row in qrels.values() for doc_id in row} <= docs
    assert part.splits == ("test",)


def test_the_draw_does_not_depend_on_order() -> None:
    drawn = ids(sample(source(0), "test", queries=5, docs=30, seed=7))
    assert ids(sample(source(1), "test", queries=5, docs=30, seed=7)) == drawn
    assert ids(sample(source(0), "test", queries=5, docs=30, seed=8)) != drawn


def test_larger_draws_hold_smaller_ones() -> None:
    _, few = ids(sample(source(), "test", queries=3, docs=10, seed=1))
    _, more = ids(sample(source(), "test", queries=9, docs=50, seed=1))
    assert few < more


def test_fewer_documents_than_are_judged() -> None:
    docs, queries = ids(sample(source(), "test", queries=10, docs=3, seed=1))
    assert len(docs) == 20
    assert len(queries) == 10


def test_without_limits_all_of_the_split_stays() -> None:
    docs, queries = ids(sample(source(), "test"))
    assert len(docs) == 100
    assert len(queries) == 20  # the judged ones
    docs, queries = ids(sample(source(), "test", queries=500, docs=5000))
    assert (len(docs), len(queries)) == (100, 20)


def test_a_judged_document_that_is_not_there_takes_no_place() -> None:
    collection = Collection.from_dicts(
        {f"d{n}": {"text": "x"} for n in range(10)}, {"q": "x"}, {"q": {"d1": 1, "ghost": 1}}
    )
    docs, _ = ids(sample(collection, "test", docs=4))
    assert len(docs) == 4
    assert "d1" in docs


def test_a_sample_says_that_it_is_one() -> None:
    part = sample(source(), "test", queries=5, docs=30, seed=7)
    assert part.provenance.source == "sample of s"
    assert part.provenance.options == {"sample": {"split": "test", "queries": 5, "docs": 30, "seed": 7}}


def test_impossible_samples() -> None:
    with pytest.raises(UsageError, match="a sample of 0 queries holds nothing"):
        sample(source(), "test", queries=0)
    with pytest.raises(UsageError, match="a sample of -1 docs holds nothing"):
        sample(source(), "test", docs=-1)
    with pytest.raises(UsageError, match=r"s has no split 'train' \(it has: dev, test\)"):
        sample(source(), "train")
