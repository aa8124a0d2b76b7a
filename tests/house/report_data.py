"""Reports made of drawn figures, for tests: as many systems, datasets and queries as are wanted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from beirkit.configs.suites import SuiteNode
from beirkit.evaluate.compare import compare
from beirkit.evaluate.compare_suites import compare_suite
from beirkit.evaluate.leaderboard import leaderboard
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.protocol import get_protocol
from beirkit.evaluate.report.model import (
    Behind,
    DatasetPart,
    QuerySet,
    QueryView,
    Report,
    Returned,
    Said,
    Text,
)
from beirkit.evaluate.scores import Counts, Scores
from beirkit.evaluate.verdict import verdict

_MEASURE = Measure.parse("nDCG@10")
_WORDS = ("kestrel", "heron", "owl", "falcon", "reed", "shore", "night", "river", "feather", "winter", "nest")


def drawn_report(
    systems: Sequence[str],
    datasets: Sequence[str],
    queries: int,
    *,
    seed: int = 1,
    depth: int = 10,
    field: str = "",
    with_text: bool = True,
) -> Report:
    """A report whose figures mean nothing.

    Args:
        systems: names.
        datasets: names.
        queries: of each dataset.
        seed: of all that is drawn.
        depth: results of each system.
        field: what stands in every text, id and note besides.
        with_text: as the report says of itself.
    """
    rng = np.random.default_rng(seed)
    scores = {name: _scores(rng, systems, queries, field) for name in datasets}
    parts = tuple(_part(rng, name, scores[name], depth, field, with_text) for name in datasets)
    suite = SuiteNode(f"drawn{field}", tuple(datasets))
    suites = (compare_suite(suite, scores, _MEASURE, systems[0], samples=200),) if len(datasets) > 1 else ()
    said = [Said(table.suite, "nDCG@10", verdict(table, digits=4)) for table in suites]
    said += [Said(part.dataset, "nDCG@10", verdict(part.tables[0], digits=4)) for part in parts]
    facts = {"k": 100, "retriever": {"kind": "bm25", "template": f"{{title}} {{text}}{field}"}}
    return Report(
        title=f"{len(systems)} systems on drawn{field}",
        baseline=systems[0],
        verdict=tuple(said),
        suites=suites,
        parts=parts,
        notes=(f"Protocol: beirkit{field}",),
        digits=4,
        manifests=dict.fromkeys(systems, facts),
        behind=(Behind("dataset", f"reeds{field}", "1.0", f"CC0{field}", (f"A paper{field}",)),),
        bibtex=f"@misc{{drawn, title = {{Drawn{field}}}}}",
        with_text=with_text,
    )


def _scores(rng: np.random.Generator, systems: Sequence[str], queries: int, field: str) -> dict[str, Scores]:
    protocol = get_protocol("beirkit")
    ids = tuple(sorted(f"q{number}{field}" for number in range(queries)))
    base = rng.beta(2, 3, queries)
    return {
        name: Scores(
            ids,
            (_MEASURE,),
            np.clip(base + rng.normal(place * 0.01, 0.2, queries), 0, 1).reshape(-1, 1),
            protocol,
            Counts(judged=queries, scored=queries),
            100,
        )
        for place, name in enumerate(systems)
    }


def _part(
    rng: np.random.Generator, name: str, scores: dict[str, Scores], depth: int, field: str, with_text: bool
) -> DatasetPart:
    table = compare(scores, _MEASURE, next(iter(scores)), samples=200)
    board = leaderboard(scores, _MEASURE, samples=200)
    columns = {system: one.of(_MEASURE) for system, one in scores.items()}
    baseline = columns[table.baseline]
    costs = {
        system: {
            "queries_per_second": float(rng.uniform(5, 5000)),
            "index_bytes": int(rng.integers(10**5, 10**9)),
            "latency_p50": float(rng.uniform(0.5, 80)),
            "licence": f"MIT{field}",
            "machine": "one",
        }
        for system in scores
    }
    return DatasetPart(
        dataset=name,
        mark="",
        tables=(table,),
        boards=(board,),
        differences={s: tuple((v - baseline).tolist()) for s, v in columns.items() if s != table.baseline},
        training={s: ("zero-shot", "in-domain", "unknown")[i % 3] for i, s in enumerate(scores)},
        costs=costs,
        queries=_queries(rng, columns, next(iter(scores.values())).query_ids, depth, field, with_text),
        licence=f"CC0{field}",
        notes=(f"A note{field}",) if field else (),
    )


def _queries(
    rng: np.random.Generator,
    columns: dict[str, np.typing.NDArray[np.float64]],
    query_ids: Sequence[str],
    depth: int,
    field: str,
    with_text: bool,
) -> QuerySet:
    views = []
    texts: dict[str, Text] = {}
    for place, query_id in enumerate(query_ids):
        pool = [f"{query_id}-d{number}" for number in range(3 * depth)]
        rankings = {
            system: tuple(
                Returned(pool[at], float(depth - rank))
                for rank, at in enumerate(rng.permutation(len(pool))[:depth])
            )
            for system in columns
        }
        if with_text:
            texts |= {doc_id: Text(f"Title{field}", _sentence(rng, 40) + field) for doc_id in pool}
        values = {system: float(column[place]) for system, column in columns.items()}
        text = _sentence(rng, 8) + field if with_text else ""
        views.append(QueryView(query_id, text, values, {pool[0]: 2, pool[1]: 1, pool[2]: 0}, rankings))
    views.sort(key=lambda view: (-view.spread, view.query_id))
    return QuerySet(tuple(columns), len(views), tuple(views), texts)


def _sentence(rng: np.random.Generator, words: int) -> str:
    return " ".join(_WORDS[at] for at in rng.integers(0, len(_WORDS), words))
