"""How many requests and tokens a service is sent in a minute, whatever the number of threads that ask."""

from __future__ import annotations

import threading
import time

MINUTE = 60.0


class Pace:
    """Spreads requests evenly, so that no minute has more of them than is allowed.

    Args:
        rate: requests a second at most; ``None``: as many as there are.
        tokens: tokens a minute at most; ``None``: as many as there are.
    """

    def __init__(self, rate: float | None = None, tokens: float | None = None) -> None:
        self._each = 0.0 if rate is None else 1 / rate
        self._per_token = 0.0 if tokens is None else MINUTE / tokens
        self._lock = threading.Lock()
        self._request = self._token = self._held = 0.0

    def take(self, tokens: int = 0, now: float | None = None) -> float:
        """Reserve the place of one request.

        Args:
            tokens: how many it will take.
            now: seconds of a clock that never goes back; the system's, unless given.

        Returns:
            Seconds from now at which it may be sent.
        """
        now = time.monotonic() if now is None else now
        with self._lock:
            start = max(now, self._request, self._token)
            self._request = start + self._each
            self._token = start + tokens * self._per_token
            return start - now

    def correct(self, expected: int, counted: int) -> None:
        """Say how many tokens a request took for which others were expected."""
        with self._lock:
            self._token += (counted - expected) * self._per_token

    def hold(self, seconds: float, now: float | None = None) -> None:
        """Let nobody ask for so many seconds: the service wants to be left alone."""
        now = time.monotonic() if now is None else now
        with self._lock:
            self._held = max(self._held, now + seconds)

    def held(self, now: float | None = None) -> float:
        """Seconds for which nobody may ask, from now."""
        now = time.monotonic() if now is None else now
        with self._lock:
            return max(0.0, self._held - now)
