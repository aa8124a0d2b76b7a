"""What is wrong with a folder's texts, compared with each other: ``beirkit check --deep``."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from beirkit.corpora.check_records import DOCUMENTS, readable
from beirkit.corpora.deep_queries import check_queries
from beirkit.corpora.deep_twins import Twins, check_twins
from beirkit.corpora.findings import Report
from beirkit.corpora.keys import IdSet, KeyTable
from beirkit.corpora.near import Near, near_pairs
from beirkit.corpora.progress import Progress
from beirkit.corpora.records import Document

NEAR = 0.8
"""Share of their five-word shingles from which two documents are called nearly the same."""


def check_deep(
    folder: Path, corpus: Path, queries: Path, qrels: Mapping[str, Path], report: Report, progress: Progress
) -> None:
    """Tell documents, and then queries, that are the same or nearly the same.

    Args:
        folder: the folder.
        corpus: its documents, which could be read.
        queries: its queries, which could be read.
        qrels: its judgments by split.
        report: told of every defect.
        progress: told of every document of every pass.
    """
    passes = _Passes(corpus, progress)
    copies = _copies(passes)
    again = {copy for copy, _ in copies}
    pairs = near_pairs(lambda: passes.texts("comparing", without=again), threshold=NEAR)
    named = _named(
        passes, {place for copy in copies for place in copy} | {p for near in pairs for p in near[:2]}
    )
    for place, first in copies:
        (doc_id, line), (other, line_of_other) = named[place], named[first]
        if doc_id != other:
            found = f"document {doc_id!r} has the text of {other!r} on line {line_of_other}"
            todo = "a run that ranks one ranks both; judge both alike"
            report.add("BK050", corpus.name, line, found, todo, key=f"{other}\t{doc_id}")
    for near in pairs:
        (other, line_of_other), (doc_id, line) = named[near.one], named[near.two]
        if doc_id != other:
            found = (
                f"document {doc_id!r} is {near.similarity:.0%} the same as {other!r} on line {line_of_other}"
            )
            todo = "judgments of one say much about the other"
            report.add("BK051", corpus.name, line, found, todo, key=f"{other}\t{doc_id}")
    twins = _twins(copies, pairs, {place: doc_id for place, (doc_id, _) in named.items()})
    for split, path in qrels.items():
        check_twins(split, path, path.relative_to(folder).as_posix(), twins, report)
    check_queries(queries, qrels, report)


class _Passes:
    """Reads a corpus from the start as often as needed, each id once; a place is a record's number from 0."""

    def __init__(self, path: Path, progress: Progress) -> None:
        self._path = path
        self._progress = progress

    def documents(self, label: str) -> Iterator[tuple[list[int], list[int], list[Document]]]:
        """Places, lines and documents, block by block."""
        seen = IdSet()
        place = 0
        with self._progress(f"{label} documents", None, "documents") as advance:
            for numbers, documents in readable(self._path, DOCUMENTS):
                advance(len(documents))
                new = seen.add_all([document.doc_id for document in documents]).tolist()
                rows = [
                    (place + at, numbers[at], document) for at, document in enumerate(documents) if new[at]
                ]
                place += len(documents)
                if rows:
                    places, lines, kept = zip(*rows, strict=True)
                    yield list(places), list(lines), list(kept)

    def texts(self, label: str, *, without: set[int]) -> Iterator[tuple[Sequence[int], Sequence[str]]]:
        """Places and texts, title first, without the documents at some places."""
        for places, _, documents in self.documents(label):
            rows = [
                (place, f"{document.title} {document.text}")
                for place, document in zip(places, documents, strict=True)
                if place not in without
            ]
            if rows:
                chosen, texts = zip(*rows, strict=True)
                yield chosen, texts


def _copies(passes: _Passes) -> list[tuple[int, int]]:
    """Documents whose text, but for case and white space, came before: place, and place of the first.

    A text is known by 128 bits.
    """
    table = KeyTable(keys=2, values=1)
    copies: list[tuple[int, int]] = []
    for places, _, documents in passes.documents("reading"):
        texts = [" ".join(f"{document.title} {document.text}".casefold().split()) for document in documents]
        filled = [at for at, text in enumerate(texts) if text]
        if not filled:
            continue
        digests = b"".join(
            hashlib.blake2b(texts[at].encode("utf-8"), digest_size=16).digest() for at in filled
        )
        keys = np.frombuffer(digests, np.uint64).reshape(-1, 2).T.copy()
        keys[0][keys[0] == 0] = 1
        rows = np.vstack([keys, np.array([places[at] for at in filled], np.uint64)])
        new, first = table.add(rows)
        copies += [(places[filled[at]], int(first[0, at])) for at in np.flatnonzero(~new).tolist()]
    return copies


def _named(passes: _Passes, wanted: set[int]) -> dict[int, tuple[str, int]]:
    """Id and line of the documents at some places."""
    named: dict[int, tuple[str, int]] = {}
    if not wanted:
        return named
    for places, lines, documents in passes.documents("naming"):
        for place, line, document in zip(places, lines, documents, strict=True):
            if place in wanted:
                named[place] = (document.doc_id, line)
    return named


def _twins(copies: Sequence[tuple[int, int]], pairs: Sequence[Near], ids: Mapping[int, str]) -> Twins:
    """For every id, the ids of the documents that are the same or nearly so, with their similarity."""
    same: dict[int, list[int]] = {}
    for place, first in copies:
        same.setdefault(first, [first]).append(place)
    twins: Twins = {}
    for group in same.values():
        for one in group:
            twins.setdefault(ids[one], {}).update({ids[two]: 1.0 for two in group if two != one})
    for near in pairs:
        for one in same.get(near.one, [near.one]):
            for two in same.get(near.two, [near.two]):
                twins.setdefault(ids[one], {})[ids[two]] = near.similarity
                twins.setdefault(ids[two], {})[ids[one]] = near.similarity
    return twins
