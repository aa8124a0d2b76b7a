"""Whether a model has seen the family of a dataset in training: declared, never guessed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

ZeroShot = Literal["zero-shot", "in-domain", "unknown"]


def zero_shot_status(trained_on: Sequence[Sequence[str] | None], family: str) -> ZeroShot:
    """What is known about a model and a dataset.

    Args:
        trained_on: dataset families that the model and each model it was made from were trained on; None: not
            known of one of them.
        family: of the dataset; empty: not known.

    Returns:
        ``in-domain`` where any of them was trained on the family, ``zero-shot`` where all that they were
        trained on is known and the family is not among it, else ``unknown``.
    """
    if not family:
        known_to_be_empty = all(families is not None and not families for families in trained_on)
        return "zero-shot" if known_to_be_empty and trained_on else "unknown"
    if any(families is not None and family in families for families in trained_on):
        return "in-domain"
    return "unknown" if any(families is None for families in trained_on) or not trained_on else "zero-shot"
