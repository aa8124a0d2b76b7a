"""An embedding service as an encoder: what is asked of it, and what becomes of its vectors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from beirkit.configs.schema import RetrieverConfig
from beirkit.corpora.errors import ConfigError, DataError
from beirkit.corpora.records import Document, Query
from beirkit.retrievers.catalog import create
from tests.retrievers.dense.local_embeddings import LocalEmbeddings
from tests.retrievers.dense.over_service import DOCUMENTS, QUERIES, expected, made, rounded, run


@pytest.mark.parametrize("concurrency", [1, 4])
@pytest.mark.parametrize("body", [{}, {"encoding_format": "base64"}])
def test_vectors_of_a_service_rank(service: LocalEmbeddings, concurrency: int, body: dict[str, Any]) -> None:
    assert rounded(run(made(service, concurrency=concurrency, body=body))) == expected()
    assert all({**request, "input": 0} == {"model": "words", "input": 0, **body} for request in service.asked)


def test_entries_out_of_order_are_put_in_theirs(service: LocalEmbeddings) -> None:
    service.change = lambda answer: {**answer, "data": answer["data"][::-1]}
    assert rounded(run(made(service))) == expected()


def test_a_text_is_asked_for_once_whatever_its_role(service: LocalEmbeddings, tmp_path: Path) -> None:
    twice = [*DOCUMENTS, Document("again", "", DOCUMENTS[0].text), Document("other", "", QUERIES[0].text)]
    run(made(service, tmp_path), twice)
    assert len(service.texts) == len(set(service.texts)) == 43
    longer = [*twice, Document("new", "", "a kestrel")]
    run(made(service, tmp_path), longer)  # another block, of which one text is new
    assert service.texts[43:] == ["a kestrel"]


def test_fields_and_prompts_are_those_of_the_role(service: LocalEmbeddings, tmp_path: Path) -> None:
    fields = {"query": {"input_type": "query"}, "document": {"input_type": "document"}}
    run(made(service, tmp_path, fields=fields, dimensions=32, prompts={"query": "find: "}))
    last = service.asked[-1]
    assert last == {
        "model": "words", "input": [f"find: {q.text}" for q in QUERIES], "dimensions": 32,
        "input_type": "query",
    }  # fmt: skip
    assert {body["input_type"] for body in service.asked[:-1]} == {"document"}
    asked = len(service.asked)
    fields["query"]["input_type"] = "question"
    run(made(service, tmp_path, fields=fields, dimensions=32, prompts={"query": "find: "}))
    assert [body["input_type"] for body in service.asked[asked:]] == ["question"]


def test_services_that_are_not_quite_like_it(service: LocalEmbeddings) -> None:
    service.change = lambda answer: {
        "embeddings": {"float": [entry["embedding"] for entry in answer["data"]]},
        "meta": {"billed_units": {"input_tokens": answer["usage"]["total_tokens"]}},
    }
    retriever = made(
        service, vectors="embeddings.float", vector="", index="", tokens="meta.billed_units.input_tokens"
    )
    assert rounded(run(retriever)) == expected()
    assert retriever.report()["service"]["tokens"] == 40 * 5 + 6


def test_blank_texts_are_not_sent(service: LocalEmbeddings, caplog: pytest.LogCaptureFixture) -> None:
    retriever = made(service)
    run(retriever, [*DOCUMENTS, Document("blank", "", " "), Document("empty", "", "")])
    assert retriever.report()["document"]["zero_vectors"] == 2
    assert "" not in service.texts
    found = dict(retriever.search([Query("nothing", "")], 3).lists())
    assert [score for _, score in found["nothing"]] == [0.0, 0.0, 0.0]
    with pytest.raises(DataError, match="every document is blank"):
        made(service).index([Document("empty", "", "")])


def test_texts_are_cut_where_that_is_asked_for(service: LocalEmbeddings) -> None:
    retriever = made(service, truncate_characters=5)
    retriever.index([Document("long", "", "owl hunts"), Document("short", "", "owl")])
    assert service.texts == ["owl h", "owl"]
    assert retriever.report()["document"]["truncated"] == 1


def test_known_models_get_their_prompts(service: LocalEmbeddings, caplog: pytest.LogCaptureFixture) -> None:
    retriever = made(service, model="service:nomic-embed-text:v1.5")
    run(retriever)
    assert service.texts[0].startswith("search_document: owl 0")
    assert service.texts[-1] == "search_query: barn owl"
    assert retriever.report()["prompts_from"]["query"] == "registry (nomic)"
    run(made(service, model="service:intfloat/e5-small", prompts={"query": "", "document": ""}))
    assert caplog.text.count("MISSING PROMPT: models of the family e5") == 2


def test_identity_is_of_what_vectors_depend_on(service: LocalEmbeddings) -> None:
    plain = made(service).identity()
    neutral: list[dict[str, Any]] = [
        {"key": "WORDS_KEY"}, {"headers": {"Authorization": "Bearer env:WORDS_KEY"}}, {"tokens": "n"},
        {"batch_tokens": 5}, {"concurrency": 2}, {"requests_per_minute": 9.0}, {"tokens_per_minute": 9.0},
        {"timeout": 1}, {"retries": 0}, {"backoff": 1}, {"price": 1.0}, {"max_cost": 2}, {"max_tokens": 1},
        {"batch_size": 3},
    ]  # fmt: skip
    assert all(made(service, **changed).identity() == plain for changed in neutral)
    changes: list[dict[str, Any]] = [
        {"url": "http://other/v1/embeddings"}, {"model": "service:other"}, {"dimensions": 8},
        {"body": {"normalize": True}}, {"fields": {"query": {"task": "q"}}}, {"headers": {"X-Version": "2"}},
        {"input": "texts"}, {"vectors": "embeddings"}, {"vector": ""}, {"index": ""}, {"version": "2"},
        {"truncate_characters": 9}, {"prompts": {"query": "find: "}},
    ]  # fmt: skip
    identities = {json.dumps(made(service, **changed).identity()) for changed in changes}
    assert len(identities | {json.dumps(plain)}) == len(changes) + 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "service:words"}, "model service:words needs the option service"),
        ({"model": "somewhere", "service": {"url": "http://x"}}, "model is none of a service"),
        ({"model": "service:", "service": {"url": "http://x"}}, "service: names no model"),
        ({"model": "service:m", "service": {"url": "x"}}, "service.url is no address"),
        ({"model": "service:m", "max_length": 9, "service": {"url": "http://x"}}, "max_length means nothing"),
        ({"model": "service:m", "service": {"url": "http://x", "concurrency": 0}}, "concurrency is 0"),
        ({"model": "service:m", "service": {"url": "http://x", "max_cost": -1}}, "max_cost is -1"),
        ({"model": "service:m", "service": {"url": "http://x", "timeout": 0}}, "timeout is greater than 0"),
        ({"model": "service:m", "service": {"url": "http://x", "urll": 1}}, "did you mean 'url'"),
    ],
)
def test_impossible_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        create(RetrieverConfig(name="web", kind="dense", options=options))
