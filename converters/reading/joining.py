"""Whether judgments name queries by their ids or by where they stand."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Literal

from beirkit.corpora.errors import DataError

Join = Literal["auto", "ids", "positions"]


def count_positions(ids: Sequence[str], judged: Collection[str], join: Join, path: Path) -> bool:
    """Whether judgments count the positions of queries, from 1; only one reading may fit.

    Ids are taken where every judged query has one. Positions are taken where they end with the last query:
    fewer would fit another edition of the file just as well.

    Args:
        ids: of the queries, in the order of their file.
        judged: what judgments name queries by.
        join: ``ids`` or ``positions`` to demand one of the two, ``auto`` to see which fits.
        path: the judgments, for messages.

    Raises:
        DataError: neither fits, or not the one that was demanded.
    """
    count = len(ids)
    unknown = sorted({*judged} - {*ids}, key=len)
    if not unknown and join != "positions":
        return False
    if join == "ids":
        hint = "ids are compared character by character"
        found = f"{len(unknown)} judged queries are not among the {count} queries, such as {unknown[0]!r}"
        raise DataError(found, path=path, hint=hint)
    outside = sorted({*judged} - {str(position) for position in range(1, count + 1)})
    if outside:
        found = f"judged queries are neither ids nor positions of the {count} queries, such as {outside[0]!r}"
        raise DataError(found, path=path, hint="are both files of the same edition?")
    if str(count) not in judged and join == "auto":
        found = f"judged queries have no id, and as positions they do not reach the last of {count} queries"
        hint = "are both files of the same edition? if so: --set join=positions"
        raise DataError(found, path=path, hint=hint)
    return True
