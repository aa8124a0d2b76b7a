"""One HTTP request: proxies of the environment, redirects, time-outs, and errors in words.

No header, no token and no address that a server leads to is put into a message: object stores sign theirs.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from time import sleep, time
from urllib.parse import unquote, urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

import urllib3
from urllib3 import exceptions as failures

from beirkit.corpora.manifest import installed_version
from beirkit.fetching.errors import FetchError, OfflineError, TransientError

_log = logging.getLogger(__name__)

_REDIRECTS = 10
_PASSING = {408, 425, 429, 500, 502, 503, 504}
_LONGEST_WAIT = 120.0  # seconds that a server's Retry-After is honoured for
_SECRETS = ("Authorization", "Cookie")
_WORDS = {401: "asks who you are", 403: "refuses access", 404: "has no such file", 410: "has it no more"}


@dataclass(frozen=True)
class Patience:
    """How long to wait for a server, in seconds, and how often to ask again.

    Attributes:
        connect: until a connection stands.
        read: until the next bytes arrive.
        attempts: tries in a row that bring nothing new.
        pause: before the second try; doubled for each further one.
        longest: of the pauses.
    """

    connect: float = 15.0
    read: float = 60.0
    attempts: int = 5
    pause: float = 1.0
    longest: float = 30.0


class Client:
    """Opens addresses.

    Args:
        patience: time-outs.
        offline: open nothing at all.
        tokens: what to send as a bearer token, by origin (``https://host``); to no other origin, also not
            where a redirect leads.
    """

    def __init__(
        self,
        patience: Patience | None = None,
        *,
        offline: bool = False,
        tokens: Mapping[str, str] | None = None,
    ) -> None:
        self.patience = patience or Patience()
        self.offline = offline
        self._tokens = dict(tokens or {})
        self._pools: dict[str | None, urllib3.PoolManager] = {}

    @contextmanager
    def open(
        self, address: str, headers: Mapping[str, str] | None = None
    ) -> Iterator[urllib3.BaseHTTPResponse]:
        """The answer to a GET, its body unread; 200, 206 and 416 only.

        Raises:
            OfflineError: nothing may be opened.
            TransientError: no connection, a time-out, or a server that is busy or ill.
            FetchError: the address is no web address, or the server refuses it for good.
        """
        if self.offline:
            raise OfflineError(f"{address}: is not asked for while offline")
        answer = self._follow(address, {**(headers or {})})
        try:
            _require_content(answer, address)
            yield answer
        except failures.HTTPError as error:
            raise TransientError(f"{address}: {_reason(error)}") from error
        finally:
            answer.close()  # what was not read to its end is no use to the next request

    def wait(self, tries: int, error: TransientError) -> None:
        """Pause before the next try, as long as the server asks, else longer each time."""
        patience = self.patience
        seconds = max(error.wait, min(patience.pause * 2 ** (tries - 1), patience.longest))
        _log.warning("%s; trying again in %.0f s", error, seconds)
        sleep(seconds)

    def _follow(self, address: str, headers: dict[str, str]) -> urllib3.BaseHTTPResponse:
        here = address
        headers |= {"Accept-Encoding": "identity", "User-Agent": f"beirkit/{installed_version()}"}
        for _ in range(_REDIRECTS):
            if token := self._tokens.get(origin(here)):
                headers["Authorization"] = f"Bearer {token}"
            try:
                answer = self._ask(here, headers)
            except failures.SSLError as error:
                found = f"{address}: its certificate is not trusted: {error}"
                raise FetchError(found, hint="SSL_CERT_FILE names the certificates to trust") from error
            except failures.LocationValueError as error:
                raise FetchError(f"{address}: is no web address") from error
            except failures.HTTPError as error:
                raise TransientError(f"{address}: {_reason(error)}") from error
            target = answer.get_redirect_location()
            if not target:
                return answer
            answer.close()
            there = urljoin(here, target)
            if not there.startswith("https:" if here.startswith("https:") else ("https:", "http:")):
                schemes = f"{urlsplit(here).scheme} to {urlsplit(there).scheme}"
                raise FetchError(f"{address}: leads from {schemes}, which is not followed")
            if origin(there) != origin(here):
                headers = {name: value for name, value in headers.items() if name not in _SECRETS}
            here = there
        raise FetchError(f"{address}: leads from one address to the next without end")

    def _ask(self, address: str, headers: Mapping[str, str]) -> urllib3.BaseHTTPResponse:
        if urlsplit(address).scheme not in ("http", "https"):
            raise FetchError(f"{address}: is no web address", hint="it starts with https:// or http://")
        patience = self.patience
        return self._pool(address).request(
            "GET", address, headers=headers, redirect=False, retries=False, preload_content=False,
            decode_content=False, timeout=urllib3.Timeout(connect=patience.connect, read=patience.read),
        )  # fmt: skip

    def _pool(self, address: str) -> urllib3.PoolManager:
        """The connections of one proxy, or of none; which it is, ``HTTPS_PROXY`` and its kin say."""
        proxy = _proxy_of(address)
        if proxy not in self._pools:
            self._pools[proxy] = urllib3.PoolManager() if proxy is None else _through(proxy)
        return self._pools[proxy]


def origin(address: str) -> str:
    """Scheme, host and port of an address."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc.lower()}"


def file_name(address: str) -> str:
    """The last part of an address."""
    return unquote(urlsplit(address).path.rsplit("/", 1)[-1])


def is_set(variable: str) -> bool:
    """Whether an environment variable says yes."""
    return os.environ.get(variable, "").strip().lower() in ("1", "on", "yes", "true")


def _proxy_of(address: str) -> str | None:
    parts = urlsplit(address)
    if proxy_bypass(parts.netloc.rpartition("@")[2]):
        return None
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    return proxy if not proxy or "://" in proxy else f"http://{proxy}"


def _through(proxy: str) -> urllib3.PoolManager:
    parts = urlsplit(proxy)
    if parts.scheme not in ("http", "https"):
        raise FetchError(
            f"the proxy that the environment names speaks {parts.scheme}, which is not supported",
            hint="name one that speaks http or https, or unset it",
        )
    user = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}" if parts.username else ""
    headers = urllib3.make_headers(proxy_basic_auth=user) if user else None
    return urllib3.ProxyManager(proxy, proxy_headers=headers)


def _require_content(answer: urllib3.BaseHTTPResponse, address: str) -> None:
    if answer.status in (200, 206, 416):
        return
    found = f"{address}: the server answers {answer.status} {answer.reason or ''}".rstrip()
    if answer.status in _PASSING:
        raise TransientError(found, wait=_retry_after(answer.headers.get("Retry-After", "")))
    hint = "of a repository of the hub, accept its terms on its page and set HF_TOKEN"
    raise FetchError(
        f"{found}: it {_WORDS[answer.status]}" if answer.status in _WORDS else found,
        hint=hint if answer.status in (401, 403) else "",
    )


def _retry_after(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(text).timestamp() - time()
        except ValueError:
            return 0.0
    return min(max(seconds, 0.0), _LONGEST_WAIT)


def _reason(error: BaseException) -> str:
    """What happened to a connection, without addresses."""
    match error:
        case failures.NameResolutionError():
            return "its name cannot be resolved (is there a network?)"
        case failures.ProxyError():
            return "the proxy that the environment names does not answer"
        case failures.ConnectTimeoutError() | failures.NewConnectionError():
            return "no connection"
        case failures.TimeoutError():
            return "nothing came for too long"
        case failures.ProtocolError():
            return "the connection broke"
    return type(error).__name__
