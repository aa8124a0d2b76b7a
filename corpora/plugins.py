"""Classes that a catalog knows by name: shipped ones, and those that others installed as entry points."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import EntryPoint
from typing import Any

from beirkit.corpora.errors import UnknownNameError, UsageError, nearest


def load_class(
    name: str,
    what: str,
    base: type[Any],
    shipped: Mapping[str, str],
    installed: Mapping[str, EntryPoint],
) -> type[Any]:
    """The class of one name; a shipped name cannot be taken over.

    Args:
        name: what is asked for.
        what: what the catalog holds, for messages, such as ``format``.
        base: what every class in it is.
        shipped: name to ``module:Class``.
        installed: entry points of others, by name.

    Raises:
        UnknownNameError: nothing has that name; the message holds the nearest one.
        UsageError: an entry point cannot be loaded, or is no such class.
    """
    if name in shipped:
        module, _, attribute = shipped[name].partition(":")
        found = getattr(import_module(module), attribute)
    elif name in installed:
        try:
            found = installed[name].load()
        except (ImportError, AttributeError) as error:
            value = installed[name].value
            raise UsageError(f"{what} {name!r} ({value}) cannot be loaded: {error}") from error
    else:
        known = sorted({*shipped, *installed})
        raise UnknownNameError(f"no {what} is called {name!r}", hint=nearest(name, known))
    if not (isinstance(found, type) and issubclass(found, base)):
        raise UsageError(f"{found!r}, installed as {what} {name!r}, is not a subclass of {base.__name__}")
    return found
