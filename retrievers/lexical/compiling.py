"""Compiles a kernel when its module is imported, or takes it from where it was kept the last time."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

logger = logging.getLogger(__name__)

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])


def kernel(signature: str) -> Callable[[FunctionT], FunctionT]:
    """A function as machine code that holds no lock of Python and runs in one thread.

    It is compiled for this one signature, so that no call ever waits for a compiler, and kept: beside its
    source, else in numba's folder for the user, else in that of ``BEIRKIT_HOME``. Where none of them can be
    written, or what is kept is damaged, it is compiled in memory, in some seconds.

    Args:
        signature: types of the arguments and of the result as numba writes them.
    """
    import numba

    def compiled(function: FunctionT) -> FunctionT:
        # The machine code must do what is written, in that order: no fast mathematics, no fused operations.
        options = {"nogil": True, "error_model": "numpy", "fastmath": False, "parallel": False}
        for cached in (_as_it_is, _under_home):
            try:
                return cached(numba.njit(signature, cache=True, **options), function)
            # The border to numba: what it raises for a folder that is full, locked or damaged is not told.
            except Exception as error:
                reason = error
        _tell_once(str(reason))
        return cast("FunctionT", numba.njit(signature, **options)(function))

    return compiled


def part(function: FunctionT) -> FunctionT:
    """A function that kernels call; it is compiled into each of them."""
    from numba.extending import register_jitable

    return cast("FunctionT", register_jitable(function))


def _as_it_is(compile_: Callable[[FunctionT], FunctionT], function: FunctionT) -> FunctionT:
    return compile_(function)


def _under_home(compile_: Callable[[FunctionT], FunctionT], function: FunctionT) -> FunctionT:
    """With ``BEIRKIT_HOME`` as the place of what is kept."""
    import numba

    home = os.environ.get("BEIRKIT_HOME")
    if not home:
        raise RuntimeError("no folder for compiled code can be written (BEIRKIT_HOME could name one)")
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(Path(home).expanduser() / "cache" / "numba")
    try:
        return compile_(function)
    finally:
        numba.config.CACHE_DIR = before


_told: list[str] = []


def _tell_once(reason: str) -> None:
    if not _told:
        _told.append(reason)
        logger.warning("kernels are compiled in each process anew: %s", reason)
