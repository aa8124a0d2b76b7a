"""What differs between two versions of judgments, query by query."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec

from beirkit.corpora.records import Qrels

Changed = dict[str, dict[str, tuple[int, int]]]


class QrelsDiff(msgspec.Struct, frozen=True):
    """The way from an old version to a new one.

    Attributes:
        added: judgments that only the new version has.
        removed: judgments that only the old version has.
        changed: pairs that both have with different grades, as ``(old, new)``.
        same: judgments that both have.
        queries_added: judged queries that only the new version has.
        queries_removed: judged queries that only the old version has.
    """

    added: Qrels
    removed: Qrels
    changed: Changed
    same: int
    queries_added: list[str]
    queries_removed: list[str]

    def __bool__(self) -> bool:
        """Whether there is any difference."""
        return bool(self.added or self.removed or self.changed)

    @property
    def queries(self) -> list[str]:
        """Queries with a difference, sorted."""
        return sorted({*self.added, *self.removed, *self.changed})

    def transitions(self) -> list[tuple[int, int, int]]:
        """How often each grade became which other: ``(old, new, pairs)``, most frequent first."""
        counts = Counter(change for row in self.changed.values() for change in row.values())
        return [
            (old, new, count)
            for (old, new), count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        ]

    def to_dict(self) -> dict[str, Any]:
        """The counts, and every difference by query, for JSON."""
        return {
            "added": _size(self.added),
            "removed": _size(self.removed),
            "changed": _size(self.changed),
            "same": self.same,
            "queries_added": self.queries_added,
            "queries_removed": self.queries_removed,
            "queries": {
                query_id: {
                    "added": self.added.get(query_id, {}),
                    "removed": self.removed.get(query_id, {}),
                    "changed": {
                        doc_id: list(change) for doc_id, change in self.changed.get(query_id, {}).items()
                    },
                }
                for query_id in self.queries
            },
        }


def diff_qrels(old: Qrels, new: Qrels) -> QrelsDiff:
    """What was added, removed and graded anew between two versions; their order does not count."""
    added: Qrels = {}
    removed: Qrels = {}
    changed: Changed = {}
    same = 0
    for query_id, row in old.items():
        other = new.get(query_id, {})
        for doc_id, grade in row.items():
            there = other.get(doc_id)
            if there is None:
                removed.setdefault(query_id, {})[doc_id] = grade
            elif there == grade:
                same += 1
            else:
                changed.setdefault(query_id, {})[doc_id] = (grade, there)
    for query_id, row in new.items():
        known = old.get(query_id, {})
        extra = {doc_id: grade for doc_id, grade in row.items() if doc_id not in known}
        if extra:
            added[query_id] = extra
    return QrelsDiff(
        added=added,
        removed=removed,
        changed=changed,
        same=same,
        queries_added=sorted(new.keys() - old.keys()),
        queries_removed=sorted(old.keys() - new.keys()),
    )


def _size(table: Qrels | Changed) -> int:
    return sum(len(row) for row in table.values())
