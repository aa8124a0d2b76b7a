"""What ``beirkit compare`` is given: runs over judgments, or kept results over one or many datasets."""

from __future__ import annotations

import argparse
import logging
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beirkit.corpora.errors import DataError, UnknownNameError, UsageError, nearest

if TYPE_CHECKING:
    from beirkit.configs.suites import SuiteNode
    from beirkit.corpora.records import Qrels
    from beirkit.corpora.run import Run
    from beirkit.evaluate.evidence import Evidence
    from beirkit.evaluate.measures import Measure
    from beirkit.evaluate.protocol import Protocol
    from beirkit.evaluate.scores import Scores
    from beirkit.stored import StoredResult

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Contest:
    """Systems on one dataset.

    Attributes:
        dataset: its name; empty where only judgments were given.
        scores: of each system; of one with several seeds, their mean on each query.
        seeds: the scores of each seed, for systems with several.
        paths: where each system's results are.
        depth: results per query that count; None: all.
        sample: how the dataset was drawn, where it is a sample.
        speeds: queries per second, of systems that were run on one machine.
        exam: judgments, runs and texts of queries, where they are at hand.
        forced: what makes them unlike, where they are compared all the same.
        cuts: what was left out so that they can be compared, in sentences.
    """

    dataset: str
    scores: dict[str, Scores]
    seeds: dict[str, list[Scores]]
    paths: dict[str, Path]
    depth: int | None
    sample: dict[str, Any] | None
    speeds: dict[str, float] = field(default_factory=dict)
    exam: Texts | None = None
    forced: tuple[str, ...] = ()
    cuts: tuple[str, ...] = ()

    @property
    def mark(self) -> str:
        """What a title says of a sample, and of systems that are not alike."""
        forced = " (FORCED" + (f": {'; '.join(self.cuts)}" if self.cuts else "") + ")"
        return (" (SAMPLE)" if self.sample else "") + (forced if self.forced or self.cuts else "")


@dataclass(frozen=True)
class Texts:
    """Judgments, runs (read anew whenever one is asked for), texts of queries, and evidence beside grades."""

    qrels: Qrels
    runs: Mapping[str, Run]
    queries: Mapping[str, str]
    evidence: Evidence | None = None


@dataclass(frozen=True)
class Given:
    """All that is compared.

    Attributes:
        contests: one per dataset.
        suite: over which a mean is taken; None: there is one dataset.
        baseline: the system all others are compared with.
        protocol: how all were scored.
        measures: what is compared.
        training: of each dataset and system, whether it was trained on the dataset's family.
        forced: what makes datasets unlike one another, where they are compared all the same.
    """

    contests: list[Contest]
    suite: SuiteNode | None
    baseline: str
    protocol: Protocol
    measures: tuple[Measure, ...]
    training: dict[tuple[str, str], str] = field(default_factory=dict)
    forced: tuple[str, ...] = ()

    def told_of_force(self) -> list[str]:
        """All that ``--force`` went on in spite of and what it left out, in sentences."""
        said = list(self.forced)
        for one in self.contests:
            where = f"{one.dataset}: " if one.dataset else ""
            said += [where + sentence for sentence in (*one.cuts, *one.forced)]
        return said


def gather(args: argparse.Namespace, gated: Sequence[Measure]) -> Given:
    """Read and score what the command line names.

    Args:
        args: of the command.
        gated: measures that gates need besides those asked for.

    Raises:
        BeirkitError: anything a user can mend.
    """
    if not args.runs and not args.seeds:
        raise UsageError(
            "there is nothing to compare", hint="name run files, result folders or a suite's JSON"
        )
    for path, times in Counter(args.runs).items():
        if times > 1:
            _log.warning("%s is named %d times, and compared once", path, times)
    seeds = _seeds(args.seeds)
    if args.qrels is None:
        from beirkit.cli.compare_stored import gather_stored

        return gather_stored(args, seeds, gated)
    return _judged(args, seeds, gated)


def _seeds(texts: Sequence[str]) -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = {}
    for text in texts:
        name, equals, rest = text.partition("=")
        paths = [Path(part) for part in rest.split(",") if part]
        if not equals or not name or len(set(paths)) < 2:
            raise UsageError(
                f"--seeds {text!r} cannot be read", hint="write NAME=RUN,RUN with two runs or more"
            )
        if name in found:
            raise UsageError(f"--seeds names {name!r} twice")
        found[name] = paths
    return found


