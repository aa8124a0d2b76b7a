"""Whether a processor has nothing to do, so that a second process costs nobody anything."""

from __future__ import annotations

import os
from pathlib import Path

_STAT = Path("/proc/stat")
_SPARE = 0.5  # processors without work: less than that, and two processes take longer than one
_LEAST_TICKS = 10


def processors() -> frozenset[int]:
    """The processors that this process may run on, by number."""
    available = getattr(os, "sched_getaffinity", None)
    return frozenset(available(0)) if available else frozenset(range(os.cpu_count() or 1))


class Idleness:
    """Watches how much of the processors was left over since it was made, or last asked.

    Where the system counts it for each processor, as Linux does, that is what counts; elsewhere the average
    load of the last minute, which is slow to notice that others have come or gone.
    """

    def __init__(self) -> None:
        self._idle, self._all = _ticks()

    def is_spare(self) -> bool:
        """Whether about one processor was left over; False as well where too little time went by to say."""
        n_processors = len(processors())
        if n_processors < 2:
            return False
        idle, ticks = _ticks()
        if not ticks:
            return _load() < n_processors - _SPARE
        passed = ticks - self._all
        if passed < _LEAST_TICKS * n_processors:
            return False
        spare = n_processors * (idle - self._idle) / passed
        self._idle, self._all = idle, ticks
        return spare >= _SPARE


def _ticks() -> tuple[int, int]:
    """Ticks without work, and all ticks, of the processors we may use; zeros where nobody counts."""
    allowed = {f"cpu{number}" for number in processors()}
    idle = ticks = 0
    try:
        for line in _STAT.read_text(encoding="ascii").splitlines():
            name, *counts = line.split()
            if name in allowed:
                numbers = [int(count) for count in counts[:8]]  # what follows is in user time already
                idle += numbers[3] + numbers[4]  # a processor that waits for a disk is free
                ticks += sum(numbers)
    except (OSError, ValueError, IndexError):
        return 0, 0
    return idle, ticks


def _load() -> float:
    try:
        return os.getloadavg()[0]
    except OSError:
        return 0.0
