"""Runs and judgments to scores: measures, protocols, comparison.

``from beirkit.evaluate import evaluate`` loads :func:`beirkit.evaluate.engine.evaluate` on first use; the
room itself can be called too (docs/decisions/0006-evaluate-is-a-room-and-a-function.md).
"""

from __future__ import annotations

import sys
import types
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


class _CallableRoom(types.ModuleType):
    """``beirkit.evaluate(qrels, run)`` does what it looks like."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call :func:`beirkit.evaluate.engine.evaluate`."""
        from beirkit.evaluate.engine import evaluate

        return evaluate(*args, **kwargs)


sys.modules[__name__].__class__ = _CallableRoom
