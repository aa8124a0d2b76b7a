"""The folder in which LexBench-SimpleQA-Verified is published."""

from __future__ import annotations

import tarfile
import zlib
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from beirkit.converters.reading.readers import read_jsonl
from beirkit.converters.reading.source import Source
from beirkit.corpora.errors import DataError
from beirkit.corpora.files import sha256_file
from beirkit.corpora.notices import warn
from beirkit.corpora.supporting import Task

VIEWER = "data/factual-v1.jsonl"
CONTRACT = "definitions/factual-source.json"
MANIFEST = "manifest.json"
ARCHIVE = "definitions.tar.gz"

_AGAIN = "fetch the release again at one full commit"


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
    if f"{root}{MANIFEST}" not in source.names:
        warn(f"{source.raw}: has no {MANIFEST}, so nothing tells whether its files are whole and unchanged")
    for name, digest in _listed(manifest).items():
        if f"{root}{name}" not in source.names:
            raise DataError(f"has no {name}, which its manifest lists", path=source.raw)
        if sha256_file(source.path(f"{root}{name}")) != digest:
            raise DataError(
                "is not the file that manifest.json lists: its SHA-256 differs",
                path=source.shown(source.path(f"{root}{name}")),
                hint=_AGAIN,
            )
    _check_archive(source, root)
    return names


def _listed(manifest: dict[str, Any]) -> dict[str, str]:
    """SHA-256 of files by name: the card says that they are there, and not in which shape."""
    files = manifest.get("files")
    pairs: list[tuple[Any, Any]] = list(files.items()) if isinstance(files, dict) else []
    if isinstance(files, list):
        pairs = [
            (facts.get("path") or facts.get("name"), facts) for facts in files if isinstance(facts, dict)
        ]
    found = {name: facts.get("sha256") for name, facts in pairs if isinstance(facts, dict)}
    return {name: text for name, text in found.items() if isinstance(name, str) and isinstance(text, str)}


def _check_archive(source: Source, root: str) -> None:
    """Hold ``definitions.tar.gz`` to the files beside it.

    Raises:
        DataError: it is no archive, or holds other definitions.
    """
    name = f"{root}{ARCHIVE}"
    if name not in source.names:
        return
    path = source.path(name)
    beside = [n.removeprefix(root) for n in source.names if n.startswith(f"{root}definitions/")]
    try:
        with tarfile.open(path) as archive:
            inside = {m.name.removeprefix("./"): archive.extractfile(m) for m in archive if m.isfile()}
            same = all(
                (file := inside.get(one)) is not None
                and sha256(file.read()).hexdigest() == sha256_file(source.path(f"{root}{one}"))
                for one in beside
            )
    except (tarfile.TarError, OSError, EOFError, zlib.error) as error:
        raise DataError(f"cannot be unpacked: {error}", path=source.shown(path)) from error
    if not same:
        raise DataError(
            "does not hold the definitions that lie beside it",
            path=source.shown(path),
            hint=_AGAIN,
        )


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
            raise row.error(f"its task cannot be read: {error}", _AGAIN) from error
        if (task.id, task.query) != (row.id("id"), row.text("input")):
            raise row.error(
                f"is row {row.id('id')!r}, and its task is {task.id!r} or asks something else", _AGAIN
            )
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
