"""Answers of an embedding service that are not what was asked for: refused whole, nothing of them kept."""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path
from typing import Any

import pytest

from beirkit.corpora.errors import UsageError
from beirkit.corpora.records import Document
from tests.retrievers.dense.local_embeddings import DIM, LocalEmbeddings
from tests.retrievers.dense.over_service import DOCUMENTS, expected, made, rounded, run


def with_entry(place: int, **changed: Any) -> Any:
    """An answer with one entry changed; ``None``: without that key."""

    def change(answer: dict[str, Any]) -> dict[str, Any]:
        data = [dict(entry) for entry in answer["data"]]
        data[place] = {key: value for key, value in {**data[place], **changed}.items() if value is not None}
        return {**answer, "data": data}

    return change


def packed(*values: float) -> str:
    return base64.b64encode(struct.pack(f"<{len(values)}f", *values)).decode()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda answer: {**answer, "data": answer["data"][1:]}, "the answer has 7 vectors for 8 texts"),
        (lambda answer: {**answer, "data": answer["data"] * 2}, "the answer has 16 vectors for 8 texts"),
        (lambda answer: {"error": "busy"}, r"the answer has no 'data' \(its keys: error\)"),
        (lambda answer: {"data": "many"}, "'data' of the answer is no list but str"),
        (lambda answer: [], "the answer has no 'data'"),
        (with_entry(1, index=0), "two vectors for text 0 of 8"),
        (with_entry(1, index=8), "a vector for text 8 of 8"),
        (with_entry(1, index=-1), "a vector for text -1 of 8"),
        (with_entry(1, index="1"), "a vector for text '1' of 8"),
        (with_entry(1, index=True), "a vector for text True of 8"),
        (with_entry(1, embedding=None), "an entry of the answer has no 'embedding'"),
        (with_entry(1, embedding=[1.0] * 63), "vectors of 63 and 64 dimensions"),
        (with_entry(1, embedding=[float("nan")] * DIM), "document 'd01': its vector holds NaN or infinity"),
        (with_entry(1, embedding=[1e300] * DIM), "document 'd01': its vector holds NaN or infinity"),
        (with_entry(1, embedding=packed(float("inf"))), "document 'd01': its vector holds NaN or infinity"),
        (with_entry(1, embedding="no base64!"), "document 'd01': what came for it is no base64"),
        (
            with_entry(1, embedding=base64.b64encode(b"12345").decode()),
            "document 'd01': .* no base64 of float32",
        ),
        (with_entry(1, embedding=["1"] * DIM), "document 'd01': what came for it is no list of numbers"),
        (with_entry(1, embedding=[True] * DIM), "document 'd01': what came for it is no list of numbers"),
        (
            with_entry(1, embedding=[[1.0], [1.0, 2.0]]),
            "document 'd01': what came for it is no list of numbers",
        ),
        (with_entry(1, embedding=[[1.0] * DIM]), "document 'd01': what came for it is no list of numbers"),
        (with_entry(1, embedding=[]), "document 'd01': what came for it is no list of numbers"),
        (with_entry(1, embedding=[10**400] * DIM), "document 'd01': what came for it is no list of numbers"),
        (with_entry(1, embedding={"float": []}), "document 'd01': what came for it is no vector but dict"),
    ],
)
def test_an_answer_that_is_no_vectors_is_refused(
    service: LocalEmbeddings, tmp_path: Path, change: Any, message: str
) -> None:
    service.change = change
    with pytest.raises(UsageError, match=message):
        run(made(service, tmp_path))
    assert not list(tmp_path.rglob("*.npy"))
    service.change = None
    assert rounded(run(made(service, tmp_path))) == expected()


def test_other_dimensions_than_were_asked_for_are_refused(service: LocalEmbeddings) -> None:
    service.change = lambda answer: {
        **answer, "data": [{**entry, "embedding": [1.0] * 24} for entry in answer["data"]],
    }  # fmt: skip
    with pytest.raises(UsageError, match="32 dimensions were asked for and 24 came"):
        run(made(service, dimensions=32))


