"""Results of other tools brought into a folder of results: ranked lists are scored, means are only kept."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from beirkit import __version__
from beirkit.corpora.errors import BeirkitError, DataError, UnknownNameError, UsageError
from beirkit.corpora.files import sha256_file
from beirkit.corpora.ids import slug
from beirkit.corpora.progress import Progress, silent
from beirkit.corpora.run import Run
from beirkit.datasets import find_dataset, self_match_ids
from beirkit.evaluate.engine import evaluate
from beirkit.evaluate.exclusions import without_excluded
from beirkit.evaluate.imports.base import Lists, Means
from beirkit.evaluate.imports.catalog import importer_for
from beirkit.evaluate.imports.stated_files import STATED, write_stated
from beirkit.evaluate.measures import Measure, parse_measures
from beirkit.evaluate.protocol import Protocol, get_protocol
from beirkit.evaluate.score_files import write_scores
from beirkit.exam import Exam, prepare
from beirkit.results import ResultFolder, result_key
from beirkit.stored import read_result

_log = logging.getLogger(__name__)

KEPT = "imported"
"""Folder inside a folder of results for files that are kept whole."""

_CUSTOMARY = 1000  # results per query; runs of one more hold the query's own document


@dataclass(frozen=True)
class Imported:
    """What was brought in.

    Attributes:
        path: the folder it was put into.
        system: name of the system.
        dataset: name of the dataset; empty: not told.
        split: of the dataset; empty: not told.
        scored: whether there are ranked lists, scored here; else there are only stated figures.
        means: by measure.
    """

    path: Path
    system: str
    dataset: str
    split: str
    scored: bool
    means: dict[str, float | None]


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What the user says of the files, over what they say of themselves.

    Attributes:
        dataset: a name, or a BEIR folder.
        split: of the dataset.
        name: of the system.
        depth: results per query that the system was asked for.
        protocol: how ranked lists are scored.
        measures: what is scored; none: the protocol's.
    """

    dataset: str | None = None
    split: str | None = None
    name: str | None = None
    depth: int | None = None
    protocol: str = "beirkit"
    measures: tuple[str, ...] = ()


def import_results(
    paths: Sequence[Path | str],
    out: Path | str,
    wanted: Wanted | None = None,
    *,
    kind: str | None = None,
    progress: Progress = silent,
) -> list[Imported]:
    """Bring results of other tools into a folder of results.

    Ranked lists become results as those of ``beirkit run``, scored over the dataset, which must be here.
    Means become stated figures; the files they came from are kept whole.

    Args:
        paths: files and folders.
        out: the folder of results.
        wanted: what the user says.
        kind: the tool they are of; None: as each file shows.
        progress: shows how the building of a dataset gets on.

    Raises:
        DataError: a file is damaged or of no known tool, or lists hold what their queries exclude.
        UsageError: the dataset or its split is not known or not here, or two results would be one.
    """
    asked, folder = wanted or Wanted(), Path(out)
    if asked.depth is not None and asked.depth < 1:
        raise UsageError(f"-k {asked.depth}: a list has one result or more")
    protocol = get_protocol(asked.protocol)
    measures = parse_measures(asked.measures) if asked.measures else protocol.measures
    exams: dict[tuple[str, str | None], Exam] = {}
    done: list[Imported] = []
    seen: dict[Path, Path] = {}
    for path in map(Path, paths):
        importer = importer_for(path, kind)
        for found in importer.read(path):
            if isinstance(found, Means):
                one = _keep_means(found, importer.name, folder, asked)
            else:
                exam = _exam(found, asked, exams, progress)
                one = _keep_lists(found, importer.name, folder, asked, exam, protocol, measures)
            if one.path in seen and seen[one.path] != found.source:
                raise UsageError(
                    f"{seen[one.path]} and {found.source} are both {one.system} on {one.dataset}",
                    hint="import them apart, each with its --name",
                )
            seen[one.path] = found.source
            done.append(one)
    if not done:
        raise DataError("holds no result", path=paths[0] if paths else None, hint="say what it is with --as")
    return done


def _exam(lists: Lists, asked: Wanted, known: dict[tuple[str, str | None], Exam], progress: Progress) -> Exam:
    """The dataset that lists are of."""
    name, split = asked.dataset or lists.dataset, asked.split or lists.split or None
    if not name:
        raise UsageError(
            f"{lists.source} does not say which dataset it is of", hint="name it with --of DATASET"
        )
    if (name, split) not in known:
        try:
            known[name, split] = prepare(find_dataset(name, progress=progress), split, None)
        except UnknownNameError as error:
            raise UsageError(
                f"{lists.source} is of {name!r}, which is no dataset or folder here",
                hint="name it with --of; without its judgments a run can only be compared with: "
                "beirkit compare RUN --qrels QRELS",
            ) from error
    return known[name, split]


