"""Boards of figures that others state: shown beside what is tested, and never mixed with it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from beirkit.boards.submissions import Stated
from beirkit.boards.systems import about_stated, training_stated, warnings_stated
from beirkit.evaluate.leaderboard import bare_places
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.site.model import Board, Refused, Result, System


def stated_tables(
    stated: Sequence[Stated], taken: set[str], measure: Measure, refused: list[Refused]
) -> dict[str, dict[str, Stated]]:
    """Figures by board and system; one board for each revision of a dataset that is told."""
    groups: dict[tuple[str, str, str], dict[str, Stated]] = defaultdict(dict)
    for one in stated:
        system = f"{one.system} (stated)" if one.system in taken else one.system
        if measure not in one.means:
            where = f"{one.dataset}@{one.split}" if one.split else one.dataset
            refused.append(Refused(one.source, f"states no {measure} on {where}"))
            continue
        revision = str(one.facts.get("dataset_revision") or "")
        by_system = groups[one.dataset, one.split, revision]
        first = by_system.setdefault(system, replace(one, system=system))
        if first.source != one.source:
            alike = "the same figure" if first.means[measure] == one.means[measure] else "another figure"
            refused.append(
                Refused(one.source, f"{first.source}, which is shown, states {alike} for {system}")
            )
    versions = Counter((dataset, split) for dataset, split, _ in groups)
    found = {}
    for (dataset, split, revision), by_system in sorted(groups.items()):
        told = f"revision {revision[:8]}" if revision else "revision not told"
        mark = f", {told}" if versions[dataset, split] > 1 else ""
        name = f"{dataset}@{split}" if split else dataset
        found[f"{name} (stated{mark})"] = by_system
    return found


def stated_board(
    key: str, by_system: Mapping[str, Stated], measure: Measure, models: Mapping[str, Mapping[str, Any]]
) -> Board:
    """One board of stated figures; only equal ones share a rank."""
    first = next(iter(by_system.values()))
    revision = str(first.facts.get("dataset_revision") or "")
    return Board(
        key=key,
        dataset=first.dataset,
        split=first.split,
        tested=False,
        queries=0,
        places=bare_places({name: one.means[measure] for name, one in by_system.items()}),
        training={name: training_stated(one, models) for name, one in by_system.items()},
        content={"revision": revision} if revision else {},
        task=str(first.facts.get("task") or ""),
    )


def stated_systems(stated: Mapping[str, Mapping[str, Stated]]) -> list[System]:
    """The systems behind stated figures, by board and system."""
    by_system: dict[str, dict[str, Stated]] = defaultdict(dict)
    for key, systems in stated.items():
        for name, one in systems.items():
            by_system[name][key] = one
    return [
        System(
            name=name,
            slug="",
            tested=False,
            about=about_stated([*own.values()]),
            results=tuple(
                Result(key, {str(m): v for m, v in one.means.items()}, one.source) for key, one in own.items()
            ),
            manifests=_meta(own),
            warnings=warnings_stated([*own.values()]),
        )
        for name, own in by_system.items()
    ]


def _meta(own: Mapping[str, Stated]) -> dict[str, Any]:
    return next((one.meta for one in own.values() if one.meta), {})
