"""How many requests and tokens a service is sent in a minute, whatever the number of threads that ask."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

MINUTE = 60.0


class Pace:
    """Spreads requests evenly, so that no minute has more of them than is allowed.

    Args:
        rate: requests a second at most; ``None``: as many as there are.
        tokens: tokens a minute at most; ``None``: as many as there are.
        clock: seconds that never go back.
    """

    def __init__(
        self,
        rate: float | None = None,
        tokens: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        self._each = 0.0 if rate is None else 1 / rate
        self._per_token = 0.0 if tokens is None else MINUTE / tokens
        self._lock = threading.Lock()
        self._request = self._token = self._held = clock()

    def take(self, tokens: int = 0) -> float:
        """Reserve the place of one request.

        Args:
            tokens: how many it will take.

        Returns:
            Seconds from now at which it may be sent.
        """
        now = self._clock()
        with self._lock:
            start = max(now, self._request, self._token)
            self._request = start + self._each
            self._token = start + tokens * self._per_token
            return start - now

    def correct(self, expected: int, counted: int) -> None:
        """Say how many tokens a request took for which others were expected."""
        with self._lock:
            self._token += (counted - expected) * self._per_token

    def hold(self, seconds: float) -> None:
        """Let nobody ask for so many seconds: the service wants to be left alone."""
        with self._lock:
            self._held = max(self._held, self._clock() + seconds)

    def held(self) -> float:
        """Seconds for which nobody may ask, from now."""
        with self._lock:
            return max(0.0, self._held - self._clock())
