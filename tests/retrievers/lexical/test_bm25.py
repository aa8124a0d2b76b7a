from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any

import bm25s
import numpy as np
import pytest

from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.records import Document, Query
from beirkit.corpora.run import Run
from beirkit.retrievers.lexical import bm25, merge
from beirkit.retrievers.lexical.analyzer import Analyzer, AnalyzerOptions
from beirkit.retrievers.lexical.bm25 import BM25Options, BM25Retriever
from beirkit.retrievers.lexical.counts import CountsBuilder, TermCounts
from beirkit.retrievers.lexical.stream import latency

PLAIN = AnalyzerOptions(stopwords="none", stemmer="none", min_length=1)


def _search(corpus: dict[str, str], query: str, k: int = 10, **options: Any) -> dict[str, float]:
    retriever = BM25Retriever(BM25Options(**options))
    retriever.index(Document(doc_id, "", text) for doc_id, text in corpus.items())
    return retriever.search([Query("q", query)], k).to_dict()["q"]


CORPUS = {"d1": "red apple", "d2": "red car", "d3": "blue sky", "d4": "green tree"}


def test_by_hand() -> None:
    # idf = ln(1 + (4 - 2 + .5) / (2 + .5)) = ln 2; every document has the average length: ln 2 / (1 + k1)
    scores = _search(CORPUS, "red", k1=1.2, b=0.75)
    assert list(scores) == ["d2", "d1"]
    assert list(scores.values()) == pytest.approx([0.6931472 / 2.2] * 2, abs=1e-6)


def test_lengths_by_hand() -> None:
    # N 2, df 2, average length 3: idf = ln(1 + .5 / 2.5); d1: tf 2, length 4; d2: tf 1, length 2
    scores = _search({"d1": "owl owl at night", "d2": "owl hunts"}, "owl", analyzer=PLAIN)
    idf = np.log(1.2)
    assert scores == pytest.approx(
        {
            "d1": idf * 2 / (2 + 0.9 * (0.6 + 0.4 * 4 / 3)),
            "d2": idf * 1 / (1 + 0.9 * (0.6 + 0.4 * 2 / 3)),
        }
    )


@pytest.mark.parametrize("variant", ["robertson", "atire"])
def test_a_term_worth_nothing_is_a_match_all_the_same(variant: str) -> None:
    # In half of the documents (Robertson) or in all of them (ATIRE) the inverse document frequency is 0.
    corpus = CORPUS if variant == "robertson" else {"d1": "red apple", "d2": "red car"}
    assert _search(corpus, "red", variant=variant) == {"d2": 0.0, "d1": 0.0}


def test_flat_text_of_title_and_body() -> None:
    retriever = BM25Retriever(BM25Options())
    retriever.index(
        [
            Document("d1", "kestrel", "a small falcon"),
            Document("d2", "", "kestrel nest"),
            Document("d3", "owl", "night bird"),
        ]
    )
    assert list(retriever.search([Query("q", "kestrels")], 9).to_dict()["q"]) == ["d2", "d1"]
    retriever = BM25Retriever(BM25Options(template="{text}"))
    retriever.index([Document("d1", "kestrel", "a small falcon"), Document("d2", "", "kestrel nest")])
    assert list(retriever.search([Query("q", "kestrels")], 9).to_dict()["q"]) == ["d2"]


def _synthetic(seed: int) -> tuple[dict[str, str], list[str]]:
    """Documents and queries of Zipf-distributed words; the first word is in most of the documents."""
    rng = np.random.default_rng(seed)
    words = np.array([f"w{i}" for i in range(80)])
    odds = 1 / np.arange(1, 81)
    odds /= odds.sum()
    corpus = {f"d{i}": " ".join(rng.choice(words, rng.integers(1, 40), p=odds)) for i in range(60)}
    queries = [" ".join(rng.choice(words, rng.integers(1, 8), p=odds)) for _ in range(25)]
    return corpus, queries


@pytest.mark.parametrize("variant", ["lucene", "robertson", "atire", "bm25l", "bm25+"])
@pytest.mark.parametrize(
    ("k1", "b", "delta"), [(0.9, 0.4, 0.5), (1.5, 0.75, 1.0), (2.0, 0.0, 0.2), (1.2, 1.0, 1.5)]
)
def test_scores_of_bm25s(variant: Any, k1: float, b: float, delta: float) -> None:
    corpus, queries = _synthetic(3)
    theirs = bm25s.BM25(method=variant, k1=k1, b=b, delta=delta)
    theirs.index([text.split() for text in corpus.values()], show_progress=False)
    options = BM25Options(
        variant=variant, k1=k1, b=b, delta=delta if variant in ("bm25l", "bm25+") else None, analyzer=PLAIN
    )
    ours = BM25Retriever(options)
    ours.index(Document(doc_id, "", text) for doc_id, text in corpus.items())
    run = ours.search([Query(query, query) for query in queries], 1000).to_dict()
    for query in queries:
        expected = dict(zip(corpus, theirs.get_scores(query.split()).tolist(), strict=True))
        matching = {doc for doc, text in corpus.items() if set(query.split()) & set(text.split())}
        assert set(run[query]) == matching
        assert run[query] == pytest.approx({doc: expected[doc] for doc in matching}, rel=1e-5, abs=1e-6)


