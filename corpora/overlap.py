"""Texts of a test set that stand in training data: exactly, by words in a row, or nearly.

What is held grows with the test set alone; the training data go by once, block by block.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from beirkit.corpora.near import Signer
from beirkit.corpora.shingles import Shingler, Shingles, jaccard, shingles_of, windows

NGRAM = 13
"""Words in a row that two texts hardly share by chance: what GPT-3's authors looked for."""

SHORTEST = 8
"""Words from which a text of fewer than an n-gram is looked for as a whole inside training texts."""

NEAR = 0.8
"""Share of their five-word shingles from which two texts are called nearly the same."""

_BUCKET = 100  # texts of one band's bucket that a training text is compared with
_EXCERPT = 200  # characters of a training text that are kept as evidence
_MANY, _LONG = 4096, 1 << 20  # texts and characters of a block

Places = npt.NDArray[np.int32]


class TrainingText(NamedTuple):
    """A text of the training data, and where it stands."""

    text: str
    where: str


class Evidence(msgspec.Struct, frozen=True):
    """The first training text that a text was found in, by where it stands, and how it begins."""

    where: str
    text: str


class Found(msgspec.Struct, kw_only=True, omit_defaults=True):
    """How a text was found in training data.

    Attributes:
        exact: where it stands itself, but for case and white space.
        ngram: where it has words in a row in common.
        share: of its rows of words, the share that stands anywhere in the training data.
        near: the training text that is most like it.
        similarity: Jaccard similarity of the shingles of the two.
    """

    exact: Evidence | None = None
    ngram: Evidence | None = None
    share: float = 0.0
    near: Evidence | None = None
    similarity: float = 0.0


class Overlap(NamedTuple):
    """What was found, by the text's place in the test set, and how many training texts were looked at."""

    found: dict[int, Found]
    training_texts: int


def find_overlap(
    test: Iterable[Sequence[str]],
    train: Iterable[TrainingText],
    *,
    ngram: int = NGRAM,
    threshold: float = NEAR,
) -> Overlap:
    """Look for the texts of a test set in training data.

    A text of fewer than ``ngram`` words is found by all its words in a row, where they are at least
    :data:`SHORTEST`; a shorter one only where it is a whole training text, exactly or nearly.

    Args:
        test: each text, followed by other spellings that only an exact match looks at.
        train: the training data, read once.
        ngram: words in a row.
        threshold: similarity from which a text is found nearly.
    """
    held = _HeldOut(test, ngram, threshold)
    looked_at = 0
    for texts, where in _blocks((item.text, item.where) for item in train):
        held.look(texts, where)
        looked_at += len(texts)
    return Overlap(held.found(), looked_at)


def _blocks(items: Iterable[tuple[str, str]]) -> Iterator[tuple[list[str], list[str]]]:
    texts, where, length = list[str](), list[str](), 0
    for text, place in items:
        texts.append(text)
        where.append(place)
        length += len(text)
        if len(texts) >= _MANY or length >= _LONG:
            yield texts, where
            texts, where, length = [], [], 0
    if texts:
        yield texts, where


class _Postings:
    """Keys, sorted, the place each belongs to, and whether it was seen: 13 bytes for one."""

    def __init__(self, keys: Sequence[Shingles], places: Sequence[Places]) -> None:
        all_keys = np.concatenate([np.empty(0, np.uint64), *keys])
        all_places = np.concatenate([np.empty(0, np.int32), *places])
        order = np.argsort(all_keys, kind="stable")
        self.keys, self.places = all_keys[order], all_places[order]
        self.seen = np.zeros(len(order), np.bool_)

    def see(self, keys: Shingles) -> tuple[npt.NDArray[np.int64], Places]:
        """The first of the keys that are there and were not seen before, once for each place that has it.

        However many places have a key, and however often it comes, they are told once.

        Returns:
            ``(n,) int64`` which of the keys, and ``(n,) int32`` the places.
        """
        keys, first = np.unique(keys, return_index=True)
        low = np.searchsorted(self.keys, keys, "left")
        there = np.flatnonzero(low < len(self.keys))
        there = there[(self.keys[low[there]] == keys[there]) & ~self.seen[low[there]]]
        asked, rows = _spread(low[there], np.searchsorted(self.keys, keys[there], "right"))
        self.seen[rows] = True
        return first[there][asked], self.places[rows]

    def find(self, keys: Shingles, most: int) -> tuple[npt.NDArray[np.int64], Places]:
        """Which of the keys are there, once for each of the first ``most`` places that have it, and these."""
        low = np.searchsorted(self.keys, keys, "left")
        high = np.minimum(np.searchsorted(self.keys, keys, "right"), low + most)
        asked, rows = _spread(low, high)
        return asked, self.places[rows]


