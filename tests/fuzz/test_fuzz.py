"""A few seconds of fuzzing, and that the fuzzer sees what it is there to see."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.mutations import mutated
from tests.fuzz.targets import TARGETS

FUZZ = Path(__file__).with_name("fuzz.py")


def fuzzed(*options: str) -> tuple[int, str, list[dict[str, Any]]]:
    """Exit code, report and findings."""
    done = subprocess.run(
        [sys.executable, "-P", str(FUZZ), *options], capture_output=True, text=True, check=False
    )
    assert not done.stderr
    found = [line for line in done.stdout.splitlines() if line.startswith("FOUND ")]
    return done.returncode, done.stdout, [json.loads(line.removeprefix("FOUND ")) for line in found]


def test_nothing_but_our_errors_comes_out_of_any_reader() -> None:
    code, report, findings = fuzzed("--cases", "60")
    assert findings == []
    assert code == 0
    for name in TARGETS:
        (line,) = [line for line in report.splitlines() if line.startswith(f"{name} ")]
        assert int(line.split()[1]) == 60
        assert int(line.split()[3]) > 0, "all of its cases were refused, so it shows nothing"


@pytest.mark.parametrize(
    ("target", "problem", "hang"),
    [("broken_crash", "death by signal 6", "60"), ("broken_hang", "a hang", "2")],
)
def test_a_death_and_a_hang_are_findings_and_not_the_end(target: str, problem: str, hang: str) -> None:
    code, report, findings = fuzzed("--target", target, "--cases", "6", "--hang", hang)
    assert code == 1
    assert {one["problem"] for one in findings} == {problem}
    for one in findings:
        assert random.Random(f"{target} {one['case']}").random() < 0.2  # the very cases that did it
    assert f"{target} " in report
    assert "\n6 cases, " in report


def test_an_error_that_is_not_ours_is_told_once_with_its_place() -> None:
    _, _, findings = fuzzed("--target", "broken_error", "--cases", "20")
    (one,) = findings
    assert one["problem"].startswith("KeyError: ")
    assert one["where"].startswith("tests/fuzz/targets.py:")


def test_a_case_is_the_same_every_time() -> None:
    seeds = [b'{"_id": "d1", "text": "one"}\n', b"q1 Q0 d1 1 2.5 tag\n"]
    cases = [mutated(random.Random(f"x {n}"), seeds) for n in range(200)]
    assert cases == [mutated(random.Random(f"x {n}"), seeds) for n in range(200)]
    assert len(set(cases)) > 150
