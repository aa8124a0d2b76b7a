"""How long work reports how far it is, without any room knowing what a terminal is."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Protocol


class Advance(Protocol):
    """Called with the number of units done since the last call."""

    def __call__(self, done: int = 1, /) -> object:
        """Count ``done`` more units."""


class Progress(Protocol):
    """Opens one progress display; the value of the context is the function that advances it."""

    def __call__(self, label: str, total: int | None, unit: str) -> AbstractContextManager[Advance]:
        """Open a display for ``total`` units (``None``: not known before the end)."""


def silent(label: str, total: int | None, unit: str) -> AbstractContextManager[Advance]:
    """The progress display that shows nothing."""
    return nullcontext(lambda done=1, /: None)
