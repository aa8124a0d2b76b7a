"""Results held to published figures: each that has a counterpart agrees, is near, or is not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from beirkit.configs.references import Reference, dataset_of, differing_contents, references
from beirkit.configs.suites import SuiteNode
from beirkit.corpora.errors import BeirkitError, UnknownNameError, UsageError, nearest
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.protocol import get_protocol
from beirkit.evaluate.scores import Scores
from beirkit.evaluate.suites import suite_mean
from beirkit.stored import StoredResult

Status = Literal["OK", "near", "FAIL"]

_TREC = 1_000  # results per query of a run, where its source says nothing else
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
        left_out: of results, the figures that they were not held to, and why.
    """

    checks: tuple[Check, ...]
    without: dict[str, str]
    left_out: dict[str, str] = {}

    @property
    def failed(self) -> bool:
        """Whether some figure is neither met nor near."""
        return any(check.status == "FAIL" for check in self.checks)


def verify(
    results: Sequence[StoredResult], suites: Iterable[SuiteNode] = (), *, system: str = ""
) -> Verification:
    """Hold kept results to every published figure of their dataset, split and retriever.

    A dataset is known by the content ids of its texts and judgments, and where those were never noted by its
    name; a retriever by what its identity must hold, and one whose lists were imported by its name.

    Args:
        results: of any datasets.
        suites: whose means are held to published means too, their leaves named as results are.
        system: the published system that they all are, whatever they are made of; empty: each by itself.

    Raises:
        UnknownNameError: nothing at all was published of the system.
    """
    if system:
        require_system(system)
    checks: list[Check] = []
    without: dict[str, str] = {}
    left_out: dict[str, str] = {}
    for result in results:
        fitting, reason = _counterparts(result, system)
        deep = [one for one in fitting if depth_of(one) <= result.facts.k]
        if reason:
            without[str(result.folder)] = reason
        elif not deep:
            without[str(result.folder)] = too_shallow(result.facts.k, ())
        elif shallow := [one for one in fitting if one not in deep]:
            left_out[str(result.folder)] = too_shallow(result.facts.k, shallow)
        for reference in deep:
            try:
                scores = _scores(result, reference)
            except UsageError as error:
                left_out[str(result.folder)] = f"not held to anything: {error.found}{_where(error)}"
                break
            value = scores.mean(reference.figure.measure)
            if value is not None:
                checks.append(_check(reference, result, value, scores))
    for suite in suites:
        for node in suite.suites():
            checks += _of_suite(node, results)
    return Verification(checks=tuple(checks), without=without, left_out=left_out)


def _where(error: UsageError) -> str:
    """What helps where a result cannot be scored: its dataset, as verify takes no judgments for results."""
    cause = error.__cause__
    return f" ({cause.hint})" if isinstance(cause, BeirkitError) and cause.hint else ""


def require_system(system: str) -> None:
    """Refuse a name that no source has a system of.

    Raises:
        UnknownNameError: there is none.
    """
    known = sorted({one.figure.system for one in references()})
    if system not in known:
        raise UnknownNameError(f"no source has a system {system!r}", hint=nearest(system, known))


def named(references_there: Iterable[Reference], names: Iterable[str]) -> list[Reference]:
    """The figures of systems with one of these names, or whose run files have one of them as a tag."""
    wanted = {name for name in names if name}
    return [
        one
        for one in references_there
        if {one.figure.system, one.system.tag} & wanted and not (one.figure.unusable or one.figure.variant)
    ]


def too_shallow(depth: int, figures: Iterable[Reference]) -> str:
    """Why lists of so many results are not held to figures that look deeper."""
    what = ", ".join(dict.fromkeys(one.figure.measure for one in figures))
    if what:
        return f"not held to {what}, since it holds {depth} results per query and the source looks deeper"
    return f"holds {depth} results per query, fewer than the published figures look at"


def _counterparts(result: StoredResult, system: str) -> tuple[list[Reference], str]:
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
    systems = ", ".join(sorted({one.figure.system for one in of_dataset}))
    imported = facts.retriever.get("kind") == "imported"
    if system or imported:
        names = (system,) if system else (facts.name, str(facts.retriever.get("name", "")))
        if fitting := named(of_dataset, names):
            return fitting, ""
        if system:
            return [], f"nothing was published of {system!r} on {dataset}@{facts.split} ({systems})"
        told = f"was imported as {facts.name}, and no published system of {dataset} is called so"
        return [], f"{told}: name it with --system ({systems})"
    fitting = [one for one in of_dataset if one.likeness_of(facts.retriever) is not None]
    return fitting, "" if fitting else f"no published system of {dataset} is this retriever ({systems})"


def depth_of(reference: Reference) -> int:
    """Results per query that a figure looks at: of a measure without a cut-off as many as its source kept."""
    stated = reference.system.protocol.get("depth")
    return Measure.parse(reference.figure.measure).cutoff or (stated if isinstance(stated, int) else _TREC)


def _scores(result: StoredResult, reference: Reference) -> Scores:
    """By the source's rules where that can be; by any kept scores that would be the same."""
    measure = Measure.parse(reference.figure.measure)
    most = depth_of(reference)
    depth = most if measure.cutoff is None and result.facts.k > most else None
    try:
        return result.scores(get_protocol(reference.system.scored_as), [measure], depth=depth)
    except UsageError:
        for name in ("beirkit", "trec_eval", "beir", "mteb"):
            kept = result.stored_scores(get_protocol(name))
            if depth is None and kept and measure in kept.measures and _same_under_all(kept):
                return kept
        raise


def _same_under_all(scores: Scores) -> bool:
    """Whether no protocol could score otherwise: nothing is missing, and nothing is a query itself."""
    counts = scores.counts
    return not (counts.missing or counts.self_matches_removed or counts.self_matches_kept)


def _check(reference: Reference, result: StoredResult, value: float, scores: Scores) -> Check:
    likeness = reference.likeness_of(result.facts.retriever)
    tolerance = reference.figure.tolerance_or(likeness.tolerance if likeness else reference.rounding)
    why = likeness.why if likeness else ""
    return check_of(reference, result.name, value, tolerance, why, scores, result.folder)


def check_of(
    reference: Reference,
    retriever: str,
    value: float,
    tolerance: float,
    why: str,
    scores: Scores | None,
    folder: Path,
) -> Check:
    """A figure and a value that is held to it.

    Args:
        reference: the figure.
        retriever: whose value it is.
        value: unrounded, or as it was stated.
        tolerance: how far it may be and still be near.
        why: what may make a difference.
        scores: what the value is of; None: it is a mean of such, or stated.
        folder: of the result, or the run's file.
    """
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
        try:
            values: Mapping[str, float | None] = {
                leaf: _scores(fitting[leaf], reference).mean(figure.measure)
                for leaf in node.leaves()
                if leaf in fitting
            }
        except UsageError:  # told of the member
            continue
        mean = suite_mean(node, values).value
        if mean is None:
            continue
        first = next(iter(fitting.values()))
        likeness = reference.likeness_of(first.facts.retriever)
        assert likeness is not None
        tolerance = figure.tolerance_or(likeness.tolerance)
        checks.append(
            check_of(reference, first.name, mean, tolerance, likeness.why, None, first.folder.parent.parent)
        )
    return checks
