"""K13: BM25 where a naive one fails: idf of zero, nothing to average, nothing found, odd words."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from beirkit.corpora.errors import DataError
from beirkit.evaluate import evaluate
from beirkit.retrievers.catalog import kinds
from tests.faults.cases import Case, case
from tests.faults.lexical import LEXICAL, bm25, ranked, search


@case("K13-01")
def test_a_term_in_half_of_the_documents_still_counts(case: Case) -> None:
    given, expected = case["input"], case["expected"]["values"]
    retriever = bm25(given["corpus"], variant=given["variant"], k1=given["k1"], b=given["b"])
    ((_, found),) = search(retriever, {"q": given["query"]}, given["k"]).lists()
    assert [doc_id for doc_id, _ in found] == expected["ranking"]
    assert dict(found) == pytest.approx(expected["scores"], abs=1e-6)


@pytest.mark.parametrize("kind", LEXICAL)
@case("K13-03")
def test_an_empty_corpus_is_refused(case: Case, kind: str) -> None:
    assert case["input"]["corpus"] == {}
    with pytest.raises(DataError, match="corpus is empty"):
        bm25({}, kind)


@pytest.mark.parametrize("kind", LEXICAL)
@case("K13-05")
def test_nothing_in_common_is_no_result(case: Case, kind: str, caplog: pytest.LogCaptureFixture) -> None:
    given, expected = case["input"], case["expected"]["values"]
    caplog.set_level(logging.WARNING)
    retriever = bm25(given["corpus"], kind)
    run = search(retriever, given["queries"], given["k"])
    assert {query_id: [d for d, _ in pairs] for query_id, pairs in run.lists()} == expected["ranking"]
    assert retriever.report()["queries_without_results"] == 2
    scores = evaluate(given["qrels"], run, list(expected["mean"]))
    for name, value in expected["mean"].items():
        assert scores.mean(name) == value
    assert scores.counts.missing == 2
    assert "2 of 2 judged queries have no results" in caplog.text


@pytest.mark.parametrize("kind", LEXICAL)
@case("K13-07")
def test_k_may_exceed_the_corpus(case: Case, kind: str) -> None:
    given = case["input"]
    assert (
        ranked(given["corpus"], given["query"], given["k"], kind=kind)
        == case["expected"]["values"]["ranking"]
    )


@case("K13-08")
def test_one_letter_and_symbols_are_words_when_asked_for(case: Case) -> None:
    given = case["input"]
    keep_single = {"pattern": "symbols", "min_length": 1, "stopwords": "none"}
    retriever = bm25(given["corpus"], analyzer=keep_single)
    run = search(retriever, given["queries"], given["k"])
    assert {query_id: [d for d, _ in pairs] for query_id, pairs in run.lists()} == case["expected"]["values"][
        "ranking"
    ]
    stored = retriever.identity()["analyzer"]
    assert (stored["pattern"], stored["min_length"]) == (r"[\w+#]+", 1)
    default = bm25(given["corpus"]).identity()["analyzer"]
    assert (default["pattern"], default["min_length"], default["stopwords"]) == (r"\w+", 2, "lucene")


@pytest.mark.parametrize("kind", LEXICAL)
@case("K13-09")
def test_one_analyzer_serves_both_sides(case: Case, kind: str) -> None:
    given = case["input"]
    assert (
        ranked(given["corpus"], given["query"], given["k"], kind=kind)
        == case["expected"]["values"]["ranking"]
    )


@case("K13-11")
def test_no_empty_word_shifts_the_vocabulary(case: Case) -> None:
    given, expected = case["input"], case["expected"]["values"]
    for analyzer in ({}, {"pattern": r"\w*", "min_length": 1}):  # the second pattern matches the empty word
        run = search(bm25(given["corpus"], analyzer=analyzer), {"q": given["query"]}, given["k"])
        ((_, found),) = run.lists()
        assert [doc_id for doc_id, _ in found] == expected["ranking"]
        (first, second) = (value for _, value in found)
        assert first == second > 0


@pytest.mark.parametrize("kind", LEXICAL)
@case("K13-12")
def test_title_and_text_are_searched_together(case: Case, kind: str) -> None:
    given: dict[str, Any] = case["input"]
    assert (
        ranked(given["corpus_docs"], given["query"], given["k"], kind=kind)
        == case["expected"]["values"]["ranking"]
    )
    facts = bm25(given["corpus_docs"], kind).identity()
    flat = kind != "bm25f"
    assert facts["template"] == "{title} {text}" if flat else facts["fields"] == {"title": 1.0, "text": 1.0}
    options: dict[str, Any] = {"template": "{text}"} if flat else {"fields": {"text": 1.0}}
    only_text = ranked(given["corpus_docs"], given["query"], given["k"], kind=kind, **options)
    assert only_text == ["d2"]


def test_every_lexical_kind_is_held_to_this() -> None:
    assert set(LEXICAL) == {kind for kind in kinds() if "bm25" in kind}
