from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import rank_bm25

from beirkit.configs.load import convert
from beirkit.configs.spec import parse_retriever
from beirkit.corpora.errors import ConfigError
from beirkit.corpora.records import Document, Query
from beirkit.retrievers.catalog import create
from beirkit.retrievers.lexical.analyzer import AnalyzerOptions
from beirkit.retrievers.lexical.rank_bm25 import RankBM25Options, RankBM25Retriever
from tests.retrievers.lexical.corpora import random_documents

PLAIN = AnalyzerOptions(stopwords="none", stemmer="none", min_length=1)
CORPUS = {
    "d1": "red apple tree",
    "d2": "red car",
    "d3": "blue sky over the blue sea",
    "d4": "green tree",
    "d5": "a car in a tree",
    "d6": "sea",
}


def _search(corpus: dict[str, str], query: str, **options: Any) -> dict[str, float]:
    retriever = RankBM25Retriever(RankBM25Options(**options, analyzer=PLAIN))
    retriever.index(Document(doc_id, "", text) for doc_id, text in corpus.items())
    return retriever.search([Query("q", query)], 100).to_dict()["q"]


@pytest.mark.parametrize(
    ("variant", "model"),
    [("okapi", rank_bm25.BM25Okapi), ("l", rank_bm25.BM25L), ("plus", rank_bm25.BM25Plus)],
)
def test_scores_are_the_packages_own(variant: Any, model: Any) -> None:
    theirs = model([text.split() for text in CORPUS.values()])
    for query in ("red tree", "tree", "blue blue car", "the sea"):
        scores = dict(zip(CORPUS, theirs.get_scores(query.split()).tolist(), strict=True))
        matching = {doc for doc, text in CORPUS.items() if set(query.split()) & set(text.split())}
        found = _search(CORPUS, query, variant=variant)
        assert found == pytest.approx({doc: scores[doc] for doc in matching}, rel=1e-6)
        assert list(found) == sorted(matching, key=lambda doc: (np.float32(scores[doc]), doc), reverse=True)


def test_parameters_reach_the_package() -> None:
    theirs = rank_bm25.BM25Okapi([text.split() for text in CORPUS.values()], k1=2.0, b=0.1, epsilon=0.9)
    assert _search(CORPUS, "apple", k1=2.0, b=0.1, epsilon=0.9) == pytest.approx(
        {"d1": theirs.get_scores(["apple"])[0]}, rel=1e-6
    )


def test_a_term_in_half_of_the_documents_scores_zero_and_still_matches() -> None:
    corpus = {"d1": "red apple", "d2": "red car", "d3": "blue sky", "d4": "green tree"}
    assert _search(corpus, "red") == {"d2": 0.0, "d1": 0.0}


def test_a_negative_score_still_matches() -> None:
    # In so small a corpus the average inverse document frequency, and with it the floor, is negative.
    found = _search({"d1": "red car", "d2": "red"}, "red")
    assert list(found) == ["d1", "d2"]
    assert max(found.values()) < 0


def test_documents_without_terms_among_others() -> None:
    assert list(_search({"d1": "", "d2": "red", "d3": "blue", "d4": "sky"}, "red")) == ["d2"]


def test_no_document_has_a_term() -> None:
    assert _search({"d1": "", "d2": "..."}, "red") == {}


def test_order_of_documents_changes_no_bit() -> None:
    one = _search(CORPUS, "red tree sea")
    other = _search(dict(reversed(CORPUS.items())), "red tree sea")
    assert list(one.items()) == list(other.items())


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"variant": "plus", "epsilon": 0.1}, "the variant 'plus' has no epsilon"),
        ({"delta": 1}, "the variant 'okapi' has no delta"),
        ({"k1": 0}, "it must be greater than 0"),
        ({"b": 1}, "less than 1"),
        ({"variant": "l", "delta": -1}, "delta is -1.0; it must be 0 or more"),
    ],
)
def test_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError) as error:
        convert(options, RankBM25Options, path="options")
    assert told in str(error.value)


def test_identity_is_resolved() -> None:
    identity = RankBM25Retriever(RankBM25Options()).identity()
    assert identity["class"] == "BM25Okapi"
    assert (identity["k1"], identity["b"], identity["epsilon"]) == (1.5, 0.75, 0.25)
    assert identity["rank_bm25"] == "0.2.2"
    assert "delta" not in identity
    plus = RankBM25Retriever(RankBM25Options(variant="plus")).identity()
    assert plus["delta"] == 1.0
    assert "epsilon" not in plus


def test_the_kind_bm25_computes_the_same_where_the_formulas_agree() -> None:
    """Plus is ``bm25+``; Okapi is Robertson's with a factor of ``k1 + 1``, for terms in fewer than half."""
    documents = random_documents(8)
    queries = [Query("q1", "w14 w15"), Query("q2", "w19 w16 w16"), Query("q3", "w17 w18 w13")]
    common = "k1=1.5,b=0.75,analyzer.stopwords=none,analyzer.stemmer=none,analyzer.min_length=1"

    def found(name: str) -> dict[str, dict[str, float]]:
        retriever = create(parse_retriever(f"{name},{common}"))
        retriever.index(documents)
        return retriever.search(queries, 100).to_dict()

    plus, okapi = found("rank-bm25:variant=plus"), found("rank-bm25:variant=okapi")
    ours, robertson = found("bm25-mteb:variant=bm25+"), found("bm25-mteb:variant=robertson")
    assert all(plus.values())
    for query in queries:
        assert plus[query.query_id] == pytest.approx(ours[query.query_id], rel=1e-6)
        scaled = {doc_id: 2.5 * score for doc_id, score in robertson[query.query_id].items()}
        assert okapi[query.query_id] == pytest.approx(scaled, rel=1e-6)
