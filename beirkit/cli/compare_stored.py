"""Kept results for ``beirkit compare``: by dataset and system, with the suite they make up."""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from beirkit.cli.compare_inputs import Contest, Given, Texts, cut_to_depth, merge_seeds, refuse, speeds
from beirkit.corpora.errors import UnknownNameError, UsageError, nearest

if TYPE_CHECKING:
    from beirkit.configs.suites import SuiteNode
    from beirkit.corpora.records import Qrels
    from beirkit.corpora.run import Run
    from beirkit.evaluate.measures import Measure
    from beirkit.evaluate.protocol import Protocol
    from beirkit.evaluate.scores import Scores
    from beirkit.stored import StoredResult, SuiteResults

# dataset -> system -> its results, several where they differ in the seed only
_Table = dict[str, dict[str, list["StoredResult"]]]


def gather_stored(args: argparse.Namespace, seeds: dict[str, list[Path]], gated: Sequence[Measure]) -> Given:
    """Result folders, and those that a table of ``beirkit run`` lists, as they were scored.

    Raises:
        UsageError: a run has no result folder, so its judgments are needed; or results are not comparable.
    """
    from beirkit.evaluate.protocol import get_protocol

    if args.depth is not None or args.split is not None:
        raise UsageError("--depth and --split score anew and need the judgments", hint="add --qrels")
    asked = args.baseline
    by_path = asked is not None and asked not in seeds and Path(asked).exists()
    paths = list(dict.fromkeys([*([Path(asked)] if by_path else []), *args.runs]))
    results, lists, first = _read(paths)
    names = dict(zip(results, _systems(list(results.values())), strict=True))
    for name, folders in seeds.items():
        for path in folders:
            more, _, _ = _read([path])
            results |= more
            names |= dict.fromkeys(more, name)
    rules = list(dict.fromkeys(one.protocol for one in lists)) or ["beirkit"]
    protocol = get_protocol(args.protocol or rules[0])
    table = _table(results, names)
    systems = list(dict.fromkeys(names.values()))
    if by_path:
        baseline = names[first]
    else:
        baseline = asked or systems[0]
        if baseline not in systems:
            raise UnknownNameError(f"no system is called {baseline!r}", hint=nearest(baseline, systems))
    if len(systems) > 1 and all(len(by_system) < 2 for by_system in table.values()):
        found = ", ".join(f"{system} on {dataset}" for dataset, by in table.items() for system in by)
        raise UsageError(f"these results are not comparable: no dataset has two systems ({found})")
    differing = _differing(table)
    if args.protocol is None and len(rules) > 1:
        differing.insert(0, ("", f"their protocols are {' and '.join(rules)}; --protocol chooses one"))
    told_of: dict[str, list[str]] = defaultdict(list)
    told = refuse([sentence for _, sentence in differing], force=args.force)
    for (dataset, _), sentence in zip(differing, told, strict=True):
        told_of[dataset].append(sentence)
    measures = _measures(args, table, protocol, gated)
    contests = [
        replace(_contest(dataset, by, protocol, measures, args), forced=tuple(told_of[dataset]))
        for dataset, by in table.items()
    ]
    training = {
        (one.dataset, names[folder]): kept.training.get((one.facts.dataset, one.facts.name), "")
        for kept in lists
        for folder, one in results.items()
    }
    suite = _suite(args, lists, list(table))
    return Given(contests, suite, baseline, protocol, measures, training, tuple(told_of[""]))


def _read(paths: Sequence[Path]) -> tuple[dict[Path, StoredResult], list[SuiteResults], Path]:
    """The results by folder, the lists they came from, and the first folder."""
    from beirkit.runs import result_folder
    from beirkit.stored import read_result, read_suite_results

    found: dict[Path, StoredResult] = {}
    lists = []
    for path in paths:
        kept = read_suite_results(path)
        if kept is not None:
            lists.append(kept)
            found |= {one.folder.resolve(): one for one in kept.results}
            continue
        if result_folder(path) is None and path.is_file():
            raise UsageError(f"{path} is a run file, which needs its judgments", hint="add --qrels")
        one = read_result(path)
        found[one.folder.resolve()] = one
    return found, lists, next(iter(found), Path())


def _systems(results: Sequence[StoredResult]) -> list[str]:
    from beirkit.stored import system_of

    return system_of(results)


def _table(results: Mapping[Path, StoredResult], names: Mapping[Path, str]) -> _Table:
    table: _Table = {}
    for folder, one in results.items():
        table.setdefault(one.dataset, {}).setdefault(names[folder], []).append(one)
    return table


def _differing(table: _Table) -> list[tuple[str, str]]:
    """Results of one dataset over other texts, splits or depths, and samples beside whole sets.

    Returns:
        The dataset, empty where it is about several, and the sentence.
    """
    from beirkit.results import differing_settings

    differing: list[tuple[str, str]] = []
    for dataset, by_system in table.items():
        folders = {
            system if len(results) == 1 else f"{system} ({one.folder.name})": one.folder
            for system, results in by_system.items()
            for one in results
        }
        differing += [(dataset, told) for told in differing_settings(folders)]
    samples = defaultdict(list)
    for dataset, by_system in table.items():
        for one in next(iter(by_system.values())):
            samples[one.facts.sample is not None].append(dataset)
    if len(samples) == 2:
        parts = [", ".join(samples[one]) for one in (True, False)]
        differing.append(("", f"{parts[0]} is a sample and {parts[1]} is whole"))
    return differing


