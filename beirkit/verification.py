"""Results held to published figures: each that has a counterpart agrees, is near, or is not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from beirkit.configs.references import (
    Reference,
    dataset_of,
    differing_contents,
    known_contents,
    references,
)
from beirkit.configs.suites import SuiteNode
from beirkit.corpora.errors import UnknownNameError, UsageError, nearest
from beirkit.corpora.manifest import ContentId
from beirkit.corpora.records import Judgment, Qrels
from beirkit.corpora.run_files import read_run
from beirkit.evaluate.engine import evaluate
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.protocol import get_protocol
from beirkit.evaluate.scores import Scores
from beirkit.evaluate.suites import suite_mean
from beirkit.stored import StoredResult

Status = Literal["OK", "near", "FAIL"]

_NOISE = 1e-9  # a mean that lies on the edge of two roundings


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One figure and what was found instead.

    Attributes:
        status: OK: it prints as the published figure; near: within the tolerance; FAIL: neither.
        dataset: as the source's, whatever it is called here.
        split: of its judgments.
        retriever: what was run here.
        system: what the source calls it.
        measure: its canonical name.
        published: as it is printed.
        ours: unrounded.
        rounding: half a unit of the last printed digit.
        tolerance: how far apart the two may be and still be near.
        why: what may make a difference.
        protocol: the rules that ours was scored by.
        source: its key.
        title: of the source.
        url: of the source.
        evidence: how sure the published figure is.
        note: what else is known about it.
        folder: of the result, or the run's file.
    """

    status: Status
    dataset: str
    split: str
    retriever: str
    system: str
    measure: str
    published: str
    ours: float
    rounding: float
    tolerance: float
    why: str
    protocol: str
    source: str
    title: str
    url: str
    evidence: str
    note: str
    folder: str

    @property
    def difference(self) -> float:
        """Ours minus the published figure."""
        return self.ours - float(self.published)

    def to_dict(self) -> dict[str, Any]:
        """For JSON, with the difference."""
        return {**msgspec.to_builtins(self), "difference": self.difference}


