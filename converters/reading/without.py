"""Conversions without documents: queries and judgments alone, where the corpus is not at hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from beirkit.corpora.notices import Once
from beirkit.corpora.records import Document

WITHOUT_DOCUMENTS = "for queries and judgments alone: --set without_documents=true"
"""What to do where the documents are not at hand, for messages."""


def documents_unless(
    without: bool, start: Callable[[], Iterable[Document]]
) -> Callable[[], Iterable[Document]]:
    """What starts a pass over the documents, or over none where the user asked for that.

    The option of a converter is called ``without_documents``. What comes out can judge a run that was made
    elsewhere and cannot be searched, so it is said.

    Args:
        without: the value of the option.
        start: starts a pass over the documents; not called where they are left out.
    """
    if not without:
        return start
    told = Once()

    def none() -> Iterator[Document]:
        told("without documents, as asked: what comes out scores runs of the same ids and cannot be searched")
        return iter(())

    return none
