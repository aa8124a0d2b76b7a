"""The harness of the benchmarks: peers in turn, what is missing left out, what disagrees refused."""

from __future__ import annotations

import argparse
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.house.tree import CHECKOUT

sys.path.append(str(CHECKOUT))  # for benchmarks.*; behind all others, and for no longer than it takes
harness, metrics, corpora_reading = map(
    import_module, ("benchmarks.harness", "benchmarks.metrics", "benchmarks.corpora_reading")
)
sys.path.remove(str(CHECKOUT))

HARNESS = CHECKOUT / "benchmarks" / "harness.py"


def run(*words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-P", str(HARNESS), *words], capture_output=True, text=True, check=True
    )
    return done.stdout


def test_scoring_agrees_with_pytrec_eval_and_both_are_measured() -> None:
    told = run("metrics", "--queries", "30", "--depth", "40", "--documents", "3000", "--rounds", "2")
    title, head, theirs, ours = told.splitlines()
    assert title.startswith("score a TREC run: nDCG@10, R@100, AP@1000, RR; 2 rounds")
    assert title.endswith("2 agree")
    assert head.split()[:3] == ["peer", "version", "state"]
    assert theirs.split()[0] == "pytrec_eval,"
    assert ours.split()[0] == "beirkit"
    assert "work CPU s" in head
    busy = [float(row.split()[-4]) for row in (theirs, ours)]
    assert all(0 <= seconds < 60 for seconds in busy)  # of so little work it may be 0.00


@pytest.mark.parametrize("ids", ["number", "long"])
def test_a_run_is_read_to_the_same_results(ids: str) -> None:
    words = ("--queries", "20", "--depth", "30", "--documents", "2000", "--rounds", "1", "--ids", ids)
    assert run("run_reading", *words).splitlines()[0].endswith("2 agree")


def nothing(asked: argparse.Namespace, folder: Path, lap: object) -> Any:
    return harness.Outcome()


def compared(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, peers: list[Any], results: dict[str, list[Any]]
) -> list[str]:
    """Run a benchmark whose peers give these results, one per round; the order in which they ran."""
    order: list[str] = []

    def one_run(command: list[str], folder: Path) -> dict[str, Any]:
        order.append(command[-1])
        told = {"wall": 1.0, "cpu": 1.0, "work": 2.0, "busy": 1.5, "peak": 3.0}
        return {
            **told,
            "seconds": {"import": 0.1, "read": 2.0},
            "result": results[command[-1]].pop(0),
            "shown": {},
        }

    monkeypatch.setattr(harness, "one_run", one_run)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: None)
    bench = harness.Bench("title", peers, lambda asked, folder: None)
    asked = argparse.Namespace(peer=None, rounds=2)
    harness.compare(bench, asked, ["name", "--folder", str(tmp_path)])
    return order


def test_peers_run_in_turn_and_a_missing_one_is_left_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    peers = [
        harness.Peer("a", nothing, "numpy"),
        harness.Peer("gone", nothing, "no-such-package"),
        harness.Peer("b", nothing, "pytest"),
    ]
    assert compared(monkeypatch, tmp_path, peers, {"a": [1, 1], "b": [1, 1]}) == ["a", "b", "a", "b"]
    assert "left out: gone (no-such-package is not installed)" in capsys.readouterr().out


def test_one_result_alone_agrees_with_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    compared(monkeypatch, tmp_path, [harness.Peer("a", nothing, "numpy")], {"a": [1, 1]})
    assert capsys.readouterr().out.splitlines()[0] == "title; 2 rounds, median (least–greatest)"


def test_results_that_differ_are_no_benchmark(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    peers = [harness.Peer("a", nothing, "numpy"), harness.Peer("b", nothing, "pytest")]
    with pytest.raises(SystemExit, match="title: a and b do not agree: 1 and 2"):
        compared(monkeypatch, tmp_path, peers, {"a": [1, 1], "b": [2, 2]})


def test_what_counts_as_a_difference() -> None:
    assert metrics.differ({"q": [0.1]}, {"q": [0.1 + 1e-12]}) == ""
    assert "differs by" in metrics.differ({"q": [0.1]}, {"q": [0.1001]})
    assert metrics.differ({"q": [0.1]}, {}) == "1 and 0 queries"
    assert corpora_reading.differ([3, 5, 2, 9], [3, 5]) == ""
    assert corpora_reading.differ([3, 5], [4, 5])


def test_make_bench_runs_every_benchmark_there_is() -> None:
    rule = (HARNESS.parents[1] / "Makefile").read_text()
    assert "$(filter-out harness synthetic,$(basename $(notdir $(sort $(wildcard benchmarks/*.py)))))" in rule
    for path in HARNESS.parent.glob("*.py"):
        assert path.stem in ("harness", "synthetic") or "\nbench = Bench(" in path.read_text(), path
