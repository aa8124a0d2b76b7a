"""Ways to divide queries: by what they are like, by what is relevant to them, or by what is known of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec
import numpy as np

from beirkit.corpora.records import Document, Qrels, Query
from beirkit.corpora.words import words

PARTS = 4
"""Slices that values are divided into: by quartiles."""


class Slicing(msgspec.Struct, frozen=True, kw_only=True):
    """Queries by slice.

    Attributes:
        name: what they are divided by.
        slices: label → queries, in an order that means something; a query is in one slice or in none.
    """

    name: str
    slices: dict[str, frozenset[str]]


def by_quantiles(name: str, values: Mapping[str, float], *, parts: int = PARTS, digits: int = 0) -> Slicing:
    """Slices of about the same size, from the lowest values to the highest.

    Equal values are never parted, so there are fewer slices where few values are common. A slice is called by
    its lowest and highest value.

    Args:
        name: of the slicing.
        values: by query.
        parts: how many slices at most.
        digits: decimals in labels.
    """
    if not values:
        return Slicing(name=name, slices={})
    numbers = np.array(list(values.values()), dtype=np.float64)
    shares = np.arange(1, parts) / parts
    edges = np.unique(np.quantile(numbers, shares, method="inverted_cdf"))
    places = np.searchsorted(edges, numbers, side="left")
    ids = np.array(list(values), dtype=object)
    slices: dict[str, frozenset[str]] = {}
    for place in np.unique(places):
        inside = places == place
        low, high = (f"{end:.{digits}f}" for end in (numbers[inside].min(), numbers[inside].max()))
        label = low if low == high else f"{low}–{high}"
        slices[label] = slices.get(label, frozenset()) | frozenset(ids[inside].tolist())
    return Slicing(name=name, slices=slices)


def by_label(name: str, labels: Mapping[str, str]) -> Slicing:
    """One slice per label, the largest first, equally large ones by label."""
    slices: dict[str, set[str]] = {}
    for query_id, label in labels.items():
        slices.setdefault(label, set()).add(query_id)
    order = sorted(slices, key=lambda label: (-len(slices[label]), label))
    return Slicing(name=name, slices={label: frozenset(slices[label]) for label in order})


def query_lengths(queries: Mapping[str, str]) -> dict[str, float]:
    """Words of each query, by its text."""
    return {query_id: float(len(words(text))) for query_id, text in queries.items()}


def relevant_documents(qrels: Qrels, level: int = 1) -> dict[str, float]:
    """How many documents are relevant to each query."""
    return {q: float(sum(grade >= level for grade in row.values())) for q, row in qrels.items()}


def word_overlap(
    queries: Mapping[str, str], qrels: Qrels, documents: Iterable[Document], level: int = 1
) -> dict[str, float]:
    """The share of a query's distinct words that a relevant document has, on average over those documents.

    Words are compared as they stand, without stemming and with stop words, so that it means the same in every
    language. Queries without words and those with no relevant document in the corpus are left out.

    Args:
        queries: texts by id.
        qrels: the judgments.
        documents: the corpus, read once.
        level: lowest grade that counts as relevant.
    """
    wanted = {query_id: set(words(text)) for query_id, text in queries.items() if query_id in qrels}
    relevant: dict[str, list[str]] = {}
    for query_id, held in wanted.items():
        for doc_id, grade in qrels[query_id].items():
            if grade >= level and held:
                relevant.setdefault(doc_id, []).append(query_id)
    shares: dict[str, list[float]] = {}
    for document in documents:
        if document.doc_id not in relevant:
            continue
        its = set(words(f"{document.title} {document.text}"))
        for query_id in relevant[document.doc_id]:
            shares.setdefault(query_id, []).append(len(wanted[query_id] & its) / len(wanted[query_id]))
    return {query_id: sum(sorted(found)) / len(found) for query_id, found in shares.items()}


def metadata_labels(queries: Iterable[Query], key: str) -> dict[str, str]:
    """What queries say about themselves under a key; those that have no plain value there are left out."""
    return {
        query.query_id: str(value)
        for query in queries
        if isinstance(value := query.metadata.get(key), str | int | float | bool)
    }
