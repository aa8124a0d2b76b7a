"""Groups of ids that are linked, directly or through others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


class Clusters:
    """The connected components of a graph of ids, which grows link by link."""

    def __init__(self) -> None:
        self._parent: dict[str, str] = {}
        self._members: dict[str, list[str]] = {}

    def link(self, one: str, other: str) -> None:
        """Put two ids, and all that are linked with them, into one group."""
        first, second = self._root(one), self._root(other)
        if first == second:
            return
        mine, theirs = (self._members.pop(root, [root]) for root in (first, second))
        if len(mine) < len(theirs):
            first, second, mine, theirs = second, first, theirs, mine
        self._parent[second] = first
        self._members[first] = mine + theirs

    def of(self, one: str) -> Sequence[str]:
        """The group of an id, itself included."""
        return self._members.get(self._root(one), (one,))

    def __iter__(self) -> Iterator[Sequence[str]]:
        """Every group of two or more."""
        return iter(self._members.values())

    def _root(self, one: str) -> str:
        while (above := self._parent.get(one)) is not None:
            one = above
        return one
