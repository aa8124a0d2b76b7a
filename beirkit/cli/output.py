"""What people see: progress, tables, and JSON for machines."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from beirkit.cli.tables import print_table as print_table
from beirkit.cli.visible import beneath, json_text, one_line
from beirkit.corpora.progress import Advance, Progress, silent


def progress_for(args: argparse.Namespace) -> Progress:
    """A bar on a terminal, lines where standard error is a file or a pipe, nothing with --quiet."""
    if args.quiet:
        return silent
    return _bar if sys.stderr.isatty() else _line


def print_json(data: Any) -> None:
    """Print strict JSON (never NaN) to standard output; where that is not UTF-8, with JSON's escapes."""
    unicode = (sys.stdout.encoding or "utf-8").lower().replace("-", "") == "utf8"
    print(json_text(data, ascii_only=not unicode))


def size_text(size: int) -> str:
    """Bytes for people: 2.8 MB."""
    from beirkit.evaluate.report.figures import bytes_text

    return bytes_text(size)


@contextmanager
def _bar(label: str, total: int | None, unit: str) -> Iterator[Advance]:
    from tqdm import tqdm

    scaled = unit == "B"
    with tqdm(
        total=total, desc=one_line(label), unit=unit if scaled else f" {unit}", unit_scale=scaled,
        dynamic_ncols=True, file=beneath(sys.stderr),
    ) as bar:  # fmt: skip
        yield bar.update


@contextmanager
def _line(label: str, total: int | None, unit: str) -> Iterator[Advance]:
    """One line at the start, one every ten seconds, one at the end of what took longer."""
    import time

    of = "" if total is None else f" of {_amount(total, unit)}"
    start = said = time.perf_counter()
    done = 0

    def advance(more: int = 1, /) -> None:
        nonlocal done, said
        done += more
        now = time.perf_counter()
        if now - said >= 10:
            said = now
            print(
                f"beirkit:   {label}: {_amount(done, unit)}{of}, {now - start:.0f} s",
                file=sys.stderr,
                flush=True,
            )

    yield advance
    seconds = time.perf_counter() - start
    if seconds >= 2:
        print(f"beirkit:   {label}: {_amount(done, unit)} in {seconds:.0f} s", file=sys.stderr, flush=True)


def _amount(count: int, unit: str) -> str:
    return size_text(count) if unit == "B" else f"{count:,} {unit}"
