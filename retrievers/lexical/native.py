"""Whether numba's kernels do the work, or numpy alone. Either gives every bit alike."""

from __future__ import annotations

import logging
import os
import sys
from importlib import import_module
from importlib.util import find_spec
from time import perf_counter
from types import ModuleType

from beirkit.retrievers.base import Facts

logger = logging.getLogger(__name__)

WORTH_LOADING = 20_000
"""Documents from which on numba's .3 s of loading are won back."""

_WORK = 10**8
"""Documents times queries from which on it is won back too: 20,000 queries over 5,000 documents."""

_MODULE = "beirkit.retrievers.lexical.kernels"

MOST_THREADS = 16
"""Queries that are searched at once at most; each thread has sums and candidates of its own."""

SWITCH = "BEIRKIT_NUMBA"
"""Environment variable: ``0`` leaves numba out, ``1`` takes it for any number of documents."""

_unknown: list[str] = []  # values of the variable that were told to say nothing
_failed: list[str] = []  # why the kernels cannot be had, once that was tried


def use_numba(documents: int) -> bool:
    """Whether a search over so many documents is done by kernels: over many, or where they are loaded."""
    switch = _switch()
    if switch == "0" or (documents < WORTH_LOADING and switch != "1" and _MODULE not in sys.modules):
        return False
    return kernels() is not None


def prepare(documents: int, queries: int) -> None:
    """Load the kernels where so many queries over so many documents win the time back."""
    if documents * queries >= _WORK and _switch() != "0":
        kernels()


def threads(documents: int) -> int:
    """How many queries to search at once: kernels hold no lock of Python, numpy holds it most of the time."""
    if not use_numba(documents):
        return 1
    free = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(free, MOST_THREADS)


def _switch() -> str:
    """What the variable says; anything else than its two values says nothing, and that is told once."""
    switch = os.environ.get(SWITCH, "").strip()
    if switch not in ("", "0", "1"):
        if switch not in _unknown:
            _unknown.append(switch)
            logger.warning("%s is %r, which says nothing: write 0 or 1, or unset it", SWITCH, switch)
        return ""
    return switch


def kernels() -> ModuleType | None:
    """The compiled kernels, ``None`` where numba is not installed or cannot be used."""
    if _failed:
        return None
    try:
        return import_module(_MODULE)
    except ImportError as error:
        _failed.append(str(error))
        if find_spec("numba") is not None:  # it is there and does not work with the numpy that is there
            logger.warning("numba cannot be used, and numpy does the work: %s", error)
        return None


def warm_up() -> Facts:
    """Load the kernels, and so compile and keep what is not compiled yet.

    Returns:
        ``compiled``: whether there are kernels, and then ``seconds`` and ``kept``, the folder they are kept
        in or ``None``; else ``reason``.
    """
    start = perf_counter()
    if _switch() == "0":
        return {"compiled": False, "reason": f"{SWITCH} is 0"}
    module = kernels()
    if module is None:
        return {"compiled": False, "reason": f"{_failed[0]} (pip install 'beirkit[fast]')"}
    import_module("beirkit.retrievers.lexical.analysis.word_kernel")
    seconds = round(perf_counter() - start, 3)
    return {"compiled": True, "seconds": seconds, "kept": module.search.stats.cache_path or None}
