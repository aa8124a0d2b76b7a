"""A run read in parts is the run read as a whole; what cannot be read so is left to the whole."""

from __future__ import annotations

import gzip
import os
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from beirkit.corpora import run_parts as module
from beirkit.corpora.run_files import read_run
from beirkit.corpora.run_parts import WholeOnlyError, run_parts


def lines(query: str, docs: int, end: str = "\n", tag: str = "t") -> str:
    return "".join(f"{query} Q0 {query}-{n} {n} {docs - n}.5 {tag}{end}" for n in range(docs))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks and parts of a few lines, so that short files have many."""
    monkeypatch.setattr(module, "BLOCK", 200)
    monkeypatch.setattr(module, "_RESULTS", 5)


def gathered(path: Path) -> list[tuple[str, list[tuple[str, float]]]]:
    return [one for part in run_parts(path) for one in part.lists()]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("end", ["\n", "\r\n", " \n", "\t\n"])
@pytest.mark.parametrize("sizes", [[1] * 40, [30, 1, 1, 30], [3, 200, 2], [100], [7, 8, 9, 10, 11]])
def test_parts_hold_what_the_whole_holds(tmp_path: Path, sizes: list[int], end: str) -> None:
    content = "".join(lines(f"q{number}", size, end) for number, size in enumerate(sizes))
    (tmp_path / "run.trec").write_text("\ufeff" + content.rstrip("\n"), newline="")
    assert gathered(tmp_path / "run.trec") == list(read_run(tmp_path / "run.trec").lists())
    (tmp_path / "run.trec.gz").write_bytes(gzip.compress(content.encode()))
    assert gathered(tmp_path / "run.trec.gz") == list(read_run(tmp_path / "run.trec.gz").lists())


@pytest.mark.usefixtures("small")
def test_parts_end_between_lists_and_stay_small(tmp_path: Path) -> None:
    (tmp_path / "run.trec").write_text("".join(lines(f"q{number}", 4) for number in range(100)))
    parts = list(run_parts(tmp_path / "run.trec"))
    assert len(parts) > 10
    assert max(part.n_results for part in parts) <= 30
    queries = [query_id for part in parts for query_id in part.query_ids]
    assert queries == [f"q{number}" for number in range(100)]


@pytest.mark.usefixtures("small")
def test_query_ids_that_begin_alike_are_told_apart(tmp_path: Path) -> None:
    content = "".join(lines(query, 3) for query in ("q", "q1", "q11", "1", "11", "111", "q111"))
    (tmp_path / "run.trec").write_text(content)
    assert gathered(tmp_path / "run.trec") == list(read_run(tmp_path / "run.trec").lists())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    st.lists(st.tuples(st.sampled_from(["a", "ab", "\u00e9", "long" * 9]), st.integers(1, 9)), max_size=8),
    st.sampled_from(["\n", "\r\n", "\n\n", " \n"]),
    st.integers(1, 9),
)
def test_either_the_same_lists_or_none(
    tmp_path: Path, stretches: list[tuple[str, int]], end: str, results: int
) -> None:
    path = tmp_path / "run.trec"
    content = "".join(lines(query, size, end) for query, size in stretches)
    path.write_text(content, newline="", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK", 64)
        patch.setattr(module, "_RESULTS", results)
        try:
            found = gathered(path)
        except WholeOnlyError:
            queries = [query for query, _ in stretches]
            assert len(set(queries)) < len(queries)  # a list in two pieces, or a document twice in one
        else:
            assert found == list(read_run(path).lists())


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    "odd",
    [
        "q0 Q0 another 1 0.5 t\n",  # a list goes on after others
        "x Q0 a 1 2.0 t\nx Q0 a 2 1.0 t\n",
        "x Q0 a 1 2.0 t and more\n",
        "x Q0 a 1 2.0\n",
        "x Q0 a 1 nan t\n",
        "x Q0 a\x01b 1 1.0 t\n",
    ],
)
def test_what_must_be_told_or_refused_is_left_to_the_whole(tmp_path: Path, odd: str) -> None:
    (tmp_path / "run.trec").write_text("".join(lines(f"q{n}", 10) for n in range(9)) + odd)
    with pytest.raises(WholeOnlyError):
        gathered(tmp_path / "run.trec")


@pytest.mark.usefixtures("small")
def test_scores_that_are_not_finite_are_counted_over_the_whole(tmp_path: Path) -> None:
    (tmp_path / "run.trec").write_text(lines("q", 9) + "x Q0 a 1 inf t\n")
    with pytest.raises(WholeOnlyError):
        list(run_parts(tmp_path / "run.trec", lenient_scores=True))
    (tmp_path / "run.trec").write_text(lines("q", 9))
    assert sum(part.n_results for part in run_parts(tmp_path / "run.trec", lenient_scores=True)) == 9


@pytest.mark.parametrize("name", ["run.jsonl", "run.json.gz", "run.parquet"])
def test_only_trec_files_come_in_parts(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"")
    with pytest.raises(WholeOnlyError):
        list(run_parts(tmp_path / name))


def test_a_pipe_can_be_read_once_only(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "run.trec")
    with pytest.raises(WholeOnlyError):
        next(run_parts(tmp_path / "run.trec"))


def test_damage_far_into_a_compressed_file_is_left_to_the_whole(tmp_path: Path) -> None:
    draw = random.Random(1)
    content = "".join(f"q{n // 100} Q0 {draw.random()} 1 {draw.random()} t\n" for n in range(5000))
    (tmp_path / "run.trec.gz").write_bytes(gzip.compress(content.encode())[:-9])
    with pytest.raises(WholeOnlyError):
        list(run_parts(tmp_path / "run.trec.gz"))


def test_an_empty_file_is_one_empty_part(tmp_path: Path) -> None:
    (tmp_path / "run.trec").write_bytes(b"")
    (part,) = run_parts(tmp_path / "run.trec")
    assert (len(part), part.n_results, np.diff(part.offsets).tolist()) == (0, 0, [])
