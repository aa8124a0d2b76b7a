"""Numba's kernels and numpy give the same bytes."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from beirkit.configs.spec import parse_retriever
from beirkit.corpora.records import Document, Query
from beirkit.retrievers.catalog import create
from beirkit.retrievers.lexical import native, scoring
from beirkit.retrievers.lexical.builder import PostingsBuilder
from beirkit.retrievers.lexical.postings import Postings
from beirkit.retrievers.lexical.scoring import Clauses, Places, Ranked


@pytest.fixture(scope="module", autouse=True)
def _numba() -> None:
    pytest.importorskip("numba", reason="numba is not installed")


def _random(seed: int, n_docs: int, n_terms: int, *, positive: bool, ties: bool) -> Postings:
    rng = np.random.default_rng(seed)
    builder = PostingsBuilder(vocabulary=[f"t{number}" for number in range(n_terms)])
    rows, terms, weights = [0], [], []
    for _ in range(n_docs):
        held = rng.permutation(n_terms)[: rng.integers(0, n_terms + 1)]
        values: Any = rng.integers(1, 4, len(held)) if ties else rng.random(len(held)) + 0.1
        if not positive:
            values = values - 2.0
        terms.append(held)
        weights.append(values)
        rows.append(rows[-1] + len(held))
    names = [f"d{number}" for number in rng.permutation(n_docs)]
    builder.add_rows(names, rows, np.concatenate(terms), np.concatenate(weights))
    return builder.build()


def _both(parts: list[Clauses], places: Places, k: int, base: float = 0.0) -> tuple[Ranked, Ranked]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(native.SWITCH, "0")
        by_numpy = scoring.best(parts, places, k, base=base)
        patch.setenv(native.SWITCH, "1")
        patch.setattr(scoring, "_best", None)  # what is left is the kernel
        return by_numpy, scoring.best(parts, places, k, base=base)


def _assert_same(found: tuple[Ranked, Ranked]) -> None:
    (docs, scores), (others, other_scores) = found
    assert docs.dtype == others.dtype == np.int32
    assert scores.dtype == other_scores.dtype == np.float32
    assert docs.tobytes() == others.tobytes()
    assert scores.tobytes() == other_scores.tobytes()


@given(
    seed=st.integers(0, 10_000),
    n_docs=st.integers(1, 150),
    positive=st.booleans(),
    ties=st.booleans(),
    saturating=st.booleans(),
    base=st.sampled_from([0.0, 0.75, -2.5]),
    k=st.integers(1, 200),
)
def test_every_byte_is_the_same(
    seed: int, n_docs: int, positive: bool, ties: bool, saturating: bool, base: float, k: int
) -> None:
    postings = _random(seed, n_docs, 9, positive=positive, ties=ties)
    rng = np.random.default_rng(seed)
    parts = []
    for _ in range(rng.integers(1, 3)):
        numbers = rng.integers(0, postings.n_terms, rng.integers(0, 7))
        query = rng.random(len(numbers)).astype(np.float32) - (0 if positive else np.float32(0.5))
        parts.append(postings.clauses(numbers, query, saturating=saturating and positive))
    _assert_same(_both(parts, postings.places, k, base))


@pytest.mark.parametrize("k", [1, 10, 1000, 5000, 80_000])
@pytest.mark.parametrize("positive", [True, False])
def test_over_several_windows_and_selections(k: int, positive: bool) -> None:
    """More candidates than room, at every ``k``: the floor rises in the middle of the work."""
    rng = np.random.default_rng(3)
    n_docs = 70_001
    weights: Any = np.sort(rng.integers(1, 500, 2 * n_docs).astype(np.float32) / 64)  # the best come last
    postings = Postings(
        doc_ids=[f"{number:06}" for number in range(n_docs)],
        vocabulary={"x": 0, "y": 1, "z": 2},
        indptr=np.array([0, n_docs, 2 * n_docs, 2 * n_docs], dtype=np.int64),
        docs=np.tile(np.arange(n_docs, dtype=np.int32), 2),
        weights=weights if positive else weights - np.float32(4),
    )
    parts = [postings.clauses(np.array([0, 2, 1]), np.array([1.0, 1.0, 0.5], dtype=np.float32))]
    _assert_same(_both(parts, postings.places, k))


@pytest.mark.parametrize("weight", [-1e-46, -1e-30, 0.0, 1e-30])
def test_scores_that_round_to_zero_are_one_zero(weight: float) -> None:
    """A match of -0 ties with a match of 0, and neither is lost nor told from the other."""
    builder = PostingsBuilder()
    builder.add("a", {"x": 1e-30, "z": 1.0})
    builder.add("b", {"x": -1e-30, "z": 1.0})
    builder.add("c", {"y": 1.0})
    postings = builder.build()
    numbers = np.array([0, 2], dtype=np.int64)
    parts = [postings.clauses(numbers[:1], np.array([np.float32(weight)]))]
    found = _both(parts, postings.places, 5)
    _assert_same(found)
    assert found[0][0].tolist() == [1, 0]
    assert found[0][1].tobytes() == np.zeros(2, dtype=np.float32).tobytes()


@pytest.mark.parametrize("name", ["bm25-lucene", "bm25-lucene-multifield", "bm25-mteb:variant=bm25+"])
@pytest.mark.parametrize("k", [3, 5000])
def test_runs_of_the_retrievers_are_the_same(monkeypatch: pytest.MonkeyPatch, name: str, k: int) -> None:
    documents = [
        Document(f"d{number}", f"owl {number % 17}", f"hunts {'voles ' * (number % 5)}at {number % 101}")
        for number in range(1200)
    ]
    queries = [Query("q1", "owl voles 3 owl"), Query("q2", "hunts 12"), Query("q3", "zyxwv"), Query("q4", "")]

    def run(switch: str) -> Any:
        monkeypatch.setenv(native.SWITCH, switch)
        retriever = create(parse_retriever(name))
        retriever.index(documents)
        return list(retriever.search(queries, k).lists())

    by_kernels = run("1")
    assert by_kernels == run("0")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    assert native.threads(1) == 1
    assert run("1") == by_kernels
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(7)))
    monkeypatch.setenv(native.SWITCH, "1")
    assert native.threads(1) == 7
    assert run("1") == by_kernels


def test_few_documents_do_not_load_numba() -> None:
    script = (
        "import sys\n"
        "from beirkit.retrievers.lexical.builder import PostingsBuilder\n"
        "made = PostingsBuilder()\n"
        "made.add('a', {'x': 1.0})\n"
        "print(made.build().search(['x'], 1)[0], 'numba' in sys.modules)"
    )
    environment = {key: value for key, value in os.environ.items() if key != native.SWITCH}
    command = [sys.executable, "-P", "-c", script]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "[0] False\n"


@pytest.mark.parametrize("k", [1, 9, 120, 1000, 2500, 70_000])
@pytest.mark.parametrize("n_docs", [255, 300, 5183, 70_000])
@pytest.mark.parametrize("shape", ["equal", "two values", "wide", "of both signs", "rising"])
def test_any_scores_over_any_number_of_documents(shape: str, n_docs: int, k: int) -> None:
    rng = np.random.default_rng(n_docs + k)
    docs = np.flatnonzero(rng.random(n_docs) < 0.6).astype(np.int32)
    weights = {
        "equal": np.full(len(docs), 0.7),
        "two values": rng.integers(1, 3, len(docs)) / 3,
        "wide": rng.lognormal(0, 9, len(docs)),
        "of both signs": rng.integers(-9, 10, len(docs)) / 4,
        "rising": np.arange(1, len(docs) + 1) / 7,
    }[shape].astype(np.float32)
    whole = np.array([len(docs)])
    part = Clauses(docs, weights, whole - whole, whole, np.ones(1, np.float32), False, float(weights.min()))
    _assert_same(_both([part], Places(rng.permutation(n_docs).astype(np.int32)), k))


_COMPILE = """
import logging, sys
logging.basicConfig(level=logging.WARNING, format="%(message)s")
from beirkit.retrievers.lexical import native
if sys.argv[1:] == ["unwritable"]:
    from numba.core import caching
    def refuse(self):
        raise PermissionError(13, "Permission denied")
    caching._CacheLocator.ensure_cache_path = refuse
