"""The contract of every kind of retriever.

A new kind takes part in the checks of ``test_retrievers.py`` by an entry in ``CONTRACTS``; an option that a
kind gains stands in its ``changed`` or ``neutral``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.contracts.retriever_sources import (
    FIXTURES,
    Options,
    mteb_model,
    rerank_file,
    run_file,
    search_file,
    service,
    vectors,
)


@dataclass(frozen=True)
class Contract:
    """How a kind is tested.

    Attributes:
        options: the smallest options that make a working retriever, given a folder for what it needs.
        changed: options that each give another result than ``options`` and than each other; together with
            ``neutral`` they must name every option of the kind.
        neutral: options that change no result, and so no identity.
        marks: pytest marks of the kind (``pytest.mark.dense`` where torch is loaded).
    """

    options: Callable[[Path], Options]
    changed: tuple[Options, ...]
    neutral: tuple[Options, ...] = ()
    marks: tuple[pytest.MarkDecorator, ...] = field(default=())


_LEXICAL: tuple[Options, ...] = (
    {"k1": 1.3},
    {"b": 0.6},
    {"template": "{text}"},
    {"analyzer": {"language": "german"}},
    {"analyzer": {"stopwords": "none"}},
    {"analyzer": {"stemmer": "porter"}},
    {"analyzer": {"pattern": "symbols"}},
    {"analyzer": {"min_length": 1}},
)

TINY = str(FIXTURES / "models" / "tiny")
TINY_CROSS = str(FIXTURES / "models" / "tiny-cross")
TINY_LATE = str(FIXTURES / "models" / "tiny-late")
TINY_SPARSE = str(FIXTURES / "models" / "tiny-sparse")
TINY_SHA256 = "ef6904d046295f25ae9d378280ecbb9334f8c306ac49bcc620690bc521e80231"

CONTRACTS: dict[str, Contract] = {
    "anserini": Contract(
        options=lambda folder: {},
        changed=(
            {"k1": 1.3},
            {"b": 0.6},
            {"accurate": True},
            {"template": "{text}"},
            {"fields": {"title": 1.0, "text": 1.0}},
            {"fields": {"title": 2.0, "text": 1.0}},
            {"language": "de"},
            {"stemmer": "krovetz"},
            {"stopwords": "none"},
            {"stopwords": ["the", "of"]},
            {"pretokenized": True},
            {"rm3": {}},
            {"rm3": {"fb_docs": 1}},
            {"rm3": {"filter_terms": False}},
        ),
        neutral=({"heap": 512},),
    ),
    "beir": Contract(
        options=search_file,
        changed=(
            {"class": "beir.retrieval.search.dense:DenseRetrievalExactSearch"},
            {"model": {"model": TINY}},
            {"model": "collections:OrderedDict"},
            {"arguments": {"bonus": 1.0}},
            {"score_function": "dot"},
            {"batch_size": 8},
            {"template": "{text}"},
        ),
    ),
    "dense": Contract(
        options=lambda folder: {"model": TINY, "prompts": {"query": ""}},
        changed=(
            {"prompts": {"query": "search: "}},
            {"prompts": {"query": "", "document": "passage: "}},
            {"prompts": {"query": "{instruction}: "}, "instruction": "find"},
            {"max_length": 16},
            {"similarity": "dot"},
            {"backend": "openvino"},
            {"dtype": "bfloat16"},
            {"batch_size": 8},
            {"template": "{text}"},
            {"static": {"weights": "model.safetensors", "tokenizer": "tokenizer.json"}},
            {"truncate_dim": 128},
            {"precision": "int8"},
            {"precision": "binary"},
            {"precision": "binary", "rescore": 1},
            {"index": "HNSW32"},
            {"index": "HNSW32", "parameters": {"efSearch": 128}},
            {"index": "HNSW32", "rescore": 2},
            {"model": "service:m", "service": {"url": "http://127.0.0.1:1/v1/embeddings"}},
            {"model": "service:n", "service": {"url": "http://127.0.0.1:1/v1/embeddings"}},
        ),
        neutral=({"model": ["env:BEIRKIT_NOT_SET", TINY]}, {"weights_sha256": TINY_SHA256}),
    ),
    "bm25": Contract(
        options=lambda folder: {},
        changed=(*_LEXICAL, {"variant": "bm25+"}, {"variant": "bm25+", "delta": 0.7}),
    ),
    "bm25-lucene": Contract(
        options=lambda folder: {},
        changed=(
            {"k1": 1.3},
            {"b": 0.6},
            {"template": "{text}"},
            {"fields": {"title": 1.0, "text": 1.0}},
            {"fields": {"title": 2.0, "text": 1.0}},
            {"analyzer": {"stopwords": "none"}},
            {"analyzer": {"stemmer": "none"}},
            {"analyzer": {"normal_form": "none"}},
            {"rm3": {}},
            {"rm3": {"fb_docs": 1}},
            {"rm3": {"fb_terms": 1}},
            {"rm3": {"original_query_weight": 0.25}},
        ),
    ),
    "bm25f": Contract(
        options=lambda folder: {},
        changed=(
            {"k1": 1.3},
            {"b": 0.6},
            {"b_of": {"title": 0.9}},
            {"fields": {"title": 2.0, "text": 1.0}},
            {"fields": {"text": 1.0}},
            {"analyzer": {"stopwords": "none"}},
        ),
    ),
    "bm25s": Contract(
        options=lambda folder: {"stemmer": "english"},
        changed=(
            {"k1": 1.3},
            {"b": 0.6},
            {"template": "{text}"},
            {"normalize": "none"},
            {"lower": False},
            {"pattern": r"\w+"},
            {"stopwords": "none"},
            {"stopwords": ["the", "of"]},
            {"stemmer": "none"},
            {"variant": "bm25+"},
            {"variant": "bm25+", "delta": 0.7},
        ),
    ),
    "fusion": Contract(
        options=lambda folder: {"members": ["bm25", "bm25:k1=1.5"], "method": "minmax"},
        changed=(
            {"members": ["bm25", {"kind": "rank-bm25"}]},
            {"method": "rrf"},
            {"missing": "lowest"},
            {"method": "rrf", "k": 10},
            {"weights": [1, 2]},
            {"directions": ["higher", "lower"]},
            {"depth": 50},
            {"tuned_on": ["birds@dev"]},
        ),
    ),
    "chunked": Contract(
        options=lambda folder: {"retriever": "bm25", "size": 4, "overlap": 1},
        changed=(
            {"retriever": "bm25:k1=1.5"},
            {"size": 5},
            {"overlap": 2},
            {"unit": "characters", "size": 30},
            {"title": False},
            {"aggregation": "mean"},
            {"aggregation": "topk-mean"},
            {"aggregation": "topk-mean", "top": 2},
            {"passages_per_query": 3},
        ),
    ),
    "late": Contract(
        options=lambda folder: {"model": TINY_LATE},
        changed=(
            {"projection": "none"},
            {"prompts": {"query": "search: "}},
            {"query_length": 16},
            {"document_length": 16},
            {"similarity": "meanmaxsim"},
            {"batch_size": 8},
            {"template": "{text}"},
            {"precision": "float16"},
        ),
        neutral=(
            {"model": ["env:BEIRKIT_NOT_SET", TINY_LATE]},
            {"weights_sha256": hashlib.sha256(b"stands in for token vectors").hexdigest()},
        ),
    ),
    "sparse": Contract(
        options=lambda folder: {"model": TINY_SPARSE},
        changed=(
            {"prompts": {"query": "search: "}},
            {"max_length": 16},
            {"max_active_dims": 8},
            {"batch_size": 8},
            {"template": "{text}"},
        ),
        neutral=(
            {"model": ["env:BEIRKIT_NOT_SET", TINY_SPARSE]},
            {"weights_sha256": hashlib.sha256(b"stands in for weights").hexdigest()},
        ),
    ),
    "sparse-vectors": Contract(
        options=vectors,
        changed=(
            {"documents": str(FIXTURES / "vectors" / "owls.jsonl")},
            {"queries": str(FIXTURES / "vectors" / "owls.tsv")},
            {"missing": "empty"},
            {"unknown": "drop"},
        ),
    ),
    "rerank": Contract(
        options=rerank_file,
        changed=(
            {"retriever": "bm25:k1=1.5"},
            {"depth": 2},
            {"template": "{text}"},
            {"batch_size": 2},
            {"model": "operator:countOf"},
            {"model": TINY_CROSS},
            {"model": TINY_CROSS, "max_length": 8},
        ),
        neutral=({"weights_sha256": None},),
    ),
    "run": Contract(
        options=run_file,
        changed=({"path": str(FIXTURES / "runs" / "owls.trec")}, {"unknown": "keep"}),
    ),
    "mteb": Contract(
        options=mteb_model,
        changed=(
            {"model": "mteb/baseline-bm25s"},
            {"arguments": {"bonus": 1.0}},
            {"language": "deu-Latn"},
            {"batch_size": 8},
        ),
        marks=(pytest.mark.full,),
    ),
    "http": Contract(
        options=service,
        changed=(
            {"url": "http://127.0.0.1:1/search?query={query}"},
            {"method": "POST"},
            {"body": {"q": "{query}"}},
            {"headers": {"X-Key": "env:HOME"}},
            {"results": "found"},
            {"id": "doc"},
            {"score": ""},
            {"url": "http://127.0.0.1:1/{query}/{page}", "page_size": 5},
            {"first_page": 1},
            {"on_error": "record"},
            {"unknown": "drop"},
            {"version": "2"},
        ),
        neutral=({"timeout": 9}, {"retries": 1}, {"backoff": 1}, {"rate": 1000.0}),
    ),
    "rank-bm25": Contract(
        options=lambda folder: {},
        changed=(*_LEXICAL, {"epsilon": 0.1}, {"variant": "plus"}, {"variant": "plus", "delta": 0.7}),
    ),
}

_HAS_ITS_OWN = "its lists are of the corpus and the queries that it was made for"

EXCEPTIONS: dict[tuple[str, str], str] = {
    **{
        (kind, f"test_{name}"): _HAS_ITS_OWN
        for kind in ("run", "http", "sparse-vectors")
        for name in (
            "one_document",
            "titles_that_are_empty_or_null",
            "ties_go_by_id_descending_in_utf8",
            "a_second_corpus_replaces_the_first",
        )
    },
    **{
        (kind, f"test_{name}"): _HAS_ITS_OWN
        for kind in ("run", "sparse-vectors")
        for name in ("an_empty_query", "a_query_of_stop_words")
    },
    ("anserini", "test_titles_that_are_empty_or_null"): "Anserini lowers the scores of ties in turn",
    ("dense", "test_documents_that_share_nothing_are_not_returned"): "every document is near to some degree",
    ("late", "test_documents_that_share_nothing_are_not_returned"): "every document is near to some degree",
}
"""(kind, name of the check) → why the kind cannot pass it."""

AWAITED: dict[str, str] = {}
"""Kinds without a contract → why; to be emptied."""
