"""Every kind of retriever in the catalog must pass every check here.

A kind takes part by an entry in ``CONTRACTS``. A check that a kind cannot pass is listed in ``EXCEPTIONS``
with the reason; there is no other way round one.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import msgspec
import numpy as np
import pytest

from beirkit.configs.schema import RetrieverConfig
from beirkit.corpora.errors import ConfigError, DataError, UsageError
from beirkit.corpora.progress import Advance
from beirkit.corpora.records import Document, Query
from beirkit.corpora.run import Run
from beirkit.corpora.run_files import write_run
from beirkit.retrievers.base import Retriever, Workplace
from beirkit.retrievers.catalog import create, get, kinds
from beirkit.retrievers.dense.encoder import Role, Vectors
from beirkit.retrievers.dense.sentence_transformer import SentenceTransformerEncoder
from beirkit.retrievers.late.encoder import LateModel, TokenVectors
from beirkit.retrievers.sparse.encoder import SparseModel
from beirkit.retrievers.sparse.rows import Rows
from tests.retrievers.lexical import fake_java
from tests.retrievers.outside.local_service import LocalService

Options = dict[str, Any]


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

FIXTURES = Path(__file__).parent.parent / "fixtures"
TINY = str(FIXTURES / "models" / "tiny")
TINY_CROSS = str(FIXTURES / "models" / "tiny-cross")
TINY_LATE = str(FIXTURES / "models" / "tiny-late")
TINY_SPARSE = str(FIXTURES / "models" / "tiny-sparse")
TINY_SHA256 = "ef6904d046295f25ae9d378280ecbb9334f8c306ac49bcc620690bc521e80231"


def _search_file(folder: Path) -> Options:
    """A search class of a user's own; what imports beir is no module of these tests."""
    file = folder / "word_overlap.py"
    file.write_bytes((FIXTURES / "beir_search" / "word_overlap.txt").read_bytes())
    return {"class": f"{file}:WordOverlap", "score_function": "cos_sim"}


def _rerank_file(folder: Path) -> Options:
    """A function of a user's own that counts the words a text shares with the query."""
    file = folder / "count_words.py"
    file.write_text(
        "def score(query, texts):\n"
        "    words = set(query.lower().split())\n"
        "    return [float(sum(word in words for word in text.lower().split())) for text in texts]\n",
        encoding="utf-8",
    )
    return {"retriever": "bm25", "model": f"{file}:score", "depth": 3}


def _mteb_model(folder: Path) -> Options:
    """A search model of a user's own."""
    file = folder / "mteb_overlap.py"
    file.write_bytes((FIXTURES / "mteb_search" / "word_overlap.txt").read_bytes())
    return {"model": f"{file}:WordOverlap"}


def _run_file(folder: Path) -> Options:
    """What BM25 finds among the documents of these tests."""
    bm25 = create(RetrieverConfig(name="bm25", kind="bm25"))
    bm25.index(DOCUMENTS)
    write_run(bm25.search(QUERIES, 100), folder / "bm25.jsonl")
    return {"path": str(folder / "bm25.jsonl")}


def _service(folder: Path) -> Options:
    """A service that has the documents of these tests; it lives as long as the process."""
    service = LocalService(DOCUMENTS)
    return {"url": f"{service.url}?query={{query}}&k={{k}}", "results": "found.items", "id": "doc.id"}


