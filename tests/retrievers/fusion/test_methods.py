"""The arithmetic of fusion, against hand-computed values and an independent engine."""

from __future__ import annotations

import itertools
import json
import math
import random
from pathlib import Path
from statistics import fmean, pstdev

import pytest

from beirkit.corpora.errors import ConfigError, DataError
from beirkit.corpora.run import Run
from beirkit.corpora.run_files import read_run
from beirkit.retrievers.fusion.methods import Fusion, fuse
from tests.house.peers import asked

Lists = dict[str, dict[str, float]]

_RANX_FUSES = """
from ranx import Run, fuse
given = json.load(open(place))
runs = [Run(run) for run in given.pop("runs")]
print(json.dumps({query: dict(row) for query, row in fuse(runs, **given).to_dict().items()}))
"""


def drawn(seed: int, queries: int = 40, depth: int = 60) -> Lists:
    chance = random.Random(seed)
    return {
        f"q{i}": {
            f"d{j}": chance.uniform(-5, 40) for j in chance.sample(range(200), chance.randint(1, depth))
        }
        for i in chance.sample(range(60), queries)
    }


def by_the_formula(runs: list[Lists], method: str, weights: list[float]) -> Lists:
    """Written from the definitions: 1 / (60 + rank), or (s - min) / (max - min), summed up."""
    fused: Lists = {}
    for run, weight in zip(runs, weights, strict=True):
        for query, row in run.items():
            low, high = min(row.values()), max(row.values())
            for rank, (doc, score) in enumerate(sorted(row.items(), key=lambda item: -item[1]), 1):
                part = (
                    1 / (60 + rank)
                    if method == "rrf"
                    else (score - low) / (high - low)
                    if high > low
                    else 1.0
                )
                fused.setdefault(query, {}).setdefault(doc, 0.0)
                fused[query][doc] += weight * part
    return fused


def assert_equal(found: Run, expected: Lists) -> None:
    mine = found.to_dict()
    assert {query: set(row) for query, row in mine.items()} == {
        query: set(row) for query, row in expected.items()
    }
    for query, row in expected.items():
        for doc, score in row.items():
            assert math.isclose(mine[query][doc], score, rel_tol=0, abs_tol=1e-9), (query, doc)


@pytest.mark.parametrize("method", ["rrf", "minmax"])
@pytest.mark.parametrize("weights", [[1.0, 1.0, 1.0], [0.5, 0.2, 0.3]])
def test_values_are_those_of_the_definitions(method: str, weights: list[float]) -> None:
    runs = [drawn(seed) for seed in (1, 2, 3)]
    found = fuse([Run.from_dict(run) for run in runs], Fusion(method=method, weights=weights))  # type: ignore[arg-type] # a parameter
    assert_equal(found, by_the_formula(runs, method, weights))


@pytest.mark.full
@pytest.mark.parametrize(("method", "theirs", "norm"), [("rrf", "rrf", None), ("minmax", "sum", "min-max")])
def test_values_are_those_of_ranx(method: str, theirs: str, norm: str | None, tmp_path: Path) -> None:
    one, other = drawn(1, queries=60), drawn(2, queries=60)
    several = [query for query in one if len(one[query]) > 1 < len(other[query])]  # ranx makes 0 of one alone
    runs = [{query: run[query] for query in several} for run in (one, other)]
    params = {"k": 60} if method == "rrf" else None
    given = {"runs": runs, "norm": norm, "method": theirs, "params": params}
    (tmp_path / "given.json").write_text(json.dumps(given), encoding="utf-8")
    found = fuse([Run.from_dict(run) for run in runs], Fusion(method=method))  # type: ignore[arg-type] # a parameter
    assert_equal(found, asked(_RANX_FUSES, tmp_path / "given.json"))


def test_z_scores_and_what_a_missing_document_counts() -> None:
    one, other = {"q": {"a": 4.0, "b": 2.0, "c": 0.0}}, {"q": {"a": 1.0, "d": 3.0}}
    spread = pstdev(one["q"].values())
    z = {doc: (score - fmean(one["q"].values())) / spread for doc, score in one["q"].items()}
    runs = [Run.from_dict(one), Run.from_dict(other)]
    assert_equal(
        fuse(runs, Fusion(method="zscore")),
        {"q": {"a": z["a"] - 1, "b": z["b"] - 1, "c": z["c"] - 1, "d": z["c"] + 1}},
    )
    assert_equal(
        fuse(runs, Fusion(method="zscore", missing="zero")),
        {"q": {"a": z["a"] - 1, "b": z["b"], "c": z["c"], "d": 1.0}},
    )


def test_equal_scores_have_no_spread() -> None:
    runs = [Run.from_dict({"q": {"a": 0.1, "b": 0.1, "c": 0.1}}), Run.from_dict({"q": {"b": 1.0, "a": 0.0}})]
    found = fuse(runs, Fusion(method="zscore")).to_dict()["q"]
    assert found == {"b": 1.0, "a": -1.0, "c": -1.0}


