"""Fuzzing: only a BeirkitError may come out of a reader; no other error, crash, hang or flood of memory.

    python -P tests/fuzz/fuzz.py --seconds 600            all targets, the time shared
    python -P tests/fuzz/fuzz.py --target run_trec --case 4711    one case, with its traceback

The work is done in a child process, so that the death of the interpreter is a finding and not the end. A case
is named by its target and its number and is the same every time.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parents[2]
MEMORY = 4 << 30  # bytes of address space a worker may have
GROWTH = 600 << 10  # KiB that its peak may grow by in one case


def main() -> int:
    """Fuzz; 1 where something was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0.0, help="for all targets together")
    parser.add_argument("--cases", type=int, default=0, help="of each target")
    parser.add_argument("--start", type=int, default=0, help="number of the first case")
    parser.add_argument("--target", action="append", help="may be repeated; default: all")
    parser.add_argument("--hang", type=float, default=20.0, help="seconds that no case may take")
    parser.add_argument("--case", type=int, help="run this one here")
    parser.add_argument("--resume", type=int, help=argparse.SUPPRESS)  # the first target's first case
    parser.add_argument("--worker", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    sys.path.append(str(CHECKOUT))  # for tests.fuzz
    from tests.fuzz.targets import TARGETS

    names = asked.target or list(TARGETS)
    if asked.case is not None:
        run_case(names[0], asked.case)
        return 0
    if asked.worker:
        work(names, (asked.resume, asked.start), asked.cases, asked.seconds, asked.worker)
        return 0
    return watch(names, asked.start, asked.cases, asked.seconds, asked.hang)


def run_case(name: str, case: int) -> bool:
    """One case; whether it was read without an error of ours.

    Raises:
        Exception: whatever is not a BeirkitError.
    """
    from beirkit.corpora.errors import BeirkitError
    from tests.fuzz.targets import BROKEN, TARGETS

    target = TARGETS.get(name) or BROKEN[name]
    with tempfile.TemporaryDirectory() as folder:
        try:
            target(random.Random(f"{name} {case}"), Path(folder))
        except BeirkitError as error:
            str(error).encode("utf-8", "backslashreplace")
            return False
    return True


def work(names: list[str], starts: tuple[int, int], cases: int, seconds: float, status: Path) -> None:
    """Run cases in this process, telling in ``status`` which one is being run; findings go to stdout."""
    logging.disable(logging.CRITICAL)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    place = os.open(status, os.O_WRONLY | os.O_CREAT)
    for name in names:
        end = time.monotonic() + seconds / len(names) if seconds else float("inf")
        done = read = 0
        case = starts[name != names[0]]
        while time.monotonic() < end and (not cases or case < starts[1] + cases):
            os.pwrite(place, f"{name} {case}".ljust(80).encode(), 0)
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            try:
                read += run_case(name, case)
            except Exception as error:  # whatever it is, it is a finding
                tell(name, case, f"{type(error).__name__}: {error}"[:300], where(error))
            if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak > GROWTH:
                tell(name, case, "a flood of memory", "")
            done, case = done + 1, case + 1
        print(json.dumps({"target": name, "done": done, "read": read}), flush=True)


def tell(name: str, case: int, problem: str, place: str) -> None:
    """Print a finding."""
    print(json.dumps({"target": name, "case": case, "problem": problem, "where": place}), flush=True)


def where(error: Exception) -> str:
    """The last frame of ours on the way to an error."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if str(CHECKOUT) in f.filename]
    last = [f for f in frames if "site-packages" not in f.filename and "fuzz.py" not in f.filename]
    return f"{Path(last[-1].filename).relative_to(CHECKOUT)}:{last[-1].lineno}" if last else ""


def watch(names: list[str], start: int, cases: int, seconds: float, hang: float) -> int:
    """Drive workers, one after another, until all targets had their share; print what was found."""
    findings: dict[tuple[str, str, str], dict[str, Any]] = {}
    counts: dict[str, tuple[int, int]] = dict.fromkeys(names, (0, 0))
    left = list(names)
    share = seconds / len(names) if seconds else 0.0
    memory = Path("/dev/shm")  # files there are not waited for
    resume = start
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        while left:
            ended, lines, last = one_worker(
                left, (resume, start), cases, share * len(left), hang, Path(folder)
            )
            for line in lines:
                if "done" in line:
                    was = counts[line["target"]]
                    counts[line["target"]] = (was[0] + line["done"], was[1] + line["read"])
                    left.remove(line["target"])
                else:
                    kind = line["problem"].split(":")[0]
                    findings.setdefault((line["target"], kind, line["where"]), line)
            if ended and left:  # it died or hung: go on behind the case that did it
                name, case = last.split()
                first = resume if name == left[0] else start
                findings.setdefault(
                    (name, ended, last), {"target": name, "case": int(case), "problem": ended}
                )
                counts[name] = (counts[name][0] + int(case) + 1 - first, counts[name][1])
                left = left[left.index(name) :]
                resume = int(case) + 1
            elif left:
                raise SystemExit("the worker ended too early; run it by hand")
    for name, (done, read) in counts.items():
        print(f"{name:14} {done:>8,} cases, {read:>8,} of them read")
    for one in findings.values():
        print(f"FOUND {json.dumps(one)}")
    print(f"{sum(done for done, _ in counts.values()):,} cases, {len(findings)} findings")
    return 1 if findings else 0


def one_worker(
    names: list[str], starts: tuple[int, int], cases: int, seconds: float, hang: float, folder: Path
) -> tuple[str, list[dict[str, Any]], str]:
    """How a worker died ("" if it did not), what it told, and the last case it started."""
    status, told = folder / "status", folder / "told"
    command = [
        sys.executable,
        "-P",
        __file__,
        "--worker",
        str(status),
        "--start",
        str(starts[1]),
        "--resume",
        str(starts[0]),
    ]
    command += ["--cases", str(cases), "--seconds", str(seconds)]
    for name in names:
        command += ["--target", name]
    private = folder / "temporary"
    private.mkdir(exist_ok=True)
    with told.open("wb") as out:
        child = subprocess.Popen(command, stdout=out, env={**os.environ, "TMPDIR": str(private)})
        seen, since, ended = b"", time.monotonic(), ""
        while child.poll() is None:
            time.sleep(0.05)
            now = status.read_bytes() if status.exists() else b""
            if now != seen:
                seen, since = now, time.monotonic()
            elif seen and time.monotonic() - since > hang:
                child.kill()
                child.wait()
                ended = "a hang"
    if child.returncode and not ended:
        ended = f"death by signal {-child.returncode}" if child.returncode < 0 else f"exit {child.returncode}"
    lines = [json.loads(line) for line in told.read_text().splitlines()]
    return ended, lines, status.read_text().strip() if status.exists() else ""


if __name__ == "__main__":
    sys.exit(main())
