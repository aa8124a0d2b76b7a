"""Reading configuration files: YAML in, checked structures out, errors with file and key path."""

from __future__ import annotations

import copy
import re
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

import msgspec
import yaml

from beirkit.configs.paths import beside
from beirkit.configs.schema import DatasetConfig, RetrieverConfig, SuiteConfig
from beirkit.corpora.errors import ConfigError, UnknownNameError, nearest

Kind = Literal["datasets", "retrievers", "suites"]
ConfigT = TypeVar("ConfigT", bound=msgspec.Struct)

_UNKNOWN_FIELD = re.compile(r"unknown field `([^`]*)`(?: - at `\$\.([^`]*)`)?")
_INVALID_VALUE = re.compile(r"Invalid enum value '([^']*)' - at `\$\.([^`]*)`")

_MOST_VALUES = 100_000  # of a YAML text; the largest that is shipped has some hundred

_SHIPPED = Path(__file__).parent
_OF_THE_FILES = {"expected", "known", "differences", "published", "revision"}  # not of what they are about


@cache
def names(kind: Kind) -> tuple[str, ...]:
    """Names of the shipped configurations of one kind, sorted."""
    return tuple(sorted(path.stem for path in (_SHIPPED / kind).glob("*.yaml")))


def load_dataset(name: str) -> DatasetConfig:
    """The shipped facts about a dataset."""
    return read_config(_shipped(name, "datasets"), DatasetConfig)


def load_retriever(name: str) -> RetrieverConfig:
    """A shipped retriever."""
    return read_config(_shipped(name, "retrievers"), RetrieverConfig)


def load_suite(name: str) -> SuiteConfig:
    """A shipped suite."""
    return read_config(_shipped(name, "suites"), SuiteConfig)


def is_suite_file(path: Path) -> bool:
    """Whether a YAML file is about a suite rather than a dataset: only a suite has the key ``datasets``.

    Raises:
        ConfigError: the file cannot be read or is not YAML.
    """
    return path.suffix in (".yaml", ".yml") and "datasets" in _mapping(path, SuiteConfig)


def read_config(path: Path, shape: type[ConfigT]) -> ConfigT:
    """Read one YAML file as the given structure; its relative paths start at the file's own folder.

    Raises:
        ConfigError: the file cannot be read, is not YAML, or has an unknown key or a wrong type; the
            message names file and key path.
    """
    data = _mapping(path, shape)
    if shape is DatasetConfig and "extends" in data:
        data = _extended(data, path)
    return beside(convert(data, shape, path=path), path)


def load_yaml(text: str) -> Any:
    """What a YAML text holds; the keys of its mappings are text as written: ``yes`` and not True.

    Raises:
        yaml.YAMLError: it cannot be read, or its aliases stand for more than a machine can bear; PyYAML
            itself lets other errors through where a tag or the look of a scalar promises what it is not
            (``!!bool x``, ``2026-99-99``, thousands of digits).
    """
    return copy.deepcopy(_loaded(text))  # many results ask for the facts of one dataset


@lru_cache(maxsize=512)
def _loaded(text: str) -> Any:
    try:
        loader = yaml.SafeLoader(text)
        try:
            node = loader.get_single_node()
            if node is None:
                return None
            _size(node, {})
            return loader.construct_document(node)
        finally:
            loader.dispose()
    except (ValueError, LookupError, AttributeError, TypeError, RecursionError) as error:
        raise yaml.YAMLError(str(error)) from error


def _written(key: yaml.Node) -> yaml.Node:
    """The key of a mapping as the text that stands there; a merge key stays one."""
    if not isinstance(key, yaml.ScalarNode) or key.tag == "tag:yaml.org,2002:merge":
        return key
    return yaml.ScalarNode("tag:yaml.org,2002:str", key.value, key.start_mark, key.end_mark, key.style)


def _size(node: yaml.Node, sizes: dict[yaml.Node, int]) -> int:
    """How many values a node stands for, with every alias written out; keys become text on the way.

    Ten lines of aliases of aliases may stand for billions; a merge key (``<<``) makes them all.

    Raises:
        yaml.YAMLError: they are too many, or an alias stands inside what it stands for.
    """
    known = sizes.get(node)
    if known == 0:
        raise yaml.YAMLError("an alias stands inside what it stands for")
    if known is not None:
        return known
    sizes[node] = 0  # while it is being counted
    size = 1
    if isinstance(node, yaml.SequenceNode):
        size += sum(_size(item, sizes) for item in node.value)
    elif isinstance(node, yaml.MappingNode):
        node.value = [(_written(key), value) for key, value in node.value]
        size += sum(_size(key, sizes) + _size(value, sizes) for key, value in node.value)
    if size > _MOST_VALUES:
        raise yaml.YAMLError(f"it holds more than {_MOST_VALUES:,} values, aliases written out")
    sizes[node] = size
    return size


