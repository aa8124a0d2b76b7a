"""Outputs whose reader may leave: the command goes on, and its files and exit code stay its own."""

from __future__ import annotations

import io
import os
import sys
from typing import Any, TextIO


class _Patient(io.FileIO):
    """A pipe that takes what nobody reads any more and drops it."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            with open(os.devnull, "wb") as nowhere:  # noqa: PTH123 - no path of the user's
                os.dup2(nowhere.fileno(), self.fileno())
            return memoryview(data).nbytes


def outlive_reader() -> None:
    """Let standard output and errors outlive their readers, such as ``2>&1 | head -1``.

    Without this the first line too many would end the command, before it wrote the files it was asked for
    and with another exit code than its findings call for. An output that is no file of the system is left;
    one that is closed leads nowhere, so that no file that is opened later takes its place and its number.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the least number that is free
    sys.stdout = _patient(sys.stdout, 1)
    sys.stderr = _patient(sys.stderr, 2)


def drop_output() -> None:
    """Drop what standard output does not take, for Python not to try it again as it ends."""
    try:
        sys.stdout.flush()
    except OSError:
        with open(os.devnull, "wb") as nowhere:  # noqa: PTH123 - no path of the user's
            os.dup2(nowhere.fileno(), sys.stdout.fileno())


def _patient(stream: TextIO | None, number: int) -> TextIO:
    if stream is None:  # it was closed when Python began
        return io.TextIOWrapper(
            io.BufferedWriter(_Patient(number, "w", closefd=False)), encoding="utf-8", errors="replace"
        )
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    raw = getattr(stream.buffer, "raw", stream.buffer)  # with PYTHONUNBUFFERED there is no buffer between
    if type(raw) is not io.FileIO:
        return stream
    stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(_Patient(raw.fileno(), "w", closefd=False)),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
