"""Scores on disk: JSON lines, one line of rules and counts, then one line per query."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from beirkit.corpora.errors import DataError
from beirkit.corpora.files import atomic_open, lines
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.protocol import Protocol
from beirkit.evaluate.scores import Counts, Scores

_FORMAT = "beirkit scores 1"


def write_scores(scores: Scores, path: Path) -> None:
    """Write per-query values; the means follow from them and are not stored. NaN is written as null.

    Raises:
        WriteError: the system refused; nothing half-written is left.
    """
    names = [str(measure) for measure in scores.measures]
    protocol = msgspec.to_builtins(scores.protocol)
    protocol["measures"] = [str(measure) for measure in scores.protocol.measures]
    header = {
        "format": _FORMAT,
        "measures": names,
        "protocol": protocol,
        "depth": scores.depth,
        "counts": scores.counts.to_dict(),
    }
    with atomic_open(path) as file:
        file.write(json.dumps(header, ensure_ascii=False, allow_nan=False) + "\n")
        for query_id, row in zip(scores.query_ids, scores.values.tolist(), strict=True):
            values = [None if math.isnan(value) else value for value in row]
            line = {"query_id": query_id, "values": values}
            file.write(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n")


def read_scores(path: Path) -> Scores:
    """Read what :func:`write_scores` wrote; values come back equal.

    Raises:
        DataError: the file is not one of scores; names the line.
    """
    head: _Header | None = None
    query_ids: list[str] = []
    rows: list[list[float]] = []
    for number, line in lines(path):
        try:
            if head is None:
                head = msgspec.json.decode(line, type=_Header)
            else:
                one = msgspec.json.decode(line, type=_Line)
                query_ids.append(one.query_id)
                rows.append([math.nan if value is None else value for value in one.values])
        except (msgspec.MsgspecError, RecursionError) as error:
            raise DataError(f"not a line of scores: {error}", path=path, line=number) from error
        if head.format != _FORMAT:
            raise DataError(f"format {head.format!r}, expected {_FORMAT!r}", path=path, line=number)
        if rows and len(rows[-1]) != len(head.measures):
            raise DataError(
                f"{len(rows[-1])} values for {len(head.measures)} measures", path=path, line=number
            )
    if head is None:
        raise DataError("the file is empty", path=path)
    if len(rows) != head.counts.judged:
        raise DataError(f"{len(rows)} queries, the first line says {head.counts.judged}", path=path)
    facts = dict(head.protocol)
    measures = tuple(Measure.parse(name) for name in facts.pop("measures", ()))
    try:
        protocol = msgspec.structs.replace(msgspec.convert(facts, Protocol), measures=measures)
    except msgspec.ValidationError as error:
        raise DataError(f"the protocol cannot be read: {error}", path=path, line=1) from error
    values = np.array(rows, dtype=np.float64).reshape(len(rows), len(head.measures))
    columns = tuple(Measure.parse(name) for name in head.measures)
    return Scores(tuple(query_ids), columns, values, protocol, head.counts, head.depth)


class _Header(msgspec.Struct, frozen=True):
    format: str
    measures: list[str]
    protocol: dict[str, Any]
    counts: Counts
    depth: int | None = None


class _Line(msgspec.Struct, frozen=True):
    query_id: str
    values: list[float | None]