def convert(data: Any, shape: type[ConfigT], *, path: Path | str) -> ConfigT:
    """Check data against a structure.

    Args:
        data: what YAML, JSON or a command line gave.
        shape: the structure.
        path: what to name in the message.

    Raises:
        ConfigError: an unknown key (with the nearest known one) or a wrong type, with its key path.
    """
    try:
        return msgspec.convert(data, shape, strict=False)
    except msgspec.ValidationError as error:
        message = str(error)
        hint = ""
        if unknown := _UNKNOWN_FIELD.search(message):
            hint = nearest(unknown[1], list(_fields(_inner(shape, unknown[2]))))
        elif invalid := _INVALID_VALUE.search(message):
            hint = nearest(invalid[1], _choices(shape, invalid[2]))
        elif "Expected `bool`" in message:
            hint = "write true or false"
        elif "Expected `str`, got `bool`" in message or "Expected `str`, got `int`" in message:
            hint = "put the value in quotes"
        raise ConfigError(message.replace(" - at `$.", " at `"), path=path, hint=hint) from error


def read_mapping(path: Path) -> dict[str, Any]:
    """The keys of a YAML file that is of no shape of its own, such as a retriever's options.

    Raises:
        ConfigError: the file cannot be read, is not YAML, or holds no keys.
    """
    return _mapping(path, None)


def _mapping(path: Path, shape: type[msgspec.Struct] | None) -> dict[str, Any]:
    """The keys of a YAML file."""
    try:
        data = load_yaml(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", path=path) from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"is not UTF-8 at byte {error.start}", path=path) from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = None if mark is None else mark.line + 1
        problem = getattr(error, "problem", None) or str(error) or "cannot be parsed"
        raise ConfigError(f"is not YAML: {problem}", path=path, line=line) from error
    if not isinstance(data, dict):
        hint = "" if shape is None else f"it should be a mapping with: {_keys(shape)}"
        raise ConfigError("holds no keys", path=path, hint=hint)
    return data


def _extended(data: dict[str, Any], path: Path) -> dict[str, Any]:
    """The keys of a file over those of the shipped dataset that it extends.

    Raises:
        ConfigError: no dataset has that name, or it extends another one itself.
    """
    parent, known = data["extends"], list(names("datasets"))
    if parent not in known:
        hint = nearest(str(parent), known)
        raise ConfigError(f"extends {parent!r}, which is no dataset", path=path, hint=hint)
    base = _mapping(_SHIPPED / "datasets" / f"{parent}.yaml", DatasetConfig)
    if "extends" in base:
        found = f"extends {parent!r}, which itself extends {base['extends']!r}"
        raise ConfigError(found, path=path, hint="name the one that has all the facts")
    same_format = data.get("format", base["format"]) == base["format"]
    dropped = _OF_THE_FILES if same_format else {*_OF_THE_FILES, "options", "json"}
    merged = {key: value for key, value in base.items() if key not in dropped} | data
    if same_format and isinstance(own := data.get("options", {}), dict):
        merged["options"] = {**base.get("options", {}), **own}
    return merged


def _shipped(name: str, kind: Kind) -> Path:
    if name not in names(kind):
        raise UnknownNameError(f"no {kind[:-1]} is called {name!r}", hint=nearest(name, list(names(kind))))
    return _SHIPPED / kind / f"{name}.yaml"


def _inner(shape: type[msgspec.Struct], keys: str | None) -> type[msgspec.Struct]:
    """The structure at a key path such as ``expected`` inside another one."""
    for key in keys.split(".") if keys else []:
        types = {field.encode_name: field.type for field in msgspec.structs.fields(shape)}
        inner = types.get(key)
        for part in (inner, *get_args(inner)):  # a structure, or one that may be left out
            if isinstance(part, type) and issubclass(part, msgspec.Struct):
                shape = part
    return shape


def _choices(shape: type[msgspec.Struct], keys: str) -> list[str]:
    """The values that the key at a path may have, where they are listed."""
    outer, _, key = keys.rpartition(".")
    types = {field.encode_name: field.type for field in msgspec.structs.fields(_inner(shape, outer))}
    return [value for value in get_args(types.get(key)) if isinstance(value, str)]


def _fields(shape: type[msgspec.Struct]) -> tuple[str, ...]:
    return tuple(field.encode_name for field in msgspec.structs.fields(shape))


def _keys(shape: type[msgspec.Struct]) -> str:
    return ", ".join(_fields(shape))
