"""``stated.json``: figures of others as a folder of results keeps them, with the files they came from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from beirkit.corpora.errors import DataError
from beirkit.corpora.files import atomic_open, sha256_file
from beirkit.evaluate.imports.base import Means

STATED = "stated.json"
FORMAT = "beirkit stated 1"


class StatedFile(msgspec.Struct, frozen=True, kw_only=True):
    """What the file says besides the figures, which stand beside it under their measures' names.

    Attributes:
        format: of the file.
        model: name of the system.
        dataset: what it was scored on.
        split: of the dataset; empty: not told.
        revision: of the model; empty: not told.
        imported_as: the tool whose result it was.
        source: name of the file.
        sha256: of that file.
        facts: what else the file told.
        kept: the files that were kept whole, relative to the folder of results; the source first.
    """

    format: str
    model: str
    dataset: str
    split: str = ""
    revision: str = ""
    imported_as: str
    source: str
    sha256: str
    facts: dict[str, Any] = {}
    kept: list[str] = []


def write_stated(path: Path, means: Means, kind: str, kept: Sequence[str]) -> None:
    """Write figures in the form that ``beirkit compare --stated`` reads.

    Args:
        path: the file.
        means: the figures.
        kind: the tool whose result they were.
        kept: where the files they came from are kept, relative to the folder of results.

    Raises:
        WriteError: the system refused the file.
    """
    facts = StatedFile(
        format=FORMAT,
        model=means.system,
        dataset=means.dataset,
        split=means.split,
        revision=means.revision,
        imported_as=kind,
        source=means.source.name,
        sha256=sha256_file(means.source),
        facts=means.facts,
        kept=list(kept),
    )
    data = {**msgspec.to_builtins(facts), **{str(measure): value for measure, value in means.means.items()}}
    with atomic_open(path, "wb") as out:
        out.write(msgspec.json.format(msgspec.json.encode(data), indent=2) + b"\n")


def read_stated_file(path: Path) -> StatedFile:
    """What ``stated.json`` says besides its figures.

    Raises:
        DataError: it is no such file.
    """
    try:
        facts = msgspec.json.decode(path.read_bytes(), type=StatedFile)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(
            f"is no file of stated figures: {error}", path=path, hint="import it again"
        ) from error
    if facts.format != FORMAT:
        raise DataError(f"has the format {facts.format!r}, not {FORMAT!r}", path=path)
    return facts


def stated_file(path: Path) -> Path | None:
    """The file of stated figures that a path is, or is the folder of; None: it is neither."""
    if path.is_dir():
        inside = path / STATED
        return inside if inside.is_file() and not (path / "manifest.json").is_file() else None
    return path if path.name == STATED and path.is_file() else None


def stated_files(path: Path) -> list[Path]:
    """Every file of stated figures that a path leads to: its own, or those of a folder of results."""
    own = stated_file(path)
    if own is not None:
        return [own]
    found = (
        [file for depth in ("*", "*/*") for file in path.glob(f"{depth}/{STATED}")] if path.is_dir() else []
    )
    return sorted(found)
