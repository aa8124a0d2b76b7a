"""What the tests of targets share."""

from __future__ import annotations

import pytest

from beirkit.configs.boards import AirBench
from beirkit.evaluate.exports import air_bench, air_bench_files, capsule

SMALL_BOARD = AirBench(
    version="AIR-Bench_24.05",
    queries={
        "qa/finance/en_default": {"dev": 2, "test": 3},
        "long-doc/law/en_lex_1K": {"dev": 3},
        "qa/web/en_default": {"test": 3},
    },
)


@pytest.fixture
def small_board(monkeypatch: pytest.MonkeyPatch) -> AirBench:
    """A board whose test sets have three queries."""
    for module in (air_bench, air_bench_files):
        monkeypatch.setattr(module, "air_bench", lambda: SMALL_BOARD)
    return SMALL_BOARD


@pytest.fixture
def version_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever version this is, files say 1.0."""
    monkeypatch.setattr(capsule, "installed_version", lambda: "1.0")
