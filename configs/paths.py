"""Relative paths inside a configuration file: they start at the file's own folder, wherever one works."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from beirkit.configs.schema import RetrieverConfig, SuiteConfig

ConfigT = TypeVar("ConfigT", bound=msgspec.Struct)

_YAML = (".yaml", ".yml")
_HUB_NAME = re.compile(r"[\w-][\w.-]*/[\w.-]+")


def beside(config: ConfigT, file: Path) -> ConfigT:
    """The configuration with its relative paths made to start at the file's folder; others are as they were.

    In a retriever these are the options ``class`` and ``model``, at any depth, where they hold
    ``FILE.py:NAME`` or a folder, ``path``, and files among ``members`` and in ``retriever``; in a suite the
    entries of ``datasets`` and ``retrievers`` that have a slash or end in ``.yaml`` or ``.yml``.

    Args:
        config: what was read.
        file: the file that it was read from.
    """
    folder = file.parent
    if isinstance(config, RetrieverConfig):
        return msgspec.structs.replace(config, options=_options(config.options, folder))
    if isinstance(config, SuiteConfig):
        return msgspec.structs.replace(
            config,
            datasets=[_entry(text, folder) for text in config.datasets],
            retrievers=[_entry(text, folder) for text in config.retrievers],
        )
    return config


def _options(options: dict[str, Any], folder: Path) -> dict[str, Any]:
    return {key: _option(key, value, folder) for key, value in options.items()}


def _option(key: str, value: Any, folder: Path) -> Any:
    if isinstance(value, dict):
        return _options(value, folder)
    if key in ("class", "model"):
        return _places(value, folder)
    if key in ("members", "retriever"):
        listed = value if isinstance(value, list) else [value]
        made = [
            _options(item, folder)
            if isinstance(item, dict)
            else _entry(item, folder)
            if isinstance(item, str)
            else item
            for item in listed
        ]
        return made if isinstance(value, list) else made[0]
    return _joined(value, folder) if key == "path" and isinstance(value, str) else value


def _places(value: Any, folder: Path) -> Any:
    if isinstance(value, list):
        return [_places(item, folder) for item in value]
    return _place(value, folder) if isinstance(value, str) else value


def _place(text: str, folder: Path) -> str:
    """A file's class or a model's folder; a module's class and places with a scheme, ``hub:``, stay."""
    path, colon, name = text.rpartition(":")
    if colon and path.endswith(".py"):
        return f"{_joined(path, folder)}:{name}"
    # OWNER/NAME without a folder of that name is a hub's model that lacks its prefix: the retriever says so.
    if colon or (_HUB_NAME.fullmatch(text) and not _is_folder(folder / text)):
        return text
    return _joined(text, folder)


def _entry(text: str, folder: Path) -> str:
    base, colon, options = text.partition(":")
    if base in ("run", "http") and not options.startswith("//"):
        return f"{base}:{_joined(options, folder)}"
    if "/" in base or base.endswith(_YAML):
        return f"{_joined(base, folder)}{colon}{options}"
    return text


def _joined(path: str, folder: Path) -> str:
    if path.startswith("~"):
        return path
    joined = folder / path
    # With its dot it stays a path for whoever reads it, whatever the names of shipped things and of the hub.
    dotted = joined.is_absolute() or joined.parts[:1] == ("..",)
    return str(joined) if dotted else f"./{joined}"


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # too long for a file's name
        return False
