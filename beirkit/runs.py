"""From what a user calls a run to ranked lists: a run file, or a result folder and what it tells."""

from __future__ import annotations

import logging
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.provider_results import is_provider_results
from beirkit.corpora.records import Qrels
from beirkit.corpora.run import Run
from beirkit.corpora.run_files import read_run
from beirkit.corpora.sample import drawn_queries
from beirkit.evaluate.exclusions import without_excluded
from beirkit.exam import Sample

_log = logging.getLogger(__name__)

RUN_FILES = ("run.trec.gz", "run.jsonl.gz")
"""Names under which a result folder may hold its run."""


@dataclass(frozen=True)
class GivenRun:
    """A run to be scored, not read yet, and what its result folder says.

    Attributes:
        file: where the ranked lists are.
        depth: results per query that count; the file has one more. ``None``: no result folder.
        searched: how many queries; ``None``: no result folder.
        self_match_ids: queries that stand in the corpus; ``None``: no result folder.
        sample: the part of the dataset that was searched, where it was only a part.
    """

    file: Path
    depth: int | None = None
    searched: int | None = None
    self_match_ids: frozenset[str] | None = None
    sample: Sample | None = None

    def read(
        self,
        judged: Collection[str],
        *,
        excluded: Mapping[str, Collection[str]] | None = None,
        strict: bool = False,
        lenient_scores: bool = False,
    ) -> Run:
        """The ranked lists; a searched query without one found nothing and has an empty list.

        Args:
            judged: the judged queries.
            excluded: for each query, documents that are taken out of its list.
            strict: as for ``read_run``.
            lenient_scores: as for ``read_run``.

        Raises:
            DataError: the run cannot be read.
        """
        run = read_run(self.file, strict=strict, lenient_scores=lenient_scores)
        run, gone = without_excluded(run, excluded or {})
        if gone:
            _log.info("%s: %d results are documents that their query excludes; taken out", self.file, gone)
        if self.searched is None:
            return run
        if self.searched < len(judged):
            _log.warning(
                "%s: %d queries were searched and %d are judged; the others count as missing",
                self.file, self.searched, len(judged),
            )  # fmt: skip
            return run
        return run.including(judged)


class _SelfMatch(msgspec.Struct):
    query_ids: list[str]


class _Manifest(msgspec.Struct):
    """Of a result's manifest, what scoring needs."""

    k: int
    queries: int
    self_match: _SelfMatch
    sample: Sample | None = None


class ReadRuns(Mapping[str, Run]):
    """Runs that are read when they are asked for, so that not all are held at once.

    Args:
        given: by name.
        qrels: the judgments they are read for.
        excluded: for each query, documents that are taken out of its list.
        lenient_scores: as for ``read_run``.
    """

    def __init__(
        self,
        given: Mapping[str, GivenRun],
        qrels: Qrels,
        excluded: Mapping[str, Collection[str]],
        *,
        lenient_scores: bool = False,
    ) -> None:
        self._given, self._qrels = given, qrels
        self._excluded, self._lenient = excluded, lenient_scores

    def __getitem__(self, name: str) -> Run:
        return self._given[name].read(self._qrels, excluded=self._excluded, lenient_scores=self._lenient)

    def __iter__(self) -> Iterator[str]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)


def find_run(path: Path) -> GivenRun:
    """The run that a user named: a run file, or a result folder of ``beirkit run``.

    The run file inside a result folder stands for the folder.

    Raises:
        DataError: a folder holds no result, or a damaged one.
        UsageError: it is what a search tool returned.
    """
    folder = result_folder(path)
    if folder is None:
        if path.is_dir():
            raise DataError(
                "is a folder, but no result of beirkit run: it has no manifest.json",
                path=path,
                hint="name a run file, or a folder of one retriever's result",
            )
        if is_provider_results(path):
            raise UsageError(
                "holds what a search tool returned, by address, and no run",
                path=path,
                hint=f"compare tools with: beirkit providers DATASET {shlex.quote(str(path))} …",
            )
        return GivenRun(path)
    manifest = _read_manifest(folder)
    own = frozenset(manifest.self_match.query_ids)
    return GivenRun(_run_file(folder), manifest.k, manifest.queries, own, manifest.sample)


def result_folder(path: Path) -> Path | None:
    """The result folder that a path is, or whose run file it is."""
    folder = path.parent if path.name in RUN_FILES and path.is_file() else path
    if not (folder / "manifest.json").is_file():
        return None
    if folder is not path:  # a run file beside a manifest of something else stands for itself
        try:
            _read_manifest(folder)
        except DataError:
            return None
    return folder


def counted_depth(asked: int | None, given: Iterable[tuple[str, GivenRun]]) -> int | None:
    """Results per query that count for every one of these runs, so that none is looked at deeper.

    Args:
        asked: what the user asked for; ``None``: as deep as the shallowest result is.
        given: runs by name.

    Raises:
        UsageError: a result does not hold as many.
    """
    known = [(run.depth, name) for name, run in given if run.depth is not None]
    if not known:
        return asked
    least, name = min(known)
    if asked is not None and asked > least:
        raise UsageError(
            f"{name} holds {least} results per query, not {asked}", hint=f"--depth {least}, or run it again"
        )
    return least if asked is None else asked


def searched_judgments(qrels: Qrels, given: Iterable[GivenRun]) -> Qrels:
    """The judgments of the queries that were searched: where a result is of a sample, those it drew.

    Results of different samples have no such queries in common; then all judgments count.
    """
    samples = {one.sample for one in given if one.sample is not None}
    if len(samples) != 1:
        return qrels
    (sample,) = samples
    drawn = drawn_queries(qrels, sample.queries, sample.seed)
    return {query_id: row for query_id, row in qrels.items() if query_id in drawn}


def _run_file(folder: Path) -> Path:
    for name in RUN_FILES:
        if (folder / name).is_file():
            return folder / name
    raise DataError("holds no run", path=folder, hint="run it again")


def _read_manifest(folder: Path) -> _Manifest:
    path = folder / "manifest.json"
    try:
        return msgspec.json.decode(path.read_bytes(), type=_Manifest)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(f"is no manifest of a result: {error}", path=path, hint="run it again") from error
