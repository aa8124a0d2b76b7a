"""Anserini's Lucene as a retriever: its jar does the work in a Java of its own."""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter
from typing import ClassVar

import msgspec
import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import WriteError
from beirkit.corpora.records import Document, Query
from beirkit.corpora.run import Run, id_ranks, ranking_order
from beirkit.retrievers.base import Facts, Retriever, Workplace
from beirkit.retrievers.calls import known_length, not_indexed, require_results
from beirkit.retrievers.lexical.anserini_jar import Engine
from beirkit.retrievers.lexical.anserini_options import AnseriniOptions
from beirkit.retrievers.lexical.index_stats import LUCENE_NOTE, checksums
from beirkit.retrievers.lexical.kept import Spool
from beirkit.retrievers.lexical.stream import require_ids, warn_unmatched, warn_without_terms
from beirkit.retrievers.store import blocks, configuration_key
from beirkit.retrievers.template import Template

logger = logging.getLogger(__name__)

_COUNTER = re.compile(r" - (indexed|unindexable|empty|skipped|errors): +([0-9,]+)$", re.MULTILINE)
_FILE = 25_000  # documents of one file; each file is read by one thread

Ints = npt.NDArray[np.int32]


class AnseriniRetriever(Retriever[AnseriniOptions]):
    """BM25 by Lucene itself, as Anserini runs it; ``bm25-lucene`` gives the same without a Java.

    Documents and queries are handed over under numbers, so that no id or text can be mistaken for anything
    else. Scores are read as Anserini prints them: rounded to four decimals, with equal ones lowered by 1e-6
    each in turn. The numbers ascend as ids descend, so that those are in the order of the one ordering rule,
    also where a tie is cut at ``k``. An index is kept in the store, whatever its size.

    Anserini leaves out documents without text; with ``fields``, those whose text is empty, whatever their
    title. They are counted in the report.
    """

    kind: ClassVar[str] = "anserini"
    summary: ClassVar[str] = "BM25 by Lucene itself through Anserini's jar, in a Java of its own"
    Options: ClassVar[type[msgspec.Struct]] = AnseriniOptions

    def __init__(self, options: AnseriniOptions, workplace: Workplace | None = None) -> None:
        super().__init__(options, workplace)
        self._template = Template("{text}" if options.fields else options.template)
        options.analysis()  # refuses what Anserini has no analyzer for
        self._engine: Engine | None = None
        self._own: tempfile.TemporaryDirectory[str] | None = None
        self._index: Path | None = None
        self._doc_ids: list[str] = []
        self._order: Ints = np.empty(0, dtype=np.int32)
        self._facts: Facts = {}
        self._costs: Facts = {}

    def identity(self) -> Facts:
        """Versions of Anserini and Java, the jar's hash, parameters, template or fields, and analyzer.

        Raises:
            UsageError: there is no jar or no Java.
        """
        options = self.options
        return {
            "kind": self.kind,
            "stage": self.stage,
            **self._found.facts(),
            "variant": "lucene",
            "lengths": "exact" if options.accurate else "quantised to one byte",
            "k1": options.k1,
            "b": options.b,
            **({"fields": options.fields} if options.fields else {"template": options.template}),
            "repeated_query_terms": "counted as often as they stand",
            "ties": "scores of four decimals, equal ones lowered by 1e-6 each",
            "analyzer": self.options.analysis(),
            **({"rm3": options.rm3.describe()} if options.rm3 is not None else {}),
        }

    def index(self, documents: Iterable[Document]) -> None:
        """Hand every document to Anserini, or take the index that was kept.

        Raises:
            DataError: there is no document, or an id occurs twice.
            UsageError: Anserini failed, or did not index what it was given.
        """
        engine, start = self._found, perf_counter()
        self._index, self._own = None, None
        doc_ids: list[str] = []
        stream = _noting(documents, doc_ids)
        with Spool(stream, known_length(documents), self.workplace) as spool:
            require_ids(doc_ids)
            self._doc_ids = doc_ids
            self._order = np.argsort(id_ranks(doc_ids)).astype(np.int32)
            settings = self._settings()
            key = configuration_key({"identity": settings, "documents": spool.key})
            if self.workplace.cache is None:
                self._own = tempfile.TemporaryDirectory(prefix="beirkit-anserini-")
                target = Path(self._own.name) / key
            else:
                target = self.workplace.cache / "indexes" / key
            facts = _kept(target)
            if facts is None:
                facts = self._build(engine, spool, target, settings, known_length(documents))
        self._index, self._facts = target / "lucene", facts
        if not facts["documents_indexed"]:
            warn_without_terms(len(doc_ids))
        size = sum(path.stat().st_size for path in self._index.iterdir())
        self._costs = {"index_bytes": size, "index_seconds": round(perf_counter() - start, 3)}

    def search(self, queries: Iterable[Query], k: int) -> Run:
        """The ``k`` best documents of each query as Anserini ranks them.

        Raises:
            UsageError: nothing has been indexed, ``k`` is less than 1, or Anserini failed.
        """
        if self._index is None:
            raise not_indexed()
        require_results(k)
        query_ids: list[str] = []
        docs: list[Ints] = []
        scores: list[npt.NDArray[np.float32]] = []
        start = perf_counter()
        with self.workplace.progress("search", known_length(queries), "queries") as advance:
            for block in blocks(queries):
                found = self._ask(self._index, [query.text for query in block], min(k, len(self._doc_ids)))
                query_ids.extend(query.query_id for query in block)
                for places, values in found:
                    docs.append(self._order[places])
                    scores.append(values)
                advance(len(block))
        self._costs["search_seconds"] = round(perf_counter() - start, 3)
        self._facts["queries_without_results"] = warn_unmatched(query_ids, docs)
        return Run.from_lists(query_ids, self._doc_ids, docs, scores, tag=self.kind)

    def report(self) -> Facts:
        """Documents that were indexed and left out, queries without results."""
        return dict(self._facts)

    def costs(self) -> Facts:
        """Bytes of the index, and seconds with the start of each Java."""
        return dict(self._costs)

    @property
    def _found(self) -> Engine:
        """The jar and the Java, looked for once."""
        if self._engine is None:
            self._engine = Engine.find()
        return self._engine

    def _settings(self) -> Facts:
        """All that an index depends on besides the documents; k1 and b are for the search."""
        options = self.options
        return {
            "kind": self.kind,
            "stage": self.stage,
            **self._found.facts(),
            "accurate": options.accurate,
            **({"fields": sorted(options.fields)} if options.fields else {"template": options.template}),
            "analyzer": self.options.analysis(),
            "docvectors": options.rm3 is not None,
        }

    def _build(
        self, engine: Engine, spool: Spool, target: Path, settings: Facts, length: int | None
    ) -> Facts:
        """Make the index under a temporary name and rename it; one that another process made first stays."""
        with ExitStack() as stack:
            unfinished, given = _folders(stack, target)
            self._write(spool, given, length)
            words = [
                *("-collection", "JsonCollection", "-generator", "DefaultLuceneDocumentGenerator"),
                *("-input", str(given / "documents"), "-index", str(unfinished / "lucene")),
                *(
                    "-threads",
                    str(os.cpu_count() or 1),
                    "-memoryBuffer",
                    str(max(16, self.options.heap // 4)),
                ),
                *(["-fields", "title"] if "title" in self.options.fields else []),
                *(["-bm25.accurate"] if self.options.accurate else []),
                *(["-storeDocvectors"] if self.options.rm3 is not None else []),
                *self.options.analysis_flags(given),
            ]
            said = engine.run("index.IndexCollection", words, heap=self.options.heap)
            counted = {name: int(value.replace(",", "")) for name, value in _COUNTER.findall(said)}
            if counted.get("indexed", -1) + counted.get("empty", 0) != len(spool):
                raise engine.failure("index.IndexCollection", said)
            facts: Facts = {
                "documents": len(spool),
                "documents_indexed": counted["indexed"],
                "documents_left_out": counted["empty"],
            }
            (unfinished / "lucene" / "write.lock").unlink(missing_ok=True)
            note = {"identity": settings, "facts": facts, "crc32": checksums(unfinished)}
            text = json.dumps(note, sort_keys=True, indent=2) + "\n"
            (unfinished / LUCENE_NOTE).write_text(text, encoding="ascii")
            unfinished.chmod(0o755)
            if not target.exists():
                os.rename(unfinished, target)  # noqa: PTH104
        return facts

    def _write(self, spool: Spool, given: Path, length: int | None) -> None:
        """The documents as Anserini reads them, each under its place in the order of ids."""
        (given / "documents").mkdir()
        width = len(str(len(spool)))
        places = np.empty_like(self._order)
        places[self._order] = np.arange(len(places), dtype=np.int32)
        title, number = Template("{title}"), 0
        try:
            with self.workplace.progress("index", length, "documents") as advance:
                for part, block in enumerate(blocks(spool, _FILE)):
                    with (given / "documents" / f"{part:06d}.jsonl").open("w", encoding="ascii") as stream:
                        for document in block:
                            row = {
                                "id": f"{places[number]:0{width}d}",
                                "contents": self._template.render(document),
                            }
                            if "title" in self.options.fields:
                                row["title"] = title.render(document)
                            stream.write(json.dumps(row) + "\n")
                            number += 1
                    advance(len(block))
        except OSError as error:
            raise WriteError(
                f"the documents cannot be set aside for Anserini: {error}",
                hint="set TMPDIR to a disk with room",
            ) from error

    def _ask(self, index: Path, texts: Sequence[str], k: int) -> list[tuple[Ints, npt.NDArray[np.float32]]]:
        """For each text the places of its documents in the order of ids, and their scores."""
        found: list[tuple[list[int], list[float]]] = [([], []) for _ in texts]
        lines = [f"{number}\t{text}\n" for number, text in enumerate(map(_one_line, texts)) if text]
        if lines:
            with tempfile.TemporaryDirectory(prefix="beirkit-anserini-") as name:
                folder = Path(name)
                (folder / "topics.tsv").write_text("".join(lines), encoding="utf-8")
                run = folder / "run.txt"
                words = ["-index", str(index), "-topics", str(folder / "topics.tsv"), "-output", str(run)]
                words += ["-topicReader", "TsvInt", "-hits", str(k), "-threads", str(os.cpu_count() or 1)]
                said = self._found.run(
                    "search.SearchCollection",
                    [*words, *self.options.ranking_flags(), *self.options.analysis_flags(folder)],
                    heap=self.options.heap,
                )
                if not run.is_file():  # it ends with 0 where it cannot read the index or the queries
                    raise self._found.failure("search.SearchCollection", said)
                for line in run.read_text(encoding="ascii").splitlines():
                    number, _, place, _, score, _ = line.split()
                    found[int(number)][0].append(int(place))
                    found[int(number)][1].append(float(score))
        return [_ordered(np.array(a, dtype=np.int32), np.array(b, dtype=np.float32)) for a, b in found]


def _noting(documents: Iterable[Document], doc_ids: list[str]) -> Iterable[Document]:
    for document in documents:
        doc_ids.append(document.doc_id)
        yield document


def _one_line(text: str) -> str:
    """A query without what would end its line or be no UTF-8; none of that is part of a word."""
    return " ".join(text.encode("utf-8", "replace").decode("utf-8").split())


def _ordered(places: Ints, scores: npt.NDArray[np.float32]) -> tuple[Ints, npt.NDArray[np.float32]]:
    order = ranking_order(scores, places)
    return places[order], scores[order]


def _folders(stack: ExitStack, target: Path) -> tuple[Path, Path]:
    """A new folder beside the index that is to be, and one for what Anserini is given; both go in the end."""
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    stack.callback(shutil.rmtree, unfinished, ignore_errors=True)
    given = Path(tempfile.mkdtemp(prefix="beirkit-anserini-"))
    stack.callback(shutil.rmtree, given, ignore_errors=True)
    return unfinished, given


def _kept(folder: Path) -> Facts | None:
    """The facts of a kept index, or ``None`` where none can be trusted; such a one is removed."""
    if not folder.exists():
        return None
    try:
        note = json.loads((folder / LUCENE_NOTE).read_text(encoding="ascii"))
        facts: Facts = dict(note["facts"])
        if note["crc32"] == checksums(folder):
            logger.info("the index is taken from %s", folder)
            return facts
        problem = "its checksums are not those that were written"
    except (OSError, ValueError, KeyError, TypeError) as error:
        problem = str(error)
    logger.warning("the index in %s is damaged and is made again: %s", folder, problem)
    shutil.rmtree(folder, ignore_errors=True)
    return None
