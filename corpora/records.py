"""The three records every benchmark is made of."""

from __future__ import annotations

from typing import Any

import msgspec

Metadata = dict[str, Any]


class Document(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True, rename={"doc_id": "_id"}):
    """One item of a corpus; its keys in JSON are BEIR's.

    Attributes:
        doc_id: opaque id, compared byte for byte.
        title: the empty string where there is none.
        text: the body, as the source has it.
        metadata: whatever else the source says; no score depends on it.
    """

    doc_id: str
    title: str = ""
    text: str = ""
    metadata: Metadata = msgspec.field(default_factory=dict)


class Query(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True, rename={"query_id": "_id"}):
    """One information need: an opaque id, its text, and metadata no score depends on."""

    query_id: str
    text: str
    metadata: Metadata = msgspec.field(default_factory=dict)


class Judgment(msgspec.Struct, frozen=True, gc=False):
    """The grade an assessor gave to one document for one query (1 or more: relevant)."""

    query_id: str
    doc_id: str
    relevance: int


Qrels = dict[str, dict[str, int]]
"""Judgments by query: ``{query_id: {doc_id: relevance}}``, the form pytrec_eval reads."""
