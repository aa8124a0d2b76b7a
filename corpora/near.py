"""Pairs of texts that are nearly the same, found by MinHash and verified by their very shingles.

Signatures are never held: the keys of each band are written to a temporary file of its own, 8 bytes per text,
and the bands are looked at one after the other.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from typing import IO, NamedTuple

import numpy as np
import numpy.typing as npt

from beirkit.corpora.shingles import Shingler, Shingles, jaccard, mixed

BANDS, ROWS = 16, 4
"""A pair of similarity s shares a band with a chance of 1 - (1 - s^ROWS)^BANDS: 0.9998 for s = 0.8."""

_WINDOW = 20  # texts of one band's bucket that each is compared with: all pairs of buckets up to this size
_AT_ONCE = 1 << 23  # shingles held while pairs are verified: 64 MB

Pairs = npt.NDArray[np.uint64]


class Near(NamedTuple):
    """Two texts, by their place in the source, and the Jaccard similarity of their shingles."""

    one: int
    two: int
    similarity: float


class Signer:
    """MinHash of texts, a key for each band: texts that are nearly the same are likely to share one.

    Args:
        seed: of the hash functions.
    """

    def __init__(self, seed: int = 1) -> None:
        draw = np.random.default_rng(seed)
        self._factors = draw.integers(0, 1 << 63, BANDS * ROWS, np.uint64) * np.uint64(2) + np.uint64(1)
        self._addends = draw.integers(0, 1 << 63, BANDS * ROWS, np.uint64)

    def keys(self, shingles: Shingles, counts: npt.NDArray[np.int64]) -> Iterator[Shingles]:
        """For each band ``(n_texts,) uint64``.

        Args:
            shingles: of all texts, one after the other.
            counts: how many are of each text, none of them 0.
        """
        starts = np.cumsum(counts) - counts
        for band in range(BANDS):
            key = np.zeros(len(counts), np.uint64)
            for row in range(band * ROWS, (band + 1) * ROWS):
                hashed = shingles * self._factors[row] + self._addends[row]
                key = mixed(key ^ np.minimum.reduceat(hashed, starts))
            yield key


def near_pairs(
    texts: Callable[[], Iterable[tuple[Sequence[int], Sequence[str]]]], *, threshold: float, seed: int = 1
) -> list[Near]:
    """Pairs of texts whose similarity is at least ``threshold``, by their places.

    Args:
        texts: starts a pass of blocks of places, ascending over the whole pass, and their texts.
        threshold: similarity from which a pair is told.
        seed: of the hash functions.
    """
    with ExitStack() as stack:
        bands = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(BANDS)]
        places, counts = _write_bands(texts(), bands, seed)
        candidates = np.empty(0, np.uint64)
        for band in bands:
            candidates = np.union1d(candidates, _candidates(band, places))
    found: list[Near] = []
    for part in _parts(candidates, places, counts):
        found += _verified(texts(), part, threshold)
    return sorted(found)


def _write_bands(
    blocks: Iterable[tuple[Sequence[int], Sequence[str]]], bands: Sequence[IO[bytes]], seed: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Write every text's key of each band; the places of texts with words, and their numbers of shingles."""
    signer, shingler = Signer(seed), Shingler()
    all_places, all_counts = list[npt.NDArray[np.int64]](), list[npt.NDArray[np.int64]]()
    for places, texts in blocks:
        shingles, counts = shingler.shingles(texts)
        has_words = counts > 0
        counts = counts[has_words]
        if not counts.size:
            continue
        all_places.append(np.array(places, np.int64)[has_words])
        all_counts.append(counts)
        for stream, keys in zip(bands, signer.keys(shingles, counts), strict=True):
            stream.write(keys.tobytes())
    if not all_places:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    return np.concatenate(all_places), np.concatenate(all_counts)


def _candidates(band: IO[bytes], places: npt.NDArray[np.int64]) -> Pairs:
    """Pairs of places with one key, as ``first << 32 | second``."""
    band.seek(0)
    keys = np.frombuffer(band.read(), np.uint64)
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    found = []
    for distance in range(1, _WINDOW):
        same = np.flatnonzero(keys[distance:] == keys[:-distance])
        if not same.size:
            break
        first, second = places[order[same]], places[order[same + distance]]
        found.append((first.astype(np.uint64) << np.uint64(32)) | second.astype(np.uint64))
    return np.concatenate(found) if found else np.empty(0, np.uint64)


def _parts(pairs: Pairs, places: npt.NDArray[np.int64], counts: npt.NDArray[np.int64]) -> Iterator[Pairs]:
    """The pairs in parts of which all shingles can be held."""
    weights = np.cumsum(
        counts[np.searchsorted(places, _first(pairs))] + counts[np.searchsorted(places, _second(pairs))]
    )
    part = weights // _AT_ONCE
    return (one for one in np.split(pairs, np.flatnonzero(np.diff(part)) + 1) if one.size)


def _verified(
    blocks: Iterable[tuple[Sequence[int], Sequence[str]]], pairs: Pairs, threshold: float
) -> Iterator[Near]:
    wanted = set(_first(pairs).tolist()) | set(_second(pairs).tolist())
    shingler = Shingler()
    sets: dict[int, Shingles] = {}
    for places, texts in blocks:
        chosen = [(place, text) for place, text in zip(places, texts, strict=True) if place in wanted]
        if chosen:
            shingles, counts = shingler.shingles([text for _, text in chosen])
            parts = np.split(shingles, np.cumsum(counts)[:-1])
            sets.update((place, np.unique(part)) for (place, _), part in zip(chosen, parts, strict=True))
    for one, two in zip(_first(pairs).tolist(), _second(pairs).tolist(), strict=True):
        similarity = jaccard(sets[one], sets[two])
        if similarity >= threshold:
            yield Near(one, two, similarity)


def _first(pairs: Pairs) -> npt.NDArray[np.int64]:
    return (pairs >> np.uint64(32)).astype(np.int64)


def _second(pairs: Pairs) -> npt.NDArray[np.int64]:
    return (pairs & np.uint64(0xFFFFFFFF)).astype(np.int64)
