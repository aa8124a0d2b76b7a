"""The key of an embedding service: sent, and written nowhere."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from beirkit.corpora.errors import ConfigError, UsageError
from tests.retrievers.dense.local_embeddings import LocalEmbeddings
from tests.retrievers.dense.over_service import KEY, made, run


def test_a_key_is_sent_and_stands_nowhere(
    service: LocalEmbeddings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    service.key = KEY
    monkeypatch.delenv("WORDS_KEY", raising=False)
    with pytest.raises(UsageError, match="the variable WORDS_KEY is not set"):
        run(made(service, tmp_path, key="WORDS_KEY"))
    assert service.asked == []
    monkeypatch.setenv("WORDS_KEY", f"{KEY}\n")
    service.change = lambda answer: {**answer, "model": f"words for Bearer {KEY}"}
    service.faults = [(503, {}, f"Authorization: Bearer {KEY}".encode())]
    retriever = made(service, tmp_path, key="WORDS_KEY")
    with caplog.at_level(logging.DEBUG):
        run(retriever)
    assert all(headers["authorization"] == f"Bearer {KEY}" for headers in service.headers)
    assert retriever.report()["service"]["answered_by"] == ["words for Bearer ***"]
    told = json.dumps([retriever.identity(), retriever.report(), retriever.costs()])
    files = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert KEY not in told + caplog.text
    assert files
    assert not [data for data in files if KEY.encode() in data]


def test_a_key_that_a_server_repeats_is_cut_out(
    service: LocalEmbeddings, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.key = KEY
    monkeypatch.setenv("WORDS_KEY", "wrong-8824-closed")
    with pytest.raises(UsageError, match="is the variable WORDS_KEY the right key") as error:
        run(made(service, key="WORDS_KEY"))
    assert "HTTP 401" in str(error.value)
    assert "wrong-8824" not in str(error.value)
    # even where the part that is shown would end inside it
    service.faults = [(400, {}, b"x" * 190 + b" wrong-8824-closed and more")]
    with pytest.raises(UsageError) as error:
        run(made(service, key="WORDS_KEY", batch_size=40))
    assert "wrong" not in str(error.value)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"key": KEY}, "options.service.key: is not the name of an environment variable"),
        ({"headers": {"api-key": KEY}}, "the header api-key holds a secret as it is"),
        ({"headers": {"Authorization": f"Bearer {KEY}"}}, "the header Authorization holds a secret"),
        ({"body": {"user": {"api_key": KEY}}}, "the body has 'api_key'"),
        ({"url": f"https://ann:{KEY}@host/v1"}, "the url has a user"),
        ({"url": f"https://host/v1?key={KEY}"}, "the url has the parameter 'key'"),
    ],
)
def test_a_secret_in_a_configuration_is_refused_and_not_shown(
    service: LocalEmbeddings, changed: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError, match=message) as error:
        made(service, **changed)
    assert KEY not in str(error.value)


@pytest.mark.parametrize(
    ("url", "told"),
    [("http://x.test/v1", True), ("http://127.x.test/v1", True), ("https://x.test/v1", False), ("", False)],
)
def test_a_key_in_the_open_is_told(
    service: LocalEmbeddings, url: str, told: bool, caplog: pytest.LogCaptureFixture
) -> None:
    retriever = made(service, key="WORDS_KEY", url=url or service.url, offline=True)
    with pytest.raises(UsageError, match="offline nothing is asked"):
        run(retriever)
    assert ("the key can be read on its way" in caplog.text) == told
