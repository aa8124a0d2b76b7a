"""``beirkit list``."""

from __future__ import annotations

import argparse
from typing import Any

from beirkit.cli.arguments import add_json

KINDS = ("datasets", "formats", "retrievers", "measures", "suites", "protocols")


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
    }[args.kind]()
    if args.json:
        print_json(items)
        return 0
    columns = list(items[0]) if items else ["name"]
    print_table(
        "", columns, [[_text(item[column]) for column in columns] for item in items], left=len(columns)
    )
    return 0


def _datasets() -> list[dict[str, Any]]:
    from beirkit.configs.load import load_dataset, names
    from beirkit.converters import catalog
    from beirkit.corpora.folder import is_beir_folder
    from beirkit.home import built_folder

    items = []
    for name in names("datasets"):
        config = load_dataset(name)
        needs_raw = catalog.get(config.format).needs_raw
        built = is_beir_folder(built_folder(name))
        state = "built" if built else "needs raw files" if needs_raw else "built when asked for"
        items.append(
            {
                "name": name,
                "title": config.title,
                "task": config.task,
                "language": config.language,
                "licence": config.licence,
                "state": state,
            }
        )
    return items


def _formats() -> list[dict[str, Any]]:
    from beirkit.converters import catalog

    return [{"name": name, "summary": catalog.get(name).summary} for name in catalog.names()]


def _retrievers() -> list[dict[str, Any]]:
    from beirkit.configs.load import load_retriever, names

    configs = [load_retriever(name) for name in names("retrievers")]
    return [{"name": config.name, "kind": config.kind, "summary": config.summary} for config in configs]


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


def _text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
