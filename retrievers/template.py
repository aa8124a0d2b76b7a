"""How the fields of a document become the one text that a retriever reads."""

from __future__ import annotations

from string import Formatter

from beirkit.corpora.errors import ConfigError, nearest
from beirkit.corpora.records import Document

FIELDS = ("title", "text")


class Template:
    """A pattern such as ``{title} {text}``.

    What stands between two fields is written only between two that are not blank; what stands before the
    first field or after the last is always written. A document whose fields are all blank renders as the
    empty string. The result has no blank at either end, so for ``{title} {text}`` it is what BEIR builds.

    Args:
        pattern: literal text with ``{title}`` and ``{text}``; braces themselves are doubled.

    Raises:
        ConfigError: the pattern has no field, an unknown one, or a format that cannot be read.
    """

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        literals, self._fields = _parse(pattern)
        self._before, *self._between, self._after = literals

    def render(self, document: Document) -> str:
        """The text of one document; a missing field counts as blank."""
        rendered = ""
        for place, field in enumerate(self._fields):
            value = document.title if field == "title" else document.text
            if not value or value.isspace():
                continue
            rendered = f"{rendered}{self._between[place - 1]}{value}" if rendered else value
        if not rendered:
            return ""
        return f"{self._before}{rendered}{self._after}".strip()

    def __repr__(self) -> str:
        return f"Template({self.pattern!r})"


def _parse(pattern: str) -> tuple[list[str], list[str]]:
    """The fields of a pattern, and the literal text before, between and after them."""
    literals, fields = [""], []
    try:
        parts = list(Formatter().parse(pattern))
    except ValueError as error:
        raise ConfigError(
            f"template {pattern!r} cannot be read: {error}", hint="write braces as {{ and }}"
        ) from error
    for literal, field, form, conversion in parts:
        literals[-1] += literal
        if field is None:
            continue
        if field not in FIELDS:
            raise ConfigError(
                f"template {pattern!r} has no field {field!r} to fill", hint=nearest(field, list(FIELDS))
            )
        if form or conversion:
            raise ConfigError(f"template {pattern!r}: field {field!r} takes no format")
        fields.append(field)
        literals.append("")
    if not fields:
        raise ConfigError(f"template {pattern!r} has no field", hint="write {title} and {text} where they go")
    return literals, fields
