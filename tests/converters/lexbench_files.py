"""How LexBench's sources are opened and its releases written, for the tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from beirkit.converters import catalog
from beirkit.corpora.exports.catalog import export_folder
from beirkit.corpora.folder import open_folder, write_folder
from beirkit.exporting import facts_of


def opened(raw: Path, **options: Any) -> Any:
    return catalog.convert("lexbench", raw, options)


def exported(raw: Path, place: Path, **options: Any) -> Path:
    write_folder(opened(raw), place / "beir")
    collection = open_folder(place / "beir")
    facts = facts_of("lexbench-simpleqa-verified", None, collection.provenance)
    export_folder(collection, "lexbench", place / "release", facts, options)
    return place / "release"


def contents(folder: Path) -> dict[str, bytes]:
    """What is in a release, without the note on how it was exported."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != "export.json")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def records(collection: Any) -> tuple[Any, ...]:
    return list(collection.queries()), list(collection.documents()), list(collection.judgments("test"))
