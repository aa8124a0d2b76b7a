"""Standard output whose reader may leave: the command goes on, and its files and exit code stay its own."""

from __future__ import annotations

import io
import os
import sys
from typing import Any


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
    """Let standard output outlive its reader, such as ``| head -1``.

    Without this the first line too many would end the command, before it wrote the files it was asked for
    and with another exit code than its findings call for. An output that is no file of the system is left.
    """
    stream = sys.stdout
    if not isinstance(stream, io.TextIOWrapper):
        return
    raw = getattr(stream.buffer, "raw", stream.buffer)  # with PYTHONUNBUFFERED there is no buffer between
    if type(raw) is not io.FileIO:
        return
    stream.flush()
    patient = io.BufferedWriter(_Patient(raw.fileno(), "w", closefd=False))
    sys.stdout = io.TextIOWrapper(
        patient,
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
