"""Whether the files of a submission are right: their form, their scores, and what is left to do."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from beirkit.corpora.errors import BeirkitError, DataError, UsageError, nearest
from beirkit.corpora.records import Qrels
from beirkit.datasets import find_dataset
from beirkit.evaluate.exports import catalog
from beirkit.evaluate.exports.base import Claim, Problem, Recomputable, Step, Submittable
from beirkit.evaluate.exports.known import Checkable, Known


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
        return [_printable(problem) for problem in one.validate(place)]
    if not isinstance(one, Checkable):
        raise UsageError(
            f"files of {target} hold no ids of queries and documents", hint="leave the dataset out"
        )
    return [_printable(problem) for problem in one.validate_against(place, _known(dataset))]


def _printable(problem: Problem) -> Problem:
    """The problem on one line that any terminal takes: keys of a strange file may hold anything."""
    texts = {name: getattr(problem, name) for name in ("file", "key", "found", "expected", "todo")}
    shown = {name: _escaped(text) for name, text in texts.items() if not text.isprintable()}
    return msgspec.structs.replace(problem, **shown) if shown else problem


def _escaped(text: str) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


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
    claims = _recomputable(target).claims(Path(path))
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


def unfounded(path: Path | str, target: str) -> list[Problem]:
    """Scores of a valid submission that no run in it stands behind.

    Raises:
        UsageError: the target's submissions hold no runs.
    """
    return [_printable(problem) for problem in _recomputable(target).unfounded(Path(path))]


def _recomputable(target: str) -> Recomputable:
    one = catalog.get(target)()
    if not isinstance(one, Recomputable):
        raise UsageError(f"submissions to {target} hold no runs that scores could be derived from")
    return one


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
    if not Path(path).is_dir() and Path(path).suffix != ".zip":
        raise DataError("is no folder", path=path, hint="name the folder that beirkit export wrote")
    wrong = [problem for problem in validate(path, target) if problem.severity == "error"]
    if wrong:
        raise DataError(
            f"is not valid for {target}, in {len(wrong)} places, the first: {wrong[0]}",
            path=path,
            hint=f"see all with: beirkit validate {path} --as {target}",
        )
    return one.steps(Path(path))
