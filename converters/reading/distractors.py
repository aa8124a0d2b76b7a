"""Documents of another BEIR folder that make a small corpus harder to search."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from beirkit.corpora.files import sha256_file
from beirkit.corpora.jsonl import read_documents
from beirkit.corpora.layout import find_layout
from beirkit.corpora.records import Document


class Distractors:
    """The corpus of a BEIR folder; nothing at all where no folder is named.

    An id that the other corpus has too, with another text, is refused when the corpus is written.

    Args:
        folder: the folder, or the empty text.

    Attributes:
        inputs: SHA-256 of what is read, by name.

    Raises:
        DataError: it is no BEIR folder.
    """

    def __init__(self, folder: str) -> None:
        self._corpus = find_layout(Path(folder).expanduser()).corpus if folder else None
        self.inputs = {} if self._corpus is None else {
            f"distractors/{self._corpus.name}": sha256_file(self._corpus)
        }  # fmt: skip

    def documents(self) -> Iterator[Document]:
        """Its documents, in their order."""
        return iter(()) if self._corpus is None else read_documents(self._corpus)
