"""How patiently a service is asked: waits, repetitions, limits of a minute, what is not followed or read."""

from __future__ import annotations

import gzip
import logging
from collections.abc import Iterator
from email.utils import formatdate
from time import time
from typing import Any

import pytest

from beirkit.corpora.errors import ConfigError, UsageError
from beirkit.retrievers.outside.client import Client, RequestError
from beirkit.retrievers.outside.pace import Pace
from beirkit.retrievers.outside.secret import redacted, refuse_secrets, resolved_headers, secrets_of
from tests.retrievers.dense.local_embeddings import LocalEmbeddings


@pytest.fixture
def service() -> Iterator[LocalEmbeddings]:
    made = LocalEmbeddings()
    yield made
    made.close()


class Clock:
    """A clock that goes only while somebody waits."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.waits: list[float] = []

    def __call__(self) -> float:
        return self.now

    def rest(self, seconds: float) -> None:
        if seconds > 0:
            self.waits.append(round(seconds, 3))
            self.now += seconds


def client_of(clock: Clock, monkeypatch: pytest.MonkeyPatch, pace: Pace | None = None, **more: Any) -> Client:
    """A client that never really waits."""
    made = Client(5.0, more.pop("retries", 9), 0.5, pace or Pace(clock=clock), **more)
    monkeypatch.setattr(made, "rest", clock.rest)
    return made


def ask(client: Client, service: LocalEmbeddings, **more: Any) -> Any:
    return client.json("POST", service.url, {}, {"model": "m", "input": ["owl"]}, **more)


@pytest.mark.parametrize(
    "fault", [408, 425, 429, 500, 502, 503, 504, 529, "reset", "cut", b"<html>", b'{"a":']
)
def test_what_may_pass_is_asked_again(
    service: LocalEmbeddings, monkeypatch: pytest.MonkeyPatch, fault: Any
) -> None:
    service.faults = [fault, fault]
    client = client_of(Clock(), monkeypatch)
    answer, sent = ask(client, service)
    assert (answer["model"], sent) == ("m-0001", 3)
    assert (client.sent, client.repeated) == (3, 2)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422, 501])
def test_what_stays_is_not(service: LocalEmbeddings, monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    service.faults = [status]
    with pytest.raises(RequestError, match=f"HTTP {status}: no such luck$") as error:
        ask(client_of(Clock(), monkeypatch), service)
    assert error.value.status == status
    assert len(service.asked) == 1


def test_waits_double_up_to_a_minute(service: LocalEmbeddings, monkeypatch: pytest.MonkeyPatch) -> None:
    service.faults = [503] * 10
    clock = Clock()
    with pytest.raises(RequestError, match=r"HTTP 503: no such luck \(sent 10 times\)"):
        ask(client_of(clock, monkeypatch), service)
    assert clock.waits == [0.5, 1, 2, 4, 8, 16, 32, 60, 60]


@pytest.mark.parametrize(("given", "wait"), [("7", 7.0), ("0.25", 0.25), ("soon", 0.5)])
def test_a_service_says_itself_how_long_to_wait(
    service: LocalEmbeddings, monkeypatch: pytest.MonkeyPatch, given: str, wait: float
) -> None:
    service.faults = [(429, {"Retry-After": given}, b"slow down")]
    clock = Clock()
    ask(client_of(clock, monkeypatch), service)
    assert clock.waits == [wait]


def test_it_may_say_so_by_a_date(service: LocalEmbeddings, monkeypatch: pytest.MonkeyPatch) -> None:
    service.faults = [(503, {"Retry-After": formatdate(time() + 30, usegmt=True)}, b"")]
    clock = Clock()
    ask(client_of(clock, monkeypatch), service)
    assert 20 < sum(clock.waits) <= 30


def test_a_long_wait_is_told(
    service: LocalEmbeddings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    service.faults = [(429, {"Retry-After": "90"}, b"too many"), 503]
    with caplog.at_level(logging.WARNING):
        ask(client_of(Clock(), monkeypatch), service)
    assert caplog.messages == ["HTTP 429: too many; asked again in 90 seconds"]


def test_hours_are_not_waited_for(service: LocalEmbeddings, monkeypatch: pytest.MonkeyPatch) -> None:
    service.faults = [(429, {"Retry-After": "7200"}, b"daily limit")]
    with pytest.raises(RequestError, match=r"daily limit; it asks to wait 7,200 seconds"):
        ask(client_of(Clock(), monkeypatch), service)


def test_all_wait_when_one_is_told_to() -> None:
    clock = Clock()
    pace = Pace(clock=clock)
    pace.hold(5)
    clock.now += 2
    assert pace.held() == 3
    pace.hold(1)
    assert pace.held() == 3
    clock.now += 3
    assert pace.held() == 0


def test_requests_of_a_minute_are_spread() -> None:
    clock = Clock()
    pace = Pace(rate=0.5, clock=clock)
    assert [pace.take() for _ in range(3)] == [0, 2, 4]
    clock.now += 7
    assert [pace.take(), pace.take()] == [0, 2]


def test_tokens_of_a_minute_are_spread_and_corrected() -> None:
    clock = Clock()
    pace = Pace(tokens=600, clock=clock)
    assert pace.take(100) == 0
    assert pace.take(50) == 10
    pace.correct(50, 80)
    assert pace.take(10) == pytest.approx(18)


def test_a_redirection_to_another_host_is_not_followed(
    service: LocalEmbeddings, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = LocalEmbeddings()
    try:
        for status in (301, 302, 303, 307, 308):
            service.faults = [(status, {"Location": f"{other.url}?token=sesame"}, b"")]
            with pytest.raises(
                RequestError,
                match=r"it redirects to http://127\.0\.0\.1/v1/embeddings, which is not followed",
            ) as error:
                ask(client_of(Clock(), monkeypatch), service)
            assert "sesame" not in str(error.value)
        assert other.asked == []
    finally:
        other.close()


def test_a_body_without_end_is_not_read(service: LocalEmbeddings, monkeypatch: pytest.MonkeyPatch) -> None:
    service.faults = [b"[" + b"1," * 500_000]
    with pytest.raises(RequestError, match="the answer is longer than 100,000 bytes"):
        ask(client_of(Clock(), monkeypatch), service, most=100_000)
    assert len(service.asked) == 1


def test_a_slow_drip_ends(service: LocalEmbeddings) -> None:
    service.pause = 0.01
    client = Client(0.3, 0, 0, Pace())
    with pytest.raises(RequestError, match=r"the answer was not there in whole after 0\.3 seconds"):
        ask(client, service)


def test_a_body_that_is_nested_without_end_is_no_json(
    service: LocalEmbeddings, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.faults = [b"[" * 200_000]
    with pytest.raises(RequestError, match="the answer is no JSON"):
        ask(client_of(Clock(), monkeypatch, retries=0), service)


def test_answers_come_in_chunks_and_compressed(
    service: LocalEmbeddings, monkeypatch: pytest.MonkeyPatch
) -> None:
    chunked = {"Transfer-Encoding": "chunked", "Connection": "close"}
    service.faults = [
        (200, chunked, b"6\r\n[1, 2,\r\n2\r\n3]\r\n0\r\n\r\n"),
        (200, chunked, b"6\r\n[1, 2,\r\n2\r\n3"),  # it breaks off here
        (200, {"Content-Encoding": "gzip"}, gzip.compress(b"[4]")),
        (200, {"Content-Encoding": "gzip"}, gzip.compress(b"[" + b"1," * 500_000)),
    ]
    client = client_of(Clock(), monkeypatch)
    assert ask(client, service) == ([1, 2, 3], 1)
    assert ask(client, service) == ([4], 2)
    with pytest.raises(RequestError, match="the answer is longer than 100,000 bytes"):
        ask(client, service, most=100_000)


def test_of_a_page_its_title_is_told(service: LocalEmbeddings, monkeypatch: pytest.MonkeyPatch) -> None:
    service.faults = [b"<!doctype html><title>Down for\n maintenance</title><p>" + b"x" * 999]
    with pytest.raises(RequestError, match="the answer is no JSON: 'a page, Down for maintenance'"):
        ask(client_of(Clock(), monkeypatch, retries=0), service)


def test_work_that_is_given_up_sends_nothing(service: LocalEmbeddings) -> None:
    client = Client(5.0, 3, 0, Pace())
    client.stopped.set()
    with pytest.raises(RequestError, match="given up"):
        ask(client, service)
    assert service.asked == []


def test_what_only_looks_like_a_secret_is_none() -> None:
    refuse_secrets(
        "https://x/?q={query}&page_token={page}&sort=key", {"Accept": "a/b", "X-Key": "env:K"},
        {"aggregate": {"key": "year", "token": 3}}, {"max_tokens": 1},
    )  # fmt: skip
    with pytest.raises(ConfigError, match="the parameter 'page_token'"):
        refuse_secrets("https://x/?page_token=sesame", {})


def test_secrets_are_cut_out_in_any_spelling(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = 'se"same/7'
    told = f'{secret} se\\"same/7 se%22same%2F7 Authorization: Bearer other-9 basic YTpi, bearer of news'
    assert redacted(told, [secret]) == "*** *** *** Authorization: Bearer *** basic ***, bearer *** news"
    assert redacted("a key of one letter", ["a"]) == "a key of one letter"
    monkeypatch.setenv("A_KEY", " sesame \n")
    headers = {"X-Key": "Token env:A_KEY", "X-Plain": "1"}
    assert resolved_headers(headers) == {"X-Key": "Token sesame", "X-Plain": "1"}
    assert secrets_of(headers) == ["sesame"]
    monkeypatch.setenv("A_KEY", "ses\u00e4me")
    with pytest.raises(UsageError, match="the variable A_KEY holds what no header can") as error:
        resolved_headers(headers)
    assert "ses" not in str(error.value)
