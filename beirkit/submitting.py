"""From kept results to the files of a leaderboard or another tool, checked before anybody uploads them."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from beirkit.citing import cite
from beirkit.corpora.errors import BeirkitError, DataError, UsageError, nearest
from beirkit.corpora.exports.base import told
from beirkit.corpora.exports.catalog import checked_options
from beirkit.corpora.folder import is_beir_folder
from beirkit.corpora.records import Qrels
from beirkit.corpora.whole import whole_folder
from beirkit.datasets import find_dataset
from beirkit.evaluate.engine import evaluate
from beirkit.evaluate.exports import catalog
from beirkit.evaluate.exports.base import Claim, Entry, Problem, Recomputable, Step, Submittable
from beirkit.evaluate.exports.known import Checkable, Known
from beirkit.evaluate.exports.submission import Submission, files_of, write_submission
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.protocol import Protocol
from beirkit.evaluate.scores import Scores
from beirkit.result_paths import find_results
from beirkit.runs import find_run, result_folder
from beirkit.stored import StoredResult, read_suite_results

_log = logging.getLogger(__name__)


def leads_to_results(path: Path) -> bool:
    """Whether a path is a result folder, a folder of results or the table of a suite."""
    if path.is_dir():
        if is_beir_folder(path):
            return False
        return result_folder(path) is not None or any(
            True for depth in ("*", "*/*") for _ in path.glob(f"{depth}/manifest.json")
        )
    return path.is_file() and (read_suite_results(path) is not None or result_folder(path) is not None)


def export_results(
    sources: Sequence[Path | str],
    to: str,
    out: Path | str,
    options: Mapping[str, Any] | None = None,
    *,
    overwrite: bool = False,
) -> Submission:
    """Write results in the form of a target; the folder appears whole or not at all.

    Args:
        sources: result folders, folders of results, or ``results/SUITE.json``.
        to: a target from ``beirkit list exports`` that takes results.
        out: the folder to write.
        options: the target's options.
        overwrite: replace a folder that such an export wrote; any other is never replaced.

    Raises:
        UsageError: the target does not take such results, an option is wrong, or ``out`` may not be written.
        DataError: a result cannot stand in the form, or cannot be read.
        WriteError: the system refused to write; nothing is left.
    """
    cls = catalog.get(to)
    settings = checked_options(to, cls.Options, options or {})
    results = find_results([Path(source) for source in sources])
    for result in results:
        if result.folder.resolve() in (Path(out).resolve(), *Path(out).resolve().parents):
            raise UsageError("lies in a result that is exported", path=out, hint="choose another folder")
    entries = [entry_of(result) for result in results]
    target = cls()
    with whole_folder(out, overwrite=overwrite, written=files_of) as part:
        target.write(entries, part, settings)
        wrong = [problem for problem in target.validate(part) if problem.severity == "error"]
        if wrong:
            raise DataError(
                f"what was written for {to} is not valid, in {len(wrong)} places, the first: {wrong[0]}",
                hint="mend the cause, or report it",
            )
        return write_submission(part, to, cls.protocol, told(settings), entries)


def entry_of(result: StoredResult) -> Entry:
    """A kept result as targets see it.

    Raises:
        BeirkitError: its dataset is not there, holds other texts or judgments by now, or its run is damaged.
    """
    exam = result.exam()
    given = find_run(result.folder)
    run = given.read(exam.qrels, excluded=exam.excluded)
    manifest = _json(result.folder / "manifest.json")
    report = manifest.get("report")
    known = report if isinstance(report, dict) else {}

    def take(protocol: Protocol, measures: Sequence[Measure]) -> Scores:
        return evaluate(
            exam.qrels,
            run,
            measures,
            protocol,
            self_match_ids=given.self_match_ids,
            depth=given.depth,
        )

    shown = [path.name.removeprefix("scores.").removesuffix(".jsonl") for path in _score_files(result)]
    return Entry(
        dataset=result.dataset,
        split=result.facts.split,
        system=result.name,
        manifest=manifest,
        timings=_json(result.folder / "timings.json") if (result.folder / "timings.json").is_file() else {},
        run=run,
        run_file=given.file,
        qrels=exam.qrels,
        query_texts={query.query_id: query.text for query in exam.queries},
        content_ids=exam.content,
        sampled=result.facts.sample is not None,
        take=take,
        revision=str(known.get("revision") or ""),
        folder=result.folder,
        model=str(known.get("model") or ""),
        depth=given.depth,
        shown_under=tuple(shown),
        collection=exam.collection,
        cite=lambda: cite([str(result.folder)]).bibtex(),
    )


def _score_files(result: StoredResult) -> list[Path]:
    return sorted(result.folder.glob("scores.*.jsonl"))


def _json(path: Path) -> dict[str, Any]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(f"cannot be read: {error}", path=path, hint="run it again") from error


def validate(path: Path | str, target: str, dataset: str = "") -> list[Problem]:
    """Everything that is wrong with files made for a target, by whomever.

    Args:
        path: a file or folder.
        target: from ``beirkit list exports``.
        dataset: a BEIR folder or a dataset's name, whose ids are the only ones that may stand there; empty:
            ids are not looked up.

    Raises:
        DataError: there is no such file or folder.
        UsageError: files of the target hold no ids that could be looked up.
        UnknownNameError: no target or dataset has that name.
    """
    place = Path(path)
    if not place.exists():
        raise DataError("is not there", path=place)
    one = catalog.get(target)()
    if not dataset:
        return one.validate(place)
    if not isinstance(one, Checkable):
        raise UsageError(
            f"files of {target} hold no ids of queries and documents", hint="leave the dataset out"
        )
    return one.validate_against(place, _known(dataset))


def _known(dataset: str) -> Known:
    found = find_dataset(dataset)
    collection = found.open()
    return Known(
        dataset=found.name,
        splits={split: frozenset(collection.judged(split)[0]) for split in collection.splits},
        queries=frozenset(query.query_id for query in collection.queries()),
        documents=frozenset(document.doc_id for document in collection.documents()),
    )


class Recomputed(NamedTuple):
    """A stated score and what the submitted run comes to.

    Attributes:
        file: the file that states it.
        key: where in the file.
        stated: the value there.
        found: what was derived from the run.
        agrees: whether they are the same but for rounding.
    """

    file: str
    key: str
    stated: float | None
    found: float | None
    agrees: bool

    def problem(self) -> Problem:
        """The disagreement as a finding."""
        return Problem(
            file=self.file,
            key=self.key,
            found=_number(self.stated),
            expected=_number(self.found),
            todo="state what the submitted run comes to with these judgments",
        )


def recompute(
    path: Path | str, target: str, judgments: Mapping[str, Qrels], *, hidden: bool = False
) -> list[Recomputed]:
    """Derive every stated score again from the runs that were submitted.

    Args:
        path: the submission.
        target: what it was made for.
        judgments: by the dataset's name in the submission, or as ``dataset@split``; the empty name is that
            of the only dataset there is.
        hidden: nothing but means may become known: what is logged of single queries is held back.

    Raises:
        UsageError: the target's submissions hold no runs, this one holds none, or judgments are missing.
        DataError: a run cannot be read.
    """
    one = catalog.get(target)()
    if not isinstance(one, Recomputable):
        raise UsageError(f"submissions to {target} hold no runs that scores could be derived from")
    claims = one.claims(Path(path))
    if not claims:
        raise UsageError(
            "holds no run that its scores could be derived from", path=path, hint="ask for the runs too"
        )
    done = []
    with _silence(hidden):
        for claim in claims:
            qrels = _judgments_of(claim, claims, judgments)
            try:
                found = claim.compute(qrels)
            except BeirkitError as error:
                if not hidden:
                    raise
                raise DataError(  # the cause may name queries and documents
                    f"the run of {claim.dataset}@{claim.split} cannot be scored with these judgments",
                    path=claim.file,
                ) from error
            for key in sorted({*claim.values, *found}, key=lambda key: (key not in claim.values, key)):
                stated, value = claim.values.get(key), found.get(key)
                done.append(
                    Recomputed(claim.file, key, stated, value, _agree(stated, value, claim.tolerance))
                )
    return done


def _agree(one: float | None, two: float | None, tolerance: float) -> bool:
    return one == two if one is None or two is None else abs(one - two) <= tolerance


def _number(value: float | None) -> str:
    return "no value" if value is None else f"{value:.6f}"


def _judgments_of(claim: Claim, claims: Sequence[Claim], judgments: Mapping[str, Qrels]) -> Qrels:
    for name in (f"{claim.dataset}@{claim.split}", claim.dataset):
        if name in judgments:
            return judgments[name]
    datasets = sorted({f"{one.dataset}@{one.split}" for one in claims})
    if "" in judgments and len(datasets) == 1:
        return judgments[""]
    raise UsageError(
        f"there are no judgments of {claim.dataset}@{claim.split}",
        hint=f"name them as DATASET=QRELS; {nearest(claim.dataset, [n for n in judgments if n])}",
    )


@contextmanager
def _silence(hidden: bool) -> Iterator[None]:
    logger = logging.getLogger("beirkit")
    level = logger.level
    if hidden:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)


def steps_of(target: str, path: Path | str) -> Sequence[Step]:
    """What to do with a submission; nothing is uploaded.

    Raises:
        UsageError: nobody takes submissions in that form.
        DataError: there is no such file or folder, or what is there is not valid.
    """
    one = catalog.get(target)()
    if not isinstance(one, Submittable):
        raise UsageError(f"{target} is a form of files, not a board that takes submissions")
    wrong = [problem for problem in validate(path, target) if problem.severity == "error"]
    if wrong:
        raise DataError(
            f"is not valid for {target}, in {len(wrong)} places, the first: {wrong[0]}",
            path=path,
            hint=f"see all with: beirkit validate {path} --as {target}",
        )
    return one.steps(Path(path))
