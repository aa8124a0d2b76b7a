"""Ids that a corpus does not have: judged ones and retrieved ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from unicodedata import normalize

import msgspec


class Absent(msgspec.Struct, frozen=True):
    """Ids that were looked for in a corpus in vain.

    Attributes:
        ids: in the order given.
        twins: for some of them, an id of the corpus that only differs by its Unicode normal form.
    """

    ids: tuple[str, ...]
    twins: dict[str, str]

    def among(self, wanted: Collection[str]) -> Absent:
        """Those that are in ``wanted``, ascending."""
        ids = tuple(sorted(doc_id for doc_id in self.ids if doc_id in wanted))
        return Absent(ids, {ours: theirs for ours, theirs in self.twins.items() if ours in wanted})

    def describe(self) -> str:
        """Up to three of them, and whether others only look the same."""
        shown = ", ".join(map(repr, self.ids[:3])) + (", …" if len(self.ids) > 3 else "")
        if self.twins:
            first = next(iter(self.twins))
            shown += (
                f"; an id equal after Unicode normalisation exists for {len(self.twins)}, such as {first!r}"
            )
        return shown


def absent_from(corpus_ids: Iterable[str], wanted: Iterable[str]) -> Absent:
    """Which of the wanted ids a corpus does not have; the corpus is streamed, nothing of it is kept.

    Args:
        corpus_ids: every document id, in any order.
        wanted: the ids that should be among them, each once.
    """
    missing = dict.fromkeys(wanted)
    composed: dict[str, list[str]] = {}  # only of ids beyond ASCII: the others have one form
    for doc_id in missing:
        if not doc_id.isascii():
            composed.setdefault(normalize("NFC", doc_id), []).append(doc_id)
    twins: dict[str, str] = {}
    for doc_id in corpus_ids:
        missing.pop(doc_id, None)
        if composed and not doc_id.isascii():
            alike = composed.get(normalize("NFC", doc_id), ())
            twins.update((wish, doc_id) for wish in alike if wish != doc_id)
    return Absent(tuple(missing), {ours: theirs for ours, theirs in twins.items() if ours in missing})
