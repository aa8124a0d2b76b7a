"""What a kept lexical index holds: terms, postings, lengths."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import DataError
from beirkit.retrievers.base import Facts
from beirkit.retrievers.lexical.postings import Postings

LUCENE_NOTE = "anserini.json"
"""What lies in the folder of an index of Lucene's."""

_SHOWN = 10
"""Terms of the most documents that are named."""


def is_index(folder: Path) -> bool:
    """Whether a folder is one of those that lexical indexes are kept in."""
    return (folder / "index.json").is_file() or (folder / LUCENE_NOTE).is_file()


def index_stats(folder: Path) -> Facts:
    """Describe an index without searching it.

    Returns:
        ``retriever`` (its resolved options), ``documents``, ``terms``, ``postings``, ``bytes``, ``lengths``
        (terms of a document, repeated ones counted) and, field by field, what else there is to tell.

    Raises:
        DataError: the folder holds no complete index, a damaged one, or one of Lucene's.
    """
    if (folder / LUCENE_NOTE).is_file():
        raise DataError(
            "is an index of Lucene's, which its own tools describe",
            path=folder,
            hint=f"{LUCENE_NOTE} in it says of which documents and analyzer",
        )
    try:
        note = json.loads((folder / "index.json").read_text(encoding="ascii"))
        facts, fields = note["facts"], range(note["fields"])
        told: Facts = {"retriever": note.get("identity", {})}
        sums = note["crc32"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(
            f"is no complete index: {error}", path=folder, hint="remove it; it is built again"
        ) from error
    if sums != checksums(folder):
        raise DataError(
            "is damaged: its checksums are not those that were written",
            path=folder,
            hint="remove it; it is built again",
        )
    described = [_field(Postings.load(folder / f"field-{number}")) for number in fields]
    told |= {name: facts[name] for name in ("documents", "terms", "postings", "lengths") if name in facts}
    told["documents_without_terms"] = facts.get("documents_without_terms", 0)
    told["bytes"] = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    told["fields"] = described
    return told


def rows(stats: Facts) -> list[tuple[str, str]]:
    """What people read of :func:`index_stats`."""
    retriever = stats["retriever"]
    found = [
        (name, str(retriever[name]))
        for name in ("kind", "variant", "k1", "b", "template", "fields")
        if name in retriever
    ]
    for name in ("documents", "documents_without_terms", "terms", "postings", "bytes"):
        found.append((name.replace("_", " "), f"{stats[name]:,}"))
    if "lengths" in stats:
        found.append(("terms of a document", _told(stats["lengths"])))
    for number, field in enumerate(stats["fields"]):
        which = f", field {number + 1}" if len(stats["fields"]) > 1 else ""
        if which:
            found.append((f"terms{which}", f"{field['terms']:,} with {field['postings']:,} postings"))
        for name in ("different_terms_of_a_document", "documents_of_a_term"):
            found.append((name.replace("_", " ") + which, _told(field[name])))
        found.append((f"terms of one document alone{which}", f"{field['terms_of_one_document']:,}"))
        frequent = ", ".join(f"{term} {count:,}" for term, count in field["most_frequent"].items())
        found.append((f"in most documents{which}", frequent))
    return found


def _field(postings: Postings) -> Facts:
    """Terms, postings and their distribution in one field."""
    frequencies = np.diff(postings.indptr)
    distinct = np.zeros(len(postings.doc_ids), dtype=np.int64)
    np.add.at(distinct, postings.docs, 1)
    order = np.argsort(-frequencies, kind="stable")[:_SHOWN]
    names = {number: term for term, number in postings.vocabulary.items() if number in set(order.tolist())}
    return {
        "terms": postings.n_terms,
        "postings": len(postings.docs),
        **postings.statistics,
        "documents_of_a_term": spread(frequencies),
        "terms_of_one_document": int((frequencies == 1).sum()),
        "different_terms_of_a_document": spread(distinct),
        "most_frequent": {
            names.get(number, str(number)): int(frequencies[number]) for number in order.tolist()
        },
    }


def _told(spread_of: Facts) -> str:
    return f"mean {spread_of['mean']:.1f}, median {spread_of['median']:g}, at most {spread_of['max']:,}"


def spread(values: npt.NDArray[Any]) -> Facts:
    """Mean, median and maximum; zeros of nothing."""
    if not len(values):
        return {"mean": 0.0, "median": 0.0, "max": 0}
    return {"mean": float(values.mean()), "median": float(np.median(values)), "max": int(values.max())}


def checksums(folder: Path) -> dict[str, int]:
    """CRC-32 of each file in the folders of a folder."""
    found = {}
    for path in sorted(folder.glob("*/*")):
        total = 0
        with path.open("rb") as stream:
            while part := stream.read(1 << 20):
                total = zlib.crc32(part, total)
        found[f"{path.parent.name}/{path.name}"] = total
    return found
