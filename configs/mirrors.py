"""Templates of the addresses at which copies of an article may stand."""

from __future__ import annotations

from pathlib import Path

import msgspec

from beirkit.configs.load import read_config
from beirkit.corpora.errors import ConfigError

_SHIPPED = Path(__file__).parent / "urls" / "mirrors.yaml"


class MirrorGroup(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Addresses of one article.

    Attributes:
        name: of the group.
        templates: addresses with ``{title}`` where the article's title stands.
    """

    name: str
    templates: list[str]


class _Mirrors(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    groups: list[MirrorGroup]


def load_mirrors(path: Path | None = None) -> list[MirrorGroup]:
    """The groups of a file, by default the shipped one.

    Raises:
        ConfigError: it cannot be read, or a template has no ``{title}``.
    """
    path = path or _SHIPPED
    found = read_config(path, _Mirrors).groups
    for group in found:
        if wrong := [template for template in group.templates if template.count("{title}") != 1]:
            raise ConfigError(f"group {group.name!r}: {wrong[0]!r} does not hold {{title}} once", path=path)
    return found
