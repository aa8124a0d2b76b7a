"""A run file as a retriever: what another system found, scored, fused and reranked like our own."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

import msgspec
import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.files import sha256_file
from beirkit.corpora.records import Document, Query
from beirkit.corpora.run import Run
from beirkit.corpora.run_files import read_run
from beirkit.retrievers.base import Facts, Retriever, Workplace
from beirkit.retrievers.calls import listed_ids, not_indexed, require_results

logger = logging.getLogger(__name__)


class RunFileOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`RunFileRetriever`.

    Attributes:
        path: a TREC run, ``run.jsonl`` or any other form of run that is read, compressed or not.
        unknown: what is done about results that the corpus lacks: ``refuse`` them, or ``keep`` their ranks
            and count them in the report, as when the file is scored.
    """

    path: str
    unknown: str = "refuse"


class RunFileRetriever(Retriever[RunFileOptions]):
    """Gives the lists that a file has for the queries, by their ids; texts are not looked at.

    Scores are kept as float32, in which results that differ only beyond it are tied.
    """

    kind: ClassVar[str] = "run"
    summary: ClassVar[str] = "the lists of a run file, written -r run:PATH; what another system found"
    Options = RunFileOptions

    def __init__(self, options: RunFileOptions, workplace: Workplace | None = None) -> None:
        super().__init__(options, workplace)
        if options.unknown not in ("refuse", "keep"):
            raise UsageError(f"unknown is {options.unknown!r}", hint="refuse or keep")
        self._doc_ids: set[str] = set()
        self._found: Facts = {}

    def identity(self) -> Facts:
        """The hash of the file.

        Raises:
            UsageError: there is no such file.
        """
        path = Path(self.options.path).expanduser()
        if not path.is_file():
            raise UsageError("there is no such run file", path=self.options.path)
        return {
            "kind": self.kind,
            "stage": self.stage,
            "sha256": sha256_file(path),
            "unknown": self.options.unknown,
        }

    def index(self, documents: Iterable[Document]) -> None:
        """Learn which documents there are.

        Raises:
            DataError: the corpus is empty.
        """
        self._doc_ids = set()  # a corpus that is refused leaves the one before it no longer searchable
        self._doc_ids = listed_ids(documents, self.workplace)

    def search(self, queries: Iterable[Query], k: int) -> Run:
        """The first ``k`` results of each query in the file.

        Raises:
            UsageError: nothing is indexed, or ``k`` is below 1.
            DataError: the file cannot be read, has none of the queries, or has results that the corpus lacks.
        """
        if not self._doc_ids:
            raise not_indexed()
        require_results(k)
        wanted = [query.query_id for query in queries]
        whole = read_run(Path(self.options.path).expanduser())
        places = {query_id: place for place, query_id in enumerate(whole.query_ids)}
        absent = [query_id for query_id in wanted if query_id not in places]
        if wanted and len(absent) == len(wanted):
            raise DataError(
                f"has none of the {len(wanted)} queries, such as {wanted[0]!r}",
                path=self.options.path,
                hint="is it a run over another split or dataset?",
            )
        if absent:
            logger.warning(
                "%s has no list for %d of %d queries, such as %r",
                self.options.path, len(absent), len(wanted), absent[0],
            )  # fmt: skip
        docs: list[npt.NDArray[np.int32]] = []
        scores: list[npt.NDArray[np.float32]] = []
        with self.workplace.progress("search", len(wanted), "queries") as advance:
            for query_id in wanted:
                place = places.get(query_id)
                own = whole.results(place) if place is not None else (whole.docs[:0], whole.scores[:0])
                docs.append(own[0])
                scores.append(own[1].astype(np.float32))
                advance(1)
        run = Run.from_lists(wanted, whole.doc_ids, docs, scores, tag=self.kind)
        self._found = {"tag": whole.tag, "queries_missing": absent, "unknown": self._unknown(run)}
        return run.ordered().top(k)

    def report(self) -> Facts:
        """The file's tag, queries that it has no list for, and how many results the corpus lacks."""
        return self._found

    def _unknown(self, run: Run) -> int:
        lacking = np.array([doc_id not in self._doc_ids for doc_id in run.doc_ids], dtype=bool)
        count = int(lacking[run.docs].sum()) if len(lacking) else 0
        if count and self.options.unknown == "refuse":
            first = run.doc_ids[int(run.docs[lacking[run.docs]][0])]
            raise DataError(
                f"{count} results are documents that the corpus lacks, such as {first!r}",
                path=self.options.path,
                hint="is it a run over another corpus? Its results are kept with unknown: keep",
            )
        if count:
            logger.warning(
                "%s: %d results are not in the corpus; they keep their ranks", self.options.path, count
            )
        return count
