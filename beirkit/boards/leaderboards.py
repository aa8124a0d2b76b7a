"""From submissions to what a leaderboard's site says: boards of comparable results, and means over suites."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from beirkit.boards.names import named, once
from beirkit.boards.stated import stated_board, stated_systems, stated_tables
from beirkit.boards.submissions import Submissions, Tested
from beirkit.boards.systems import (
    about_tested,
    prompts_of,
    training_tested,
    warnings_tested,
)
from beirkit.configs.load import load_dataset, load_suite, names
from beirkit.configs.suites import SuiteNode, suite_tree
from beirkit.corpora.errors import BeirkitError, DataError
from beirkit.corpora.manifest import installed_version
from beirkit.corpora.progress import Progress, silent
from beirkit.costs import Cost, read_cost
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.protocol import Protocol
from beirkit.evaluate.report.sections import counted
from beirkit.evaluate.scores import Scores
from beirkit.evaluate.seeds import averaged
from beirkit.evaluate.site.model import Board, Refused, Result, Site, System, View
from beirkit.evaluate.site.ranking import (
    Draw,
    everything,
    part_of,
    same_queries,
    shared_by_most,
    stated_view,
    view_of,
)
from beirkit.evaluate.site.slugs import page_names
from beirkit.reporting import behind, merged_manifests


@dataclass(frozen=True)
class Asked:
    """What a site is to be of.

    Attributes:
        protocol: how results are scored.
        draw: what ranks them, and how intervals are drawn.
        suites: whose means are shown; none: those that a system has all of, and what most systems have.
        title: of the site; empty: what it holds.
    """

    protocol: Protocol
    draw: Draw
    suites: Sequence[SuiteNode] = ()
    title: str = ""


@dataclass
class _Table:
    """Systems on one board while it is made."""

    key: str
    dataset: str
    split: str
    content: dict[str, str]
    results: dict[str, list[Tested]] = field(default_factory=lambda: defaultdict(list))
    scores: dict[str, Scores] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def build_site(found: Submissions, asked: Asked, *, progress: Progress = silent) -> Site:
    """Rank what can be ranked, and tell what cannot.

    Results are on one board where texts, judgments, split, rules and queries are the same. A system that
    lacks a dataset of a suite is incomplete there and has no rank.

    Raises:
        DataError: there is no result.
    """
    refused = list(found.refused)
    tables = _tables(named(once(found.tested, refused)))
    with progress("ranking", len(tables), "datasets") as advance:
        boards = []
        for table in tables:
            _score(table, asked, refused)
            if table.scores:
                boards.append(_board(table, asked))
            advance()
    tables = [table for table in tables if table.scores]
    tested_names = {name for table in tables for name in table.scores}
    stated = stated_tables(found.stated, tested_names, asked.draw.measure, refused)
    models = {str(one.meta.get("name")): one.meta for one in found.stated if one.meta}
    boards += [stated_board(key, by_system, asked.draw.measure, models) for key, by_system in stated.items()]
    if not boards:
        raise DataError(
            "no result was found that can be shown"
            + "".join(f"; {one.path}: {one.reason}" for one in refused[:3])
            + (" …" if len(refused) > 3 else "")
        )
    boards.sort(key=lambda board: (board.dataset, board.split, not board.tested, board.key))
    views = _views(found, asked, tables, [board for board in boards if not board.tested])
    systems = _systems(tables, boards, progress) + stated_systems(stated)
    slugs = page_names(system.name for system in systems)
    systems = [replace(system, slug=slugs[system.name]) for system in systems]
    return Site(
        title=asked.title
        or f"{counted(len(systems), 'system')} on {counted(len({b.dataset for b in boards}), 'dataset')}",
        measure=str(asked.draw.measure),
        protocol=asked.protocol.name,
        rules=asked.protocol.describe(),
        digits=asked.protocol.digits,
        level=asked.draw.level,
        seed=asked.draw.seed,
        samples=asked.draw.samples,
        systems=tuple(sorted(systems, key=lambda one: one.name)),
        boards=tuple(boards),
        views=tuple(views),
        refused=tuple(sorted(refused, key=lambda one: (one.path, one.reason))),
        beirkit=installed_version(),
    )


def _tables(named: Sequence[tuple[str, Tested]]) -> list[_Table]:
    """One table for each split of each dataset as it was searched: equal texts, judgments and exclusions."""
    groups: dict[tuple[str, str], list[tuple[str, Tested]]] = defaultdict(list)
    contents = {}
    for name, one in named:
        content = _content(one)
        digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
        contents[digest] = content
        groups[digest, one.result.facts.split].append((name, one))
    labels = {}
    for group, members in groups.items():
        called = Counter(one.result.facts.dataset for _, one in members)
        shipped = sorted(name for name in called if name in names("datasets"))
        labels[group] = (shipped or [min(called, key=lambda name: (-called[name], name))])[0]
    times = Counter((labels[digest, split], split) for digest, split in groups)
    tables = []
    for (digest, split), members in groups.items():
        label = labels[digest, split]
        mark = f" [{digest[:8]}]" if times[label, split] > 1 else ""
        table = _Table(f"{label}@{split}{mark}", label, split, contents[digest])
        if mark:
            table.notes.append("Results of this name are of several texts or judgments; each has its board.")
        others = sorted({one.result.facts.dataset for _, one in members} - {label})
        if others:
            table.notes.append(f"Some results call it {', '.join(others)}; texts and judgments are equal.")
        for name, one in members:
            table.results[name].append(one)
        tables.append(table)
    return sorted(tables, key=lambda table: table.key)


def _content(one: Tested) -> dict[str, str]:
    content = dict(one.result.facts.content_ids)
    manifest = json.loads((one.result.folder / "manifest.json").read_text(encoding="utf-8"))
    excluded = manifest.get("excluded")
    return {**content, **({"excluded documents": str(excluded)} if excluded else {})}


def _score(table: _Table, asked: Asked, refused: list[Refused]) -> None:
    """Fill in the scores of all systems whose figures are of the same queries to the same depth."""
    measure = asked.draw.measure
    depths = [one.result.facts.k for results in table.results.values() for one in results]
    deep = [k for k in depths if measure.cutoff is None or k >= measure.cutoff]
    depth = min(deep, default=0)
    for name in sorted(table.results):
        kept = []
        for one in _one_of_each_seed(table.results[name], refused):
            k = one.result.facts.k
            if measure.cutoff is not None and k < measure.cutoff:
                refused.append(Refused(one.source, f"holds {k} results per query, and {measure} needs more"))
                continue
            try:
                kept.append((one, one.result.scores(asked.protocol, [measure], depth=depth)))
            except BeirkitError as error:
                refused.append(Refused(one.source, error.found + (f" ({error.hint})" if error.hint else "")))
        table.results[name] = [one for one, _ in kept]
        if kept:
            try:
                scores = [_only(one, measure) for _, one in kept]
                table.scores[name] = averaged(scores) if len(scores) > 1 else kept[0][1]
            except BeirkitError as error:
                refused += [Refused(one.source, error.found) for one, _ in kept]
    if len({k for k in depths if k >= depth}) > 1:
        table.notes.append(f"All are cut to depth {depth:,}, that of the shallowest.")
    same, apart = same_queries(table.scores, measure)
    for name, reason in apart.items():
        refused += [Refused(one.source, f"{reason}, on {table.key}") for one in table.results[name]]
    table.scores = {name: table.scores[name] for name in sorted(same)}


def _only(scores: Scores, measure: Measure) -> Scores:
    return replace(scores, measures=(measure,), values=scores.of(measure).reshape(-1, 1))


def _one_of_each_seed(results: Sequence[Tested], refused: list[Refused]) -> list[Tested]:
    """Results of several seeds, each once; what was done a second time under another name is told."""
    kept: dict[str, Tested] = {}
    for one in results:
        first = kept.setdefault(one.result.seeded, one)
        if first is not one:
            refused.append(Refused(one.source, f"is the same work as {first.source}, which is shown"))
    return list(kept.values())


def _board(table: _Table, asked: Asked) -> Board:
    places = asked.draw.places(table.scores)
    first = next(iter(table.scores.values()))
    return Board(
        key=table.key,
        dataset=table.dataset,
        split=table.split,
        tested=True,
        queries=first.n(asked.draw.measure),
        places=places,
        training={name: training_tested(table.results[name][0]) for name in table.scores},
        content=table.content,
        notes=tuple(table.notes),
    )


def _views(found: Submissions, asked: Asked, tables: Sequence[_Table], stated: Sequence[Board]) -> list[View]:
    """Means over suites, those first that most can be said of."""
    suites = [*asked.suites] or [*found.suites, *(suite_tree(load_suite(name)) for name in names("suites"))]
    suites = [suite for suite in suites if suite.name and len(suite.members) > 1]
    views: list[View] = []
    chosen = _chosen([(one.dataset, one.split, len(one.scores), one) for one in tables])
    scores = {name: table.scores for name, table in chosen.items()}
    boards = {name: table.key for name, table in chosen.items()}
    tasks = [(name, [name]) for name in chosen]
    having = {name: frozenset(by_system) for name, by_system in scores.items()}
    for suite, wanted in _wanted(suites, tasks, having, asked):
        view = view_of(suite, scores, asked.draw, boards)
        views += [view] if wanted or view.places else []
        part = part_of(suite, having) if asked.suites and not view.places else None
        views += [view_of(part, scores, asked.draw, boards)] if part is not None else []
    told = _chosen([(one.dataset, one.split, len(one.places), one) for one in stated])
    means = {name: {p.system: p.mean for p in board.places} for name, board in told.items()}
    keys = {name: board.key for name, board in told.items()}
    parts: dict[str, list[str]] = defaultdict(list)
    for name, board in told.items():
        parts[board.task or name].append(name)
    whole = list(parts.items())
    having = {name: frozenset(by_system) for name, by_system in means.items()}
    for suite, wanted in _wanted(suites, whole, having, asked):
        view = stated_view(suite, means, keys)
        views += [view] if wanted or view.places else []
        part = part_of(suite, having) if asked.suites and not view.places else None
        views += [stated_view(part, means, keys)] if part is not None else []
    if asked.suites:
        views += [_nobody(suite) for suite in suites if suite.name not in {view.name for view in views}]
        return sorted(views, key=lambda one: (_asked_at(one, suites), not one.tested))
    return sorted(views, key=lambda one: (len(one.places) < 2, not one.tested, -one.members, one.name))


def _asked_at(view: View, suites: Sequence[SuiteNode]) -> tuple[int, bool]:
    """Where a suite was named; a part of it comes after it."""
    named = [suite.name for suite in suites]
    own = view.name in named
    return (named.index(view.name if own else view.name.rpartition(": ")[0]), not own)


def _nobody(suite: SuiteNode) -> View:
    """A suite that was asked for, and of which nothing was found."""
    return View(suite.name, True, len(suite.members), (), (), {}, suite.leaves())


def _wanted(
    suites: Sequence[SuiteNode],
    tasks: Sequence[tuple[str, Sequence[str]]],
    having: Mapping[str, frozenset[str]],
    asked: Asked,
) -> list[tuple[SuiteNode, bool]]:
    """The suites to try, and whether each is shown though no system is complete."""
    here = [suite for suite in suites if having.keys() & set(suite.leaves())]
    if asked.suites:
        return [(suite, True) for suite in here]
    complete = [suite for suite in here if having.keys() >= set(suite.leaves())]
    found = [(suite, False) for suite in dict.fromkeys(complete)]
    if len(tasks) > 1:
        part = shared_by_most(tasks, having)
        found += [(everything(tasks), True), *([(part, False)] if part is not None else [])]
    seen: set[frozenset[str]] = set()
    kept = []
    for suite, wanted in found:
        leaves = frozenset(suite.leaves())
        if leaves not in seen:
            kept.append((suite, wanted))
        seen.add(leaves)
    return kept


def _chosen(candidates: Sequence[tuple[str, str, int, Any]]) -> dict[str, Any]:
    """For each dataset its board in a suite: that of the reported split, then that of most systems."""
    found: dict[str, tuple[tuple[bool, int, str], Any]] = {}
    for dataset, split, systems, one in candidates:
        reported = load_dataset(dataset).reported_split if dataset in names("datasets") else "test"
        rank = (split == reported, systems, one.key)
        if dataset not in found or rank > found[dataset][0]:
            found[dataset] = (rank, one)
    return {dataset: one for dataset, (_, one) in sorted(found.items())}


def _systems(tables: Sequence[_Table], boards: Sequence[Board], progress: Progress) -> list[System]:
    intervals = {(b.key, place.system): place.interval for b in boards for place in b.places}
    manifests = merged_manifests(
        {table.key: {name: table.results[name][0].result.folder for name in table.scores} for table in tables}
    )
    everyone = sorted({name for table in tables for name in table.scores})
    found = []
    with progress("describing systems", len(everyone), "systems") as advance:
        for name in everyone:
            own = {table.key: table for table in tables if name in table.scores}
            first = {key: table.results[name][0] for key, table in own.items()}
            costs = {key: read_cost(one.result.folder) for key, one in first.items()}
            results = [_result(key, table, name, costs[key], intervals) for key, table in own.items()]
            sources, bibtex = behind([one.result.folder for one in first.values()])
            found.append(
                System(
                    name=name,
                    slug="",
                    tested=True,
                    about=about_tested([*first.values()], [*costs.values()]),
                    results=tuple(results),
                    manifests=manifests.get(name, {}),
                    prompts=prompts_of(first),
                    behind=sources,
                    bibtex=bibtex,
                    warnings=_several(name, own),
                )
            )
            advance()
    return found


def _several(name: str, tables: Mapping[str, _Table]) -> tuple[str, ...]:
    seeds = {key: len(table.results[name]) for key, table in tables.items() if len(table.results[name]) > 1}
    return tuple(f"On {key} the value of a query is the mean over {n} seeds." for key, n in seeds.items())


def _result(
    key: str,
    table: _Table,
    name: str,
    cost: Cost,
    intervals: Mapping[tuple[str, str], Any],
) -> Result:
    one, scores = table.results[name][0], table.scores[name]
    return Result(
        board=key,
        means=scores.means(),
        source=", ".join(each.source for each in table.results[name]),
        interval=intervals.get((key, name)),
        cost=cost.to_dict(),
        warnings=warnings_tested(one, scores),
    )
