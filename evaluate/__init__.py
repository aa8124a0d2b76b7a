"""Runs and judgments to scores: measures, protocols, comparison.

``from beirkit.evaluate import evaluate`` loads :func:`beirkit.evaluate.engine.evaluate` on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from beirkit.evaluate.engine import evaluate as evaluate

__all__ = ["evaluate"]


def __getattr__(name: str) -> Any:
    """Load ``evaluate`` when it is first used."""
    if name != "evaluate":
        raise AttributeError(f"module 'beirkit.evaluate' has no attribute {name!r}")
    from beirkit.evaluate.engine import evaluate

    return evaluate