@pytest.mark.parametrize("method", ["rrf", "minmax", "zscore", "sum"])
def test_the_order_of_the_runs_changes_no_bit(method: str) -> None:
    runs = [Run.from_dict(drawn(seed)) for seed in range(4)]
    weights = [0.1, 0.2, 0.3, 0.4]
    expected = None
    for order in itertools.permutations(range(4)):
        how = Fusion(method=method, weights=[weights[i] for i in order])  # type: ignore[arg-type] # a parameter
        found = {q: list(row.items()) for q, row in fuse([runs[i] for i in order], how).to_dict().items()}
        assert expected is None or found == expected
        expected = found


def test_documents_whose_ranks_are_exchanged_are_tied() -> None:
    rows = [{"a": 3.0, "b": 2.0, "c": 1.0}, {"b": 3.0, "c": 2.0, "a": 1.0}, {"c": 3.0, "a": 2.0, "b": 1.0}]
    found = fuse([Run.from_dict({"q": row}) for row in rows], Fusion()).to_dict()["q"]
    assert len(set(found.values())) == 1
    assert list(found) == ["c", "b", "a"]


def test_depth_cuts_the_lists_before() -> None:
    runs = [Run.from_dict({"q": {"a": 3.0, "b": 2.0, "c": 1.0}}), Run.from_dict({"q": {"c": 1.0}})]
    assert_equal(fuse(runs, Fusion(method="minmax", depth=2)), {"q": {"a": 1.0, "b": 0.0, "c": 1.0}})


def test_a_query_without_results_stays() -> None:
    empty = Run.from_dict({"q1": {}, "q2": {"a": 1.0}})
    assert fuse([empty, empty], Fusion(method="zscore")).to_dict() == {"q1": {}, "q2": {"a": 0.0}}
    assert fuse([Run.from_dict({"q": {}})], Fusion(method="minmax")).to_dict() == {"q": {}}


@pytest.mark.parametrize(
    ("how", "message"),
    [
        (Fusion(weights=[1.0]), "1 weights for 2 runs"),
        (Fusion(weights=[0.0, 0.0]), "every weight is 0"),
        (Fusion(weights=[1.0, -1.0]), "0 or greater"),
        (Fusion(method="sum", k=10), "k means nothing for sum"),
        (Fusion(missing="lowest"), "missing means nothing for rrf"),
        (Fusion(depth=0), "depth is 0"),
        (Fusion(directions=["lower"]), "1 directions for 2 runs"),
    ],
)
def test_what_cannot_be_done_is_refused(how: Fusion, message: str) -> None:
    run = Run.from_dict({"q": {"a": 1.0}})
    with pytest.raises(ConfigError, match=message):
        fuse([run, run], how)


def test_scores_that_are_no_numbers_are_refused() -> None:
    bad = Run.from_dict({"q": {"a": float("nan")}}, lenient_scores=True)
    with pytest.raises(DataError, match="not finite"):
        fuse([bad, bad], Fusion())


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        (Fusion(method="sum", weights=[0.5, 0.5]), "average"),
        (Fusion(method="sum", weights=[0.4, 0.6]), "interpolation"),
    ],
)
def test_pyserinis_fixtures(shared: Path, how: Fusion, expected: str) -> None:
    folder = shared / "data" / "metric_oracles" / "pyserini_fusion"
    runs = [read_run(folder / f"simple_trec_run_fusion_{number}.txt") for number in (1, 2)]
    assert_equal(fuse(runs, how), read_run(folder / f"simple_trec_run_{expected}_verify.txt").to_dict())


def test_pyserinis_fixture_of_reciprocal_ranks(shared: Path) -> None:
    """It counts with the ranks that are printed, among which 2 is missing; we count results."""
    folder = shared / "data" / "metric_oracles" / "pyserini_fusion"
    one, other = (read_run(folder / f"simple_trec_run_fusion_{number}.txt").to_dict() for number in (1, 2))
    assert list(other["1"].values()) == [2.4, 1.3]
    other["1"] = {"pyeb86on": 2.4, "the one at rank 2": 2.0, "2054tkb7": 1.3}
    expected = read_run(folder / "simple_trec_run_rrf_verify.txt").to_dict()
    expected["1"]["the one at rank 2"] = 1 / 62
    assert_equal(fuse([Run.from_dict(one), Run.from_dict(other)], Fusion()), expected)


def test_pyserinis_fixture_of_normalised_fusion(shared: Path) -> None:
    folder = shared / "data" / "metric_oracles" / "pyserini_fusion"
    runs = [read_run(folder / f"simple_trec_run_fusion_{number}.txt") for number in (1, 2)]
    assert_equal(
        fuse(runs, Fusion(method="minmax")), read_run(folder / "simple_fusion_normalize_verify.txt").to_dict()
    )
    alone = fuse(runs[:1], Fusion(method="minmax"))
    assert_equal(alone, read_run(folder / "simple_trec_run_normalize_verify.txt").to_dict())
