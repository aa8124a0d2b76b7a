"""What a user should know though the work goes on: each thing said once, however often a source is read."""

from __future__ import annotations

import logging
from collections.abc import Callable

_log = logging.getLogger(__name__)

Warn = Callable[[str], None]


def warn(message: str) -> None:
    """Log a warning."""
    _log.warning("%s", message)


class Once:
    """Logs a warning the first time it is given it.

    A collection is read many times (to count, to index, to search); what its reader dropped is news once.
    """

    def __init__(self) -> None:
        self._said: set[str] = set()

    def __call__(self, message: str) -> None:
        """Log a warning, unless it was logged before."""
        if message not in self._said:
            self._said.add(message)
            warn(message)
