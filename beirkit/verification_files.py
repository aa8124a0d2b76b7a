"""Run files and stated figures held to published ones; both are known by their names alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from beirkit.configs.references import Reference, known_contents, references
from beirkit.corpora.errors import UnknownNameError, UsageError, nearest
from beirkit.corpora.manifest import ContentId
from beirkit.corpora.records import Judgment, Qrels
from beirkit.corpora.run import Run
from beirkit.corpora.run_files import read_run
from beirkit.evaluate.engine import evaluate
from beirkit.evaluate.imports.stated_files import STATED, read_stated_file
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.stated import read_stated
from beirkit.verification import Check, Verification, check_of, depth_of, named, require_system, too_shallow

_CUT = 0.1  # share of the lists that are as long as the longest, from which on lists were cut there
_SHORT = 10  # lists of fewer results end by themselves


def verify_run(path: Path, qrels: Qrels, *, system: str = "", split: str = "") -> Verification:
    """Hold a run file to the figures that were published of it.

    Args:
        path: the run.
        qrels: its judgments, by whose content the dataset is known.
        system: what the source calls it; empty: by the tag in the file, else by the file's name.
        split: of the judgments, where two splits of a dataset have the same ones.

    Raises:
        UsageError: the judgments are none of a known dataset.
        UnknownNameError: nothing was published of such a system on it.
    """
    places = _places(qrels)
    of_dataset = [
        one
        for one in references()
        if (one.figure.dataset, one.figure.split) in places and split in ("", one.figure.split)
    ]
    told = ", ".join(f"{dataset}@{part}" for dataset, part in sorted(places))
    if not of_dataset:
        raise UsageError(f"nothing published is known of {told}", path=path)
    run = read_run(path)
    names = [system] if system else list(dict.fromkeys((run.tag, path.name.partition(".")[0])))
    fitting = named(of_dataset, names)
    if not fitting:
        known = sorted({one.figure.system for one in of_dataset})
        raise UnknownNameError(
            f"nothing was published of {' or '.join(map(repr, names))} on {told}",
            hint=f"{nearest(names[0], known)}; say which one {path.name} is of: --system NAME",
        )
    depth = _cut_at(run)
    checks, shallow = [], []
    for reference in fitting:
        if depth is not None and depth_of(reference) > depth and reference.system.family != "run":
            shallow.append(reference)
            continue
        checks.append(_of_run(reference, run, qrels, path))
    left_out = {str(path): too_shallow(depth, shallow)} if shallow and depth is not None else {}
    return Verification(checks=tuple(checks), without={}, left_out=left_out)


def verify_stated(path: Path, *, system: str = "") -> Verification:
    """Hold figures that another tool stated, as ``beirkit import`` keeps them, to published ones.

    Nothing is scored, and nothing is known of texts and judgments but the dataset's name.

    Args:
        path: ``stated.json``, or the folder that holds it.
        system: what a source calls it; empty: by the last part of its name, without a revision.

    Raises:
        DataError: it is no such file.
        UnknownNameError: no source has the system.
    """
    if system:
        require_system(system)
    file = path / STATED if path.is_dir() else path
    facts, means = read_stated_file(file), read_stated(file).means
    name = system or facts.model.rpartition("/")[2].partition("@")[0]
    there = [
        one
        for one in references()
        if one.figure.dataset == facts.dataset and one.figure.split == (facts.split or one.figure.split)
    ]
    fitting = named(there, [name])
    checks = [
        check_of(
            one,
            f"{facts.model} (stated)",
            means[measure],
            one.figure.tolerance_or(one.rounding),
            "",
            None,
            file,
        )
        for one in fitting
        if (measure := Measure.parse(one.figure.measure)) in means
    ]
    where = f"{facts.dataset}@{facts.split}" if facts.split else facts.dataset
    reason = f"states figures of {facts.model}, and nothing was published of {name!r} on {where}"
    return Verification(checks=tuple(checks), without={} if checks else {str(file.parent): reason})


def stated_in(paths: Sequence[Path]) -> list[Path]:
    """The folders of stated figures that paths lead to: such files, their folders, and folders of results."""
    found: dict[Path, None] = {}
    for path in paths:
        if path.name == STATED and path.is_file():
            found[path.parent] = None
        elif path.is_dir():
            own = [path] if (path / STATED).is_file() else []
            inside = sorted(file.parent for depth in ("*", "*/*") for file in path.glob(f"{depth}/{STATED}"))
            found |= dict.fromkeys(one for one in (*own, *inside) if not one.name.startswith("."))
    return list(found)


def _places(qrels: Qrels) -> set[tuple[str, str]]:
    """The datasets and splits whose judgments these are, by their content."""
    content = ContentId()
    for query_id, row in qrels.items():
        for doc_id, grade in row.items():
            content.add_judgment(Judgment(query_id, doc_id, grade))
    own = content.hexdigest()
    places = {
        (dataset, part.removeprefix("qrels/"))
        for dataset, parts in known_contents().items()
        for part, ids in parts.items()
        if part.startswith("qrels/") and own in ids
    }
    if not places:
        raise UsageError(
            "these judgments are those of no dataset whose published content is known",
            hint="verify a result of beirkit run, which knows its dataset",
        )
    return places


def _cut_at(run: Run) -> int | None:
    """The length that lists were cut at: that of the longest, where many are as long; None: they were not."""
    lengths = np.diff(run.offsets)
    longest = int(lengths.max(initial=0))
    return longest if longest >= _SHORT and float((lengths == longest).mean()) >= _CUT else None


def _of_run(reference: Reference, run: Run, qrels: Qrels, path: Path) -> Check:
    figure = reference.figure
    depth = depth_of(reference) if Measure.parse(figure.measure).cutoff is None else None
    scores = evaluate(qrels, run, [figure.measure], reference.system.scored_as, depth=depth)
    value = scores.mean(figure.measure)
    assert value is not None  # every judged query counts, by each protocol that a file is scored by
    tolerance = figure.tolerance_or(reference.rounding)
    return check_of(reference, figure.system, value, tolerance, "", scores, path)