def _judged(args: argparse.Namespace, seeds: dict[str, list[Path]], gated: Sequence[Measure]) -> Given:
    """Runs over the judgments that were given."""
    import msgspec

    from beirkit.cli.score import read_judgments
    from beirkit.evaluate.comparable import over_common_queries
    from beirkit.evaluate.engine import evaluate
    from beirkit.evaluate.measures import parse_measures
    from beirkit.evaluate.protocol import get_protocol
    from beirkit.runs import ReadRuns, counted_depth, find_run, searched_judgments

    protocol = get_protocol(args.protocol or "beirkit")
    measures = parse_measures([*(args.measures or protocol.measures[:1]), *gated])
    named, baseline = _named_runs(args, seeds)
    groups = {name: [f"{name} (seed {n})" for n in range(1, len(runs) + 1)] for name, runs in seeds.items()}
    given = {name: find_run(path) for name, path in named.items()}
    single = set(named)
    for name, runs in seeds.items():
        if name in named:
            raise UsageError(f"{name!r} is both a run and a name of --seeds")
        given |= dict(zip(groups[name], map(find_run, runs), strict=True))
        named |= dict(zip(groups[name], runs, strict=True))
    groups |= _seeded_alike({name: path for name, path in named.items() if name in single})
    forced = require_comparable(named, force=args.force, depth=args.depth)
    exam = read_judgments(args.qrels, args.split, args.default_relevance)
    depth = counted_depth(args.depth, given.items())
    qrels, cuts = searched_judgments(exam.qrels, given.values()), []
    if forced:
        qrels = _commonly_searched(exam.qrels, named)
        depths = {name: one.depth for name, one in given.items() if one.depth is not None}
        cuts = [cut_to_depth(depths)] if args.depth is None and len({*depths.values()}) > 1 else []
    part = next((one.sample for one in given.values() if one.sample is not None), None)
    scores = {
        name: evaluate(
            qrels,
            one.read(qrels, excluded=exam.excluded, lenient_scores=args.lenient_scores),
            measures,
            protocol,
            self_match_ids=one.self_match_ids if exam.self_match_ids is None else exam.self_match_ids,
            depth=depth,
            lenient_scores=args.lenient_scores,
            evidence=exam.evidence,
        )
        for name, one in given.items()
    }
    if args.force:
        scores, common = over_common_queries(scores, measures)
        if common is not None or len(qrels) < len(searched_judgments(exam.qrels, given.values())):
            cuts.insert(0, f"compared over {common or len(qrels):,} common queries")
    merged, apart = merge_seeds(scores, groups)
    baseline = next((name for name, parts in groups.items() if baseline in parts), baseline)
    firsts = {name: groups.get(name, [name])[0] for name in merged}
    contest = Contest(
        dataset="",
        scores=merged,
        seeds=apart,
        paths={name: named[first] for name, first in firsts.items()},
        depth=depth,
        sample=exam.sample if part is None else msgspec.to_builtins(part),
        speeds=_speeds({name: named[first] for name, first in firsts.items()}),
        exam=Texts(
            qrels,
            ReadRuns(
                {name: given[first] for name, first in firsts.items()},
                qrels,
                exam.excluded,
                lenient_scores=args.lenient_scores,
            ),
            _query_texts(args.qrels),
            exam.evidence,
        ),
        forced=tuple(forced),
        cuts=tuple(cuts),
    )
    return Given([contest], None, baseline, protocol, measures)


def _named_runs(args: argparse.Namespace, seeds: dict[str, list[Path]]) -> tuple[dict[str, Path], str]:
    """The runs by name, those of a suite's table among them, and which is the baseline."""
    from beirkit.stored import read_suite_results

    paths: list[Path] = []
    for path in args.runs:
        kept = read_suite_results(path)
        paths += [path] if kept is None else [one.folder for one in kept.results]
    asked = args.baseline
    by_path = asked is not None and asked not in seeds and Path(asked).exists()
    named = system_names(list(dict.fromkeys([*([Path(asked)] if by_path else []), *paths])))
    known = [*named, *seeds]
    if asked is not None and not by_path and asked not in known:
        raise UnknownNameError(f"no run or system is called {asked!r}", hint=nearest(asked, known))
    return named, known[0] if by_path or asked is None else asked


