"""Names of files for names of systems, whatever these hold."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable

_LONGEST = 60
_DIGITS = 12
# Windows opens a device where a file has one of these names, whatever its ending.
_DEVICES = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?")
_TELLS_NOTHING = re.compile(rf"-[0-9a-f]{{{_DIGITS}}}")


def page_names(names: Iterable[str]) -> dict[str, str]:
    """A file name without ending for each name: lower-case ASCII letters, digits, ``.``, ``-`` and ``_``.

    A name that is already one stays as it is; any other gets a hash of itself behind what is left of it, so a
    page keeps its address whatever other systems come and go, and two names that differ in case, in accents
    or in what a path cannot hold never meet.

    Args:
        names: each once.
    """
    found: dict[str, str] = {}
    taken: dict[str, str] = {}
    for name in sorted(names):
        slug, length = _slug(name, _DIGITS), _DIGITS
        while taken.setdefault(slug, name) != name:
            length += 4
            slug = _slug(name, length)
        found[name] = slug
    return found


def _slug(name: str, digits: int) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    plain = re.sub(r"[^a-z0-9._-]+", "-", plain)[:_LONGEST].strip("-.")
    kept = bool(plain) and plain == name and digits == _DIGITS
    if kept and not _DEVICES.fullmatch(plain) and not _TELLS_NOTHING.fullmatch(plain[-_DIGITS - 1 :]):
        return plain
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:digits]
    return f"{plain or 'system'}-{digest}"
