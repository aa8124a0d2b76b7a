"""Lexical indexes that are kept: made once for the same documents and settings, then mapped into memory."""

from __future__ import annotations

import json
import logging
import os
import pickle
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import chain, islice
from pathlib import Path
from tempfile import mkdtemp
from typing import IO

import numpy as np

from beirkit.corpora.errors import DataError, WriteError
from beirkit.corpora.records import Document
from beirkit.retrievers.base import Facts, Workplace
from beirkit.retrievers.calls import known_length
from beirkit.retrievers.lexical.index_stats import checksums
from beirkit.retrievers.lexical.postings import Postings
from beirkit.retrievers.store import blocks, configuration_key, text_key

logger = logging.getLogger(__name__)

WORTH_KEEPING = 20_000
"""Documents from which on an index is kept; fewer are indexed again in seconds."""


@dataclass(frozen=True, eq=False)
class Index:
    """The postings of each field, and what was found out while they were made."""

    fields: tuple[Postings, ...]
    facts: Facts


def kept_or_built(
    documents: Iterable[Document],
    workplace: Workplace,
    identity: Facts,
    build: Callable[[Iterable[Document]], Index],
) -> Index:
    """The index of a stream of documents, from the store where it was made before.

    The documents are read to their end into a temporary file, for what is kept goes by their content. Few of
    them go straight to ``build``, and so do all of them without a store.

    Args:
        documents: ids, titles and texts, in their order.
        workplace: where the store is.
        identity: everything the index depends on besides the documents.
        build: makes it.
    """
    if workplace.cache is None:
        return build(documents)
    length, stream = known_length(documents), iter(documents)
    first = list(islice(stream, WORTH_KEEPING))
    if len(first) < WORTH_KEEPING:
        return build(first)
    with Spool(chain(first, stream), length, workplace) as spool:
        del first
        key = configuration_key({"identity": identity, "documents": spool.key})
        folder = workplace.cache / "indexes" / key
        found = _load(folder)
        if found is not None:
            logger.info("the index is taken from %s", folder)
            return found
        index = build(spool)
    try:
        _save(index, folder, identity)
        logger.info("the index is kept in %s", folder)
    except OSError as error:
        logger.warning("the index cannot be kept in %s: %s", folder, error)
        return index
    return _load(folder) or index


class Spool:
    """The documents of a stream in a temporary file, to be read again, and a key of their content.

    Args:
        documents: ids, titles and texts, in their order.
        length: how many there are, where that is known.
        workplace: opens a progress display.
    """

    def __init__(self, documents: Iterable[Document], length: int | None, workplace: Workplace) -> None:
        self._file: IO[bytes] = tempfile.TemporaryFile(prefix="beirkit-documents-")  # noqa: SIM115
        self._length = self._blocks = 0
        digest = sha256()
        with workplace.progress("read", length, "texts") as advance:
            for block in blocks(documents):
                rows = [(document.doc_id, document.title or "", document.text or "") for document in block]
                digest.update(text_key([field for row in rows for field in row]).encode())
                self._write(rows)
                self._blocks += 1
                self._length += len(rows)
                advance(len(rows))
        self.key = digest.hexdigest()

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Document]:
        self._file.seek(0)
        for _ in range(self._blocks):
            # This process wrote the file, and nobody else can open it: it has no name.
            yield from (Document(*row) for row in pickle.load(self._file))

    def _write(self, rows: list[tuple[str, str, str]]) -> None:
        try:
            pickle.dump(rows, self._file)
        except OSError as error:
            raise WriteError(
                f"the documents cannot be set aside while their index is looked for: {error}",
                hint="set TMPDIR to a disk with room, or keep nothing (--no-cache)",
            ) from error

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def _save(index: Index, folder: Path, identity: Facts) -> None:
    """Write an index under a temporary name and rename it; one that another process made first stays."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        for number, postings in enumerate(index.fields):
            postings.save(unfinished / f"field-{number}")
        note = {
            "identity": identity,
            "facts": index.facts,
            "fields": len(index.fields),
            "crc32": checksums(unfinished),
        }
        text = json.dumps(note, sort_keys=True, indent=2) + "\n"
        (unfinished / "index.json").write_text(text, encoding="ascii")
        unfinished.chmod(0o755)
        if not folder.exists():
            os.rename(unfinished, folder)  # noqa: PTH104
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _load(folder: Path) -> Index | None:
    """The index in a folder, or ``None`` where there is none that can be trusted; such a one is removed."""
    if not folder.exists():
        return None
    try:
        note = json.loads((folder / "index.json").read_text(encoding="ascii"))
        if note["crc32"] != checksums(folder):
            raise DataError("its checksums are not those that were written", path=folder)
        fields = tuple(_plain(Postings.load(folder / f"field-{number}")) for number in range(note["fields"]))
        return Index(fields, note["facts"])
    except (OSError, ValueError, KeyError, TypeError, DataError) as error:
        logger.warning("the index in %s is damaged and is made again: %s", folder, error)
        shutil.rmtree(folder, ignore_errors=True)
        return None


def _plain(postings: Postings) -> Postings:
    """The same arrays over the same maps, without numpy's slow class for mapped ones."""
    return replace(
        postings,
        indptr=np.asarray(postings.indptr),
        docs=np.asarray(postings.docs),
        weights=np.asarray(postings.weights),
        counts=None if postings.counts is None else np.asarray(postings.counts),
    )