def _seeded_alike(named: Mapping[str, Path]) -> dict[str, list[str]]:
    """Results that differ in the seed only, by the name of their retriever."""
    from beirkit.stored import read_result

    found: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for name, path in named.items():
        try:
            result = read_result(path)
        except DataError:
            continue
        found[result.name, result.configuration].setdefault(result.seeded, name)
    return {name: [*by_seed.values()] for (name, _), by_seed in found.items() if len(by_seed) > 1}


def merge_seeds(
    scores: dict[str, Scores], groups: Mapping[str, Sequence[str]]
) -> tuple[dict[str, Scores], dict[str, list[Scores]]]:
    """The scores with each group's replaced by their mean, under the group's name, and those of each seed."""
    from beirkit.evaluate.seeds import averaged

    apart = {name: [scores[part] for part in parts] for name, parts in groups.items()}
    group_of = {part: name for name, parts in groups.items() for part in parts}
    order = dict.fromkeys(group_of.get(name, name) for name in scores)
    return {name: averaged(apart[name]) if name in apart else scores[name] for name in order}, apart


def _commonly_searched(qrels: Qrels, results: Mapping[str, Path]) -> Qrels:
    """The judgments of the queries that every result searched; bare runs do not tell which those were.

    Raises:
        UsageError: there is no such query.
    """
    from beirkit.runs import result_folder
    from beirkit.stored import read_result

    searched = [read_result(path).searched() for path in results.values() if result_folder(path)]
    kept = {
        query_id: row
        for query_id, row in qrels.items()
        if all(ids is None or query_id in ids for ids in searched)
    }
    if not kept:
        raise UsageError(f"no judged query was searched by all of {', '.join(results)}")
    return kept


def cut_to_depth(depths: Mapping[str, int]) -> str:
    """What is said of results that hold unequal numbers per query."""
    told = ", ".join(f"{name} holds {depth:,}" for name, depth in depths.items())
    return f"{'both' if len(depths) == 2 else 'all'} cut to depth {min(depths.values()):,} ({told})"


def require_comparable(results: Mapping[str, Path], *, force: bool, depth: int | None = None) -> list[str]:
    """Refuse results of different data, splits or depths, or only say what differs.

    Args:
        results: by name.
        force: only say it.
        depth: results per query that count of all of them, which makes depths alike.

    Raises:
        UsageError: not ``force``, and something differs; lists it.
    """
    from beirkit.results import differing_settings
    from beirkit.runs import result_folder

    folders = {name: folder for name, path in results.items() if (folder := result_folder(path))}
    return refuse(differing_settings(folders, depth=depth), force=force)


def refuse(differing: Sequence[str], *, force: bool) -> list[str]:
    """Refuse what differs, or only say it.

    Returns:
        What is to be said of it in the report.

    Raises:
        UsageError: not ``force``, and something differs; lists it.
    """
    import sys

    if differing and not force:
        raise UsageError(
            "these results are not comparable: " + "; ".join(differing),
            hint="--force compares them all the same",
        )
    for difference in differing:
        print(f"compared all the same: {difference}", file=sys.stderr)
    return [f"compared all the same: {difference}" for difference in differing]


def system_names(paths: Sequence[Path]) -> dict[str, Path]:
    """A short name for each run: its file or folder name, with the parents it takes to tell them apart."""
    from beirkit.stored import short_names

    of_folder = {path: path.parent if path.name.startswith("run.") else path for path in paths}
    short = short_names([*of_folder.values()])
    return {short[folder]: path for path, folder in of_folder.items()}


def _speeds(paths: Mapping[str, Path]) -> dict[str, float]:
    from beirkit.stored import read_result

    found = {}
    for name, path in paths.items():
        try:
            found[name] = read_result(path)
        except DataError:
            continue
    return speeds(found)


def speeds(results: Mapping[str, StoredResult]) -> dict[str, float]:
    """Queries per second, where all that are known were measured on one machine."""
    known = {name: speed for name, one in results.items() if (speed := one.speed())}
    return (
        {name: rate for name, (rate, _) in known.items()} if len({m for _, m in known.values()}) == 1 else {}
    )


def _query_texts(qrels: Path) -> dict[str, str]:
    """The texts of a BEIR folder's queries; none where only judgments were given."""
    from beirkit.corpora.folder import open_folder

    if not qrels.is_dir():
        return {}
    return {query.query_id: query.text for query in open_folder(qrels).queries()}
