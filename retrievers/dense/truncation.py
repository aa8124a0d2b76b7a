"""Texts that are longer than an encoder reads: what is told of them."""

from __future__ import annotations

import logging

from beirkit.retrievers.dense.encoder import Role

PLURAL: dict[Role, str] = {"query": "queries", "document": "documents"}
"""What texts of a role are called."""


def truncated_share(truncated: int | None, texts: int) -> float | None:
    """The share of texts that are cut; ``None``: not known."""
    if truncated is None:
        return None
    return round(truncated / texts, 6) if texts else 0.0


def tell_truncated(logger: logging.Logger, role: Role, truncated: int | None, texts: int, limit: str) -> None:
    """Warn where texts are cut.

    Args:
        logger: of the retriever.
        role: of the texts.
        truncated: how many of them are longer than the model reads; ``None``: not known.
        texts: how many there are.
        limit: what the model reads of one, such as ``512 tokens``.
    """
    if truncated:
        logger.warning(
            "%d of %d %s are longer than the %s the model reads; their ends are not seen",
            truncated, texts, PLURAL[role], limit,
        )  # fmt: skip
