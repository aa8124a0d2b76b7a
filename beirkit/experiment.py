"""The runner: datasets crossed with retrievers, each pair searched once, scored, and kept.

A pair whose configuration and texts were run before is read back; a killed run goes on from the finished
pairs, and a dense retriever inside a pair from its finished blocks.
"""

from __future__ import annotations

import logging
import os
import platform
import resource
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from beirkit import __version__
from beirkit.configs.ancestry import training_of
from beirkit.configs.schema import RetrieverConfig, SuiteConfig
from beirkit.configs.spec import parse_retrievers
from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.run import Run
from beirkit.datasets import Dataset, self_match_ids
from beirkit.evaluate.engine import evaluate
from beirkit.evaluate.exclusions import without_excluded
from beirkit.evaluate.graded import fitting_measures
from beirkit.evaluate.measures import Measure, parse_measures
from beirkit.evaluate.protocol import Protocol, get_protocol
from beirkit.evaluate.score_files import read_scores, write_scores
from beirkit.evaluate.scores import Scores
from beirkit.evaluate.zero_shot import ZeroShot, zero_shot_status
from beirkit.exam import Exam, Sample, prepare
from beirkit.fusing import refuse_same_split
from beirkit.instructions import PLACE, told, with_instruction
from beirkit.languages import asks_for_language, for_dataset, for_language, warn_of_language
from beirkit.members import Members, find_members
from beirkit.results import LIBRARIES, ResultFolder, library_versions, result_key, slug
from beirkit.retrievers.base import Retriever, Workplace
from beirkit.retrievers.catalog import create
from beirkit.retrievers.fusion.retriever import tuned_on

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Cell:
    """The result of one retriever on one dataset.

    Attributes:
        dataset: label of the dataset, watermark included.
        name: of the dataset, as its suite has it.
        retriever: name of the retriever.
        zero_shot: whether the retriever was trained on the dataset's family, as far as is declared.
        split: the split that was searched.
        protocol: how the run was scored.
        measures: the columns asked for, the dataset's main measure first.
        scores: per query.
        path: folder of run, scores and manifest.
        manifest: how the run was made.
        sample: set where only a part of the dataset was used.
        reused: whether the run was found rather than made.
    """

    dataset: str
    name: str
    retriever: str
    zero_shot: ZeroShot
    split: str
    protocol: Protocol
    measures: tuple[Measure, ...]
    scores: Scores
    path: Path
    manifest: dict[str, Any]
    sample: Sample | None
    reused: bool


def run_suite(
    suite: SuiteConfig,
    *,
    results: Path,
    workplace: Workplace,
    part: Sample | None = None,
    members: Members | None = None,
    ndcg_on_references: bool = False,
) -> Iterator[Cell]:
    """Run every retriever of a suite on every dataset, one cell at a time, datasets in order.

    Every name is resolved and every model found before any work starts, so a misspelt last one costs nothing.

    Args:
        suite: what to run.
        results: folder under which every result gets its own.
        workplace: cache, device and progress.
        part: run on a sample only.
        members: the suite's datasets, where they were found already.
        ndcg_on_references: compute nDCG where judgments are the addresses of references, if it is asked for.

    Raises:
        BeirkitError: anything a user can mend.
    """
    protocol = get_protocol(suite.protocol)
    asked = parse_measures(suite.measures) if suite.measures else ()
    configs = parse_retrievers(suite.retrievers)
    # Of a retriever that takes the dataset's language or instruction, all but these is checked now.
    retrievers = [
        create(with_instruction(for_language(config, "en"), PLACE), workplace) for config in configs
    ]
    if not suite.datasets or not retrievers:
        raise UsageError(
            "there is nothing to run", hint="name at least one dataset (-d) and one retriever (-r)"
        )
    for retriever in retrievers:
        retriever.identity()
    members = members or find_members(suite, progress=workplace.progress)
    for dataset in members.datasets:
        for config in filter(asks_for_language, configs):
            create(for_dataset(config, dataset), workplace).identity()
    for dataset in members.datasets:
        exam = prepare(dataset, suite.split, part)
        measures = _measures(protocol, dataset, asked, ndcg_on_references)
        _warn_of_depth(measures, suite.k)
        for given, retriever in zip(configs, retrievers, strict=True):
            config = for_dataset(given, dataset)
            own = create(config, workplace) if asks_for_language(given) else retriever
            config, own = told(config, own, _instruction(dataset), workplace)
            warn_of_language(exam, config.name, own)
            refuse_same_split(tuned_on(own.identity()), exam.dataset.name, exam.split)
            yield _run_cell(exam, config, own, suite.k, results, protocol, measures)


def _instruction(dataset: Dataset) -> str:
    return dataset.config.instruction if dataset.config else ""


def _measures(
    protocol: Protocol, dataset: Dataset, asked: tuple[Measure, ...], ndcg_on_references: bool
) -> tuple[Measure, ...]:
    """The measures asked for, else the dataset's own followed by the protocol's; each once."""
    default = (*(dataset.config.measures if dataset.config else ()), *protocol.measures)
    kind = dataset.config.judgment_kind if dataset.config else "graded"
    return fitting_measures(asked, default, kind, graded=ndcg_on_references)


def _warn_of_depth(measures: tuple[Measure, ...], k: int) -> None:
    deeper = [str(measure) for measure in measures if (measure.cutoff or 0) > k]
    if deeper:
        _log.warning("only %d results per query are kept, fewer than %s looks at", k, ", ".join(deeper))


