"""The case that a test stands for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.cases import Case, all_cases


@pytest.fixture
def case(request: pytest.FixtureRequest, shared: Path) -> Case:
    """The case with the id that the test names; skips where the handed cases are not there."""
    path = shared / "faults" / "cases.jsonl"
    if not path.is_file():
        pytest.skip(f"needs the handed fault cases, which are not at {path}")
    return all_cases(path)[request.param]
