"""What retrievers refuse of what they are called with, said in the same words by all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Sized

from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.records import Document
from beirkit.retrievers.base import Workplace


def known_length(items: Iterable[object]) -> int | None:
    """How many there are, where that is known before they are read."""
    return len(items) if isinstance(items, Sized) else None


def listed_ids(documents: Iterable[Document], workplace: Workplace) -> set[str]:
    """The ids of a corpus of which nothing else is needed.

    Raises:
        DataError: it is empty.
    """
    doc_ids: set[str] = set()
    with workplace.progress("index", known_length(documents), "documents") as advance:
        for document in documents:
            doc_ids.add(document.doc_id)
            advance(1)
    if not doc_ids:
        raise empty_corpus()
    return doc_ids


def empty_corpus() -> DataError:
    """The corpus has no document."""
    return DataError("the corpus is empty", hint="an index needs at least one document")


def not_indexed() -> UsageError:
    """A search came before any corpus."""
    return UsageError("nothing has been indexed", hint="call index() before search()")


def require_distinct(doc_ids: Sequence[str]) -> None:
    """Refuse ids of documents that occur twice.

    Raises:
        DataError: one does.
    """
    if len(set(doc_ids)) < len(doc_ids):
        first, *more = [doc_id for doc_id, times in Counter(doc_ids).items() if times > 1]
        raise repeated_id(first, more=len(more))


def repeated_id(doc_id: str, *, more: int = 0) -> DataError:
    """An id is that of two documents; so are ``more`` others."""
    also = f", and so do {more:,} more" if more else ""
    return DataError(
        f"the document id {doc_id!r} occurs twice{also}", hint="run `beirkit check` on the corpus"
    )


def require_results(k: int) -> None:
    """Refuse to search for nothing.

    Raises:
        UsageError: ``k`` is below 1.
    """
    if k < 1:
        raise UsageError(f"k is {k}; at least one result must be asked for")
