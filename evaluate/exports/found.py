"""Problems as they are found: those of one kind in one file are told a few times and then counted."""

from __future__ import annotations

from collections import Counter

from beirkit.evaluate.exports.base import Problem, Severity

_TOLD = 5  # of one kind in one file


class Found:
    """Collects problems.

    Args:
        file: the file they are in, relative to what is validated.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self._problems: list[Problem] = []
        self._counts: Counter[tuple[str, Severity]] = Counter()

    def add(
        self,
        kind: str,
        key: str,
        found: object,
        expected: str,
        todo: str = "",
        *,
        severity: Severity = "error",
    ) -> None:
        """Add a problem; the sixth of its kind and all after it are only counted.

        Args:
            kind: what is wrong, in the plural, such as ``scores that are no numbers``.
            key: where it is.
            found: what stands there; texts in quotes.
            expected: what should.
            todo: how to mend it.
            severity: of the problem.
        """
        self._counts[kind, severity] += 1
        if self._counts[kind, severity] <= _TOLD:
            told = found if isinstance(found, str) else f"{found!r:.80}"
            self._problems.append(
                Problem(severity=severity, file=self.file, key=key, found=told, expected=expected, todo=todo)
            )

    def problems(self) -> list[Problem]:
        """What was found, and how many more there are of a kind."""
        more = [
            Problem(
                severity=severity, file=self.file, found=f"{count - _TOLD:,} more {kind}", expected="none"
            )
            for (kind, severity), count in self._counts.items()
            if count > _TOLD
        ]
        return [*self._problems, *more]

    def __bool__(self) -> bool:
        """Whether anything was found."""
        return bool(self._problems)


def quoted(text: object) -> str:
    """A value of a file as a message shows it: in quotes, and not at any length."""
    shown = repr(text)
    return shown if len(shown) <= 80 else shown[:77] + "…" + shown[0]
