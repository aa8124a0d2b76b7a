"""``beirkit list``."""

from __future__ import annotations

import argparse
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from beirkit.cli.arguments import add_json

if TYPE_CHECKING:
    from beirkit.configs.schema import DatasetConfig, RetrieverConfig

KINDS = ("datasets", "formats", "retrievers", "measures", "suites", "protocols", "exports", "imports")

# What a terminal has room for; --json has all of it.
_COLUMNS = {
    "datasets": ["name", "documents", "queries", "judgments", "task", "licence", "needs", "built"],
    "retrievers": ["name", "kind", "extras", "ready", "summary", "needs"],
}

_LICENCE = 24  # characters; owners say it in sentences, which --json and the dataset's configuration have


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("kind", metavar="KIND", choices=KINDS, help=", ".join(KINDS))
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Print every name of one kind with what it stands for."""
    from beirkit.cli.output import print_json, print_table

    items = {
        "datasets": _datasets,
        "formats": _formats,
        "retrievers": _retrievers,
        "measures": _measures,
        "suites": _suites,
        "protocols": _protocols,
        "exports": _exports,
        "imports": _imports,
    }[args.kind]()
    if args.json:
        print_json(items)
        return 0
    columns = _COLUMNS.get(args.kind) or (list(items[0]) if items else ["name"])
    rows = [[_shown(column, item[column]) for column in columns] for item in items]
    print_table("", columns, rows, left=len(columns))
    return 0


def _datasets() -> list[dict[str, Any]]:
    """Every dataset with what a correct conversion holds; where nothing is expected of it, what was built."""
    from beirkit.configs.load import load_dataset, names

    return [_dataset(load_dataset(name)) for name in names("datasets")]


def _dataset(config: DatasetConfig) -> dict[str, Any]:
    from beirkit.converters import catalog
    from beirkit.corpora.errors import DataError
    from beirkit.corpora.folder import is_beir_folder
    from beirkit.corpora.manifest import has_manifest, read_manifest
    from beirkit.home import built_folder

    folder = built_folder(config.name)
    built = is_beir_folder(folder)
    expected = config.expected
    documents, queries = (expected.documents, expected.queries) if expected else (None, None)
    splits = {
        split: sum(grades.values()) for split, grades in (expected.judgments if expected else {}).items()
    }
    if expected is None and built and has_manifest(folder):
        with suppress(DataError):  # damaged: `beirkit check` tells
            counts = read_manifest(folder).counts
            documents, queries = counts.documents, counts.queries
            splits = {split: tally.judgments for split, tally in counts.splits.items()}
    obtain = ["nothing"] if not catalog.get(config.format).needs_raw else ["raw files"]
    if config.published:
        obtain.insert(0, "fetch")
    return {
        "name": config.name,
        "title": config.title,
        "task": config.task,
        "domain": config.domain,
        "language": config.language,
        "documents": documents,
        "queries": queries,
        "judgments": splits,
        "reported_split": config.reported_split,
        "family": config.family,
        "licence": config.licence,
        "needs": " or ".join(obtain),
        "obtain": config.obtain,
        "built": built,
        "path": str(folder) if built else None,
    }


def _formats() -> list[dict[str, Any]]:
    from beirkit.converters import catalog

    return [{"name": name, "summary": catalog.get(name).summary} for name in catalog.names()]


def _retrievers() -> list[dict[str, Any]]:
    """Every shipped retriever, and the two forms that are written on the command line."""
    from beirkit.configs.load import load_retriever, names
    from beirkit.retrievers.catalog import get

    found = [_retriever(load_retriever(name)) for name in names("retrievers")]
    for name, kind in (("run:PATH", "run"), ("http:FILE.yaml", "http")):
        found.append(
            {
                "name": name,
                "kind": kind,
                "extras": [],
                "ready": True,
                "needs": "",
                "summary": get(kind).summary,
            }
        )
    return found


def _retriever(config: RetrieverConfig) -> dict[str, Any]:
    """A shipped retriever, whether it would run here, and if not, what it needs; nothing heavy is loaded."""
    from beirkit.corpora.errors import BeirkitError
    from beirkit.home import cache_folder
    from beirkit.instructions import PLACE, with_instruction
    from beirkit.languages import for_language
    from beirkit.retrievers.base import Workplace
    from beirkit.retrievers.catalog import create, extras

    needs = ""
    try:
        made = with_instruction(for_language(config, "en"), PLACE)
        create(made, Workplace(cache=cache_folder(), offline=True)).identity()
    except BeirkitError as error:
        needs = str(error)
    return {
        "name": config.name,
        "kind": config.kind,
        "extras": extras(config),
        "ready": not needs,
        "needs": needs,
        "summary": config.summary,
    }


def _measures() -> list[dict[str, Any]]:
    from beirkit.evaluate.measures import list_measures

    return list_measures()


def _suites() -> list[dict[str, Any]]:
    from beirkit.configs.load import load_suite, names

    suites = [load_suite(name) for name in names("suites")]
    return [
        {"name": s.name, "title": s.title, "datasets": s.datasets, "retrievers": s.retrievers} for s in suites
    ]


def _protocols() -> list[dict[str, Any]]:
    from beirkit.evaluate.protocol import get_protocol, protocol_names

    return [{"name": name, "summary": get_protocol(name).describe()} for name in protocol_names()]


def _imports() -> list[dict[str, Any]]:
    from beirkit.evaluate.imports import catalog

    return [{"name": name, "summary": catalog.get(name).summary} for name in catalog.names()]


def _exports() -> list[dict[str, Any]]:
    from beirkit.corpora.exports import catalog as folders
    from beirkit.evaluate.exports import catalog as results

    found = [(name, cls.takes, cls.summary) for name in folders.names() for cls in [folders.get(name)]]
    found += [(name, "results", results.get(name).summary) for name in results.names()]
    return [{"name": name, "takes": takes, "summary": said} for name, takes, said in sorted(found)]


def _shown(column: str, value: Any) -> str:
    text = _text(value)
    if column == "licence" and len(text) > _LICENCE:
        return text[: _LICENCE - 1].rstrip(" ,;:(") + "…"
    return text


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_text(inner)}" for key, inner in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