def _vectors(folder: Path) -> Options:
    """Files of vectors in which a word of the documents and queries of these tests is a term of weight 1."""
    places = {}
    texts = {
        "documents": {d.doc_id: f"{d.title} {d.text}" for d in DOCUMENTS},
        "queries": {query.query_id: query.text for query in QUERIES},
    }
    for name, rows in texts.items():
        vectors = {key: dict.fromkeys(re.findall(r"\w+", text.lower()), 1) for key, text in rows.items()}
        lines = (json.dumps({"id": key, "vector": vector}) + "\n" for key, vector in vectors.items())
        (folder / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
        places[name] = str(folder / f"{name}.jsonl")
    return places


def _word_weights(model: SparseModel, texts: Sequence[str], role: Role, advance: Advance) -> Rows:
    """Stands in for a sparse model: a word is a term of weight 1."""
    rows = [sorted({zlib.crc32(w.encode()) % 30000 for w in re.findall(r"\w+", t.lower())}) for t in texts]
    advance(len(texts))
    terms = np.array([term for row in rows for term in row], dtype=np.int32)
    counts = np.array([len(row) for row in rows], dtype=np.int64)
    return Rows(counts, terms, np.ones(len(terms), dtype=np.float32))


def _word_vectors(model: LateModel, texts: Sequence[str], role: Role, advance: Advance) -> TokenVectors:
    """Stands in for a late-interaction model: a word is a vector of its own."""
    words = [[zlib.crc32(word.encode()) % 256 for word in re.findall(r"\w+", t.lower())] for t in texts]
    advance(len(texts))
    counts = np.array([len(row) for row in words], dtype=np.int64)
    numbers = [word for row in words for word in row]
    return TokenVectors(counts, np.eye(256, dtype=np.float32)[numbers], 512, 0)


def _bag_of_words(
    encoder: SentenceTransformerEncoder, texts: Sequence[str], role: Role, advance: Advance | None = None
) -> Vectors:
    """Stands in for the model: counts words, so that torch stays out of these tests."""
    vectors = np.zeros((len(texts), 256), dtype=np.float32)
    for row, text in enumerate(texts):
        for word in re.findall(r"\w+", text.lower()):
            vectors[row, zlib.crc32(word.encode()) % 256] += 1
    if advance is not None:
        advance(len(texts))
    return vectors


@pytest.fixture(autouse=True)
def _without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SentenceTransformerEncoder, "encode", _bag_of_words)
    monkeypatch.setattr(SentenceTransformerEncoder, "count_truncated", lambda *_: 0)
    monkeypatch.setattr(LateModel, "encode", _word_vectors)
    monkeypatch.setattr(SparseModel, "encode", _word_weights)
    monkeypatch.setattr(SparseModel, "count_truncated", lambda *_: 0)


