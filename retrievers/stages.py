"""The stages of a pipeline: the corpus is read once for all of them, and what each of them finds is kept.

A stage's run is kept in the store under its identity, the corpus, the queries and the depth. Where it is
there, the stage neither indexes nor searches.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from beirkit.corpora.records import Document, Query
from beirkit.corpora.run import Run
from beirkit.retrievers.base import Facts, Workplace
from beirkit.retrievers.calls import empty_corpus, known_length, repeated_id
from beirkit.retrievers.nested import Stage, named
from beirkit.retrievers.store import Section, Store, blocks, text_key


class Spooled:
    """A corpus that was read once and can be read again, from a temporary file.

    Args:
        documents: ids, titles and texts; metadata, of which no score may depend, are not kept.
        workplace: reports progress.

    Raises:
        DataError: there is no document, or an id occurs twice.
    """

    def __init__(self, documents: Iterable[Document], workplace: Workplace) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="beirkit-corpus-")
        self._path = Path(self._folder.name) / "corpus"
        self.doc_ids: list[str] = []
        digest = hashlib.sha256()
        encoder = msgspec.msgpack.Encoder()
        with (
            self._path.open("wb") as out,
            workplace.progress("index", known_length(documents), "documents") as advance,
        ):
            for part in blocks(documents):
                # a title may be missing where a library made the document
                fields = [(d.doc_id, d.title or "", d.text or "") for d in part]
                line = encoder.encode(fields)
                digest.update(line)
                out.write(len(line).to_bytes(8, "little") + line)
                self.doc_ids += [doc_id for doc_id, _, _ in fields]
                advance(len(part))
        if not self.doc_ids:
            raise empty_corpus()
        self.places = {doc_id: place for place, doc_id in enumerate(self.doc_ids)}
        if len(self.places) < len(self.doc_ids):
            twice = next(d for place, d in enumerate(self.doc_ids) if self.places[d] != place)
            raise repeated_id(twice)
        self.key = digest.hexdigest()

    def __len__(self) -> int:
        """Number of documents."""
        return len(self.doc_ids)

    def __iter__(self) -> Iterator[Document]:
        """Every document, in the order given."""
        decoder = msgspec.msgpack.Decoder(list[tuple[str, str, str]])
        with self._path.open("rb") as stream:
            while head := stream.read(8):
                for fields in decoder.decode(stream.read(int.from_bytes(head, "little"))):
                    yield Document(*fields)


def read_twice(documents: Iterable[Document], workplace: Workplace) -> Iterable[Document]:
    """Documents that can be read more than once.

    Raises:
        DataError: there is none, or an id occurs twice.
    """
    if isinstance(documents, Spooled):
        return documents
    counting = named(workplace.progress, "counting")
    return Spooled(documents, msgspec.structs.replace(workplace, progress=counting))


class Stages:
    """Searches with the stages of a pipeline over one corpus.

    Args:
        stages: the retrievers.
        corpus: what they search.
        store: keeps their runs.
    """

    def __init__(self, stages: Sequence[Stage], corpus: Spooled, store: Store) -> None:
        self._stages, self._corpus, self._store = stages, corpus, store
        self._indexed = [False] * len(stages)
        self._reused = [False] * len(stages)
        self._reports: list[Facts] = [{} for _ in stages]

    def search(self, index: int, queries: Sequence[Query], k: int) -> Run:
        """The run of one stage; document ordinals are those of the corpus."""
        stage = self._stages[index]
        section = self._store.section("runs", {"retriever": stage.retriever.identity()})
        key = text_key([self._corpus.key, str(k), *(part for q in queries for part in (q.query_id, q.text))])
        found = _kept(section, key)
        self._reused[index] = found is not None
        if found is None:
            if not self._indexed[index]:
                stage.retriever.index(self._corpus)
                self._indexed[index] = True
            run = stage.retriever.search(queries, k)
            places = np.asarray([self._corpus.places[d] for d in run.doc_ids], dtype=np.int32)
            docs = places[run.docs] if len(run.docs) else run.docs
            # as it comes back from the store: manifests of equal work are equal bytes
            report = msgspec.json.decode(msgspec.json.encode(stage.retriever.report(), order="sorted"))
            for name, array in (("offsets", run.offsets), ("docs", docs), ("scores", run.scores)):
                section.put(f"{key}-{name}", array, report)
            found = run.offsets, docs, run.scores, report
        offsets, docs, scores, self._reports[index] = found
        ids = [query.query_id for query in queries]
        return Run(ids, self._corpus.doc_ids, offsets, docs, scores, stage.name)

    def report(self) -> list[Facts]:
        """Name and report of each stage."""
        return [{"name": s.name, "report": told} for s, told in zip(self._stages, self._reports, strict=True)]

    def costs(self) -> list[Facts]:
        """Of each stage, whether its run was in the store, and what its work took."""
        return [
            {"name": stage.name, "from_store": reused, **({} if reused else stage.retriever.costs())}
            for stage, reused in zip(self._stages, self._reused, strict=True)
        ]


def _kept(section: Section, key: str) -> tuple[Any, Any, Any, Facts] | None:
    parts = [section.get(f"{key}-{name}") for name in ("offsets", "docs", "scores")]
    offsets, docs, scores = (None if part is None else np.array(part.array) for part in parts)
    if offsets is None or docs is None or scores is None or parts[0] is None:
        return None
    return offsets, docs, scores, parts[0].facts
