"""Defects that are told together, and what tells them from others as many."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field


@dataclass
class Tally:
    """Defects that are told together: how many, where the first is, some of their ids, and which they are."""

    count: int = 0
    line: int | None = None
    examples: list[str] = field(default_factory=list)
    _sum: int = 0

    @property
    def key(self) -> str:
        """What tells these defects from others as many: a sum over all their ids, in whatever order."""
        return f"ids {self._sum % (1 << 128):032x}"

    def add(self, value: str, line: int) -> None:
        """Count one."""
        self.count += 1
        self._sum += int.from_bytes(hashlib.blake2b(value.encode(), digest_size=16).digest(), "big")
        self.line = self.line or line
        if len(self.examples) < 3:
            self.examples.append(repr(value))

    def add_blank(self, count: int, line: int) -> None:
        """Count lines in which nothing is, from this one on."""
        self.count += count
        self.line = self.line or line

    def __str__(self) -> str:
        more = ", …" if self.count > len(self.examples) else ""
        return f"{', '.join(self.examples)}{more}"
