"""The ranked lists that a score is made of: what is left of a run under a protocol."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from beirkit.corpora.packed_ids import take
from beirkit.corpora.run import Precision, Run
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.protocol import Protocol
from beirkit.evaluate.ranking import in_order, without_duplicates, without_self_matches


def counted_lists(
    run: Run,
    query_ids: Iterable[str],
    protocol: Protocol,
    *,
    self_match_ids: Collection[str] | None = None,
    depth: int | None = None,
    measure: Measure | None = None,
) -> Run:
    """The lists as :func:`beirkit.evaluate.engine.evaluate` looks at them: in order, each document once.

    Args:
        run: in any order.
        query_ids: the queries whose lists are wanted.
        protocol: the rules.
        self_match_ids: the queries whose document of the same id is the query itself; ``None``: not known.
        depth: results per query that count, after self-matches are removed; ``None``: all.
        measure: what the lists are looked at for; a protocol may order them otherwise for RR@k.
    """
    lists, _ = without_self_matches(run.select(query_ids), protocol.self_match, self_match_ids)
    ordered, _ = without_duplicates(in_order(lists, _precision(protocol, measure)), strict=False)
    return ordered if depth is None else ordered.top(depth)


def documents_by_query(lists: Run, at: int | None = None) -> Iterator[tuple[str, list[str]]]:
    """Each query with the ids of its first ``at`` documents, as they stand; ``None``: all."""
    for place, query_id in enumerate(lists.query_ids):
        yield query_id, take(lists.doc_ids, lists.results(place)[0][:at])


def _precision(protocol: Protocol, measure: Measure | None) -> Precision:
    apart = measure is not None and measure.family == "RR" and measure.at is not None
    return protocol.rr_precision if apart and protocol.rr_precision else protocol.precision
