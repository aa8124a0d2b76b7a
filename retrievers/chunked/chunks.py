"""The passages of a corpus on their way into a retriever, and back from them to documents."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import DataError
from beirkit.corpora.passages import PassageRules, passages_of
from beirkit.corpora.progress import Advance
from beirkit.corpora.records import Document
from beirkit.corpora.run import Run
from beirkit.retrievers.calls import repeated_id

Ordinals = npt.NDArray[np.int32]


class Chunks:
    """Cuts documents one by one, and remembers of each its id and its number of passages.

    A passage is called ``DOC#N``. Only the retriever inside meets that name, which may therefore be a
    document's too.

    Args:
        rules: size, overlap and unit of a passage.
        title: whether every passage has its document's title; else it has none, except of a document without
            text, which is its title alone.
        first_only: whether a document's first passage stands for it.
    """

    def __init__(self, rules: PassageRules, *, title: bool, first_only: bool) -> None:
        self._rules, self._title, self._first_only = rules, title, first_only
        self.doc_ids: list[str] = []
        self._places: dict[str, int] = {}
        self._sizes = array("i")
        self._known: tuple[Sequence[str], Ordinals, Ordinals] | None = None

    def __len__(self) -> int:
        """Number of passages."""
        return sum(self._sizes)

    @property
    def sizes(self) -> Ordinals:
        """``(n_docs,) int32`` how many passages each document has."""
        return np.array(self._sizes, dtype=np.int32)

    def cut(self, documents: Iterable[Document], advance: Advance) -> Iterator[Document]:
        """The passages of a stream of documents, in its order; a document without text is one.

        Args:
            documents: each id once.
            advance: told of every document.

        Raises:
            DataError: a document's id occurs twice.
        """
        for document in documents:
            doc_id, title, text = document.doc_id, document.title or "", document.text or ""
            if self._places.setdefault(doc_id, len(self.doc_ids)) != len(self.doc_ids):
                raise repeated_id(doc_id)
            self.doc_ids.append(doc_id)
            if not self._title and text.strip():
                title = ""
            passages = passages_of(Document(doc_id, title, text, document.metadata), self._rules)
            count = 0
            for passage in islice(passages, 1 if self._first_only else None):
                yield passage
                count += 1
            self._sizes.append(count)
            advance(1)

    def locate(self, run: Run) -> tuple[Ordinals, Ordinals]:
        """For each document of a run over passages, which document it is of and which passage of it.

        Raises:
            DataError: a result is no passage of the corpus.
        """
        if self._known is None or self._known[0] is not run.doc_ids:
            places = [self._place(passage_id) for passage_id in run.doc_ids]
            found = np.array(places, dtype=np.int32).reshape(-1, 2)
            self._known = run.doc_ids, found[:, 0].copy(), found[:, 1].copy()
        _, documents, numbers = self._known
        lost = np.flatnonzero(documents[run.docs] < 0) if len(run.docs) else run.docs
        if len(lost):
            name = run.doc_ids[int(run.docs[lost[0]])]
            raise DataError(
                f"{len(lost)} results are no passages of these documents, such as {name!r}",
                hint="a passage is called DOC#N, counted from 0; were size and overlap the same?",
            )
        return documents, numbers

    def _place(self, passage_id: str) -> tuple[int, int]:
        doc_id, _, number = passage_id.rpartition("#")
        place = self._places.get(doc_id, -1)
        if place < 0 or not (number.isascii() and number.isdigit()):
            return -1, -1
        return (place, int(number)) if int(number) < self._sizes[place] else (-1, -1)
