"""The inverted index: for each term the documents it stands in, with a weight each.

It is one engine for all sparse retrieval: BM25 in its variants and vectors of learned sparse models alike. To
make an index, hand documents to a :class:`~beirkit.retrievers.lexical.builder.PostingsBuilder` as they come,
in words or in arrays, and search it by words or by numbers of terms::

    builder = PostingsBuilder()
    for doc_id, vector in stream:                   # vector: {"owl": 1.7, "night": 0.2}
        builder.add(doc_id, vector)
    postings = builder.build()
    docs, scores = postings.search_weighted({"owl": 2.0, "bird": 0.5}, k=100)

    builder = PostingsBuilder(vocabulary=tokenizer_terms)
    for doc_ids, indptr, terms, weights in batches:  # rows as scipy's csr_matrix has them
        builder.add_rows(doc_ids, indptr, terms, weights)
    postings = builder.build()
    docs, scores = postings.search_numbers(query_terms, query_weights, k=100)

    ids = [postings.doc_ids[doc] for doc in docs]
    postings.save(folder)                           # Postings.load(folder) maps it into memory

Both give the ``k`` best by the one ordering rule, exactly, whatever ``k`` is. Searches may run in several
threads at once.
"""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import DataError
from beirkit.corpora.run import id_ranks
from beirkit.retrievers.base import Facts
from beirkit.retrievers.lexical.scoring import Clauses, Places, Ranked, best
from beirkit.retrievers.lexical.together import Counted, Together, best_of_each

_FORMAT = 1
_OPTIONAL = ("absent", "idf", "counts")
_ARRAYS = ("indptr", "docs", "weights", *_OPTIONAL)


@dataclass(frozen=True, eq=False)
class Postings:
    """Weighted postings in columns (CSC), searched exhaustively.

    The score of a document is the sum, over the terms it shares with the query, of the term's weight in the
    query times its weight in the document: in double precision, in the order of the query's terms, rounded to
    float32 once. That order does not depend on how documents or terms are numbered, so no score does.

    Attributes:
        doc_ids: id of each document.
        vocabulary: number of each term; empty where terms have numbers only.
        indptr: ``(n_terms + 1,) int64``; the postings of term ``t`` are ``indptr[t]:indptr[t + 1]``.
        docs: ``(n_postings,) int32`` document ordinals, ascending within a term, each once.
        weights: ``(n_postings,) float32``, finite.
        absent: ``(n_terms,) float32`` what a term adds to documents that lack it, where a model has such a
            thing; it is subtracted from ``weights``.
        idf: ``(n_terms,) float32`` inverse document frequencies, where a model needs them at search; its
            ``weights`` then mean what :mod:`beirkit.retrievers.lexical.lucene` says.
        counts: ``(n_postings,) int32`` how often the term stands in the document, where a model needs that at
            search.
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
    counts: npt.NDArray[np.int32] | None = None
    statistics: Facts = field(default_factory=dict)

    @cached_property
    def places(self) -> Places:
        """Where each document stands in the order of ids."""
        return Places(id_ranks(self.doc_ids))

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays, ids and vocabulary not counted."""
        arrays = (getattr(self, name) for name in _ARRAYS)
        return sum(array.nbytes for array in arrays if array is not None)

    @property
    def n_terms(self) -> int:
        """Number of terms."""
        return len(self.indptr) - 1

    @cached_property
    def least(self) -> float:
        """The least weight, infinite where there is none."""
        return float(self.weights.min()) if len(self.weights) else np.inf

    def numbers(self, terms: Iterable[str]) -> list[int]:
        """Numbers of the terms that some document has, in their order, repeated ones repeated."""
        vocabulary = self.vocabulary
        return [vocabulary[term] for term in terms if term in vocabulary]

    def search(self, terms: Iterable[str], k: int) -> Ranked:
        """The ``k`` best of the documents that share a term with the query, each term as often as it stands.

        Returns:
            ``(n,) int32`` document ordinals and ``(n,) float32`` scores, ``n <= k``.
        """
        repeated = Counter(self.numbers(terms))
        return self.search_numbers(list(repeated), list(repeated.values()), k)

    def search_each(self, queries: Sequence[Sequence[str]], k: int) -> list[Ranked]:
        """What :meth:`search` gives for each of some queries, with fewer calls to numpy.

        Args:
            queries: the terms of each, repeated ones as often as they stand.
            k: how many, at least 1; it may exceed the number of documents.
        """
        counted = Counted.of(queries, self.vocabulary)
        clauses = self.clauses(counted.numbers, counted.times)
        if self.absent is not None or not clauses.only_add:
            return [self.search(terms, k) for terms in queries]
        return best_of_each([Together(clauses, counted.sizes)], self.places, k)

    def search_weighted(self, weights: Mapping[str, float], k: int) -> Ranked:
        """The ``k`` best of the documents that share a term with the query.

        Args:
            weights: weight of each term of the query; terms that no document has are passed over.
            k: how many, at least 1; it may exceed the number of documents.

        Returns:
            ``(n,) int32`` document ordinals and ``(n,) float32`` scores, ``n <= k``.
        """
        known = {term: weight for term, weight in weights.items() if term in self.vocabulary}
        return self.search_numbers(self.numbers(known), list(known.values()), k)

    def search_numbers(self, terms: npt.ArrayLike, weights: npt.ArrayLike, k: int) -> Ranked:
        """The ``k`` best of the documents that share a term with the query.

        Args:
            terms: ``(n,)`` numbers of terms, from 0; ``n_terms`` and more are passed over.
            weights: ``(n,)`` weight of each, finite, taken as float32; a term of weight 0 is left out.
            k: how many, at least 1; it may exceed the number of documents.

        Returns:
            ``(n,) int32`` document ordinals and ``(n,) float32`` scores, ``n <= k``.
        """
        numbers, query = np.asarray(terms, dtype=np.int64), np.asarray(weights, dtype=np.float32)
        wanted = (numbers >= 0) & (numbers < self.n_terms) & (query != 0)
        numbers, query = numbers[wanted], query[wanted]
        base = 0.0
        if self.absent is not None:
            base = float((self.absent[numbers].astype(np.float64) * query).sum())
        return best([self.clauses(numbers, query)], self.places, k, base=base)

    def clauses(
        self, numbers: npt.NDArray[np.int64], query: npt.NDArray[np.float32], *, saturating: bool = False
    ) -> Clauses:
        """The postings of these terms, for :func:`beirkit.retrievers.lexical.scoring.best`."""
        return Clauses(
            docs=self.docs,
            weights=self.weights,
            starts=self.indptr[numbers],
            ends=self.indptr[numbers + 1],
            query=query,
            saturating=saturating,
            least=self.least,
        )

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