print(native.kernels().__name__)
"""


def _compile(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-c", _COMPILE, *words]
    return subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )


@pytest.mark.slow
def test_where_nothing_can_be_kept_it_is_compiled_and_told() -> None:
    done = _compile("unwritable", BEIRKIT_HOME="")
    assert done.stdout == "beirkit.retrievers.lexical.kernels\n"
    assert done.stderr.count("kernels are compiled in each process anew") == 1


@pytest.mark.slow
def test_kernels_are_kept_once_and_a_damaged_one_costs_no_result(tmp_path: Path) -> None:
    assert not _compile(NUMBA_CACHE_DIR=str(tmp_path)).stderr
    kept = sorted(tmp_path.rglob("*.nb?"))
    assert [path.name.partition("-")[0] for path in kept] == ["kernels.search"] * 2 + ["kernels.unpack"] * 2
    before = [path.stat().st_mtime_ns for path in kept]
    assert not _compile(NUMBA_CACHE_DIR=str(tmp_path)).stderr
    assert [path.stat().st_mtime_ns for path in kept] == before, "nothing was compiled again"
    for path in kept:
        path.write_bytes(b"no pickle")
    assert _compile(NUMBA_CACHE_DIR=str(tmp_path)).stdout == "beirkit.retrievers.lexical.kernels\n"


def test_numba_that_does_not_work_is_told_once_and_left_out(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(name: str) -> Any:
        raise ImportError("Numba needs NumPy 2.3 or less")

    monkeypatch.setattr(native, "import_module", broken)
    monkeypatch.setattr(native, "_failed", [])
    monkeypatch.setenv(native.SWITCH, "1")
    with caplog.at_level(logging.WARNING):
        assert not native.use_numba(10)
        assert not native.use_numba(10)
    assert caplog.text.count("numba cannot be used, and numpy does the work: Numba needs NumPy") == 1


def test_kernels_are_loaded_for_much_work_and_then_serve_few_documents_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loaded: list[str] = []

    def load() -> Any:
        loaded.append("")
        return os

    monkeypatch.setattr(native, "kernels", load)
    monkeypatch.setattr(native, "_MODULE", "beirkit.not_loaded")
    monkeypatch.delenv(native.SWITCH, raising=False)
    native.prepare(5000, 300)
    assert not loaded
    assert not native.use_numba(5000)
    native.prepare(5000, 20_000)
    assert loaded == [""]
    monkeypatch.setattr(native, "_MODULE", "os")
    assert native.use_numba(5000)
    monkeypatch.setenv(native.SWITCH, "0")
    native.prepare(5000, 20_000)
    assert not native.use_numba(5000)
    assert loaded == ["", ""]


def test_another_value_of_the_switch_is_told_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(native.SWITCH, "yes")
    monkeypatch.setattr(native, "_unknown", [])
    monkeypatch.setattr(native, "_MODULE", "beirkit.not_loaded")
    for _ in range(2):
        assert not native.use_numba(10)
    assert caplog.text.count("BEIRKIT_NUMBA is 'yes', which says nothing: write 0 or 1") == 1
