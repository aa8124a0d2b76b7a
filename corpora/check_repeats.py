"""Ids that stand twice in a file of records, and ids that only look the same."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

import msgspec
import numpy as np

from beirkit.corpora.findings import Report
from beirkit.corpora.keys import IdSet, KeyTable, hashes
from beirkit.corpora.records import Document, Query
from beirkit.corpora.unique import record_ids, record_keys

Blocks = Iterable[tuple[Sequence[int], Sequence[Document] | Sequence[Query]]]


def tell_repeats(name: str, blocks: Blocks, repeated: IdSet, twins: set[str], report: Report) -> None:
    """A second pass, over a file in which ids or their normal forms come more than once.

    A repeated id is known by 128 bits here, so that one that is told is one.

    Args:
        name: the file's, for messages.
        blocks: line numbers and records of each block.
        repeated: the ids that stand twice.
        twins: the normal forms that several ids have.
        report: told of every defect.
    """
    table = KeyTable(keys=2, values=3)
    forms: dict[str, tuple[str, int]] = {}
    for numbers, records in blocks:
        ids = record_ids(records)
        places = np.flatnonzero(repeated.has(ids)).tolist()
        if places:
            chosen = [records[place] for place in places]
            ids_of, contents = record_keys(chosen)
            others = hashes((f"{ids[place]}\t" for place in places), len(places))
            extras = hashes((_metadata(record) for record in chosen), len(places))
            rows = np.stack(
                [ids_of, others, contents, np.array([numbers[place] for place in places], np.uint64), extras]
            )
            new, held = table.add(rows)
            for at in np.flatnonzero(~new).tolist():
                place, line_of_first = places[at], int(held[1, at])
                same = bool(held[0, at] == contents[at])
                extra = bool(held[2, at] == extras[at])
                _tell_repeat(name, ids[place], line_of_first, numbers[place], same, extra, report)
        if twins:
            for number, value in zip(numbers, ids, strict=True):
                form = unicodedata.normalize("NFC", value)
                if form in twins:
                    other, line = forms.setdefault(form, (value, number))
                    if other != value:
                        found = f"id {value!a} and {other!a} of line {line} look the same"
                        todo = "ids are compared byte for byte; use one Unicode form, or tell them apart"
                        report.add("BK015", name, number, found, todo, key=value)


def _metadata(record: Document | Query) -> str:
    return msgspec.json.encode(record.metadata, order="deterministic").decode()


def _tell_repeat(
    name: str, value: str, first: int, number: int, same: bool, extra: bool, report: Report
) -> None:
    if same and not extra:
        found = f"id {value!r} is repeated with other metadata, as on line {first}"
        todo = "one counts, the first for beirkit; keep the one that is right"
        report.add("BK009", name, number, found, todo, key=value)
    elif same:
        found = f"id {value!r} is repeated, as on line {first}"
        report.add("BK009", name, number, found, "one copy counts; remove the others", key=value)
    else:
        found = f"id {value!r} stands on lines {first} and {number} with different texts"
        report.add("BK006", name, number, found, "give them different ids", key=value)
