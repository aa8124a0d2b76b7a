"""Options of a converter: read from a command line, checked against what the converter takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec
import yaml

from beirkit.configs.load import convert
from beirkit.corpora.errors import ConfigError, UsageError, nearest


def parse_settings(settings: Iterable[str], shape: type[msgspec.Struct]) -> dict[str, Any]:
    """Read ``key=value`` settings as a command line has them.

    The type of the option decides how its value is read. Text is taken as it stands, so a column may be
    called ``no``, ``null`` or ``2019`` and a separator may be a comma; a mapping or a list is YAML (JSON is
    YAML) whose words stay words: ``grades={no: 0, yes: 1}``. One entry of a mapping is ``grades.no=0``.

    Args:
        settings: the settings, in order; a later one replaces an earlier one of the same key.
        shape: the converter's ``Options``.

    Raises:
        UsageError: a setting has no ``=``, or its value is not YAML.
    """
    types = get_type_hints(shape)
    found: dict[str, Any] = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals or not key:
            raise UsageError(f"{setting!r} is not a setting", hint="write it as key=value")
        whole, dot, entry = key.partition(".")
        if dot and any(get_origin(member) is dict for member in _members(types.get(whole, str))):
            found[whole] = {**found.get(whole, {}), entry: value}
        else:
            found[key] = _structure(key, value) if _is_structure(types.get(key, str), value) else value
    return found


def checked(name: str, shape: type[msgspec.Struct], options: Mapping[str, Any], place: str = "") -> Any:
    """The options as the converter wants them.

    Args:
        name: the converter's name, for messages.
        shape: its ``Options``.
        options: what was asked for.
        place: where it was asked for, for messages; empty: the options of that format.

    Raises:
        ConfigError: an option is unknown (with the nearest known one) or has a wrong type.
    """
    types = get_type_hints(shape)
    place = place or f"options of format {name!r}"
    for key, value in options.items():
        if key not in types:
            raise ConfigError(f"there is no option {key!r}", path=place, hint=nearest(key, list(types)))
        if isinstance(value, Mapping):
            _check_entries(key, value, types[key], place)
    return convert({key: _as_text(value, types[key]) for key, value in options.items()}, shape, path=place)


def _check_entries(key: str, entries: Mapping[str, Any], wanted: Any, place: str) -> None:
    """Name the entry of a mapping that has a wrong type; a general message cannot."""
    for member in _members(wanted):
        if get_origin(member) is dict and get_args(member)[1] is int:
            for entry, value in entries.items():
                try:
                    msgspec.convert(value, int, strict=False)
                except msgspec.ValidationError as error:
                    found = f"{key}.{entry} is {value!r}, not a whole number"
                    raise ConfigError(found, path=place, hint=f"--set {key}.{entry}=NUMBER") from error


def _as_text(value: Any, wanted: Any) -> Any:
    """An integer where a text is wanted, also inside: YAML reads ``split: 2019`` as a number."""
    members = _members(wanted)
    if isinstance(value, int) and not isinstance(value, bool) and str in members:
        return value if int in members else str(value)
    for member in members:
        inner = get_args(member)
        if get_origin(member) is dict and isinstance(value, Mapping):
            return {key: _as_text(item, inner[1]) for key, item in value.items()}
        if get_origin(member) in (list, tuple) and isinstance(value, list):
            return [_as_text(item, inner[0]) for item in value]
    return value


def _is_structure(wanted: Any, value: str) -> bool:
    members = _members(wanted)
    structured = any(get_origin(member) in (dict, list, tuple) for member in members)
    return structured and (str not in members or value.lstrip()[:1] in ("{", "["))


def _structure(key: str, value: str) -> Any:
    try:
        return yaml.load(value, Loader=yaml.BaseLoader)  # keeps every scalar a string
    except yaml.YAMLError as error:
        problem = getattr(error, "problem", None) or "cannot be parsed"
        raise UsageError(f"the value of {key!r} is not YAML: {problem}", hint=f"found {value!r}") from error


def _members(wanted: Any) -> tuple[Any, ...]:
    return get_args(wanted) if get_origin(wanted) in (Union, UnionType) else (wanted,)
