"""What is told of a result beside its figures."""

from __future__ import annotations

from beirkit.caveats import caveats


def test_a_lexical_result_needs_no_word() -> None:
    assert caveats({"vocabulary": 7, "documents": 3}, "bm25 on birds") == []


def test_texts_that_were_cut_are_told_by_role() -> None:
    report = {
        "query": {"texts": 20, "truncated": 0},
        "document": {"texts": 5183, "truncated": 1204},
        "dimensions": 384,
    }
    assert caveats(report, "minilm on birds") == ["minilm on birds: 1,204 of 5,183 document texts truncated"]
    unknown = {"query": {"texts": 20, "truncated": None}}
    assert caveats(unknown, "mine on birds") == []


def test_size_and_cost_of_sparse_vectors() -> None:
    report = {
        "query": {"texts": 10, "active_dims": 15.54, "empty": 1, "missing": 1, "truncated": 2},
        "document": {"texts": 40, "active_dims": 1129.25, "empty": 0, "missing": 0, "dropped": 3},
        "flops": 2.256,
    }
    assert caveats(report, "splade on birds") == [
        "splade on birds: 2 of 10 query texts truncated",
        "splade on birds: active dimensions 15.5 of a query, 1,129.2 of a document; FLOPS 2.26",
        "splade on birds: 1 of 10 queries have no term",
        "splade on birds: 1 of 10 queries have no vector",
        "splade on birds: 3 vectors of documents that the corpus lacks are left out",
    ]


def test_what_is_not_exact_and_what_looks_like_a_mistake() -> None:
    report = {"recall_against_exact": {"10": 0.5, "1000": 1.0}, "prompt_warnings": ["MISSING PROMPT: query"]}
    assert caveats(report, "e5 on birds") == [
        "e5 on birds: recall against exact search 0.5000 at 10, 1.0000 at 1,000",
        "e5 on birds: MISSING PROMPT: query",
    ]


def test_what_a_service_was_paid_is_told() -> None:
    bill = {"requests": 1204, "tokens": 73307, "tokens_counted_by": "service", "price_of_a_million": 0.02}
    assert caveats({"service": {**bill, "cost": 0.00146614}}, "small on birds") == [
        "small on birds: vectors of a service in 1,204 requests, 73,307 tokens, cost 0.0015"
    ]
    free = {**bill, "tokens_counted_by": "estimate", "price_of_a_million": 0.0, "cost": 0.0}
    assert caveats({"service": free}, "small") == [
        "small: vectors of a service in 1,204 requests, 73,307 tokens by estimate"
    ]


def test_retrievers_inside_another_are_told_under_their_names() -> None:
    cut = {"document": {"texts": 4, "truncated": 1}}
    fused = {"members": [{"name": "bm25", "report": {}}, {"name": "minilm", "report": cut}]}
    assert caveats(fused, "hybrid on birds") == [
        "hybrid on birds, minilm: 1 of 4 document texts truncated",
    ]
    nested = {"candidates": 7, "retriever": {"name": "hybrid", "report": fused}}
    assert caveats(nested, "ce on birds") == [
        "ce on birds, hybrid, minilm: 1 of 4 document texts truncated",
    ]