@pytest.fixture(scope="session")
def _stand_in_for_anserini(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return fake_java.install(tmp_path_factory.mktemp("java"))


@pytest.fixture(autouse=True)
def _without_java(monkeypatch: pytest.MonkeyPatch, _stand_in_for_anserini: dict[str, str]) -> None:
    for name, value in _stand_in_for_anserini.items():
        monkeypatch.setenv(name, value)


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
        options=_search_file,
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
        options=_vectors,
        changed=(
            {"documents": str(FIXTURES / "vectors" / "owls.jsonl")},
            {"queries": str(FIXTURES / "vectors" / "owls.tsv")},
            {"missing": "empty"},
            {"unknown": "drop"},
        ),
    ),
    "rerank": Contract(
        options=_rerank_file,
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
        options=_run_file,
        changed=({"path": str(FIXTURES / "runs" / "owls.trec")}, {"unknown": "keep"}),
    ),
    "mteb": Contract(
        options=_mteb_model,
        changed=(
            {"model": "mteb/baseline-bm25s"},
            {"arguments": {"bonus": 1.0}},
            {"language": "deu-Latn"},
            {"batch_size": 8},
        ),
        marks=(pytest.mark.full,),
    ),
    "http": Contract(
        options=_service,
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

HEAVY = (
    "torch", "sentence_transformers", "transformers", "faiss", "scipy", "pandas", "pytrec_eval", "rank_bm25",
    "Stemmer", "beir", "onnxruntime", "openvino",
)  # fmt: skip


@pytest.fixture(params=[pytest.param(kind, marks=contract.marks) for kind, contract in CONTRACTS.items()])
def kind(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    reason = EXCEPTIONS.get((name, request.function.__name__))
    if reason:
        pytest.skip(reason)
    return name


@pytest.fixture(scope="session")
def options(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Options]:
    made: dict[str, Options] = {}

    def of(kind: str) -> Options:
        if kind not in made:
            made[kind] = CONTRACTS[kind].options(tmp_path_factory.mktemp(kind))
        return made[kind]

    return of


@pytest.fixture
def make(kind: str, options: Callable[[str], Options]) -> Callable[..., Retriever[Any]]:
    def made(changed: Mapping[str, Any] | None = None, **workplace: Any) -> Retriever[Any]:
        config = RetrieverConfig(name=f"tiny-{kind}", kind=kind, options={**options(kind), **(changed or {})})
        return create(config, Workplace(device="cpu", offline=True, **workplace))

    return made


Make = Callable[..., Retriever[Any]]

DOCUMENTS = [
    Document("d10", "Barn owls", "Barn owls hunt voles at night."),
    Document("d2", "", "The kestrel hovers before it strikes."),
    Document("d1", "Owls", ""),
    Document("D3", "Falcons", "Peregrine falcons strike other birds in the air."),
    Document("é4", "", ""),
    Document("z", "Voles", "Voles are eaten by owls, kestrels and foxes; owls eat most of them."),
]
QUERIES = [
    Query("q2", "What do owls hunt?"),
    Query("q10", "kestrel strikes"),
    Query("q1", "zyxwv"),
    Query("é", "birds eaten by falcons"),
]


def _run(
    retriever: Retriever[Any], documents: Iterable[Document], queries: Iterable[Query], k: int = 100
) -> Run:
    retriever.index(iter(documents))
    return retriever.search(iter(queries), k)


def _rankings(run: Run) -> dict[str, list[str]]:
    return {query_id: [doc_id for doc_id, _ in pairs] for query_id, pairs in run.lists()}


def test_every_catalogued_kind_has_a_contract() -> None:
    assert {*CONTRACTS, *AWAITED} == set(kinds())
    assert not set(CONTRACTS) & set(AWAITED)


def test_exceptions_name_kinds_and_checks_that_exist() -> None:
    assert all(kind in CONTRACTS and check in globals() for kind, check in EXCEPTIONS)


def test_the_class_says_what_it_is(kind: str) -> None:
    assert get(kind).kind == kind
    assert get(kind).summary
    assert "\n" not in get(kind).summary
    assert get(kind).Options.__doc__
    assert get(kind).stage >= 1


def test_documents_come_first(make: Make) -> None:
    with pytest.raises(UsageError, match="index"):
        make().search(QUERIES, 10)


def test_an_empty_corpus_is_refused(make: Make) -> None:
    with pytest.raises(DataError, match="empty"):
        make().index(iter([]))


def test_every_query_is_in_the_run_in_order(make: Make) -> None:
    run = _run(make(), DOCUMENTS, QUERIES)
    assert list(run.query_ids) == ["q2", "q10", "q1", "é"]
    assert {"d10", "z"} & set(_rankings(run)["q2"][:2])
    assert _rankings(run)["q10"][0] == "d2"


def test_no_queries_no_lists(make: Make) -> None:
    run = _run(make(), DOCUMENTS, [])
    assert len(run) == run.n_results == 0


def test_documents_that_share_nothing_are_not_returned(make: Make) -> None:
    rankings = _rankings(_run(make(), DOCUMENTS, QUERIES))
    assert rankings["q1"] == []
    assert set(rankings["q2"]) == {"d10", "d1", "z"}


def test_k_larger_than_the_corpus(make: Make) -> None:
    retriever = make()
    retriever.index(DOCUMENTS)
    assert list(retriever.search(QUERIES, 10_000).lists()) == list(retriever.search(QUERIES, 6).lists())


def test_a_smaller_k_gives_the_head_of_the_list(make: Make) -> None:
    retriever = make()
    retriever.index(DOCUMENTS)
    whole = dict(retriever.search(QUERIES, 100).lists())
    for k in (1, 2, 3):
        assert dict(retriever.search(QUERIES, k).lists()) == {key: row[:k] for key, row in whole.items()}


def test_one_document(make: Make) -> None:
    run = _run(make(), [Document("only", "", "An owl hunts.")], [Query("q", "owl")])
    assert _rankings(run) == {"q": ["only"]}


def test_an_empty_query(make: Make) -> None:
    run = _run(make(), DOCUMENTS, [Query("empty", ""), Query("blank", " \n"), Query("q", "voles")])
    assert list(run.query_ids) == ["empty", "blank", "q"]
    assert "z" in _rankings(run)["q"]


def test_a_query_of_stop_words(make: Make) -> None:
    run = _run(make(), DOCUMENTS, [Query("stop", "the of and to"), Query("q", "voles")])
    assert list(run.query_ids) == ["stop", "q"]
    assert "z" in _rankings(run)["q"]


def test_titles_that_are_empty_or_null(make: Make) -> None:
    documents = [
        Document("null", cast("Any", None), "An owl hunts voles."),
        Document("empty", "", "An owl hunts voles."),
        Document("blank", " ", "An owl hunts voles."),
    ]
    run = _run(make(), documents, [Query("q", "owl"), Query("none", "None")])
    pairs = dict(run.lists())["q"]
    assert [doc_id for doc_id, _ in pairs] == ["null", "empty", "blank"]
    assert len({score for _, score in pairs}) == 1, "a missing title is not spelled out"


def test_ties_go_by_id_descending_in_utf8(make: Make) -> None:
    ids = ["a", "b", "Z", "10", "9", "é", "\uff61", "\U0001f989", "_", "a b"]
    run = _run(make(), [Document(doc_id, "", "An owl hunts.") for doc_id in ids], [Query("q", "owl")])
    descending = sorted(ids, key=str.encode, reverse=True)
    assert _rankings(run)["q"] == descending
    retriever = make()
    assert _rankings(
        _run(retriever, [Document(i, "", "An owl hunts.") for i in ids], [Query("q", "owl")], 3)
    ) == {"q": descending[:3]}


def test_scores_are_finite_float32_in_order(make: Make) -> None:
    run = _run(make(), DOCUMENTS, QUERIES)
    assert run.scores.dtype == np.float32
    assert run.docs.dtype == np.int32
    assert np.isfinite(run.scores).all()
    assert list(run.ordered().lists()) == list(run.lists())
    assert all(len({doc for doc, _ in row}) == len(row) for _, row in run.lists())


def test_the_order_of_documents_changes_no_ranking(make: Make) -> None:
    expected = _rankings(_run(make(), DOCUMENTS, QUERIES))
    assert _rankings(_run(make(), DOCUMENTS[::-1], QUERIES)) == expected
    assert _rankings(_run(make(), DOCUMENTS[3:] + DOCUMENTS[:3], QUERIES)) == expected


def test_the_order_of_documents_changes_no_bit(make: Make) -> None:
    expected = list(_run(make(), DOCUMENTS, QUERIES).lists())
    assert list(_run(make(), DOCUMENTS[::-1], QUERIES).lists()) == expected
    assert list(_run(make(), DOCUMENTS[3:] + DOCUMENTS[:3], QUERIES).lists()) == expected


def test_the_order_of_queries_changes_no_ranking(make: Make) -> None:
    retriever = make()
    retriever.index(DOCUMENTS)
    forward, backward = retriever.search(QUERIES, 100), retriever.search(QUERIES[::-1], 100)
    assert list(backward.query_ids) == ["é", "q1", "q10", "q2"]
    assert _rankings(backward) == _rankings(forward)


def test_the_order_of_queries_changes_no_bit(make: Make) -> None:
    retriever = make()
    retriever.index(DOCUMENTS)
    forward, backward = retriever.search(QUERIES, 100), retriever.search(QUERIES[::-1], 100)
    assert dict(backward.lists()) == dict(forward.lists())


def test_a_second_corpus_replaces_the_first(make: Make) -> None:
    retriever = make()
    retriever.index(DOCUMENTS)
    retriever.search(QUERIES, 100)
    run = _run(retriever, [Document("new", "", "Owls again.")], QUERIES)
    assert {doc_id for row in _rankings(run).values() for doc_id in row} == {"new"}


def test_two_retrievers_of_one_identity_give_one_run(make: Make, tmp_path: Path) -> None:
    one, other, kept = make(), make(), make(cache=tmp_path)
    assert one.identity() == other.identity() == kept.identity()
    expected = list(_run(one, DOCUMENTS, QUERIES).lists())
    assert list(_run(other, DOCUMENTS, QUERIES).lists()) == expected
    assert list(_run(kept, DOCUMENTS, QUERIES).lists()) == expected
    assert list(_run(make(cache=tmp_path), DOCUMENTS, QUERIES).lists()) == expected


def test_the_report_is_json(make: Make) -> None:
    retriever = make()
    _run(retriever, DOCUMENTS, QUERIES)
    report = retriever.report()
    assert json.loads(json.dumps(report, allow_nan=False)) == report


def test_identity_is_json_and_known_before_any_work(make: Make) -> None:
    retriever = make()
    identity = retriever.identity()
    assert identity["kind"] == type(retriever).kind
    assert identity["stage"] == type(retriever).stage
    assert json.loads(json.dumps(identity, allow_nan=False)) == identity
    _run(retriever, DOCUMENTS, QUERIES)
    assert retriever.identity() == identity


_ASK = """
import json, sys
from beirkit.configs.schema import RetrieverConfig
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.catalog import create
config = RetrieverConfig(name="tiny", kind=sys.argv[1], options=json.loads(sys.argv[2]))
identity = create(config, Workplace(device="cpu", offline=True)).identity()
print(json.dumps([identity, sorted(set(sys.modules) & set(json.loads(sys.argv[3])))]))
"""


def test_identity_is_stable_and_loads_nothing_heavy(
    kind: str, make: Make, options: Callable[[str], Options]
) -> None:
    expected = make().identity()
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-P", "-c", _ASK, kind, json.dumps(options(kind)), json.dumps(HEAVY)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        identity, loaded = json.loads(done.stdout)
        assert loaded == []
        assert identity == expected


def test_identity_changes_with_every_option(kind: str, make: Make) -> None:
    changed = CONTRACTS[kind].changed
    known = {item.encode_name for item in msgspec.structs.fields(get(kind).Options)}
    neutral = CONTRACTS[kind].neutral
    named = {name for option in (*changed, *neutral) for name in option}
    assert named == known, "each option is to be tried"
    identities = [json.dumps(make(option).identity(), sort_keys=True) for option in ({}, *changed)]
    assert len(set(identities)) == len(identities)
    assert all(make(option).identity() == make().identity() for option in neutral)


def test_an_unknown_option_is_refused_with_the_nearest_name(kind: str, make: Make) -> None:
    name = msgspec.structs.fields(get(kind).Options)[0].encode_name
    with pytest.raises(ConfigError) as error:
        make({f"{name}x": 1})
    assert str(error.value).startswith(f"retriever tiny-{kind}, options: ")
    assert f"did you mean {name!r}?" in str(error.value)


def test_progress_counts_every_document_and_query(make: Make) -> None:
    from contextlib import contextmanager

    done: dict[str, int] = {}

    @contextmanager
    def progress(label: str, total: int | None, unit: str) -> Any:
        assert total is None or total >= 0

        def advance(n: int = 1, /) -> None:
            done[unit] = done.get(unit, 0) + n

        yield advance

    _run(make(progress=progress), DOCUMENTS, QUERIES)
    assert done["documents"] == len(DOCUMENTS)
    assert done["queries"] == len(QUERIES)


def test_progress_has_a_total_where_the_documents_can_be_counted(make: Make) -> None:
    from contextlib import contextmanager

    totals: list[tuple[str, int | None]] = []

    @contextmanager
    def progress(label: str, total: int | None, unit: str) -> Any:
        totals.append((unit, total))
        yield lambda n=1: None

    for documents in (DOCUMENTS, iter(DOCUMENTS)):
        make(progress=progress).index(documents)
    assert [total for unit, total in totals if unit == "documents"] == [len(DOCUMENTS), None]
