"""What there is to say about each code: why it matters, how it looks, what to do, what other tools do."""

from __future__ import annotations

import textwrap
from functools import cache
from importlib.resources import files

import msgspec

from beirkit.corpora.codes import CODES
from beirkit.corpora.mend_rules import RULES


class Explanation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The page about one code.

    Attributes:
        means: what is the case when it is told.
        matters: what comes of it.
        example: a line or lines that have it.
        todo: what to do about it.
        elsewhere: what beir, ir_datasets, trec_eval or pytrec_eval do with it; empty where that is not known.
    """

    means: str
    matters: str
    example: str
    todo: str
    elsewhere: str = ""


class Page(msgspec.Struct, frozen=True):
    """An explanation with its code."""

    code: str
    explanation: Explanation

    def markdown(self) -> str:
        """The page for the documentation."""
        kind, said = CODES[self.code], self.explanation
        when = f"{kind.severity}, looked for with `--deep`" if kind.deep else kind.severity
        parts = [
            f"# {self.code}: {kind.title}",
            f"Severity: {when}.",
            said.means,
            f"## Why it matters\n\n{said.matters}",
            f"## Example\n\n```text\n{said.example.strip()}\n```",
            f"## What to do\n\n{said.todo}",
        ]
        if rules := self._rules():
            listed = "\n".join(f"- `{rule}`" for rule in rules)
            parts.append(f"[Mending](../mending.md) does what a rule says:\n\n{listed}")
        if said.elsewhere:
            parts.append(f"## Other tools\n\n{said.elsewhere}")
        return "\n\n".join(parts) + "\n"

    def to_dict(self) -> dict[str, str | list[str]]:
        """The page for machines."""
        kind, said = CODES[self.code], self.explanation
        return {
            "code": self.code,
            "title": kind.title,
            "severity": kind.severity,
            **msgspec.to_builtins(said),
            "rules": self._rules(),
        }

    def text(self) -> str:
        """The page for a terminal."""
        kind, said = CODES[self.code], self.explanation
        deep = ", with --deep" if kind.deep else ""
        parts = [f"{self.code} ({kind.severity}{deep}): {kind.title}", _wrapped(said.means)]
        parts.append("Why it matters\n" + _wrapped(said.matters, "  "))
        parts.append("Example\n" + textwrap.indent(said.example.strip(), "  "))
        parts.append("What to do\n" + _wrapped(said.todo, "  "))
        if rules := self._rules():
            parts.append("--fix does what a rule says\n" + textwrap.indent("\n".join(rules), "  "))
        if said.elsewhere:
            parts.append("Other tools\n" + _wrapped(said.elsewhere, "  "))
        return "\n\n".join(parts)

    def _rules(self) -> list[str]:
        """The options that say what mending does about it."""
        return [
            f"--rule {name}={'|'.join(rule.choices)}"
            for name, rule in RULES.items()
            if self.code in rule.codes
        ]


def explanation(code: str) -> Page:
    """The page about a code of :data:`beirkit.corpora.codes.CODES`."""
    return Page(code, _all()[code])


@cache
def _all() -> dict[str, Explanation]:
    content = (files("beirkit.corpora") / "codes.toml").read_bytes()
    return msgspec.toml.decode(content, type=dict[str, Explanation])


def _wrapped(text: str, indent: str = "") -> str:
    plain = text.replace("`", "")
    return textwrap.fill(plain, 92, initial_indent=indent, subsequent_indent=indent)
