"""Judgments that come through a pipe: from standard input, another command or a named pipe."""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
from pathlib import Path

from beirkit.corpora.errors import DataError
from beirkit.corpora.files import open_bytes
from beirkit.corpora.notices import warn
from beirkit.corpora.qrels import iter_judgments
from beirkit.corpora.records import Qrels

_LOOKED_AT = 1 << 16  # bytes
_KEY = re.compile(rb'"\s*:')


def is_stream(text: str) -> bool:
    """Whether a name stands for something that can be read once only: ``-``, a pipe, a file of ``/dev``."""
    path = Path(text)
    if text == "-" or text.startswith("/dev/"):
        return True
    return path.exists() and not path.is_file() and not path.is_dir()


def read_stream(text: str, *, default_relevance: int | None = None) -> Qrels:
    """The judgments of a stream, told by what it holds since its name tells nothing.

    Any form that :func:`beirkit.corpora.qrels.read_qrels` reads, compressed too. The stream is copied to a
    private temporary file, for judgments may have to be read twice.

    Args:
        text: ``-`` for standard input, or the path of a pipe.
        default_relevance: the grade of every pair where there are two columns.

    Raises:
        DataError: a line is no judgment, or the stream cannot be read; names the stream and the line.
    """
    name = "standard input" if text == "-" else text
    with tempfile.TemporaryDirectory(prefix="beirkit-") as folder:
        copy = Path(folder) / "qrels"
        try:
            with copy.open("wb") as out:
                if text == "-":
                    shutil.copyfileobj(sys.stdin.buffer, out)
                else:
                    with Path(text).open("rb") as stream:
                        shutil.copyfileobj(stream, out)
        except OSError as error:
            raise DataError(f"cannot be read: {error.strerror}", path=name) from error
        if not copy.stat().st_size:
            raise DataError("is empty", path=name, hint="did the command before it fail?")
        qrels: Qrels = {}
        try:
            named = copy.rename(copy.with_suffix(_suffix(copy)))
            for judgment in iter_judgments(
                named,
                default_relevance=default_relevance,
                warn=lambda told: warn(told.replace(str(named), name)),
            ):
                qrels.setdefault(judgment.query_id, {})[judgment.doc_id] = judgment.relevance
        except DataError as error:
            raise DataError(error.found, path=name, line=error.line, hint=error.hint) from error
        return qrels


def _suffix(path: Path) -> str:
    """The end of the name that the content should have."""
    with open_bytes(path) as stream:
        head = stream.read(_LOOKED_AT).removeprefix(b"\xef\xbb\xbf")
    if head.startswith(b"PAR1"):
        return ".parquet"
    if head.lstrip().startswith(b"{"):
        line = head.lstrip().split(b"\n", 1)[0]
        if len(line.split()) in (3, 4) and not _KEY.search(line):
            return ".tsv"  # whose first query id begins so
        try:
            first = json.loads(line)
        except (ValueError, RecursionError):
            return ".json"  # a table of several lines, or a longer one
        return ".json" if all(isinstance(value, dict) for value in first.values()) else ".jsonl"
    return ".tsv"