def test_order_of_documents_changes_no_bit() -> None:
    corpus, queries = _synthetic(5)

    def run(ids: list[str]) -> Run:
        retriever = BM25Retriever(BM25Options(analyzer=PLAIN))
        retriever.index(Document(doc_id, "", corpus[doc_id]) for doc_id in ids)
        return retriever.search([Query(query, query) for query in queries], 20)

    one = run(list(corpus))
    other = run([f"d{i}" for i in np.random.default_rng(1).permutation(60)])
    assert list(one.lists()) == list(other.lists())


def test_weighing_in_parts_changes_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus, queries = _synthetic(6)

    def run() -> Run:
        retriever = BM25Retriever(BM25Options(analyzer=PLAIN))
        retriever.index(Document(doc_id, "", text) for doc_id, text in corpus.items())
        return retriever.search([Query(query, query) for query in queries], 20)

    whole = run()
    for size in (1, 7, 100):
        monkeypatch.setattr(merge, "AT_ONCE", size)
        assert list(run().lists()) == list(whole.lists())


def test_a_part_weighed_by_the_statistics_of_the_whole_scores_like_the_whole() -> None:
    corpus, queries = _synthetic(9)
    ids, analyzer = list(corpus), Analyzer(PLAIN)

    def counted(part: list[str]) -> TermCounts:
        builder = CountsBuilder(analyzer)
        builder.add([corpus[doc_id] for doc_id in part])
        return builder.build()

    parameters = BM25Options().parameters
    whole = counted(ids)
    postings = bm25.weigh(ids, whole, whole.statistics, parameters)
    for part in (ids[:25], ids[25:]):
        counts = counted(part)
        places = [whole.vocabulary[term] for term in counts.vocabulary]
        statistics = replace(whole.statistics, frequencies=whole.statistics.frequencies[places])
        shard = bm25.weigh(part, counts, statistics, parameters)
        for query in queries:
            docs, scores = postings.search(query.split(), 60)
            expected = {ids[doc]: score for doc, score in zip(docs, scores, strict=True) if ids[doc] in part}
            docs, scores = shard.search(query.split(), 60)
            assert {part[doc]: score for doc, score in zip(docs, scores, strict=True)} == expected


def test_an_id_that_occurs_twice_is_refused() -> None:
    retriever = BM25Retriever(BM25Options())
    with pytest.raises(DataError, match="the document id 'd1' occurs twice"):
        retriever.index([Document("d1", "", "red"), Document("d2", "", "red"), Document("d1", "", "blue")])


def test_k_of_none_is_refused() -> None:
    retriever = BM25Retriever(BM25Options())
    retriever.index([Document("d1", "", "red")])
    with pytest.raises(UsageError, match="k is 0"):
        retriever.search([Query("q", "red")], 0)


def test_queries_without_results_are_told(caplog: pytest.LogCaptureFixture) -> None:
    retriever = BM25Retriever(BM25Options())
    retriever.index(Document(doc_id, "", text) for doc_id, text in CORPUS.items())
    with caplog.at_level(logging.WARNING):
        run = retriever.search([Query("q1", "the"), Query("q2", "red"), Query("q3", "zzz")], 4)
    assert {query_id: list(row) for query_id, row in run.to_dict().items()} == {
        "q1": [], "q2": ["d2", "d1"], "q3": [],
    }  # fmt: skip
    assert [record.getMessage() for record in caplog.records] == [
        "2 of 3 queries share no term with any document and have no results: q1, q3"
    ]
    assert retriever.report()["queries_without_results"] == 2


def test_a_corpus_without_terms_is_told(caplog: pytest.LogCaptureFixture) -> None:
    retriever = BM25Retriever(BM25Options())
    with caplog.at_level(logging.WARNING):
        retriever.index([Document("d1"), Document("d2", "", "of the")])
    assert "none of the 2 documents has a term" in caplog.text
    assert retriever.search([Query("q", "of owls")], 3).to_dict() == {"q": {}}


def test_report() -> None:
    retriever = BM25Retriever(BM25Options())
    retriever.index([Document("d1", "", "red red car"), Document("d2"), Document("d3", "", "red")])
    assert retriever.report() == {
        "documents": 3, "average_length": 4 / 3, "terms": 2, "postings": 3, "documents_without_terms": 1,
        "lengths": {"mean": 4 / 3, "median": 1.0, "max": 3},
    }  # fmt: skip


def test_costs() -> None:
    retriever = BM25Retriever(BM25Options())
    assert retriever.costs() == {}
    retriever.index([Document("d1", "", "red red car"), Document("d2"), Document("d3", "", "red")])
    # three offsets of 8 bytes, and two numbers of 4 bytes for each of the three postings
    assert retriever.costs() == {"index_bytes": 3 * 8 + 3 * 8}
    for _ in range(2):
        retriever.search([Query("q1", "red"), Query("q2", "car")], 2)
        latency = retriever.costs()["latency_ms"]
        assert latency["queries"] == 2
        assert 0 <= latency["p50"] <= latency["p95"]


def test_latency_by_hand() -> None:
    assert latency([]) == {}
    # 1, 2, 3, 4, 10 seconds: the 95th percentile lies four fifths between the last two
    assert latency([3.0, 1.0, 10.0, 2.0, 4.0]) == {"latency_ms": {"p50": 3000, "p95": 8800, "queries": 5}}


def test_identity_is_resolved() -> None:
    identity = BM25Retriever(BM25Options(variant="bm25+")).identity()
    assert identity["delta"] == 1.0
    assert (identity["k1"], identity["b"], identity["template"]) == (0.9, 0.4, "{title} {text}")
    assert identity["analyzer"]["stemmer"] == "english"
    assert "delta" not in BM25Retriever(BM25Options()).identity()
