"""A part of a collection to try things out on, drawn the same way whatever the order of the source."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from heapq import nsmallest

import msgspec

from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import UsageError
from beirkit.corpora.records import Qrels


def require_seed(seed: int) -> None:
    """Refuse a seed that not every generator of random numbers takes.

    Raises:
        UsageError: it is negative.
    """
    if seed < 0:
        raise UsageError(f"the seed {seed} is negative", hint="seeds are whole numbers from 0")


def sample(
    collection: Collection,
    split: str,
    *,
    queries: int | None = None,
    docs: int | None = None,
    seed: int = 1,
) -> Collection:
    """Some judged queries of one split, every document judged for them, and others up to a number.

    A query or document is drawn by a hash of the seed and its id, so neither the order of the source nor
    its other records decide. Judged documents are never left out: where they alone are more than ``docs``,
    there are more than ``docs``. Scores on a sample stand for nothing but the sample, since there is less to
    find wrongly; its provenance says what it is.

    Args:
        collection: where to draw from.
        split: the split whose judgments count; the sample has no other.
        queries: judged queries to draw; None, or more than there are: all.
        docs: documents to keep; None: all.
        seed: seed of the draw.

    Raises:
        UsageError: a number is below 1, the seed is negative, or there is no such split.
    """
    require_seed(seed)
    for name, number in (("queries", queries), ("docs", docs)):
        if number is not None and number < 1:
            raise UsageError(f"a sample of {number} {name} holds nothing", hint="ask for 1 or more")
    qrels = collection.qrels(split)
    chosen = drawn_queries(qrels, queries, seed)
    judged = {doc_id for query_id in chosen for doc_id in qrels[query_id]}
    kept = None if docs is None else _documents(collection, judged, docs, seed)
    options = {"split": split, "queries": queries, "docs": docs, "seed": seed}
    old, spans = collection.provenance, collection.spans.get(split)
    return Collection(
        documents=lambda: (d for d in collection.documents() if kept is None or d.doc_id in kept),
        queries=lambda: (query for query in collection.queries() if query.query_id in chosen),
        judgments={split: lambda: (j for j in collection.judgments(split) if j.query_id in chosen)},
        spans={split: lambda: (s for s in spans() if s.query_id in chosen)} if spans else None,
        provenance=msgspec.structs.replace(
            old, source=f"sample of {old.source}", options={**old.options, "sample": options}
        ),
    )


def drawn_queries(qrels: Qrels, number: int | None, seed: int) -> set[str]:
    """The judged queries that :func:`sample` draws; None: all."""
    return _draw((query_id for query_id, row in qrels.items() if row), number, f"query {seed} ")


def _documents(collection: Collection, judged: set[str], docs: int, seed: int) -> set[str]:
    """The judged documents of the corpus and as many others as are missing to ``docs``."""
    present = {document.doc_id for document in collection.documents() if document.doc_id in judged}
    others = (document.doc_id for document in collection.documents() if document.doc_id not in judged)
    room = docs - len(present)
    return present | _draw(others, room, f"document {seed} ") if room > 0 else present


def _draw(ids: Iterable[str], number: int | None, salt: str) -> set[str]:
    if number is None:
        return set(ids)
    return set(nsmallest(number, ids, key=lambda value: _place(salt, value)))


def _place(salt: str, value: str) -> bytes:
    return hashlib.blake2b(f"{salt}{value}".encode(), digest_size=16).digest()
