"""Requests to a service: templates filled, answers read by a path."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from beirkit.retrievers.outside.client import RequestError

_FIELD = re.compile(r"\{(query|k|offset|page)\}")


def filled_url(template: str, values: dict[str, str | int]) -> str:
    """The address of one request; what is filled in is escaped."""
    return _FIELD.sub(lambda found: quote(str(values[found[1]]), safe=""), template)


def filled_body(template: Any, values: dict[str, str | int]) -> Any:
    """The body of one request: ``{query}`` in texts at any depth; ``{k}`` alone is a number."""
    if isinstance(template, dict):
        return {key: filled_body(value, values) for key, value in template.items()}
    if isinstance(template, list):
        return [filled_body(value, values) for value in template]
    if not isinstance(template, str):
        return template
    alone = _FIELD.fullmatch(template)
    if alone:
        return values[alone[1]]
    return _FIELD.sub(lambda found: str(values[found[1]]), template)


def at_path(data: Any, path: str, what: str) -> Any:
    """What stands at a path such as ``hits.hits`` or ``results.0.items``; the empty path is all of it.

    Raises:
        RequestError: there is nothing there; the message names the keys that are.
    """
    found = data
    for key in path.split(".") if path else []:
        if isinstance(found, dict) and key in found:
            found = found[key]
        elif isinstance(found, list) and key.isdigit() and int(key) < len(found):
            found = found[int(key)]
        else:
            have = (
                f"its keys: {', '.join(map(str, found))}" if isinstance(found, dict) else type(found).__name__
            )
            raise RequestError(f"{what} has no {path!r} ({have[:200]})")
    return found
