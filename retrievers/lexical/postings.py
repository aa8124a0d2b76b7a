"""The inverted index: for each term the documents it stands in, with a weight each."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import DataError
from beirkit.corpora.run import id_ranks
from beirkit.retrievers.base import Facts
from beirkit.retrievers.topk import top_k

_FORMAT = 1
_OPTIONAL = ("absent", "idf")
_ARRAYS = ("indptr", "docs", "weights", *_OPTIONAL)


@dataclass(frozen=True, eq=False)
class Postings:
    """Weighted postings in columns (CSC), searched exhaustively.

    The score of a document is the sum, in float32 and in the order of the query's terms, of the weights of
    the terms it has, a repeated term added as often as it stands in the query. That order does not depend
    on how documents or terms are numbered, so no score does.

    Attributes:
        doc_ids: id of each document.
        vocabulary: number of each term.
        indptr: ``(n_terms + 1,) int64``; the postings of term ``t`` are ``indptr[t]:indptr[t + 1]``.
        docs: ``(n_postings,) int32`` document ordinals, each once within a term.
        weights: ``(n_postings,) float32``, finite.
        absent: ``(n_terms,) float32`` what a term adds to documents that lack it, where a model has such a
            thing; it is subtracted from ``weights``.
        idf: ``(n_terms,) float32`` inverse document frequencies, where a model needs them at search; its
            ``weights`` then mean what :mod:`beirkit.retrievers.lexical.lucene` says.
        statistics: what the weights were computed from (number of documents, average length); kept with the
            index, so that an index of a part of the corpus can be scored like the whole.
    """

    doc_ids: Sequence[str]
    vocabulary: dict[str, int]
    indptr: npt.NDArray[np.int64]
    docs: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float32]
    absent: npt.NDArray[np.float32] | None = None
    idf: npt.NDArray[np.float32] | None = None
    statistics: Facts = field(default_factory=dict)

    @cached_property
    def ranks(self) -> npt.NDArray[np.int32]:
        """``(n_docs,) int32`` value of :func:`beirkit.corpora.run.id_ranks`."""
        return id_ranks(self.doc_ids)

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays, ids and vocabulary not counted."""
        arrays = (getattr(self, name) for name in _ARRAYS)
        return sum(array.nbytes for array in arrays if array is not None)

    @cached_property
    def _all_positive(self) -> bool:
        return bool(len(self.weights) == 0 or self.weights.min() > 0)

    def numbers(self, terms: Iterable[str]) -> list[int]:
        """Numbers of the terms that some document has, in their order, repeated ones repeated."""
        vocabulary = self.vocabulary
        return [vocabulary[term] for term in terms if term in vocabulary]

    def search(self, terms: Iterable[str], k: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """The ``k`` best of the documents that share a term with the query, in ranking order.

        Returns:
            ``(n,) int32`` document ordinals and ``(n,) float32`` scores, ``n <= k``.
        """
        numbers = self.numbers(terms)
        if not numbers:
            return np.empty(0, dtype=np.int32), np.empty(0, dtype=np.float32)
        scores = np.zeros(len(self.doc_ids), dtype=np.float32)
        for number in numbers:
            part = slice(self.indptr[number], self.indptr[number + 1])
            # A document stands once in a term's list, so nothing is lost by adding through an index.
            scores[self.docs[part]] += self.weights[part]
        if self._all_positive:
            docs, found = top_k(scores, self.ranks, k, above=0.0)
        else:
            # A weight of 0 (a term in half of the corpus, say) is a match all the same.
            matches = np.zeros(len(scores), dtype=bool)
            for number in numbers:
                matches[self.docs[self.indptr[number] : self.indptr[number + 1]]] = True
            scores[~matches] = -np.inf
            docs, found = top_k(scores, self.ranks, k, above=-np.inf)
        if self.absent is not None:
            base = np.float32(0)
            for number in numbers:
                base += self.absent[number]
            found = found + base
        return docs, found

    def save(self, folder: Path) -> None:
        """Write the index as a new folder of ``.npy`` and JSON files; it appears whole or not at all.

        Raises:
            DataError: the folder is there already.
        """
        folder.parent.mkdir(parents=True, exist_ok=True)
        if folder.exists():
            raise DataError("is there already", path=folder, hint="remove it first")
        unfinished = Path(mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        try:
            for name in _ARRAYS:
                values = getattr(self, name)
                if values is not None:
                    np.save(unfinished / f"{name}.npy", values)
            terms = sorted(self.vocabulary, key=self.vocabulary.__getitem__)
            for name, value in (
                ("doc_ids", list(self.doc_ids)),
                ("terms", terms),
                ("manifest", {"format": _FORMAT, "statistics": self.statistics}),
            ):
                (unfinished / f"{name}.json").write_text(json.dumps(value) + "\n", encoding="ascii")
            unfinished.chmod(0o755)
            os.rename(unfinished, folder)  # noqa: PTH104
        except BaseException:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise

    @classmethod
    def load(cls, folder: Path) -> Postings:
        """Open a saved index; its arrays are mapped into memory and read when they are used.

        Raises:
            DataError: the folder holds no index, or one of another format.
        """
        try:
            manifest, doc_ids, terms = (
                json.loads((folder / f"{name}.json").read_text(encoding="ascii"))
                for name in ("manifest", "doc_ids", "terms")
            )
            if manifest["format"] != _FORMAT:
                raise DataError(f"is an index of format {manifest['format']}, not {_FORMAT}", path=folder)
            arrays = {
                name: np.load(folder / f"{name}.npy", mmap_mode="r")
                for name in _ARRAYS
                if name not in _OPTIONAL or (folder / f"{name}.npy").exists()
            }
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise DataError(
                f"is no complete index: {error}", path=folder, hint="remove it; it is built again"
            ) from error
        vocabulary = {term: number for number, term in enumerate(terms)}
        return cls(doc_ids, vocabulary, statistics=manifest["statistics"], **arrays)