def _run_cell(
    exam: Exam,
    config: RetrieverConfig,
    retriever: Retriever[Any],
    k: int,
    results: Path,
    protocol: Protocol,
    measures: tuple[Measure, ...],
) -> Cell:
    facts = {
        "dataset": exam.label,
        "split": exam.split,
        "content_ids": exam.content,
        "retriever": retriever.identity(),
        "stage": retriever.stage,
        "k": k,
    }
    if exam.excluded:  # metadata, of which content ids know nothing
        listed = {query_id: sorted(ids) for query_id, ids in exam.excluded.items()}
        facts["excluded"] = result_key(listed)
    folder = ResultFolder(results, exam.label, exam.split, config.name, result_key(facts))
    manifest = folder.manifest()
    reused = manifest is not None
    if manifest is None:
        manifest = _search(exam, config, retriever, k, facts, folder)
    else:
        _log.info("%s on %s@%s: found in %s", config.name, exam.label, exam.split, folder.path)
        folder.keep_source(exam.dataset.folder)
    try:
        scores = _score(exam, folder, manifest, k, protocol, measures)
    except DataError as error:
        if not reused:
            raise
        _log.warning("%s: %s; this result is damaged and made anew", folder.path, error.found)
        folder.discard()
        manifest = _search(exam, config, retriever, k, facts, folder)
        scores = _score(exam, folder, manifest, k, protocol, measures)
    return Cell(
        exam.label,
        exam.dataset.name,
        config.name,
        zero_shot_status(training_of(config), exam.dataset.config.family if exam.dataset.config else ""),
        exam.split,
        protocol,
        measures,
        scores,
        folder.path,
        manifest,
        exam.sample,
        reused,
    )


def _search(
    exam: Exam,
    config: RetrieverConfig,
    retriever: Retriever[Any],
    k: int,
    facts: dict[str, Any],
    folder: ResultFolder,
) -> dict[str, Any]:
    _log.info("%s on %s@%s: searching", config.name, exam.label, exam.split)
    folder.require_room()
    clock = _Clock()
    with clock("index"):
        retriever.index(exam.documents())
    with clock("search"):
        # one more than asked for: a protocol may take the query's own document away; and as many as a query
        # excludes, which no protocol keeps
        longest = max(map(len, exam.excluded.values()), default=0)
        run, gone = without_excluded(retriever.search(exam.queries, k + 1 + longest), exam.excluded)
        run = run.top(k + 1) if longest else run
    run = Run(run.query_ids, run.doc_ids, run.offsets, run.docs, run.scores, slug(config.name))
    own = self_match_ids(exam.dataset, exam.collection, set(exam.qrels))
    manifest = {
        **facts,
        "name": config.name,
        "report": retriever.report(),
        "queries": len(exam.queries),
        "self_match": {
            "rule": "dataset" if exam.dataset.config else "equal id and equal text",
            "query_ids": sorted(own),
        },
        **({"excluded_results": gone} if exam.excluded else {}),
        "sample": None if exam.sample is None else msgspec.to_builtins(exam.sample),
        "versions": {
            "python": platform.python_version(),
            "beirkit": __version__,
            **library_versions(LIBRARIES),
        },
    }
    timings = {**clock.timings(), **retriever.costs()}
    folder.write(run, manifest, timings, dataset=exam.dataset.folder)
    return {"key": folder.key, **manifest}


def _score(
    exam: Exam,
    folder: ResultFolder,
    manifest: dict[str, Any],
    k: int,
    protocol: Protocol,
    measures: tuple[Measure, ...],
) -> Scores:
    path = folder.scores_path(protocol.name)
    stored = read_scores(path) if path.is_file() else None
    if stored is not None and (stored.protocol, stored.depth) != (protocol, k):
        stored = None  # of an older beirkit, whose protocol of this name had other rules
    if stored is not None and set(measures) <= set(stored.measures):
        return stored
    wanted = tuple(dict.fromkeys((*measures, *(stored.measures if stored else ()))))
    scores = evaluate(
        exam.qrels,
        folder.read_run().including(query.query_id for query in exam.queries),
        wanted,
        protocol,
        self_match_ids=frozenset(manifest["self_match"]["query_ids"]),
        depth=k,
        corpus_ids=(document.doc_id for document in exam.collection.documents()),
        evidence=exam.evidence,
    )
    write_scores(scores, path)
    return scores


class _Clock:
    """Seconds by phase, and what they were measured on."""

    def __init__(self) -> None:
        self._phases: dict[str, float] = {}
        self._phase = ""
        self._start = 0.0

    def __call__(self, phase: str) -> _Clock:
        self._phase = phase
        return self

    def __enter__(self) -> None:
        self._start = time.perf_counter()

    def __exit__(self, *error: object) -> None:
        self._phases[self._phase] = round(time.perf_counter() - self._start, 3)

    def timings(self) -> dict[str, Any]:
        """The phases in seconds, the process's peak memory in MiB, the host, and the day (UTC)."""
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return {
            "seconds": self._phases,
            "peak_memory_mib": round(peak / (2**20 if sys.platform == "darwin" else 2**10)),
            "host": {"machine": platform.machine(), "system": platform.system(), "cpus": os.cpu_count()},
            "made": datetime.now(UTC).date().isoformat(),
        }
