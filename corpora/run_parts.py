"""A run file some lists at a time, so that scoring one takes no more memory than its longest lists."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from beirkit.corpora.compressed import bare_name
from beirkit.corpora.errors import DataError
from beirkit.corpora.files import open_bytes
from beirkit.corpora.run import Run
from beirkit.corpora.run_columns import RunColumns
from beirkit.corpora.run_files import BLOCK

_RESULTS = 1 << 17  # of a part, or a little more


class WholeOnlyError(Exception):
    """The file must be read as a whole: something is odd about it, or its lists are mixed.

    What it is, :func:`beirkit.corpora.run_files.read_run` tells or refuses, in the words of the whole file.
    """


def run_parts(path: Path, *, lenient_scores: bool = False) -> Iterator[Run]:
    """The lists of a TREC run in parts, each query with its whole list in one of them.

    Together the parts hold what :func:`beirkit.corpora.run_files.read_run` gives, in the same order.

    Args:
        path: the file; it may be compressed.
        lenient_scores: take NaN and infinite scores; of those too the whole file speaks.

    Raises:
        WholeOnlyError: it is no TREC file or none that can be read twice, a list is not in one piece, or
            there is anything to be told or refused; parts that were given are to be forgotten.
    """
    if not path.is_file() or bare_name(path.name).endswith((".json", ".jsonl", ".parquet")):
        raise WholeOnlyError
    seen: set[str] = set()
    try:
        for columns in _parts(path, lenient_scores=lenient_scores):
            run = columns.run(strict=False)
            fresh = set(run.query_ids)
            if columns.copies or columns.long_lines or not seen.isdisjoint(fresh):
                raise WholeOnlyError
            if lenient_scores and not np.isfinite(run.scores).all():
                raise WholeOnlyError
            seen |= fresh
            yield run
    except DataError as error:
        raise WholeOnlyError from error


def _parts(path: Path, *, lenient_scores: bool) -> Iterator[RunColumns]:
    columns = RunColumns(path, lenient_scores=lenient_scores)
    with open_bytes(path) as stream:
        while block := stream.read(BLOCK):
            block += stream.readline()
            if columns.results >= _RESULTS and (cut := _last_list(block)):
                columns.add_block(block[:cut])
                yield columns
                columns = RunColumns(path, lenient_scores=lenient_scores, lines=columns.lines)
                block = block[cut:]
            columns.add_block(block)
    yield columns


def _last_list(block: bytes) -> int:
    """Where the last lines with the same query id begin, blank lines among them; 0: all have it."""
    query_id = b""
    at = len(block)
    while at:
        before = block.rfind(b"\n", 0, at - 1) + 1
        fields = block[before:at].split(None, 1)
        if fields and fields[0] != query_id:
            if query_id:
                return at
            query_id = fields[0]
        at = before
    return 0
