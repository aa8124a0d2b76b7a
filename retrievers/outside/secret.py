"""Secrets of a service: taken from the environment alone, written nowhere, cut out of what a server says."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

from beirkit.corpora.errors import ConfigError, UsageError

_MARK = "env:"
_NAME = re.compile(
    r"auth(orization|entication)?|.*api[-_]?key|(.*[-_])?(key|token|secret|password|signature)|sig|cookie",
    re.I,
)
_IN_BODY = re.compile(
    r"authorization|.*api[-_]?key|(.*[-_])?(access[-_]?token|client[-_]?secret|secret|password)", re.I
)  # a key or a token may be anything there
_SCHEME = re.compile(r"\b(bearer|basic)\s+[^\s\"'<>,;]+", re.IGNORECASE)
_SHORTEST = 4  # what is shorter stands in any text
HIDDEN = "***"


def is_env(value: str) -> bool:
    """Whether a header's value is taken from the environment."""
    return _MARK in value


def refuse_secrets(url: str, headers: Mapping[str, str], *bodies: Any) -> None:
    """Refuse a configuration in which a secret stands, since it is kept with every result.

    What stands there is not shown.

    Raises:
        ConfigError: the address has a user or a parameter that is a secret by its name, or a header or a key
            of a body is one and is not taken from the environment.
    """
    parts = urlsplit(url)
    if "@" in parts.netloc:
        raise ConfigError("the url has a user before the host", hint=_hint("Authorization"))
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        if _NAME.fullmatch(name) and "{" not in value:
            raise ConfigError(f"the url has the parameter {name!r}, a secret", hint=_hint(name))
    for name, value in headers.items():
        if _NAME.fullmatch(name) and not is_env(value):
            raise ConfigError(f"the header {name} holds a secret as it is", hint=_hint(name))
    for name in (found for body in bodies for found in _names(body)):
        if _IN_BODY.fullmatch(name):
            raise ConfigError(f"the body has {name!r}, a secret", hint=_hint(name))


def resolved_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers with values ``env:NAME`` taken from the environment, which alone holds secrets.

    A value may have text before it: ``Bearer env:TOKEN``.

    Raises:
        UsageError: the variable is not set, or holds what cannot be sent.
    """
    made = {}
    for name, value in headers.items():
        before, mark, variable = value.rpartition(_MARK)
        if not mark:
            made[name] = value
            continue
        secret = os.environ.get(variable, "").strip()
        if not secret:
            raise UsageError(f"header {name}: the variable {variable} is not set")
        if not (secret.isascii() and secret.isprintable()):
            raise UsageError(f"header {name}: the variable {variable} holds what no header can")
        made[name] = before + secret
    return made


def secrets_of(headers: Mapping[str, str]) -> list[str]:
    """The secrets that :func:`resolved_headers` puts into headers, as far as their variables are set."""
    names = [value.rpartition(_MARK)[2] for value in headers.values() if is_env(value)]
    return [secret for name in names if (secret := os.environ.get(name, "").strip())]


def redacted(text: str, secrets: Iterable[str]) -> str:
    """A text without the secrets, in whatever spelling, and without credentials of any other kind."""
    for secret in secrets:
        for spelling in (secret, json.dumps(secret)[1:-1], quote(secret, safe="")):
            if len(spelling) >= _SHORTEST:
                text = text.replace(spelling, HIDDEN)
    return _SCHEME.sub(lambda found: f"{found[1]} {HIDDEN}", text)


def _names(data: Any) -> Iterator[str]:
    """The keys of mappings at any depth."""
    if isinstance(data, dict):
        for name, value in data.items():
            yield str(name)
            yield from _names(value)
    elif isinstance(data, list):
        for value in data:
            yield from _names(value)


def _hint(name: str) -> str:
    return f"results would keep it: set an environment variable, and the header {name}: env:ITS_NAME"
