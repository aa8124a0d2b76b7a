"""What retrievers refuse of what they are called with, said in the same words by all."""

from __future__ import annotations

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
    return DataError("the corpus is empty: there is nothing to index")


def not_indexed() -> UsageError:
    """A search came before any corpus."""
    return UsageError("nothing is indexed yet", hint="call index first")


def require_distinct(doc_ids: Sequence[str]) -> None:
    """Refuse ids of documents that occur twice.

    Raises:
        DataError: one does.
    """
    if len(set(doc_ids)) < len(doc_ids):
        seen: set[str] = set()
        twice = [doc_id for doc_id in doc_ids if doc_id in seen or seen.add(doc_id)]  # type: ignore[func-returns-value]
        raise DataError(f"{len(twice)} document ids occur twice, the first {twice[0]!r}")


def require_results(k: int) -> None:
    """Refuse to search for nothing.

    Raises:
        UsageError: ``k`` is below 1.
    """
    if k < 1:
        raise UsageError(f"k is {k}", hint="ask for at least 1 result")