def _spread(
    low: npt.NDArray[np.int64], high: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Every number of every range ``low[i]:high[i]``, behind its ``i``."""
    counts = high - low
    which = np.repeat(np.arange(len(low)), counts)
    return which, np.repeat(low - (np.cumsum(counts) - counts), counts) + np.arange(len(which))


class _HeldOut:
    """A test set, by what its texts are recognised by."""

    def __init__(self, texts: Iterable[Sequence[str]], ngram: int, threshold: float) -> None:
        self._threshold = threshold
        self._shingler, self._signer = Shingler(), Signer()
        exact = _Columns()
        bands = [_Columns() for _ in self._signer.keys(np.ones(1, np.uint64), np.ones(1, np.int64))]
        grams: dict[int, _Columns] = {}
        sets, self._size = _Columns(), 0
        for block in _parts(texts):
            places = np.arange(self._size, self._size + len(block), dtype=np.int32)
            self._size += len(block)
            exact.add(*_spellings(block, places))
            words, lengths = self._shingler.words([row[0] for row in block])
            self._add_grams(grams, words, lengths, places, ngram)
            shingles, counts = shingles_of(words, lengths)
            sets.add(*_distinct(shingles, np.repeat(places, counts)))
            some = counts > 0
            if some.any():
                for band, keys in zip(bands, self._signer.keys(shingles, counts[some]), strict=True):
                    band.add(keys, places[some])
        self._exact = exact.postings()
        self._bands = [band.postings() for band in bands]
        self._grams = {width: columns.postings() for width, columns in sorted(grams.items())}
        self._sets = np.concatenate([np.empty(0, np.uint64), *sets.keys])
        owners = np.concatenate([np.empty(0, np.int32), *sets.places])
        self._starts = np.searchsorted(owners, np.arange(self._size + 1))
        self._found: dict[int, Found] = {}

    @staticmethod
    def _add_grams(
        grams: dict[int, _Columns],
        words: Shingles,
        lengths: npt.NDArray[np.int64],
        places: Places,
        ngram: int,
    ) -> None:
        for width in range(min(SHORTEST, ngram), ngram + 1):
            chosen = lengths >= width if width == ngram else lengths == width
            if chosen.any():
                made, counts = windows(words[np.repeat(chosen, lengths)], lengths[chosen], width)
                columns = grams.setdefault(width, _Columns())
                columns.add(*_distinct(made, np.repeat(places[chosen], counts)))

    def look(self, texts: Sequence[str], where: Sequence[str]) -> None:
        """Look at some training texts.

        Args:
            texts: the texts.
            where: each stands.
        """
        for place, at in _firsts(*self._exact.see(_digests(texts))):
            found = self._of(place)
            found.exact = found.exact or _evidence(texts[at], where[at])
        words, lengths = self._shingler.words(texts)
        for width, grams in self._grams.items():
            made, counts = windows(words, lengths, width)
            owners = np.repeat(np.arange(len(texts)), counts)
            asked, places = grams.see(made)
            for place, at in _firsts(owners[asked], places):
                found = self._of(place)
                found.ngram = found.ngram or _evidence(texts[at], where[at])
        self._look_nearly(texts, where, words, lengths)

    def _look_nearly(
        self, texts: Sequence[str], where: Sequence[str], words: Shingles, lengths: npt.NDArray[np.int64]
    ) -> None:
        shingles, counts = shingles_of(words, lengths)
        some = np.flatnonzero(counts)
        if not some.size:
            return
        ends = np.cumsum(counts)
        candidates = np.empty(0, np.int64)
        for band, keys in zip(self._bands, self._signer.keys(shingles, counts[some]), strict=True):
            asked, places = band.find(keys, _BUCKET)
            candidates = np.union1d(candidates, some[asked] * self._size + places)
        for at, place in zip(*(part.tolist() for part in np.divmod(candidates, self._size)), strict=True):
            known = self._found.get(place)
            if known is not None and known.exact is not None:
                continue  # it could not be found more nearly
            ours = self._sets[self._starts[place] : self._starts[place + 1]]
            similarity = jaccard(np.unique(shingles[ends[at] - counts[at] : ends[at]]), ours)
            if similarity >= self._threshold and (known is None or similarity > known.similarity):
                found = self._of(place)
                found.near, found.similarity = _evidence(texts[at], where[at]), similarity

    def found(self) -> dict[int, Found]:
        """What was found so far, by place, ascending."""
        for grams in self._grams.values():
            all_rows = np.bincount(grams.places, minlength=self._size)
            seen = np.bincount(grams.places[grams.seen], minlength=self._size)
            for place in np.flatnonzero(seen).tolist():
                self._found[place].share = float(seen[place] / all_rows[place])
        for found in self._found.values():
            if found.exact is not None:  # else it would depend on which came first
                found.near, found.similarity = None, 0.0
        return dict(sorted(self._found.items()))

    def _of(self, place: int) -> Found:
        return self._found.setdefault(place, Found())


class _Columns:
    """Keys and places as they come."""

    def __init__(self) -> None:
        self.keys: list[Shingles] = []
        self.places: list[Places] = []

    def add(self, keys: Shingles, places: Places) -> None:
        self.keys.append(keys)
        self.places.append(places)

    def postings(self) -> _Postings:
        return _Postings(self.keys, self.places)


def _parts(texts: Iterable[Sequence[str]]) -> Iterator[list[Sequence[str]]]:
    part, length = list[Sequence[str]](), 0
    for row in texts:
        part.append(row)
        length += len(row[0])
        if len(part) >= _MANY or length >= _LONG:
            yield part
            part, length = [], 0
    if part:
        yield part


def _spellings(block: Sequence[Sequence[str]], places: Places) -> tuple[Shingles, Places]:
    """Digests of every spelling that is not blank, and whose it is."""
    spelt = [
        (place, text)
        for place, row in zip(places.tolist(), block, strict=True)
        for text in row
        if text.strip()
    ]
    return _digests([text for _, text in spelt]), np.array([place for place, _ in spelt], np.int32)


def _distinct(keys: Shingles, places: Places) -> tuple[Shingles, Places]:
    """Each key of a place once, places ascending."""
    order = np.lexsort((keys, places))
    keys, places = keys[order], places[order]
    first = np.ones(len(keys), np.bool_)
    first[1:] = (keys[1:] != keys[:-1]) | (places[1:] != places[:-1])
    return keys[first], places[first]


def _digests(texts: Sequence[str]) -> Shingles:
    """64 bits of each text, but for case and white space."""
    folded = (" ".join(text.casefold().split()) for text in texts)
    data = b"".join(
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest() for text in folded
    )
    return np.frombuffer(data, np.uint64)


def _firsts(owners: npt.NDArray[np.int64], places: Places) -> Iterator[tuple[int, int]]:
    """Each place once, with the first of its owners."""
    order = np.lexsort((owners, places))
    found, first = np.unique(places[order], return_index=True)
    return zip(found.tolist(), owners[order[first]].tolist(), strict=True)


def _evidence(text: str, where: str) -> Evidence:
    return Evidence(where, text[:_EXCERPT])
