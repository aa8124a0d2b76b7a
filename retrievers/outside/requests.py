"""Requests to a search service: templates filled, sent with patience, answers read by a path."""

from __future__ import annotations

import json
import os
import re
import time
from typing import Any
from urllib.parse import quote

import urllib3

from beirkit.corpora.errors import ConfigError, UsageError

_FIELD = re.compile(r"\{(query|k|offset|page)\}")
_AGAIN = {408, 425, 429, 500, 502, 503, 504}
_SECRET = "env:"


class RequestError(Exception):
    """One request got no answer that can be used; the message says why."""


def filled_url(template: str, values: dict[str, str | int]) -> str:
    """The address of one request; what is filled in is escaped."""
    return _FIELD.sub(lambda found: quote(str(values[found[1]]), safe=""), template)


def filled_body(template: Any, values: dict[str, str | int]) -> Any:
    """The body of one request: ``{query}`` in texts at any depth; ``{k}`` alone is a number."""
    if isinstance(template, dict):
        return {key: filled_body(value, values) for key, value in template.items()}
    if isinstance(template, list):
        return [filled_body(value, values) for value in template]
    if not isinstance(template, str):
        return template
    alone = _FIELD.fullmatch(template)
    if alone:
        return values[alone[1]]
    return _FIELD.sub(lambda found: str(values[found[1]]), template)


def at_path(data: Any, path: str, what: str) -> Any:
    """What stands at a path such as ``hits.hits`` or ``results.0.items``; the empty path is all of it.

    Raises:
        RequestError: there is nothing there; the message names the keys that are.
    """
    found = data
    for key in path.split(".") if path else []:
        if isinstance(found, dict) and key in found:
            found = found[key]
        elif isinstance(found, list) and key.isdigit() and int(key) < len(found):
            found = found[int(key)]
        else:
            have = (
                f"its keys: {', '.join(map(str, found))}" if isinstance(found, dict) else type(found).__name__
            )
            raise RequestError(f"{what} has no {path!r} ({have[:200]})")
    return found


def resolved_headers(headers: dict[str, str]) -> dict[str, str]:
    """Headers with values ``env:NAME`` taken from the environment, which alone holds secrets.

    A value may have text before it: ``Bearer env:TOKEN``.

    Raises:
        UsageError: the variable is not set.
    """
    made = {}
    for name, value in headers.items():
        before, mark, variable = value.rpartition(_SECRET)
        if not mark:
            made[name] = value
            continue
        secret = os.environ.get(variable)
        if not secret:
            raise UsageError(f"header {name}: the variable {variable} is not set")
        made[name] = before + secret
    return made


class Client:
    """Sends requests one after the other.

    Args:
        timeout: seconds until a connection, and until an answer.
        retries: how often a request is sent again after a time-out, a broken connection, or an answer that
            says to come back later (408, 425, 429, 5xx).
        backoff: seconds before the first repetition, twice as many before each further one; an answer's own
            ``Retry-After`` goes before.
        rate: requests a second at most; ``None``: as fast as they are answered.
    """

    def __init__(self, timeout: float, retries: int, backoff: float, rate: float | None) -> None:
        if timeout <= 0 or retries < 0 or backoff < 0 or (rate is not None and rate <= 0):
            raise ConfigError("timeout and rate are greater than 0, retries and backoff are not below 0")
        self._pool = urllib3.PoolManager(
            retries=False, timeout=urllib3.Timeout(connect=timeout, read=timeout)
        )
        self._retries, self._backoff = retries, backoff
        self._pause = 0.0 if rate is None else 1 / rate
        self._next = 0.0
        self.sent = 0
        self.repeated = 0

    def json(self, method: str, url: str, headers: dict[str, str], body: Any) -> Any:
        """The answer to one request, as JSON.

        Raises:
            RequestError: there was none, after all repetitions.
        """
        data = None
        if body is not None:
            headers = {"Content-Type": "application/json", **headers}
            data = json.dumps(body, ensure_ascii=False).encode()
        wait = self._backoff
        for left in range(self._retries, -1, -1):
            self._keep_rate()
            self.sent += 1
            after: float | None = None
            try:
                answer = self._pool.request(method, url, headers=headers, body=data)
            except urllib3.exceptions.HTTPError as error:
                why = f"{type(error).__name__}: {str(error).rpartition('): ')[2]}"
            else:
                if answer.status < 300:
                    return _read(answer.data)
                why = f"HTTP {answer.status}: {answer.data[:200].decode('utf-8', 'replace').strip()}"
                if answer.status not in _AGAIN:
                    raise RequestError(why)
                given = answer.headers.get("Retry-After", "")
                after = float(given) if given.isdigit() else None
            if left == 0:
                raise RequestError(f"{why} (sent {self._retries + 1} times)")
            self.repeated += 1
            time.sleep(wait if after is None else after)
            wait *= 2
        raise AssertionError("the last repetition returns or raises")

    def _keep_rate(self) -> None:
        now = time.monotonic()
        if now < self._next:
            time.sleep(self._next - now)
        self._next = max(now, self._next) + self._pause


def _read(data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError as error:
        raise RequestError(f"the answer is no JSON: {data[:80].decode('utf-8', 'replace')!r}") from error
