from __future__ import annotations

import math

import numpy as np
import pytest

from beirkit.configs.load import convert
from beirkit.configs.schema import RetrieverConfig
from beirkit.configs.spec import parse_retriever
from beirkit.corpora.errors import ConfigError
from beirkit.corpora.records import Document, Query
from beirkit.retrievers.catalog import create
from beirkit.retrievers.lexical import merge, spill
from beirkit.retrievers.lexical.bm25f import BM25FOptions
from tests.retrievers.lexical.corpora import random_documents

QUERIES = [Query("q1", "w1 w2 w3"), Query("q2", "w4 w4 w9"), Query("q3", "nothing"), Query("q4", "w11")]


def _lists(name: str, documents: list[Document], k: int = 100) -> dict[str, dict[str, float]]:
    retriever = create(parse_retriever(name))
    retriever.index(documents)
    return retriever.search(QUERIES, k).to_dict()


def test_by_hand() -> None:
    """Two fields of average lengths 1 and 2; ``owl`` stands in the title and twice in the text of one."""
    documents = [
        Document("a", "owl", "owl owl vole"),
        Document("b", "vole", "kestrel"),
        Document("c", "kestrel", "hawk vole"),
    ]
    retriever = create(parse_retriever("bm25f:k1=1.2,b=0.5,fields.title=3,analyzer.stemmer=none"))
    retriever.index(documents)
    found = retriever.search([Query("q", "owl"), Query("r", "vole")], 10).to_dict()
    frequency = 3 * 1 / (0.5 + 0.5 * 1 / 1) + 2 / (0.5 + 0.5 * 3 / 2)
    owl = math.log(1 + (3 - 1 + 0.5) / 1.5) * frequency / (1.2 + frequency)
    assert found["q"] == {"a": pytest.approx(owl, rel=1e-6)}
    idf = math.log(1 + (3 - 3 + 0.5) / 3.5)
    title = 3 / 1
    assert found["r"]["b"] == pytest.approx(idf * title / (1.2 + title), rel=1e-6)
    assert found["r"]["c"] == pytest.approx(idf * 1 / (1.2 + 1), rel=1e-6)


def test_one_field_is_bm25_over_it() -> None:
    documents = random_documents(1)
    options = {"fields": {"text": 1.0}, "analyzer": {"stopwords": "none", "stemmer": "none"}}
    retriever = create(RetrieverConfig(name="text", kind="bm25f", options=options))
    retriever.index(documents)
    ours = retriever.search(QUERIES, 100).to_dict()
    plain = "analyzer.stopwords=none,analyzer.stemmer=none,analyzer.min_length=1"
    expected = _lists(f"bm25-mteb:k1=0.9,b=0.4,template={{text}},{plain}", documents)
    for query_id, found in expected.items():
        assert ours[query_id] == pytest.approx(found, rel=1e-6)


def test_without_lengths_and_weights_it_is_bm25_over_the_flat_text() -> None:
    documents = random_documents(2)
    ours = _lists("bm25f:b=0,analyzer.stopwords=none,analyzer.stemmer=none", documents)
    plain = "analyzer.stopwords=none,analyzer.stemmer=none,analyzer.min_length=1"
    expected = _lists(f"bm25-mteb:k1=0.9,b=0,{plain}", documents)
    for query_id, found in expected.items():
        assert ours[query_id] == pytest.approx(found, rel=1e-6)


def test_a_term_in_both_fields_counts_less_than_two() -> None:
    documents = [Document("a", "owl", "owl"), Document("b", "hawk", "vole"), Document("c", "vole", "hawk")]
    together, apart = (create(parse_retriever(name)) for name in ("bm25f", "bm25-lucene-multifield"))
    scores = []
    for retriever in (together, apart):
        retriever.index(documents)
        scores.append(retriever.search([Query("q", "owl")], 1).to_dict()["q"]["a"])
    assert scores[0] < scores[1]


def test_ranges_and_files_change_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = random_documents(3)
    whole = _lists("bm25f", documents)
    monkeypatch.setattr(merge, "AT_ONCE", 5)
    monkeypatch.setattr(spill, "IN_MEMORY", 7)
    assert _lists("bm25f", documents) == whole


def test_fields_that_are_empty_everywhere() -> None:
    documents = [Document("a", "", "owl"), Document("b", "", "vole owl")]
    assert list(_lists("bm25f:b=1", [*documents])["q1"]) == []
    retriever = create(parse_retriever("bm25f:b=1"))
    retriever.index(documents)
    assert list(retriever.search([Query("q", "owl")], 5).to_dict()["q"]) == ["a", "b"]
    empty = create(parse_retriever("bm25f"))
    empty.index([Document("a", "", ""), Document("b", "", "")])
    assert empty.search([Query("q", "owl")], 5).to_dict() == {"q": {}}
    assert np.isfinite(empty.costs()["index_bytes"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k1": 0}, "k1 is 0"),
        ({"fields": {}}, "there must be a field"),
        ({"fields": {"body": 1.0}}, "there is no field 'body'"),
        ({"fields": {"title": 0}}, "the field 'title' counts 0"),
        ({"b_of": {"body": 0.4}}, "b_of names 'body'"),
        ({"b_of": {"title": 1.5}}, "b is 1.5"),
        ({"b": -1}, "b is -1"),
    ],
)
def test_options_that_cannot_be(options: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        convert(options, BM25FOptions, path="options")
