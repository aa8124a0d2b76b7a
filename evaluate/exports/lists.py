"""The ranked lists of a result as others get them: without self-matches, no deeper than was asked for."""

from __future__ import annotations

from collections.abc import Sequence

from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.ids import has_white_space
from beirkit.corpora.run import Run
from beirkit.evaluate.exports.base import Entry
from beirkit.evaluate.protocol import SelfMatch
from beirkit.evaluate.ranking import without_self_matches


def own_ids(entry: Entry) -> frozenset[str]:
    """The queries that stand in the corpus under their own id, as the result's manifest tells them."""
    told = entry.manifest.get("self_match", {})
    return frozenset(told.get("query_ids", ()) if isinstance(told, dict) else ())


def submitted_run(entry: Entry, depth: int | None = None, *, self_match: SelfMatch = "dataset") -> Run:
    """The lists of a result, in ranking order.

    Args:
        entry: the result.
        depth: results per query; None: as many as count in the result.
        self_match: what becomes of results that are the query itself.

    Raises:
        UsageError: the result does not hold as many.
    """
    if depth is not None and depth < 1:
        raise UsageError(f"depth={depth}: a list has one result or more")
    if depth is not None and entry.depth is not None and depth > entry.depth:
        raise UsageError(
            f"{entry.label} holds {entry.depth} results per query, not {depth}",
            hint=f"depth={entry.depth}, or run it again with -k {depth}",
        )
    run, _ = without_self_matches(entry.run, self_match, own_ids(entry))
    limit = depth or entry.depth
    ranked = run.ordered()
    return ranked if limit is None else ranked.top(limit)


def require_whole(entries: Sequence[Entry], target: str) -> None:
    """Refuse results of a sample.

    Raises:
        UsageError: one is.
    """
    for entry in entries:
        if entry.sampled:
            raise UsageError(
                f"{entry.label} is a sample, which {target} does not take", hint="run it without --sample"
            )


def require_once(entries: Sequence[Entry], names: Sequence[str]) -> None:
    """Refuse results that would be written under one name.

    Args:
        entries: the results.
        names: what each is written as.

    Raises:
        UsageError: two have the same.
    """
    first: dict[str, Entry] = {}
    for entry, name in zip(entries, names, strict=True):
        other = first.setdefault(name, entry)
        if other is not entry:
            raise UsageError(
                f"{other.folder} and {entry.folder} would both be {name}", hint="export them apart"
            )


def require_no_white_space(run: Run, entry: Entry) -> None:
    """Refuse ids that would be two columns.

    Raises:
        DataError: an id holds white space; names it.
    """
    used = {run.doc_ids[place] for place in set(run.docs.tolist())}
    for what, values in (("query", run.query_ids), ("document", sorted(used))):
        for value in values:
            if has_white_space(value):
                raise DataError(
                    f"{entry.label}: {what} id {value!r} holds white space: it cannot stand in a TREC run",
                    hint="sentence-transformers and capsule hold any id",
                )
