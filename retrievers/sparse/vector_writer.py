"""Weights of terms as files that other tools read; see :mod:`beirkit.retrievers.sparse.vector_files`.

Numbers are the shortest decimals that give the same float32 again, so what is read back is equal in every
bit. Impact indexes count terms, so for them weights become whole numbers: weight times a factor, rounded.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from beirkit.corpora.errors import DataError
from beirkit.corpora.files import atomic_open
from beirkit.corpora.ids import has_white_space
from beirkit.retrievers.sparse.rows import Rows
from beirkit.retrievers.sparse.searching import Active

Named = Callable[[Sequence[int]], list[str]]
"""Names of terms by their numbers."""


class VectorWriter:
    """Writes rows of weights.

    Args:
        names: what terms are called.
        factor: weights are multiplied by it and rounded to whole numbers, those that become 0 left out;
            ``None``: they stay as they are.
    """

    def __init__(self, names: Named, factor: float | None = None) -> None:
        self._names, self._factor = names, factor
        self._known: dict[int, str] = {}
        self._numbers: dict[str, int] = {}

    def write_json_lines(self, path: Path, blocks: Iterable[tuple[Sequence[str], Rows]]) -> Active:
        """One object a line: ``id``, ``contents``, which is empty, and ``vector``.

        Raises:
            DataError: two terms are called alike, or whole numbers were asked for and a weight is negative.
            WriteError: the system refused.
        """
        active, quoted = Active(), _Quoted()
        with atomic_open(path) as stream:
            for key, terms, weights in self._texts(blocks, active):
                pairs = ", ".join(f"{quoted[t]}: {w}" for t, w in zip(terms, weights, strict=True))
                stream.write(f'{{"id": {_quote(key)}, "contents": "", "vector": {{{pairs}}}}}\n')
        return active

    def write_pseudo_texts(self, path: Path, blocks: Iterable[tuple[Sequence[str], Rows]]) -> Active:
        """One line for each text: its id, a tab, and each term as often as it weighs.

        Raises:
            DataError: as above, or a term has white space in it.
            WriteError: the system refused.
        """
        active = Active()
        with atomic_open(path) as stream:
            for key, terms, weights in self._texts(blocks, active):
                if odd := next(filter(has_white_space, terms), None):
                    raise DataError(f"the term {odd!r} has white space in it: pseudo-text cannot hold it")
                words = (word for t, w in zip(terms, weights, strict=True) for word in [t] * int(w))
                stream.write(f"{key}\t{' '.join(words)}\n")
        return active

    def _texts(
        self, blocks: Iterable[tuple[Sequence[str], Rows]], active: Active
    ) -> Iterator[tuple[str, list[str], list[str]]]:
        """Of each text its id, the names of its terms, and their weights as JSON writes them."""
        for keys, rows in blocks:
            rows = rows if self._factor is None else _whole(rows, self._factor)
            active.add(rows)
            terms, weights = (
                self._called(rows.terms.tolist()),
                _shortest(rows, whole=self._factor is not None),
            )
            bounds = rows.indptr.tolist()
            for key, start, end in zip(keys, bounds[:-1], bounds[1:], strict=True):
                yield key, terms[start:end], weights[start:end]

    def _called(self, numbers: list[int]) -> list[str]:
        new = [number for number in dict.fromkeys(numbers) if number not in self._known]
        for number, name in zip(new, self._names(new), strict=True):
            if self._numbers.setdefault(name, number) != number:
                raise DataError(f"two terms are called {name!r}: {self._numbers[name]} and {number}")
            self._known[number] = name
        return [self._known[number] for number in numbers]


class _Quoted(dict[str, str]):
    """Texts as JSON writes them, each made once."""

    def __missing__(self, text: str) -> str:
        made = self[text] = _quote(text)
        return made


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _shortest(rows: Rows, *, whole: bool) -> list[str]:
    weights = rows.weights.astype(np.int64) if whole else rows.weights
    made: list[str] = weights.astype("U").tolist()
    return made


def _whole(rows: Rows, factor: float) -> Rows:
    if (rows.weights < 0).any():
        raise DataError(
            f"a weight is {rows.weights.min()}: an impact cannot be negative",
            hint="write the weights as they are",
        )
    impacts = np.rint(rows.weights.astype(np.float64) * factor)
    kept = impacts > 0
    texts = np.repeat(np.arange(len(rows.counts)), rows.counts)
    counts = np.bincount(texts[kept], minlength=len(rows.counts)).astype(np.int64)
    return Rows(counts, rows.terms[kept], impacts[kept].astype(np.float32))
