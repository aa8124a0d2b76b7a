"""Ids for records whose source has none."""

from __future__ import annotations

from hashlib import sha256


def content_hash(prefix: str, text: str) -> str:
    """An id made of the text alone: ``prefix-`` and the first 16 hex digits of its SHA-256.

    Equal texts get equal ids, and the order of rows does not matter. 64 bits leave a chance below one in a
    million for two of five million texts to meet; whoever writes the records refuses one id with two texts.
    """
    return f"{prefix}-{sha256(text.encode()).hexdigest()[:16]}"
