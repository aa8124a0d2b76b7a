"""Texts of web pages that a user captured, by address: what turns a list of addresses into a corpus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from beirkit.converters.reading.readers import read_jsonl
from beirkit.corpora.notices import Warn
from beirkit.corpora.records import Document
from beirkit.corpora.supporting import EquivalentCopy
from beirkit.corpora.urls import UrlPolicy, document_url


def page_documents(
    paths: Mapping[Path, tuple[str, ...]], names: Mapping[str, str], policy: UrlPolicy, say: Warn
) -> Iterator[Document]:
    """One document for each page, the first text that is found for it.

    Args:
        paths: JSON lines with ``url``, ``title`` and a text; for each file the keys of the text, the
            preferred one first.
        names: canonical name of a document by that of its copies.
        policy: when two addresses are one document.
        say: told how many lines were left out.
    """
    seen: set[str] = set()
    for path, keys in paths.items():
        empty = invalid = 0
        for row in read_jsonl(path):
            if not row.cells.get("url"):
                continue  # a query that got no results
            url = row.text("url")
            found = document_url(url, policy)
            text = next((row.text(key) for key in keys if row.cells.get(key)), "")
            invalid += found.tier == "invalid"
            empty += not text
            name = names.get(found.canonical, found.canonical)
            if found.tier == "invalid" or not text or name in seen:
                continue
            seen.add(name)
            title = row.text("title") if "title" in row.cells else ""
            yield Document(name, title, text, {"url": url})
        if invalid or empty:
            say(f"{path}: {empty:,} pages without text and {invalid:,} without an address are left out")


def read_copies(path: Path) -> dict[str, list[EquivalentCopy]]:
    """The verified copies of each reference, by the reference's address as its publisher wrote it.

    Raises:
        DataError: a line is no such record; with path and line.
    """
    found: dict[str, list[EquivalentCopy]] = {}
    for row in read_jsonl(path):
        try:
            copy = msgspec.convert(row.cells, EquivalentCopy)
        except msgspec.ValidationError as error:
            raise row.error(f"is no verified copy: {error}") from error
        found.setdefault(copy.reference_url, []).append(copy)
    return found
