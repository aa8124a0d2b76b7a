"""A second process is started only where a processor has nothing to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from beirkit.corpora import processors
from beirkit.corpora.processors import Idleness


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of four processors are ours."""
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {1, 3}, raising=False)


def _write(path: Path, busy: int, idle: int, waiting: int = 0) -> None:
    """Ticks of our two processors together, those of the others being without end."""
    other = "cpu{} 9999 0 0 9999999 0 0 0 0 0 0\n"
    ours = f"cpu1 {busy} 0 0 {idle} 0 0 0 0 7 7\ncpu3 0 0 0 0 {waiting} 0 0 0 0 0\n"
    path.write_text("cpu 1 2 3 4 5\n" + other.format(0) + ours + other.format(2) + "intr 5\n")


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize(
    ("busy", "idle", "waiting", "spare"),
    [(100, 100, 0, True), (200, 0, 0, False), (151, 49, 0, False), (150, 50, 0, True), (150, 0, 50, True)],
)
def test_half_a_processor_must_be_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, busy: int, idle: int, waiting: int, spare: bool
) -> None:
    stat = tmp_path / "stat"
    monkeypatch.setattr(processors, "_STAT", stat)
    _write(stat, 1000, 5000)
    idleness = Idleness()
    _write(stat, 1000 + busy, 5000 + idle, waiting)
    assert idleness.is_spare() == spare


@pytest.mark.usefixtures("two")
def test_each_look_is_at_the_time_since_the_last_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stat = tmp_path / "stat"
    monkeypatch.setattr(processors, "_STAT", stat)
    _write(stat, 0, 0)
    idleness = Idleness()
    _write(stat, 200, 0)
    assert not idleness.is_spare()
    _write(stat, 205, 5)  # too short a time to say
    assert not idleness.is_spare()
    _write(stat, 300, 100)
    assert idleness.is_spare()


@pytest.mark.usefixtures("two")
def test_where_nobody_counts_ticks_the_load_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processors, "_STAT", tmp_path / "none")
    for load, spare in ((0.3, True), (1.4, True), (1.6, False), (9.0, False)):
        monkeypatch.setattr("os.getloadavg", lambda load=load: (load, 0.0, 0.0))
        assert Idleness().is_spare() == spare


def test_a_single_processor_is_never_spare(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0}, raising=False)
    monkeypatch.setattr("os.getloadavg", lambda: (0.0, 0.0, 0.0))
    assert not Idleness().is_spare()