def _measures(
    args: argparse.Namespace, table: _Table, protocol: Protocol, gated: Sequence[Measure]
) -> tuple[Measure, ...]:
    """What was asked for, else the protocol's first measure, or the first one that every result kept."""
    from beirkit.evaluate.measures import parse_measures

    if args.measures:
        return parse_measures([*args.measures, *gated])
    kept = [
        one.stored_scores(protocol) for by in table.values() for results in by.values() for one in results
    ]
    common = [scores.measures if scores else () for scores in kept]
    everywhere = [m for m in common[0] if all(m in others for others in common)] if common else []
    first = protocol.measures[0]
    chosen = first if first in everywhere or not everywhere else everywhere[0]
    return parse_measures(gated or [chosen])


def _contest(
    dataset: str,
    by_system: Mapping[str, Sequence[StoredResult]],
    protocol: Protocol,
    measures: Sequence[Measure],
    args: argparse.Namespace,
) -> Contest:
    import msgspec

    from beirkit.evaluate.comparable import over_common_queries

    scores: dict[str, Scores] = {}
    groups: dict[str, list[str]] = {}
    cuts: list[str] = []
    depths = {system: min(one.facts.k for one in results) for system, results in by_system.items()}
    depth = None
    if len({one.facts.k for results in by_system.values() for one in results}) > 1:
        depth = min(depths.values())
        cuts.append(cut_to_depth(depths))
    for system, results in by_system.items():
        parts = [system] if len(results) == 1 else [f"{system} ({n})" for n in range(1, len(results) + 1)]
        scores |= {
            part: one.scores(protocol, measures, depth=depth)
            for part, one in zip(parts, results, strict=True)
        }
        if len(results) > 1:
            groups[system] = parts
    if args.force:
        scores, common = over_common_queries(scores, measures)
        if common is not None:
            cuts.insert(0, f"compared over {common:,} common queries")
    merged, apart = merge_seeds(scores, groups)
    firsts = {system: results[0] for system, results in by_system.items()}
    sample = next((one.facts.sample for one in firsts.values() if one.facts.sample is not None), None)
    return Contest(
        dataset=dataset,
        scores=merged,
        seeds=apart,
        paths={system: one.folder for system, one in firsts.items()},
        depth=next(iter(merged.values())).depth,
        sample=None if sample is None else msgspec.to_builtins(sample),
        speeds=speeds(firsts),
        cuts=tuple(cuts),
    )


def texts_of(contest: Contest) -> Texts:
    """Judgments, runs and queries of kept results, from their dataset.

    Raises:
        BeirkitError: the dataset is not built, or has changed.
    """
    from beirkit.stored import read_result

    if contest.exam is not None:
        return contest.exam
    exam = read_result(next(iter(contest.paths.values()))).exam()
    queries = {query.query_id: query.text for query in exam.queries}
    compared = set(next(iter(contest.scores.values())).query_ids)
    qrels = {query_id: row for query_id, row in exam.qrels.items() if query_id in compared}
    return Texts(qrels, runs_of(contest), queries, exam.evidence)


def runs_of(contest: Contest) -> Mapping[str, Run]:
    """The runs, for which kept results need no dataset: what a query excludes they never held."""
    from beirkit.runs import ReadRuns, find_run

    if contest.exam is not None:
        return contest.exam.runs
    searched: Qrels = {query_id: {} for scores in contest.scores.values() for query_id in scores.query_ids}
    return ReadRuns({system: find_run(path) for system, path in contest.paths.items()}, searched, {})


def _suite(
    args: argparse.Namespace, lists: Sequence[SuiteResults], datasets: Sequence[str]
) -> SuiteNode | None:
    """The suite that was asked for, that all tables are of, or the datasets side by side."""
    from beirkit.configs.suites import SuiteNode

    if args.suite is not None:
        return named_suite(args.suite)
    named = [one.suite for one in lists if one.suite is not None]
    if named and all(one == named[0] for one in named):
        return named[0]
    return SuiteNode(f"{len(datasets)} datasets", tuple(datasets)) if len(datasets) > 1 else None


def named_suite(name: str) -> SuiteNode:
    """A suite by its name or file, its members called as their results are."""
    from beirkit.configs.load import is_suite_file, load_suite, names, read_config
    from beirkit.configs.schema import DatasetConfig, SuiteConfig
    from beirkit.configs.suites import suite_tree

    path = Path(name)
    tree = suite_tree(read_config(path, SuiteConfig) if is_suite_file(path) else load_suite(name))
    labels = {}
    for leaf in tree.leaves():
        if leaf in names("datasets"):
            labels[leaf] = leaf
        elif leaf.endswith((".yaml", ".yml")):
            labels[leaf] = read_config(Path(leaf), DatasetConfig).name
        else:
            labels[leaf] = Path(leaf).resolve().name
    return tree.renamed(labels)
