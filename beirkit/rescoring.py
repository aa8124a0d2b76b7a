"""Kept results scored under another protocol, or with another version of their judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from beirkit.configs.suites import SuiteNode
from beirkit.corpora.errors import UnknownNameError, UsageError, nearest
from beirkit.corpora.records import Qrels
from beirkit.evaluate.engine import evaluate
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.protocol import Protocol
from beirkit.evaluate.rescoring import Rescored, rescored, rescored_means
from beirkit.evaluate.scores import Scores
from beirkit.evaluate.seeds import averaged
from beirkit.evaluate.suites import suite_mean
from beirkit.results import differing_settings
from beirkit.runs import find_run, searched_judgments
from beirkit.stored import StoredResult, system_of


class Scoring(NamedTuple):
    """One dataset's systems scored before and now, and what came of each measure."""

    dataset: str
    old: dict[str, Scores]
    new: dict[str, Scores]
    measures: tuple[Rescored, ...]


def rescore(
    results: Sequence[StoredResult],
    old: Protocol,
    new: Protocol,
    measures: Sequence[Measure],
    judgments: Mapping[str, Qrels] | None = None,
) -> list[Scoring]:
    """Score results anew, dataset by dataset.

    Args:
        results: of any datasets.
        old: the protocol they are compared with.
        new: the protocol they are scored under.
        measures: what is scored.
        judgments: another version of the judgments of a dataset, by its name, or as ``dataset@split``; the
            empty name is that of the only dataset there is.

    Raises:
        UsageError: nothing would be another, results of one dataset are not comparable, or scores under the
            old protocol were not kept and the dataset is not there.
        UnknownNameError: there are judgments of a dataset without results.
    """
    by_dataset: dict[str, dict[str, list[StoredResult]]] = {}
    for system, one in zip(system_of(results), results, strict=True):
        by_dataset.setdefault(f"{one.dataset}@{one.facts.split}", {}).setdefault(system, []).append(one)
    versions = _versions(judgments or {}, list(by_dataset))
    if old == new and not versions:
        raise UsageError(
            f"both times the protocol is {old.name}", hint="name another --protocol, or --new-qrels"
        )
    done = []
    for dataset, systems in by_dataset.items():
        _require_alike(systems)
        before = {
            system: averaged([one.scores(old, measures) for one in ones]) for system, ones in systems.items()
        }
        after = {
            system: averaged(
                [_scored(one, new, measures, versions.get(dataset), before[system]) for one in ones]
            )
            for system, ones in systems.items()
        }
        done.append(
            Scoring(dataset, before, after, tuple(rescored(before, after, measure) for measure in measures))
        )
    return done


def rescore_suite(
    suite: SuiteNode, scorings: Sequence[Scoring], measures: Sequence[Measure]
) -> tuple[Rescored, ...]:
    """The means over a suite before and now; a system without every member has none.

    Args:
        suite: its leaves named as datasets are.
        scorings: of the datasets.
        measures: what was scored.
    """
    systems = dict.fromkeys(system for scoring in scorings for system in scoring.old)
    found = []
    for measure in measures:
        means = []
        for which in ("old", "new"):
            values = {
                system: {
                    scoring.dataset.rpartition("@")[0]: getattr(scoring, which)[system].mean(measure)
                    for scoring in scorings
                    if system in scoring.old
                }
                for system in systems
            }
            means.append({system: suite_mean(suite, values[system]).value for system in systems})
        found.append(rescored_means(means[0], means[1], measure))
    return tuple(found)


def scores_over(
    result: StoredResult, qrels: Qrels, protocol: Protocol, measures: Sequence[Measure]
) -> Scores:
    """A result scored with these judgments, of a sample with those of the queries that it drew."""
    given = find_run(result.folder)
    judged = searched_judgments(qrels, [given])
    more = any(measure.about.by != "grades" for measure in measures)  # than these judgments
    return evaluate(
        judged,
        given.read(judged),
        measures,
        protocol,
        self_match_ids=given.self_match_ids,
        depth=given.depth,
        evidence=result.exam().evidence if more else None,
    )


def _scored(
    one: StoredResult, protocol: Protocol, measures: Sequence[Measure], qrels: Qrels | None, before: Scores
) -> Scores:
    if qrels is None:
        return one.scores(protocol, measures)
    if one.facts.sample is not None:  # the queries that were drawn then, whatever else is judged by now
        drawn = set(before.query_ids)
        qrels = {query_id: row for query_id, row in qrels.items() if query_id in drawn}
    return scores_over(one, qrels, protocol, measures)


def _versions(judgments: Mapping[str, Qrels], datasets: Sequence[str]) -> dict[str, Qrels]:
    """The judgments by dataset and split."""
    found: dict[str, Qrels] = {}
    for name, qrels in judgments.items():
        fitting = [one for one in datasets if not name or name in (one, one.rpartition("@")[0])]
        if not fitting:
            raise UnknownNameError(f"no result is of {name!r}", hint=nearest(name, list(datasets)))
        if len(fitting) > 1:
            raise UsageError(
                f"{name or 'the judgments'} may be those of {' or '.join(fitting)}",
                hint="write DATASET=QRELS",
            )
        found[fitting[0]] = qrels
    return found


def _require_alike(systems: Mapping[str, Sequence[StoredResult]]) -> None:
    folders: dict[str, Path] = {
        system if len(ones) == 1 else f"{system} ({one.folder.name})": one.folder
        for system, ones in systems.items()
        for one in ones
    }
    differing = differing_settings(folders)
    if differing:
        raise UsageError("these results are not comparable: " + "; ".join(differing), hint="score them apart")
