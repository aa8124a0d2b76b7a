"""Which results of other tools can be imported, and how a file is told from one of another tool."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from beirkit.corpora.errors import DataError
from beirkit.corpora.plugins import load_class
from beirkit.evaluate.imports.base import Importer

GROUP = "beirkit.imports"

# The order in which a file is asked whose it is: what may hold anything comes last.
_SHIPPED = {
    "mteb": "beirkit.evaluate.imports.mteb:MtebResults",
    "mteb-predictions": "beirkit.evaluate.imports.mteb:MtebPredictions",
    "air-bench": "beirkit.evaluate.imports.lists:AirBenchFiles",
    "sentence-transformers": "beirkit.evaluate.imports.lists:SentenceTransformers",
    "bright": "beirkit.evaluate.imports.lists:Bright",
    "vidore": "beirkit.evaluate.imports.means:Vidore",
    "coir": "beirkit.evaluate.imports.means:Coir",
    "ranx": "beirkit.evaluate.imports.lists:Ranx",
    "trec": "beirkit.evaluate.imports.lists:TrecRun",
}


def names() -> tuple[str, ...]:
    """Names of every importer, in the order in which a file is asked whose it is."""
    return (*sorted(set(_installed()) - set(_SHIPPED)), *_SHIPPED)


@cache
def get(name: str) -> type[Importer]:
    """The class of one importer.

    A third party adds one as an entry point of the group ``beirkit.imports``; a shipped name cannot be taken
    over.

    Raises:
        UnknownNameError: no importer has that name; the message holds the nearest one.
        UsageError: an installed entry point cannot be loaded or is no importer.
    """
    return load_class(name, "kind of results", Importer, _SHIPPED, _installed())


def importer_for(path: Path, name: str | None = None) -> Importer:
    """What reads a file or folder.

    Args:
        path: the file or folder.
        name: of the importer; None: the first that takes it for its own.

    Raises:
        DataError: it is not there, or of no tool that is known.
        UnknownNameError: no importer has that name.
    """
    if not path.exists():
        raise DataError("is not there", path=path)
    if name is not None:
        return get(name)()
    for known in names():
        one = get(known)()
        if one.recognises(path):
            return one
    raise DataError(
        "is of no tool whose results are known", path=path, hint=f"say which with --as: {', '.join(names())}"
    )


@cache
def _installed() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}