@pytest.mark.parametrize("concurrency", [1, 4])
def test_dimensions_that_change_are_refused(
    service: LocalEmbeddings, tmp_path: Path, concurrency: int
) -> None:
    def change(answer: dict[str, Any]) -> dict[str, Any]:
        size = 24 if len(service.asked) > 2 else DIM
        return {
            **answer, "data": [{**entry, "embedding": entry["embedding"][:size]} for entry in answer["data"]],
        }  # fmt: skip

    service.change = change
    with pytest.raises(UsageError, match=r"dimensions, those before had .*tell it from the first by another"):
        run(made(service, tmp_path, concurrency=concurrency))
    if concurrency == 1:
        with pytest.raises(UsageError, match="the answer has 24 dimensions, those before had 64"):
            run(made(service, tmp_path))  # those before are kept


def test_a_page_with_status_200_is_asked_again_and_then_told(
    service: LocalEmbeddings, tmp_path: Path
) -> None:
    page = b"<html><title>Sign in</title></html>"
    service.faults = [page]
    assert rounded(run(made(service))) == expected()
    service.faults = [page] * 3
    with pytest.raises(
        UsageError, match=r"v1/embeddings: the answer is no JSON: 'a page, Sign in' \(sent 3 times\)"
    ):
        run(made(service, tmp_path, retries=2))


def test_a_text_that_is_too_long_is_named(service: LocalEmbeddings, tmp_path: Path) -> None:
    service.longest = 30
    long = Document("novel", "", "owl " * 20)
    with pytest.raises(
        UsageError,
        match=r"document 'novel': the service does not take it \(79 characters with its prompt\): HTTP 400.*"
        "maximum context length is 30",
    ):
        run(made(service, tmp_path), [*DOCUMENTS[:20], long, *DOCUMENTS[20:]])
    asked = len(service.texts)
    run(made(service, tmp_path, truncate_characters=30), [*DOCUMENTS[:20], long, *DOCUMENTS[20:]])
    assert len(service.texts) - asked < 30  # what was answered is kept, halves too


def test_a_batch_that_is_too_large_is_halved(service: LocalEmbeddings) -> None:
    service.most = 3
    retriever = made(service)
    assert rounded(run(retriever)) == expected()
    assert retriever.report()["service"]["tokens"] == 206  # what is refused costs nothing


def test_batches_end_at_their_tokens(service: LocalEmbeddings) -> None:
    run(made(service, batch_tokens=10))  # by the estimate, 4.45 tokens a document
    assert {len(body["input"]) for body in service.asked[:-2]} == {2}


def test_an_address_that_is_wrong_is_told_at_once(service: LocalEmbeddings) -> None:
    service.faults = [404]
    with pytest.raises(UsageError, match="HTTP 404: no such luck"):
        run(made(service))
    assert len(service.asked) == 1


def test_a_service_that_stays_away_is_one_message(service: LocalEmbeddings) -> None:
    service.close()
    with pytest.raises(UsageError, match=r"\(sent 2 times\) \(what was answered is kept \(0 tokens\)"):
        run(made(service, retries=1))


def test_a_damaged_answer_in_the_store_is_asked_for_again(
    service: LocalEmbeddings, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first = run(made(service, tmp_path))
    for path in tmp_path.rglob("embeddings/*/*.npy"):
        path.unlink()
    damaged = sorted(tmp_path.rglob("responses/*/*.npy"))[0]
    texts = json.loads(damaged.with_suffix(".json").read_bytes())["facts"]["texts"]
    damaged.write_bytes(damaged.read_bytes()[:-4] + b"\0\0\1\0")
    service.asked.clear()
    assert run(made(service, tmp_path)) == first
    assert len(service.texts) == len(texts)
    assert "is damaged and will be made again" in caplog.text
