"""Documents and queries of records with named fields: what is the title, what the text, what metadata."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from beirkit.corpora.records import Document, Query

_TITLES = ("title", "headline", "page_title", "document_title", "conclusion")
_BODIES = ("text", "body", "abstract")
_QUESTIONS = ("text", "query", "title", "raw_utterance")
_MARKED_UP = (
    "marked_up_doc",
    "marked_up_text",
    "source_xml",
    "html",
    "body_paras_html",
)  # the text once more


def document(record: Any, *, metadata: bool) -> Document:
    """A document of ir_datasets.

    The title is a field of that meaning and the text ``text``, or else ``body`` or ``abstract`` where only
    one of these is there. Any other type gives its ``default_text()`` as text, without a title.

    Args:
        record: a named tuple with ``doc_id``.
        metadata: keep the other fields, but for bytes and for the text with its markup.
    """
    bodies = [field for field in _BODIES if _is_text(record, field)]
    if bodies[:1] != ["text"] and (len(bodies) != 1 or {"body", "abstract"} <= set(record._fields)):
        kept = _rest(record, ("doc_id", *_TITLES, *_BODIES)) if metadata else {}
        return Document(record.doc_id, "", record.default_text(), kept)
    title = next((field for field in _TITLES if _is_text(record, field)), "")
    kept = _rest(record, ("doc_id", title, bodies[0])) if metadata else {}
    headline = getattr(record, title) if title else ""
    return Document(record.doc_id, headline or "", getattr(record, bodies[0]) or "", kept)


def query(record: Any, field: str, *, metadata: bool) -> Query:
    """A query of ir_datasets: its ``text``, ``query``, ``title`` or ``raw_utterance``, the first that it has.

    Args:
        record: a named tuple with ``query_id``.
        field: the field to take instead; empty: as above, and ``default_text()`` where it has none of them.
        metadata: keep the other fields, but for bytes.
    """
    field = field or next((name for name in _QUESTIONS if name in record._fields), "")
    text = getattr(record, field) if field else record.default_text()
    return Query(record.query_id, text or "", _rest(record, ("query_id", field)) if metadata else {})


def _is_text(record: Any, field: str) -> bool:
    return field in record._fields and isinstance(getattr(record, field), str | None)


def _rest(record: Any, taken: Sequence[str]) -> dict[str, Any]:
    """The other fields that say something, as JSON has them, with what a field ``metadata`` holds."""
    found: dict[str, Any] = {}
    for field, value in zip(record._fields, record, strict=True):
        said = field not in (*taken, *_MARKED_UP) and value not in (None, "", (), [], {})
        if said and field == "metadata" and isinstance(value, dict):
            found.update(_plain(value))
        elif said and not isinstance(value, bytes):
            found[field] = _plain(value)
    return found


def _plain(value: Any) -> Any:
    """A value as JSON has it: a named tuple is an object, and bytes inside it are left out."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return _rest(value, ())
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value if not isinstance(item, bytes)]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items() if not isinstance(item, bytes)}
    return msgspec.to_builtins(value)
