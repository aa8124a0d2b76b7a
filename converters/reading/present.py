"""Which of the judged documents a corpus really has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from beirkit.corpora.notices import Once
from beirkit.corpora.records import Document, Judgment


class Present:
    """Leaves out judgments of documents that are not in the corpus, without a set of the corpus's ids.

    The judged ids are known before the corpus is read; which of them it has is learnt from the first whole
    pass over the documents, and from one made on purpose where judgments are read first.

    Args:
        documents: starts a pass over the documents.
        judged: starts a pass over the ids of all judged documents.
    """

    def __init__(
        self, documents: Callable[[], Iterable[Document]], judged: Callable[[], Iterable[str]]
    ) -> None:
        self._start = documents
        self._judged = judged
        self._found: set[str] | None = None
        self._told = Once()

    def documents(self) -> Iterator[Document]:
        """A pass over the documents that learns which of the judged ones are there."""
        judged, found = set(self._judged()), set[str]()
        for document in self._start():
            if document.doc_id in judged:
                found.add(document.doc_id)
            yield document
        self._found = found

    def only(self, judgments: Iterable[Judgment], place: str) -> Iterator[Judgment]:
        """The judgments of documents that are there; how many of the others there were is told.

        Args:
            judgments: in source order.
            place: what they are, for the message, such as ``split test``.
        """
        if self._found is None:
            for _ in self.documents():
                pass
        assert self._found is not None
        left_out: dict[str, None] = {}
        count = 0
        for judgment in judgments:
            if judgment.doc_id in self._found:
                yield judgment
            else:
                count += 1
                left_out[judgment.doc_id] = None
        if count:
            names = ", ".join(list(left_out)[:3])
            self._told(f"{place}: {count} judgments of documents that the source lacks left out ({names})")
