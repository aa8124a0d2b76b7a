"""An index of documents that arrive as weighted terms, in words or in arrays."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import DataError
from beirkit.retrievers.base import Facts
from beirkit.retrievers.lexical.merge import Frequencies, columns
from beirkit.retrievers.lexical.postings import Postings
from beirkit.retrievers.lexical.spill import Block, Blocks
from beirkit.retrievers.lexical.stream import require_ids

_AT_ONCE = 1 << 20
"""Postings that :meth:`PostingsBuilder.add` collects before they are sorted and set aside."""

_GREATEST = float(np.finfo(np.float32).max)


class PostingsBuilder:
    """Takes in documents as they come; their postings are sorted block by block and merged at the end.

    Until then those of a large corpus wait in a temporary file, so that this takes the memory of a block, of
    the ids and of the vocabulary. In which blocks documents came changes no byte of the index.

    Args:
        vocabulary: the terms by number, where they are known before; without it, terms are numbered as they
            are met by :meth:`add`, and those of :meth:`add_rows` have numbers only.
    """

    def __init__(self, vocabulary: Sequence[str] | None = None) -> None:
        self._fixed = vocabulary is not None
        self._vocabulary = {term: number for number, term in enumerate(vocabulary or ())}
        self._n_terms = len(self._vocabulary)
        self._doc_ids: list[str] = []
        self._blocks = Blocks(np.float32)
        self._frequencies = Frequencies()
        self._clear()

    def add(self, doc_id: str, weights: Mapping[str, float]) -> None:
        """Take in one document.

        Args:
            doc_id: its id.
            weights: weight of each of its terms, finite; one of weight 0 is left out.

        Raises:
            DataError: a weight is not finite, or a term is not in the vocabulary that was given.
        """
        for term, weight in weights.items():
            number = self._vocabulary.get(term)
            if number is None:
                if self._fixed:
                    raise DataError(f"document {doc_id!r}: the term {term!r} is not in the vocabulary")
                number = self._vocabulary[term] = len(self._vocabulary)
            if not abs(weight) <= _GREATEST:
                raise DataError(f"document {doc_id!r}: the weight of {term!r} is {weight}")
            self._terms.append(number)
            self._weights.append(weight)
        self._ids.append(doc_id)
        self._ends.append(len(self._terms))
        if len(self._terms) >= _AT_ONCE:
            self._flush()

    def add_rows(
        self, doc_ids: Sequence[str], indptr: npt.ArrayLike, terms: npt.ArrayLike, weights: npt.ArrayLike
    ) -> None:
        """Take in a batch of documents as rows of a sparse matrix; at best some thousands at once.

        Args:
            doc_ids: id of each document.
            indptr: ``(len(doc_ids) + 1,)``; document ``i`` has the terms ``indptr[i]:indptr[i + 1]``.
            terms: ``(n,)`` numbers of terms, from 0, each once within a document.
            weights: ``(n,)`` weight of each, finite, taken as float32; those of weight 0 are left out.

        Raises:
            DataError: the arrays do not fit each other, a weight is not finite, a number is negative or
                beyond the vocabulary, or a term stands twice in a document.
        """
        self._flush()
        ends = np.asarray(indptr, dtype=np.int64)
        numbers, values = np.asarray(terms, dtype=np.int64), np.asarray(weights, dtype=np.float32)
        if len(ends) != len(doc_ids) + 1 or not len(numbers) == len(values) == ends[-1] or ends[0] != 0:
            raise DataError(
                f"{len(doc_ids)} documents with {len(ends)} bounds up to {ends[-1]} do not fit"
                f" {len(numbers)} terms and {len(values)} weights"
            )
        docs = np.repeat(np.arange(len(doc_ids), dtype=np.int64), np.diff(ends))
        above = self._n_terms if self._fixed else np.iinfo(np.int32).max
        wrong = ~np.isfinite(values) | (numbers < 0) | (numbers >= above)
        if wrong.any():
            place = int(np.flatnonzero(wrong)[0])
            raise DataError(
                f"document {doc_ids[docs[place]]!r}: term {numbers[place]} of weight {values[place]}",
                hint=f"weights are finite and terms are numbered from 0 to {above - 1}",
            )
        self._take(doc_ids, numbers, docs, values)

    def build(self, statistics: Facts | None = None) -> Postings:
        """The index of all documents.

        Args:
            statistics: facts to keep with it, beside the number of documents.

        Raises:
            DataError: there is no document, or an id occurs twice.
        """
        self._flush()
        require_ids(self._doc_ids)
        n_terms = max(self._n_terms, len(self._vocabulary))
        indptr = self._frequencies.indptr(n_terms)
        docs, weights = columns(self._blocks, indptr, np.float32)
        return Postings(
            doc_ids=self._doc_ids,
            vocabulary=self._vocabulary,
            indptr=indptr,
            docs=docs,
            weights=weights,
            statistics={"documents": len(self._doc_ids), **(statistics or {})},
        )

    def _clear(self) -> None:
        self._ids: list[str] = []
        self._ends = [0]
        self._terms, self._weights = array("i"), array("f")

    def _flush(self) -> None:
        """Sort and set aside what :meth:`add` collected."""
        if not self._ids:
            return
        docs = np.repeat(np.arange(len(self._ids), dtype=np.int64), np.diff(self._ends))
        terms, weights = (np.array(column) for column in (self._terms, self._weights))
        self._take(self._ids, terms.astype(np.int64), docs, weights)
        self._clear()

    def _take(
        self,
        doc_ids: Sequence[str],
        terms: npt.NDArray[np.int64],
        docs: npt.NDArray[np.int64],
        weights: npt.NDArray[np.float32],
    ) -> None:
        kept = weights != 0
        terms, docs, weights = terms[kept], docs[kept], weights[kept]
        pairs = terms * max(1, len(doc_ids)) + docs
        order = np.argsort(pairs)
        twice = np.flatnonzero(np.diff(pairs[order]) == 0)
        if len(twice):
            place = order[twice[0]]
            raise DataError(f"document {doc_ids[docs[place]]!r}: term {terms[place]} stands twice in it")
        terms = terms[order]
        if len(terms):
            self._n_terms = max(self._n_terms, int(terms[-1]) + 1)
        block = Block(
            terms=terms.astype(np.int32),
            docs=(docs[order] + len(self._doc_ids)).astype(np.int32),
            values=weights[order],
        )
        self._blocks.append(block)
        self._frequencies.add(block.terms, self._n_terms)
        self._doc_ids.extend(doc_ids)
