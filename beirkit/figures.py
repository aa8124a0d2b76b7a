"""How a figure is shown where it may not exist."""

from __future__ import annotations


def figure(value: float | None, digits: int) -> str:
    """A value for people, a dash where there is none."""
    return "–" if value is None else f"{value:.{digits}f}"