class Verification(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it.

    Attributes:
        checks: every result with a published counterpart, in the order given.
        without: what has none, and why.
    """

    checks: tuple[Check, ...]
    without: dict[str, str]

    @property
    def failed(self) -> bool:
        """Whether some figure is neither met nor near."""
        return any(check.status == "FAIL" for check in self.checks)


def verify(results: Sequence[StoredResult], suites: Iterable[SuiteNode] = ()) -> Verification:
    """Hold kept results to every published figure of their dataset, split and retriever.

    A dataset is known by the content ids of its texts and judgments, and where those were never noted by its
    name; a retriever by what its identity must hold.

    Args:
        results: of any datasets.
        suites: whose means are held to published means too, their leaves named as results are.

    Raises:
        UsageError: a measure was not kept and the dataset is not there to score it.
    """
    checks: list[Check] = []
    without: dict[str, str] = {}
    for result in results:
        fitting, reason = _counterparts(result)
        if reason:
            without[str(result.folder)] = reason
        for reference in fitting:
            scores = _scores(result, reference)
            value = scores.mean(reference.figure.measure)
            if value is None:
                continue
            checks.append(_check(reference, result, value, scores))
    for suite in suites:
        for node in suite.suites():
            checks += _of_suite(node, results)
    return Verification(checks=tuple(checks), without=without)


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
    of_dataset = [
        one
        for one in references()
        if (one.figure.dataset, one.figure.split) in places and split in ("", one.figure.split)
    ]
    run = read_run(path)
    names = [system] if system else [run.tag, path.name.partition(".")[0]]
    fitting = [one for one in of_dataset if {one.figure.system, one.system.tag or " "} & set(names)]
    fitting = [one for one in fitting if not one.figure.unusable and not one.figure.variant]
    if not fitting:
        known = sorted({one.figure.system for one in of_dataset})
        raise UnknownNameError(
            f"nothing was published of {' or '.join(map(repr, names))} on "
            f"{', '.join(sorted(dataset for dataset, _ in places))}",
            hint=nearest(names[0], known) or "say which system it is of: --system",
        )
    checks = []
    for reference in fitting:
        figure = reference.figure
        scores = evaluate(qrels, run, [figure.measure], reference.system.scored_as)
        value = scores.mean(figure.measure)
        assert value is not None  # every judged query counts, by each protocol that a file is scored by
        tolerance = figure.tolerance_or(reference.rounding)
        checks.append(_made(reference, figure.system, value, tolerance, "", scores, path))
    return Verification(checks=tuple(checks), without={})


def _counterparts(result: StoredResult) -> tuple[list[Reference], str]:
    """The published figures that a result should meet, or why there are none."""
    facts = result.facts
    if facts.sample is not None:
        return [], "is of a sample, of which nothing was published"
    dataset = dataset_of(result.dataset, facts.content_ids)
    of_dataset = [
        one for one in references() if (one.figure.dataset, one.figure.split) == (dataset, facts.split)
    ]
    of_dataset = [one for one in of_dataset if not one.figure.unusable]
    if not of_dataset:
        return [], f"nothing published is known of {dataset}@{facts.split}"
    other = differing_contents(dataset, facts.content_ids)
    if other:
        return [], f"is called {dataset} and has other contents than what was published: {', '.join(other)}"
    fitting = [one for one in of_dataset if one.likeness_of(facts.retriever) is not None]
    deep = [one for one in fitting if (Measure.parse(one.figure.measure).cutoff or 0) <= facts.k]
    if fitting and not deep:
        return [], f"holds {facts.k} results per query, fewer than the published figures look at"
    if not fitting:
        systems = ", ".join(sorted({one.figure.system for one in of_dataset}))
        return [], f"no published system of {dataset} is this retriever ({systems})"
    return deep, ""


def _scores(result: StoredResult, reference: Reference) -> Scores:
    """By the source's rules where that can be; by any kept scores that would be the same."""
    measure = Measure.parse(reference.figure.measure)
    try:
        return result.scores(get_protocol(reference.system.scored_as), [measure])
    except UsageError:
        for name in ("beirkit", "trec_eval", "beir", "mteb"):
            kept = result.stored_scores(get_protocol(name))
            if kept is not None and measure in kept.measures and _same_under_all(kept):
                return kept
        raise


def _same_under_all(scores: Scores) -> bool:
    """Whether no protocol could score otherwise: nothing is missing, and nothing is a query itself."""
    counts = scores.counts
    return not (counts.missing or counts.self_matches_removed or counts.self_matches_kept)


def _check(reference: Reference, result: StoredResult, value: float, scores: Scores) -> Check:
    likeness = reference.likeness_of(result.facts.retriever)
    assert likeness is not None
    tolerance = reference.figure.tolerance_or(likeness.tolerance)
    return _made(reference, result.name, value, tolerance, likeness.why, scores, result.folder)


def _made(
    reference: Reference,
    retriever: str,
    value: float,
    tolerance: float,
    why: str,
    scores: Scores | None,
    folder: Path,
) -> Check:
    figure = reference.figure
    apart = abs(value - figure.value)
    status: Status = "FAIL"
    if apart <= reference.rounding + _NOISE:
        status = "OK"
    elif apart <= tolerance + _NOISE:
        status = "near"
    return Check(
        status=status,
        dataset=figure.dataset,
        split=figure.split,
        retriever=retriever,
        system=figure.system + (f" ({figure.variant})" if figure.variant else ""),
        measure=figure.measure,
        published=reference.printed,
        ours=value,
        rounding=reference.rounding,
        tolerance=tolerance,
        why=why,
        protocol=reference.system.scored_as if scores is None else scores.protocol.name,
        source=reference.key,
        title=reference.source.title,
        url=reference.source.url,
        evidence=reference.evidence,
        note=figure.note,
        folder=str(folder),
    )


def _of_suite(node: SuiteNode, results: Sequence[StoredResult]) -> list[Check]:
    """The means of a suite, where one was published and every member was searched by the same system."""
    checks = []
    for reference in references():
        figure = reference.figure
        if figure.dataset != node.name or figure.unusable:
            continue
        fitting: dict[str, StoredResult] = {
            one.dataset: one
            for one in results
            if one.facts.sample is None and reference.likeness_of(one.facts.retriever) is not None
        }
        values: Mapping[str, float | None] = {
            leaf: _scores(fitting[leaf], reference).mean(figure.measure)
            for leaf in node.leaves()
            if leaf in fitting
        }
        mean = suite_mean(node, values).value
        if mean is None:
            continue
        first = next(iter(fitting.values()))
        likeness = reference.likeness_of(first.facts.retriever)
        assert likeness is not None
        tolerance = figure.tolerance_or(likeness.tolerance)
        checks.append(
            _made(reference, first.name, mean, tolerance, likeness.why, None, first.folder.parent.parent)
        )
    return checks
