"""Requests to a service, sent with patience: again after what may pass, never faster than is allowed."""

from __future__ import annotations

import json
import logging
import re
import threading
import time
from collections.abc import Mapping, Sequence
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import urllib3

from beirkit.corpora.errors import ConfigError
from beirkit.retrievers.outside.pace import Pace
from beirkit.retrievers.outside.secret import redacted

logger = logging.getLogger(__name__)

MOST_BYTES = 1 << 26
"""An answer that is longer is not read to its end, unless something else is said."""

CEILING = 60.0
"""Seconds that are waited before a repetition at most, where the service does not say for how long."""

LONGEST_WAIT = 600.0
"""Seconds that a service may ask to be waited for; if it wants more, the work stops."""

_AGAIN = {408, 425, 429, 500, 502, 503, 504, 529}
_PART = 1 << 16
_SHOWN = 200
_LONG = 10.0  # seconds of which people should know that it is no hang
_TITLE = re.compile(rb"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)


class RequestError(Exception):
    """One request got no answer that can be used; the message says why.

    Args:
        why: what happened, without secrets.
        status: of the answer, where there was one.
    """

    def __init__(self, why: str, status: int | None = None) -> None:
        super().__init__(why)
        self.status = status


class GivenUpError(RequestError):
    """A request was not sent, since the work was stopped."""


class _PassingError(Exception):
    """What may be gone the next time; ``wait``: seconds that the service asks for."""

    def __init__(self, why: str, wait: float | None = None, status: int | None = None) -> None:
        super().__init__(why)
        self.wait, self.status = wait, status


class Client:
    """Sends requests, from any number of threads.

    A redirection is an error and not followed: it may lead to another host, which must not get the key.

    Args:
        timeout: seconds until a connection, and until the end of an answer.
        retries: how often a request is sent again after a time-out, a broken connection, an answer that is no
            JSON, or one that says to come back later (408, 425, 429, 5xx).
        backoff: seconds before the first repetition, twice as many before each further one up to
            :data:`CEILING`; an answer's own ``Retry-After`` goes before, and then all threads wait.
        pace: how much is sent in a minute.
        secrets: what no message may show.
        connections: that are kept open.
    """

    def __init__(
        self,
        timeout: float,
        retries: int,
        backoff: float,
        pace: Pace,
        *,
        secrets: Sequence[str] = (),
        connections: int = 1,
    ) -> None:
        if timeout <= 0 or retries < 0 or backoff < 0:
            raise ConfigError("timeout is greater than 0, retries and backoff are not below 0")
        self._pool = urllib3.PoolManager(
            retries=False, timeout=urllib3.Timeout(connect=timeout, read=timeout), maxsize=connections
        )
        self._timeout, self._retries, self._backoff = timeout, retries, backoff
        self.pace = pace
        self.secrets = secrets
        self.stopped = threading.Event()
        self._lock = threading.Lock()
        self.sent = 0
        self.repeated = 0

    def json(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: Any,
        *,
        tokens: int = 0,
        most: int = MOST_BYTES,
    ) -> tuple[Any, int]:
        """The answer to one request, as JSON, and how often it was sent.

        Args:
            method: of the request.
            url: its address, without secrets.
            headers: sent with it.
            body: sent as JSON; ``None``: nothing is.
            tokens: how many it is expected to take, for the pace.
            most: bytes of an answer that are read.

        Raises:
            RequestError: there was none, after all repetitions.
        """
        data = None
        if body is not None:
            headers = {"Content-Type": "application/json", **headers}
            data = json.dumps(body, ensure_ascii=False).encode("utf-8", "backslashreplace")
        wait = self._backoff
        for turn in range(self._retries + 1):
            self._await_turn(tokens)
            with self._lock:
                self.sent += 1
                self.repeated += turn > 0
            try:
                return self._once(method, url, dict(headers), data, most), turn + 1
            except _PassingError as error:
                if turn == self._retries:
                    raise RequestError(f"{error} (sent {turn + 1} times)", error.status) from None
                if error.wait is not None and error.wait > LONGEST_WAIT:
                    raise RequestError(f"{error}; it asks to wait {error.wait:,.0f} seconds") from None
                seconds = wait if error.wait is None else error.wait
                level = logging.WARNING if seconds >= _LONG else logging.INFO
                logger.log(level, "%s; asked again in %.4g seconds", error, seconds)
                if error.wait is None:
                    self.rest(wait)
                else:
                    self.pace.hold(error.wait)
                wait = min(wait * 2, CEILING)
        raise AssertionError("the last repetition returns or raises")

    def shown(self, data: bytes) -> str:
        """The beginning of what a server sent, on one line and without secrets."""
        title = _TITLE.search(data)
        if title is not None:
            data = b"a page, " + title[1]
        return " ".join(redacted(data.decode("utf-8", "replace"), self.secrets).split())[:_SHOWN]

    def _once(self, method: str, url: str, headers: dict[str, str], data: bytes | None, most: int) -> Any:
        try:
            status, told, answer = self._exchange(method, url, headers, data, most)
        except urllib3.exceptions.HTTPError as error:
            why = str(error).rpartition("): ")[2]
            raise _PassingError(redacted(f"{type(error).__name__}: {why}", self.secrets)) from None
        if status >= 300:
            why = f"HTTP {status}: {self.shown(answer)}"
            if status in _AGAIN:
                raise _PassingError(why, _retry_after(told), status)
            if status < 400:
                why = f"HTTP {status}: it redirects to {_place(told)}, which is not followed"
            raise RequestError(why, status)
        try:
            return json.loads(answer)
        except (ValueError, RecursionError):
            raise _PassingError(f"the answer is no JSON: {self.shown(answer)[:80]!r}") from None

    def _exchange(
        self, method: str, url: str, headers: dict[str, str], data: bytes | None, most: int
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Status, headers and body of an answer that is whole, not too long, and there in time."""
        end = time.monotonic() + self._timeout
        answer = self._pool.request(
            method, url, headers=headers, body=data, redirect=False, preload_content=False
        )
        parts, size = [], 0
        try:
            while part := answer.read1(_PART, decode_content=True):
                parts.append(part)
                size += len(part)
                if size > most:
                    raise RequestError(f"the answer is longer than {most:,} bytes")
                if time.monotonic() > end:
                    raise _PassingError(f"the answer was not there in whole after {self._timeout:g} seconds")
        except BaseException:
            answer.close()
            raise
        answer.release_conn()
        return answer.status, answer.headers, b"".join(parts)

    def _await_turn(self, tokens: int) -> None:
        self.rest(self.pace.take(tokens))
        while (held := self.pace.held()) > 0:
            self.rest(held)

    def rest(self, seconds: float) -> None:
        """Wait, unless the work is given up meanwhile.

        Raises:
            GivenUpError: it is.
        """
        if self.stopped.wait(seconds) if seconds > 0 else self.stopped.is_set():
            raise GivenUpError("it was given up, since another request failed")


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that an answer asks for: a number, or a date (RFC 9110, section 10.2.3)."""
    given = headers.get("Retry-After", "").strip()
    if re.fullmatch(r"\d+(\.\d+)?", given):
        return float(given)
    try:
        return max(0.0, parsedate_to_datetime(given).timestamp() - time.time())
    except ValueError:
        return None


def _place(headers: Mapping[str, str]) -> str:
    """Where a redirection leads, without what may be secret in it."""
    try:
        parts = urlsplit(headers.get("Location", ""))
        host = parts.hostname or "the same host"
    except ValueError:
        return "no address"
    return (
        f"{parts.scheme}://{host}{parts.path}"[:_SHOWN]
        if parts.hostname
        else f"{host}, {parts.path}"[:_SHOWN]
    )
