"""How the figures of a report are written."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from beirkit.evaluate.pairs import Interval


def figure(value: float | None, digits: int, sign: str = "") -> str:
    """A value, a dash where there is none."""
    return "–" if value is None else f"{value:{sign}.{digits}f}"


def interval_text(interval: Interval | None, digits: int, sign: str = "") -> str:
    """Both ends, a dash where there is none."""
    return "–" if interval is None else " … ".join(figure(end, digits, sign) for end in interval)


def ranks_text(interval: tuple[int, int] | None) -> str:
    """Between which ranks a system lies."""
    if interval is None:
        return "–"
    low, high = interval
    return str(low) if low == high else f"{low}–{high}"


def p_text(p: float | None) -> str:
    """A p-value."""
    return "–" if p is None else "<.0001" if p < 0.0001 else f"{p:.4f}"


def bytes_text(size: float | None) -> str:
    """A size: 2.8 MB."""
    if size is None:
        return "–"
    for unit in ("B", "kB", "MB", "GB"):
        if size < 999.5:
            return f"{size:.{0 if unit == 'B' or size >= 99.5 else 1}f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"


def rate_text(rate: float | None) -> str:
    """Things per second, to three digits."""
    return "–" if rate is None else f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"
