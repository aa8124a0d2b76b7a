"""From scores and stated figures to boards and views: who is ranked beside whom, and who is not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from beirkit.configs.suites import SuiteNode
from beirkit.evaluate.compare_suites import compare_suite
from beirkit.evaluate.leaderboard import Place, bare_places, ranked
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.scores import Scores
from beirkit.evaluate.site.model import View
from beirkit.evaluate.suites import suite_mean


@dataclass(frozen=True)
class Draw:
    """How everything of a site is drawn.

    Attributes:
        measure: what systems are ranked by.
        level: of tests.
        seed: of every draw.
        samples: how many are drawn.
    """

    measure: Measure
    level: float = 0.05
    seed: int = 1
    samples: int = 10_000

    def places(self, scores: Mapping[str, Scores]) -> tuple[Place, ...]:
        """The systems of one board."""
        return ranked(scores, self.measure, level=self.level, seed=self.seed, samples=self.samples)


def same_queries(scores: Mapping[str, Scores], measure: Measure) -> tuple[list[str], dict[str, str]]:
    """The systems that were scored on the same queries, most of them, and why the others are not among them.

    Two systems are compared on equal queries only, and no query is taken out to make them so: the mean over
    what many have in common is the mean of no dataset.
    """
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, one in scores.items():
        column = one.of(measure)
        counted = tuple(sorted(q for q, v in zip(one.query_ids, column.tolist(), strict=True) if v == v))
        groups.setdefault(counted, []).append(name)
    if not groups:
        return [], {}
    most = max(groups, key=lambda counted: (len(groups[counted]), len(counted), counted))
    apart = {
        name: f"its {measure} is over {len(counted):,} queries, and that of the others over {len(most):,}"
        if len(counted) != len(most)
        else f"its {measure} is over other queries than that of the others"
        for counted, names in groups.items()
        if counted != most
        for name in names
    }
    return groups[most], apart


def view_of(
    suite: SuiteNode, scores: Mapping[str, Mapping[str, Scores]], draw: Draw, boards: Mapping[str, str]
) -> View:
    """Tested systems on the mean of a suite.

    Args:
        suite: its leaves are datasets.
        scores: by dataset and system; a dataset of the suite that is not there is missing.
        draw: how.
        boards: the board of each dataset.
    """
    here = {leaf: scores[leaf] for leaf in suite.leaves() if scores.get(leaf)}
    missing = tuple(leaf for leaf in suite.leaves() if leaf not in here)
    systems = sorted({name for by_system in here.values() for name in by_system})
    keys = tuple(boards[leaf] for leaf in here)
    if not systems:
        return View(suite.name, True, len(suite.members), keys, (), {}, missing)
    table = compare_suite(
        suite,
        here,
        draw.measure,
        systems[0],
        level=draw.level,
        seed=draw.seed,
        samples=draw.samples,
    )
    places = () if table.leaderboard is None else table.leaderboard.places
    return View(suite.name, True, table.members, keys, places, table.incomplete, missing)


def stated_view(
    suite: SuiteNode, means: Mapping[str, Mapping[str, float]], boards: Mapping[str, str]
) -> View:
    """Stated figures on the mean of a suite.

    Args:
        suite: its leaves are datasets.
        means: by dataset and system.
        boards: the board of each dataset.
    """
    here = {leaf: means[leaf] for leaf in suite.leaves() if means.get(leaf)}
    systems = sorted({name for by_system in here.values() for name in by_system})
    found = {
        name: suite_mean(suite, {leaf: by_system.get(name) for leaf, by_system in here.items()})
        for name in systems
    }
    places = bare_places({name: one.value for name, one in found.items() if one.value is not None})
    incomplete = {name: str(one) for name, one in found.items() if one.value is None}
    missing = tuple(leaf for leaf in suite.leaves() if leaf not in here)
    keys = tuple(boards[leaf] for leaf in here)
    return View(suite.name, False, len(suite.members), keys, places, incomplete, missing)


def everything(tasks: Sequence[tuple[str, Sequence[str]]]) -> SuiteNode:
    """All datasets side by side; those that are parts of one, such as its languages, are one member.

    Args:
        tasks: a name and its datasets.
    """
    members = tuple(parts[0] if len(parts) == 1 else SuiteNode(name, tuple(parts)) for name, parts in tasks)
    return SuiteNode(f"all {len(members)} datasets", members)


def part_of(suite: SuiteNode, systems: Mapping[str, frozenset[str]]) -> SuiteNode | None:
    """The members of a suite that many systems have, named as a part of it; None: there are none.

    Args:
        suite: which no system has all of.
        systems: of each dataset, who has it.
    """
    by_name = {one.name if isinstance(one, SuiteNode) else one: one for one in suite.members}
    tasks = [(name, one.leaves() if isinstance(one, SuiteNode) else (one,)) for name, one in by_name.items()]
    there = {leaf: systems.get(leaf, frozenset()) for leaf in suite.leaves()}
    names, _ = _shared(tasks, there)
    members = tuple(one for name, one in by_name.items() if name in names)
    return SuiteNode(f"{suite.name}: {len(members)} of {len(by_name)} members", members) if members else None


def shared_by_most(
    tasks: Sequence[tuple[str, Sequence[str]]], systems: Mapping[str, frozenset[str]]
) -> SuiteNode | None:
    """The datasets that many systems have, where not all of these have all; None: there are no two of them.

    Datasets are added from the one that most systems have on, and kept to where systems times datasets is
    greatest. Figures play no part in it.

    Args:
        tasks: a name and its datasets.
        systems: of each dataset, who has it.
    """
    names, having = _shared(tasks, systems)
    if not names:
        return None
    chosen = everything([task for task in tasks if task[0] in names])
    return SuiteNode(f"{len(chosen.members)} datasets that {having} systems have", chosen.members)


def _shared(
    tasks: Sequence[tuple[str, Sequence[str]]], systems: Mapping[str, frozenset[str]]
) -> tuple[frozenset[str], int]:
    """Names of the tasks where systems times tasks is greatest, and how many systems have them all."""
    having = {name: frozenset.intersection(*(systems[part] for part in parts)) for name, parts in tasks}
    order = sorted(having, key=lambda name: (-len(having[name]), name))
    best: tuple[int, int] = (0, 0)
    common: frozenset[str] | None = None
    for count, name in enumerate(order, 1):
        common = having[name] if common is None else common & having[name]
        if count > 1 and len(common) > 1:
            best = max(best, (count * len(common), count))
    size, count = best
    return (frozenset(), 0) if count in (0, len(tasks)) else (frozenset(order[:count]), size // count)
