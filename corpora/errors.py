"""Errors a user can act on: one root, one line each, printed without a traceback."""

from __future__ import annotations

from pathlib import Path


class BeirkitError(Exception):
    """Root of every error that beirkit raises on purpose.

    Args:
        found: what is wrong, in one sentence.
        path: the file or folder it was found in.
        line: line number, counted from 1.
        hint: what to do about it.
    """

    def __init__(
        self, found: str, *, path: Path | str | None = None, line: int | None = None, hint: str = ""
    ) -> None:
        self.found = found
        self.path = None if path is None else str(path)
        self.line = line
        self.hint = hint
        super().__init__(self._message())

    def _message(self) -> str:
        place = "" if self.path is None else self.path if self.line is None else f"{self.path}:{self.line}"
        text = f"{place}: {self.found}" if place else self.found
        return f"{text} ({self.hint})" if self.hint else text


class DataError(BeirkitError):
    """A file does not hold what it should."""


class WriteError(BeirkitError):
    """The system refused to write a file; nothing half-written was left under its name."""


class UsageError(BeirkitError):
    """The call itself cannot be carried out as asked."""


class ConfigError(UsageError):
    """A configuration has an unknown key, a wrong type or an impossible value."""


class UnknownNameError(UsageError):
    """A name stands in no catalog."""


class MissingExtraError(UsageError):
    """Optional parts are not installed; the message holds the command that installs them.

    Args:
        what: what needs them.
        extras: names of the parts, at least one.
    """

    def __init__(self, what: str, *extras: str) -> None:
        self.extras = tuple(dict.fromkeys(extras))
        names = " and ".join(map(repr, self.extras))
        parts, them = ("part", "it") if len(self.extras) == 1 else ("parts", "them")
        verb = "is" if len(self.extras) == 1 else "are"
        super().__init__(
            f"{what} needs the optional {parts} {names}, which {verb} not installed",
            hint=f"install {them} with: pip install 'beirkit[{','.join(self.extras)}]'",
        )


_MANY_NAMES = 40  # more than anybody reads through


def nearest(name: str, known: list[str]) -> str:
    """A hint that names the closest known name, or lists them all, or of very many those that are nearest."""
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=1, cutoff=0.6)
    if close:
        return f"did you mean {close[0]!r}?"
    if len(known) > _MANY_NAMES:
        some = sorted(get_close_matches(name, known, n=5, cutoff=0.0))
        return f"nearest of {len(known):,} that are known: {', '.join(some)}"
    return "known: " + ", ".join(sorted(known)) if known else "none are known"
