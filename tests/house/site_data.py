"""Leaderboards made of drawn figures, for tests: as many systems and datasets as are wanted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from beirkit.configs.suites import SuiteNode
from beirkit.evaluate.leaderboard import bare_places
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.protocol import get_protocol
from beirkit.evaluate.report.model import Behind
from beirkit.evaluate.scores import Counts, Scores
from beirkit.evaluate.site.model import About, Board, Refused, Result, Site, System
from beirkit.evaluate.site.ranking import Draw, stated_view, view_of
from beirkit.evaluate.site.slugs import page_names

MEASURE = Measure.parse("nDCG@10")
STATUSES = ("zero-shot", "in-domain", "unknown")
ABOUTS = (
    About(parameters=0, licence="no model", date="2024-03-01"),
    About(parameters=22_713_216, licence="Apache-2.0", date="2021-08-30"),
    About(parameters=109_000_000, licence="MIT", date="2023-09-11"),
    About(),
)


def drawn_scores(names: Sequence[str], queries: int, seed: int, field: str = "") -> dict[str, Scores]:
    """Values that mean nothing; of each system a hundredth more than of the one before."""
    rng = np.random.default_rng(seed)
    ids = tuple(sorted(f"q{number:05}{field}" for number in range(queries)))
    base = rng.beta(2, 3, queries)
    counts = Counts(judged=queries, scored=queries)
    return {
        name: Scores(
            ids,
            (MEASURE,),
            np.clip(base + rng.normal(place * 0.01, 0.2, queries), 0, 1).reshape(-1, 1),
            get_protocol("beirkit"),
            counts,
            100,
        )
        for place, name in enumerate(names)
    }


def drawn_site(
    systems: Sequence[str],
    datasets: Sequence[str],
    queries: int,
    *,
    stated: Sequence[str] = (),
    field: str = "",
    samples: int = 200,
) -> Site:
    """A site whose figures mean nothing; the last system lacks the last dataset.

    Args:
        systems: that are tested.
        datasets: names.
        queries: of each dataset.
        stated: systems of which figures are only stated.
        field: what stands in every text besides.
        samples: how many are drawn.
    """
    draw = Draw(MEASURE, samples=samples)
    scores = {name: drawn_scores(systems, queries, seed, field) for seed, name in enumerate(datasets)}
    if len(datasets) > 1 and len(systems) > 1:
        del scores[datasets[-1]][systems[-1]]
    everyone = [*systems, *stated]
    status = {name: STATUSES[place % 3] for place, name in enumerate(everyone)}
    boards = [
        Board(
            key=f"{name}@test",
            dataset=name,
            split="test",
            tested=True,
            queries=queries,
            places=draw.places(by_system),
            training={one: status[one] for one in by_system},
            content={"corpus": f"0123456789abcdef{field}"},
            notes=(f"A note{field}",) if field else (),
        )
        for name, by_system in scores.items()
    ]
    means = {
        name: {one: 0.3 + 0.01 * place for place, one in enumerate(stated)} for name in datasets if stated
    }
    boards += [
        Board(
            key=f"{name}@test (stated)",
            dataset=name,
            split="test",
            tested=False,
            queries=0,
            places=bare_places(by_system),
            training={one: status[one] for one in by_system},
            content={},
        )
        for name, by_system in means.items()
    ]
    suite = SuiteNode(f"all {len(datasets)}{field}", tuple(datasets))
    views = [view_of(suite, scores, draw, {name: f"{name}@test" for name in datasets})]
    views += (
        [stated_view(suite, means, {name: f"{name}@test (stated)" for name in datasets})] if stated else []
    )
    slugs = page_names(everyone)
    made = [
        System(
            name=name,
            slug=slugs[name],
            tested=name in systems,
            about=ABOUTS[place % 4],
            results=tuple(
                Result(
                    board=board.key,
                    means={"nDCG@10": 0.5, "R@100": 0.9},
                    source=f"{name}/{board.dataset}{field}",
                    interval=next(one.interval for one in board.places if one.system == name),
                    cost={"queries_per_second": 10.0 * (place + 1), "index_bytes": 10**6 * (place + 1)},
                    warnings=(f"3 results stood twice{field}.",) if field else (),
                )
                for board in boards
                if any(one.system == name for one in board.places)
            ),
            manifests={"k": 100, "name": f"{name}{field}"},
            prompts={"encoder.prompts.query": f"query: {field}"},
            behind=(Behind("dataset", f"reeds{field}", "1.0", f"CC0{field}", (f"A paper{field}",)),),
            bibtex=f"@misc{{drawn, title = {{Drawn{field}}}}}",
            warnings=(f"Warned{field}",) if field else (),
        )
        for place, name in enumerate(everyone)
    ]
    return Site(
        title=f"Drawn{field}",
        measure="nDCG@10",
        protocol="beirkit",
        rules=f"drawn{field}",
        digits=4,
        level=0.05,
        seed=1,
        samples=samples,
        systems=tuple(sorted(made, key=lambda one: one.name)),
        boards=tuple(boards),
        views=tuple(views),
        refused=(Refused(f"notes.txt{field}", f"is of no tool{field}"),),
        beirkit="0",
    )
