"""The folder in which LexBench-SimpleQA-Verified is published."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from beirkit.converters.reading.readers import read_jsonl
from beirkit.converters.reading.source import Source
from beirkit.corpora.errors import DataError
from beirkit.corpora.files import sha256_file
from beirkit.corpora.supporting import Task

VIEWER = "data/factual-v1.jsonl"
CONTRACT = "definitions/factual-source.json"
MANIFEST = "manifest.json"


def is_release(source: Source) -> bool:
    """Whether a source has the rows of the dataset viewer."""
    return bool(source.find(VIEWER))


def check_release(source: Source) -> list[str]:
    """Names of the files that are read, after those that the manifest lists were compared with it.

    Raises:
        DataError: a file is missing or is not what the manifest says.
    """
    names = [name for pattern in (VIEWER, CONTRACT, MANIFEST) for name in source.find(pattern)]
    manifest = _json(source, MANIFEST)
    root = _root(source)
    for name, facts in (manifest.get("files") or {}).items():
        if not isinstance(facts, dict) or "sha256" not in facts:
            continue
        if f"{root}{name}" not in source.names:
            raise DataError(f"has no {name}, which its manifest lists", path=source.raw)
        if sha256_file(source.path(f"{root}{name}")) != facts["sha256"]:
            raise DataError(
                "is not the file that manifest.json lists: its SHA-256 differs",
                path=source.shown(source.path(f"{root}{name}")),
                hint="fetch the release again at one full commit",
            )
    return names


def contract_of(source: Source) -> dict[str, Any]:
    """What the release says of its source; empty where it has no such file."""
    return _json(source, CONTRACT)


def read_release(path: Path) -> Iterator[Task]:
    """The tasks of the viewer's rows, in order.

    Raises:
        DataError: a row's ``task`` is not JSON, lacks a key, or belongs to another id; with path and line.
    """
    for row in read_jsonl(path):
        try:
            task = msgspec.json.decode(row.text("task"), type=Task)
        except (msgspec.DecodeError, RecursionError) as error:
            raise row.error(f"its task cannot be read: {error}") from error
        if (task.id, task.query) != (row.id("id"), row.text("input")):
            raise row.error(f"is row {row.id('id')!r}, and its task is {task.id!r} or asks something else")
        yield task


def _root(source: Source) -> str:
    return source.find(VIEWER)[0].removesuffix(VIEWER)


def _json(source: Source, name: str) -> dict[str, Any]:
    path = f"{_root(source)}{name}"
    if path not in source.names:
        return {}
    try:
        value = msgspec.json.decode(source.path(path).read_bytes())
    except (msgspec.DecodeError, RecursionError) as error:
        raise DataError(f"is not JSON: {error}", path=source.shown(source.path(path))) from error
    if not isinstance(value, dict):
        raise DataError("is not a JSON object", path=source.shown(source.path(path)))
    return value