def _keep_lists(
    lists: Lists,
    kind: str,
    results: Path,
    asked: Wanted,
    exam: Exam,
    protocol: Protocol,
    measures: Sequence[Measure],
) -> Imported:
    system = asked.name or lists.system
    run, gone = without_excluded(lists.run, exam.excluded)
    if gone and lists.refuse_excluded:
        raise _still_there(lists, exam)
    if gone:
        _log.warning("%s: %d results are documents that their query excludes; taken out", lists.source, gone)
    longest = max(map(len, (run.results(i)[0] for i in range(len(run)))), default=0)
    depth = asked.depth or (_CUSTOMARY if longest == _CUSTOMARY + 1 else max(1, longest))
    label = _label(results, exam)
    facts: dict[str, Any] = {
        "dataset": label,
        "split": exam.split,
        "content_ids": exam.content,
        "retriever": {
            "kind": "imported",
            "name": system,
            "from": kind,
            "revision": lists.revision,
            "lists": _digest(lists.run),
        },
        "stage": 1,
        "k": depth,
    }
    if exam.excluded:
        facts["excluded"] = result_key({query: sorted(ids) for query, ids in exam.excluded.items()})
    own = self_match_ids(exam.dataset, exam.collection, set(exam.qrels))
    scores = evaluate(
        exam.qrels,
        run,
        measures,
        protocol,
        self_match_ids=own,
        depth=depth,
        corpus_ids=(document.doc_id for document in exam.collection.documents()),
    )
    report = {key: value for key, value in (("model", lists.model), ("revision", lists.revision)) if value}
    folder = ResultFolder(results, label, exam.split, system, result_key(facts))
    if folder.manifest() is None:
        manifest = {
            **facts,
            "name": system,
            "report": report,
            "queries": len(run),
            "self_match": {
                "rule": "dataset" if exam.dataset.config else "equal id and equal text",
                "query_ids": sorted(own),
            },
            "sample": None,
            "source": {"file": lists.source.name, "sha256": _sha256(lists.source)},
            "versions": {"beirkit": __version__},
        }
        folder.write(replace(run, tag=slug(system)), manifest, {}, dataset=exam.dataset.folder)
    write_scores(scores, folder.scores_path(protocol.name))
    return Imported(folder.path, system, label, exam.split, True, scores.means())


def _label(results: Path, exam: Exam) -> str:
    """What the folder of results calls a dataset of these very texts and judgments, else its own name.

    Folders of one name are told apart by what stands above them, so ``run`` may call one otherwise than it is
    called by itself.
    """
    for manifest in sorted(results.glob(f"*@{slug(exam.split)}/*/manifest.json")):
        with contextlib.suppress(BeirkitError):
            one = read_result(manifest.parent)
            if (one.facts.content_ids, one.facts.sample) == (exam.content, None):
                return one.facts.dataset
    return exam.label


def _still_there(lists: Lists, exam: Exam) -> DataError:
    """What is said of lists that hold a document which its query excludes."""
    query_id, doc_id = next(
        (query_id, doc_id)
        for query_id, row in lists.run.lists()
        for doc_id, _ in row
        if doc_id in exam.excluded.get(query_id, ())
    )
    return DataError(
        f"query {query_id!r} still ranks {doc_id!r}, which is among its excluded_ids",
        path=lists.source,
        hint="BRIGHT's figures are of lists without them: take the lists that its evaluation wrote",
    )


def _keep_means(means: Means, kind: str, results: Path, asked: Wanted) -> Imported:
    means = replace(
        means,
        system=asked.name or means.system,
        dataset=asked.dataset or means.dataset,
        split=asked.split or means.split,
    )
    if not means.dataset:
        raise UsageError(
            f"{means.source} does not say which dataset it is of", hint="name it with --of DATASET"
        )
    kept = [f"{KEPT}/{kind}/{name}" for name in means.kept]
    for name, file in zip(kept, means.kept.values(), strict=True):
        _keep_file(file, results / name)
    label = f"{means.dataset}@{means.split}" if means.split else means.dataset
    key = result_key({"stated": kind, "system": means.system, "kept": kept[:1], "dataset": label})
    folder = results / slug(label) / f"{slug(means.system)}--{key[:8]}"
    write_stated(folder / STATED, means, kind, kept)
    shown: dict[str, float | None] = {str(measure): value for measure, value in means.means.items()}
    return Imported(folder, means.system, means.dataset, means.split, False, shown)


def _keep_file(file: Path, target: Path) -> None:
    if target.is_file():
        if target.read_bytes() == file.read_bytes():
            return
        raise UsageError(
            f"is not what was imported as {target.name} before",
            path=file,
            hint=f"choose another --out, or delete {target}",
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.part")
    shutil.copyfile(file, part)
    part.replace(target)


def _digest(run: Run) -> str:
    """A hash of lists, whatever file they were in."""
    lists = hashlib.sha256()
    for query_id, row in run.ordered().lists():
        lists.update(msgspec.json.encode([query_id, row]))
    return lists.hexdigest()


def _sha256(path: Path) -> str:
    try:
        return sha256_file(path)
    except BeirkitError:
        return ""  # in a zip
