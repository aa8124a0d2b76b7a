"""Runs ours and its peers in turn on the same work, checks that they agree, and prints medians and ratios.

    python -P benchmarks/harness.py metrics --queries 6980 --rounds 5

Each peer runs in a process of its own, round after round (A B A B), so that a slow minute of the machine
meets them all and the peak memory of each is its own. On a busy machine the processor time of the work is the
steadier figure. A peer that is not installed is left out and said so.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

CHECKOUT = Path(__file__).resolve().parents[1]
Lap = Callable[[str], None]


@dataclass(frozen=True)
class Outcome:
    """What a peer gives back.

    Attributes:
        result: what must agree with the other peers, as JSON can hold it; ``None``: not compared.
        shown: figures for the table.
    """

    result: Any = None
    shown: dict[str, float] = field(default_factory=dict)


class Peer(NamedTuple):
    """One way of doing the work.

    Attributes:
        name: for the table.
        work: does it, with the options asked for and the folder that was made; calls ``lap(phase)`` at the
            end of every phase. The phase ``import`` is no work, nor is what follows the last.
        package: the distribution whose version is shown, and without which the peer is left out.
        state: whether something was compiled or cached before, such as ``JIT warm``.
    """

    name: str
    work: Callable[[argparse.Namespace, Path, Lap], Outcome]
    package: str = "beirkit"
    state: str = ""


def equal(a: Any, b: Any) -> str:
    """What differs between two results, or the empty string."""
    return "" if a == b else f"{str(a)[:80]} and {str(b)[:80]}"


@dataclass
class Bench:
    """A benchmark; a module of this folder has one, called ``bench``.

    Attributes:
        title: what is done.
        peers: the first is the one that all are compared with.
        make: makes the data, in a process of its own.
        options: ``{"--queries": 1000}``; the type is that of the default, a list means that it may repeat.
        differ: tells what differs between two results.
        rounds: how often each peer runs.
    """

    title: str
    peers: Sequence[Peer]
    make: Callable[[argparse.Namespace, Path], None]
    options: dict[str, Any] = field(default_factory=dict)
    differ: Callable[[Any, Any], str] = equal
    rounds: int = 3


def main() -> None:
    """Run the benchmark named on the command line."""
    sys.path.append(str(CHECKOUT))  # for benchmarks.*; behind all others, where its rooms hide nothing
    bench: Bench = importlib.import_module(f"benchmarks.{sys.argv[1]}").bench
    asked = parse(bench, sys.argv[2:])
    if asked.alone:
        alone(bench, asked)
    elif asked.make:
        bench.make(asked, asked.folder)
    else:
        with tempfile.TemporaryDirectory() as folder:
            compare(bench, asked, [*sys.argv[1:], "--folder", folder])


def parse(bench: Bench, words: Sequence[str]) -> argparse.Namespace:
    """The options of the harness and of the benchmark."""
    parser = argparse.ArgumentParser(prog=f"harness.py {sys.argv[1]}", description=bench.title)
    for name, default in bench.options.items():
        if isinstance(default, list):
            parser.add_argument(name, action="append", type=type(default[0]), help=f"default: {default}")
        else:
            parser.add_argument(name, type=type(default), default=default, help=f"default: {default}")
    parser.add_argument("--rounds", type=int, default=bench.rounds)
    parser.add_argument("--peer", action="append", help="may be repeated; default: all that are installed")
    parser.add_argument("--alone", help=argparse.SUPPRESS)
    parser.add_argument("--make", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args(words)


def alone(bench: Bench, asked: argparse.Namespace) -> None:
    """Run one peer in this process and print what it took as JSON."""
    (peer,) = (peer for peer in bench.peers if peer.name == asked.alone)
    seconds: dict[str, float] = {}
    memory = busy = 0.0
    last, spent = time.perf_counter(), processor()

    def lap(phase: str) -> None:
        nonlocal last, spent, memory, busy
        seconds[phase] = seconds.get(phase, 0.0) + time.perf_counter() - last
        busy += processor() - spent if phase != "import" else 0.0
        memory = peak()  # what the answer takes to be compared is not counted
        last, spent = time.perf_counter(), processor()

    outcome = peer.work(asked, asked.folder, lap)
    told = {
        "seconds": seconds,
        "busy": busy,
        "peak": memory,
        "result": outcome.result,
        "shown": outcome.shown,
    }
    (asked.folder / "told.json").write_text(json.dumps(told))


def compare(bench: Bench, asked: argparse.Namespace, words: list[str]) -> None:
    """Run all peers in turn; print the table.

    Raises:
        SystemExit: two peers do not agree.
    """
    command = [sys.executable, "-P", __file__, *words]
    subprocess.run([*command, "--make"], check=True)
    peers = [peer for peer in bench.peers if not asked.peer or peer.name in asked.peer]
    versions = {peer.name: version(peer.package) for peer in peers}
    for peer in peers:
        if not versions[peer.name]:
            print(f"left out: {peer.name} ({peer.package} is not installed)")
    peers = [peer for peer in peers if versions[peer.name]]
    rounds: dict[str, list[dict[str, Any]]] = {peer.name: [] for peer in peers}
    for _ in range(asked.rounds):
        for peer in peers:
            rounds[peer.name].append(one_run([*command, "--alone", peer.name], Path(words[-1])))
    results = {name: found[0]["result"] for name, found in rounds.items() if found[0]["result"] is not None}
    for name, result in results.items():
        first = next(iter(results))
        if problem := bench.differ(results[first], result):
            raise SystemExit(f"{bench.title}: {first} and {name} do not agree: {problem}")
    print(headline(bench.title, asked.rounds, len(results)))
    print_table(peers, versions, rounds)


def headline(title: str, rounds: int, compared: int) -> str:
    """What stands above the table; one result alone agrees with nothing."""
    told = f"{title}; {rounds} {'round' if rounds == 1 else 'rounds, median (least–greatest)'}"
    return f"{told}; {compared} agree" if compared > 1 else told


def one_run(command: list[str], folder: Path) -> dict[str, Any]:
    """What one process told, and what the system says it took."""
    start = time.perf_counter()
    child = subprocess.Popen(command)
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {child.returncode}")
    told: dict[str, Any] = json.loads((folder / "told.json").read_text())
    told["wall"], told["cpu"] = wall, usage.ru_utime + usage.ru_stime
    told["work"] = sum(took for phase, took in told["seconds"].items() if phase != "import")
    return told


def print_table(
    peers: Sequence[Peer], versions: dict[str, str], rounds: dict[str, list[dict[str, Any]]]
) -> None:
    """One row per peer; ``ratio`` is that of the column before it to the first peer's."""
    phases = list(dict.fromkeys(phase for found in rounds.values() for phase in found[0]["seconds"]))
    shown = list(dict.fromkeys(name for found in rounds.values() for name in found[0]["shown"]))
    head = ["peer", "version", "state", "wall s", "CPU s", *phases, "work s", "ratio"]
    head += ["work CPU s", "ratio", "peak MiB", "ratio"]
    rows = [[*head, *shown]]
    base: dict[str, float] = {}
    for peer in peers:
        found = rounds[peer.name]
        work, memory = median(one["work"] for one in found), median(one["peak"] for one in found)
        busy = median(one["busy"] for one in found)
        base = base or {"work": work, "busy": busy, "memory": memory}
        spread = f"({min(one['work'] for one in found):.2f}–{max(one['work'] for one in found):.2f})"
        seconds = [[one["seconds"].get(phase, 0.0) for one in found] for phase in phases]
        rows.append(
            [
                *(peer.name, versions[peer.name], peer.state or "-"),
                *(f"{median(one[key] for one in found):.2f}" for key in ("wall", "cpu")),
                *(f"{median(took):.2f}" for took in seconds),
                *(f"{work:.2f} {spread}", f"{work / base['work']:.2f}"),
                *(f"{busy:.2f}", f"{busy / base['busy']:.2f}" if base["busy"] else "-"),
                *(f"{memory:.0f}", f"{memory / base['memory']:.2f}"),
                *(
                    f"{median(one['shown'][name] for one in found):.5g}" if name in found[0]["shown"] else "-"
                    for name in shown
                ),
            ]
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def version(package: str) -> str:
    """The version of an installed distribution, or the empty string."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def processor() -> float:
    """Seconds of processor time of this process and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def peak() -> float:
    """Peak resident memory of this process in MiB; getrusage would count what its parent held."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20)
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    main()
