"""Requests: proxies, redirects, addresses."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import NoReturn

import pytest

from beirkit.fetching.errors import FetchError, OfflineError, TransientError
from beirkit.fetching.web import Client, is_set
from tests.beirkit.fetching import server as misbehave
from tests.beirkit.fetching.conftest import PATIENCE
from tests.beirkit.fetching.server import Content, Server, running


@pytest.fixture
def proxy() -> Iterator[Server]:
    """A server that answers for any address, as a proxy is asked."""
    with running() as one:
        yield one


def body(client: Client, address: str) -> bytes:
    with client.open(address) as answer:
        return answer.read()


@pytest.mark.parametrize("name", ["http_proxy", "HTTP_PROXY", "ALL_PROXY"])
def test_the_proxy_of_the_environment_is_asked(
    proxy: Server, client: Client, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    address = "http://data.example/birds.zip"
    proxy.files[address] = Content(b"through the proxy")
    monkeypatch.setenv(name, proxy.address.replace("http://", "http://user:p%40ss@"))
    assert body(client, address) == b"through the proxy"
    (asked,) = proxy.asked
    assert asked.path == address
    assert asked.headers["Proxy-Authorization"] == "Basic dXNlcjpwQHNz"


def test_an_encrypted_address_goes_through_the_proxy_too(
    proxy: Server, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("https_proxy", proxy.address)
    with pytest.raises(TransientError, match="the proxy that the environment names"):
        body(client, "https://data.example/birds.zip")
    assert [one.path for one in proxy.asked] == ["CONNECT data.example:443"]


def test_addresses_of_no_proxy_are_asked_directly(
    server: Server, proxy: Server, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.files["/x"] = Content(b"direct")
    monkeypatch.setenv("http_proxy", proxy.address)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    assert body(client, server.url("/x")) == b"direct"
    assert proxy.asked == []


def test_a_redirect_to_an_address_of_no_proxy_leaves_the_proxy(
    server: Server, proxy: Server, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.files["/x"] = Content(b"direct")
    address = "http://data.example/x"
    proxy.always[address] = misbehave.redirect(server.url("/x"))
    monkeypatch.setenv("http_proxy", proxy.address)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    assert body(client, address) == b"direct"


def test_a_proxy_of_another_kind_is_told(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("all_proxy", "socks5://127.0.0.1:9")
    with pytest.raises(FetchError, match="speaks socks5, which is not supported"):
        body(client, "http://data.example/x")


def test_redirects_are_followed_also_where_they_are_relative(server: Server, client: Client) -> None:
    server.files["/b/c"] = Content(b"here")
    server.always["/a"] = misbehave.redirect("b/c")
    assert body(client, server.url("/a")) == b"here"


def test_a_gated_repository_says_how_to_enter(server: Server, client: Client) -> None:
    server.always["/a"] = misbehave.status(401)
    with pytest.raises(FetchError, match=r"answers 401 .*asks who you are.*set HF_TOKEN"):
        body(client, server.url("/a"))


def test_redirects_without_end_are_left(server: Server, client: Client) -> None:
    server.always["/a"] = misbehave.redirect("/a")
    with pytest.raises(FetchError, match="without end"):
        body(client, server.url("/a"))


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://data.example/x"])
def test_a_redirect_away_from_the_web_is_not_followed(server: Server, client: Client, target: str) -> None:
    server.always["/a"] = misbehave.redirect(target)
    with pytest.raises(FetchError, match=f"leads from http to {target[:3]}.*, which is not followed"):
        body(client, server.url("/a"))


@pytest.mark.parametrize("address", ["file:///etc/passwd", "birds.zip", "http://", "ftp://data.example/x"])
def test_what_is_no_web_address_is_told(client: Client, address: str) -> None:
    with pytest.raises(FetchError, match="is no web address"):
        body(client, address)


def test_a_name_that_cannot_be_resolved_passes_maybe(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> NoReturn:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(TransientError, match=r"its name cannot be resolved \(is there a network"):
        body(client, "http://no-such-host.invalid/x")


def test_a_closed_port_passes_maybe(client: Client) -> None:
    with running() as server:
        gone = server.url("/x")
    with pytest.raises(TransientError, match="no connection"):
        body(client, gone)


def test_offline_nothing_is_opened(server: Server) -> None:
    server.files["/x"] = Content(b"x")
    with pytest.raises(OfflineError, match="is not asked for while offline"):
        body(Client(PATIENCE, offline=True), server.url("/x"))
    assert server.asked == []


@pytest.mark.parametrize(
    ("text", "said"), [("1", True), ("ON", True), ("true", True), ("0", False), ("", False), ("no", False)]
)
def test_words_that_say_yes(monkeypatch: pytest.MonkeyPatch, text: str, said: bool) -> None:
    monkeypatch.setenv("BEIRKIT_OFFLINE", text)
    assert is_set("BEIRKIT_OFFLINE") is said
