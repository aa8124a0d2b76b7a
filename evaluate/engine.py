"""``evaluate``: a run and judgments to scores, under a protocol."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import BeirkitError, DataError, UsageError
from beirkit.corpora.packed_ids import PackedIds
from beirkit.corpora.records import Qrels
from beirkit.corpora.run import Run
from beirkit.evaluate.coverage import absent_from
from beirkit.evaluate.judgments import as_qrels, checked_qrels, require_usable_ids
from beirkit.evaluate.measures import Measure, parse_measures
from beirkit.evaluate.own_measures import OWN, Graded
from beirkit.evaluate.protocol import Protocol, get_protocol
from beirkit.evaluate.ranking import (
    as_run,
    in_order,
    judged_results,
    without_duplicates,
    without_self_matches,
)
from beirkit.evaluate.scores import Counts, Scores
from beirkit.evaluate.trec import trec_values

logger = logging.getLogger(__name__)


def evaluate(
    qrels: Mapping[str, Mapping[str, int]] | Path | str,
    run: Run | Mapping[str, Mapping[str, float]] | Path | str,
    measures: Iterable[str | Measure] | str | None = None,
    protocol: str | Protocol = "beirkit",
    *,
    self_match_ids: Collection[str] | None = None,
    depth: int | None = None,
    strict: bool = False,
    lenient_scores: bool = False,
    corpus_ids: Iterable[str] | None = None,
) -> Scores:
    """Score a run; neither it nor the judgments are changed.

    Args:
        qrels: ``{query_id: {doc_id: grade}}`` with whole grades, or a file that
            :func:`beirkit.corpora.qrels.read_qrels` reads.
        run: ranked lists, ``{query_id: {doc_id: score}}``, or a file that
            :func:`beirkit.corpora.run_files.read_run` reads.
        measures: in any spelling; ``None``: the protocol's.
        protocol: a preset's name, or a protocol.
        self_match_ids: the queries whose document of the same id is the query itself; ``None``: not known.
        depth: results per query that count, after self-matches are removed; ``None``: all.
        strict: a document that stands twice in a list is an error.
        lenient_scores: rank NaN last and infinite scores as the numbers they are, and count both, instead of
            refusing them.
        corpus_ids: every id of the corpus, read once: judged and retrieved documents that it does not have
            are counted and told. They are scored all the same, as in published figures.

    Returns:
        One value per judged query and measure.

    Raises:
        UnknownNameError: no such measure or protocol.
        UsageError: a measure is impossible, or judgments or run are no such thing at all.
        DataError: the judgments or the run cannot be scored; run and judgments share no query.
    """
    if depth is not None and depth < 1:
        raise UsageError(f"the depth must be a whole number from 1, not {depth!r}")
    rules = get_protocol(protocol)
    asked = parse_measures(rules.measures if measures is None else measures)
    judged = checked_qrels(as_qrels(qrels))
    given = as_run(run, strict=strict, lenient_scores=lenient_scores)
    lists = given.select(judged)
    if not len(lists):
        raise _strangers(judged, given)
    if not isinstance(lists.doc_ids, PackedIds):  # which hold printable ASCII only
        require_usable_ids(lists.doc_ids, "document id of the run")
    answered = int((np.diff(lists.offsets) > 0).sum())
    lists, selves = without_self_matches(lists, rules.self_match, self_match_ids)
    ordered, duplicates = without_duplicates(in_order(lists, rules.precision), strict=strict)
    values = _values(ordered, judged, asked, depth)
    _order_rr_apart(values, lists, judged, asked, rules, depth)
    outside = {} if corpus_ids is None else _outside(judged, lists, corpus_ids)
    present = set(lists.query_ids)
    absent = np.array([query_id not in present for query_id in judged])
    for column, measure in enumerate(asked):
        if rules.skips(measure.about):
            values[absent, column] = np.nan
    counts = Counts(
        judged=len(judged),
        scored=answered,
        missing=len(judged) - answered,
        unjudged=len(given) - len(lists),
        self_matches_removed=selves.removed,
        self_matches_kept=selves.kept,
        duplicates=given.duplicates + duplicates,
        scores_not_finite=_not_finite(lists),
        **outside,
    )
    _report(counts, judged, given, rules)
    _require_bounds(values, asked, tuple(judged))
    return Scores(tuple(judged), asked, values, rules, counts, depth)


def _cut(run: Run, measures: Sequence[Measure], depth: int | None) -> Run:
    """Only as deep as the measures look, and at most ``depth``."""
    cutoffs = [measure.cutoff for measure in measures]
    deepest = (
        None if None in cutoffs or not cutoffs else max(cutoff for cutoff in cutoffs if cutoff is not None)
    )
    depths = [limit for limit in (deepest, depth) if limit is not None]
    return run.top(min(depths)) if depths else run


def _values(
    run: Run, qrels: Qrels, measures: Sequence[Measure], depth: int | None
) -> npt.NDArray[np.float64]:
    """``(len(qrels), len(measures))`` values of ordered lists; a query without a list has an empty one.

    A condensed list is made of the results that count: what lies below ``depth`` does not move up into it.
    """
    values = np.zeros((len(qrels), len(measures)))
    whole = [c for c, measure in enumerate(measures) if not measure.judged_only]
    condensed = [c for c, measure in enumerate(measures) if measure.judged_only]
    if whole:
        picked = [measures[c] for c in whole]
        values[:, whole] = _values_of(_cut(run, picked, depth), qrels, picked)
    if condensed:
        picked = [measures[c] for c in condensed]
        short = _cut(run, (), depth)
        judged = np.zeros(short.n_results, dtype=bool)
        judged[judged_results(short, qrels)[0]] = True
        values[:, condensed] = _values_of(_cut(short.keep(judged), picked, None), qrels, picked)
    return values


def _values_of(run: Run, qrels: Qrels, measures: Sequence[Measure]) -> npt.NDArray[np.float64]:
    """The values of measures that look at the same lists."""
    query_ids = tuple(qrels)
    values = np.zeros((len(query_ids), len(measures)))
    engine = [c for c, measure in enumerate(measures) if measure.trec_name is not None]
    if engine:
        values[:, engine] = trec_values(run, qrels, query_ids, [measures[c] for c in engine])
    if len(engine) < len(measures):
        graded = Graded.of(run, qrels, query_ids)
        for column, measure in enumerate(measures):
            if measure.trec_name is None:
                values[:, column] = OWN[measure.family](graded, measure)
    return values


def _order_rr_apart(
    values: npt.NDArray[np.float64],
    lists: Run,
    qrels: Qrels,
    measures: Sequence[Measure],
    rules: Protocol,
    depth: int | None,
) -> None:
    """Overwrite RR@k where the protocol compares its scores at another precision, as mteb does."""
    precision = rules.rr_precision
    columns = [c for c, m in enumerate(measures) if m.family == "RR" and m.at is not None]
    if precision is None or precision == rules.precision or not columns:
        return
    run, _ = without_duplicates(in_order(lists, precision), strict=False)
    picked = [measures[c] for c in columns]
    values[:, columns] = _values(run, qrels, picked, depth)


def _named(run: Run) -> str:
    """The file of a run in front of a message, where it has one."""
    return f"{run.source}: " if run.source else ""


def _strangers(qrels: Qrels, run: Run) -> DataError:
    ours = next(iter(qrels))
    theirs = f"the run has {run.query_ids[0]!r}" if len(run) else "the run is empty"
    return DataError(
        f"0 of {len(qrels)} judged queries are in the run: the judgments have {ours!r}, {theirs}",
        path=run.source or None,
        hint="check that run and judgments are of the same split",
    )


def _not_finite(run: Run) -> int:
    """How many scores are none that a retriever should give; told, since they speak of a fault before."""
    odd = np.flatnonzero(~np.isfinite(run.scores))
    if len(odd):
        few = (f"{run.query_ids[run.groups[i]]}/{run.doc_ids[run.docs[i]]}" for i in odd[:3].tolist())
        logger.warning(
            "%s%d scores are not finite: NaN is ranked last, infinity by its sign (%s)",
            _named(run),
            len(odd),
            ", ".join(few),
        )
    return len(odd)


def _outside(qrels: Qrels, run: Run, corpus_ids: Iterable[str]) -> dict[str, int]:
    """Counts of documents that are judged or retrieved and not in the corpus."""
    judged = {doc_id for row in qrels.values() for doc_id in row}
    relevant = {doc_id for row in qrels.values() for doc_id, grade in row.items() if grade > 0}
    found = dict.fromkeys(run.doc_ids[doc] for doc in np.unique(run.docs).tolist())
    absent = absent_from(
        corpus_ids, chain(sorted(judged), (doc_id for doc_id in found if doc_id not in judged))
    )
    missing, unknown = absent.among(judged), absent.among(found)
    lost = sum(doc_id in relevant for doc_id in missing.ids)
    if missing.ids:
        logger.warning(
            "%d of %d judged documents are not in the corpus (of %d relevant ones %d); they stay in the "
            "ideal ranking: %s",
            len(missing.ids), len(judged), len(relevant), lost, missing.describe(),
        )  # fmt: skip
    if unknown.ids:
        logger.warning(
            "%d of %d documents of the run are not in the corpus; they keep their ranks: %s",
            len(unknown.ids), len(found), unknown.describe(),
        )  # fmt: skip
    return {
        "judged_not_in_corpus": len(missing.ids),
        "relevant_not_in_corpus": lost,
        "results_not_in_corpus": len(unknown.ids),
    }


def _report(counts: Counts, qrels: Qrels, run: Run, rules: Protocol) -> None:
    if counts.missing:
        sizes = dict(zip(run.query_ids, np.diff(run.offsets).tolist(), strict=True))
        few = [query_id for query_id in qrels if not sizes.get(query_id)][:3]
        empty = sum(sizes.get(query_id) == 0 for query_id in qrels)
        fate = "an empty list counts 0" if empty == counts.missing else rules.describe_missing()
        if 0 < empty < counts.missing and rules.missing != "zero":
            fate += f" ({empty} have an empty list, which counts 0)"
        logger.warning(
            "%s%d of %d judged queries have no results in the run; by protocol %s, %s: %s",
            _named(run), counts.missing, counts.judged, rules.name, fate, ", ".join(map(repr, few)),
        )  # fmt: skip
    if counts.unjudged:
        few = [query_id for query_id in run.query_ids if query_id not in qrels][:3]
        logger.info(
            "%d queries of the run have no judgments and are ignored: %s",
            counts.unjudged, ", ".join(map(repr, few)),
        )  # fmt: skip


def _require_bounds(
    values: npt.NDArray[np.float64], measures: Sequence[Measure], query_ids: Sequence[str]
) -> None:
    for column, measure in enumerate(measures):
        bad = np.flatnonzero((values[:, column] < 0) | (values[:, column] > 1 + 1e-9))
        if measure.about.bounded and len(bad):
            row = int(bad[0])
            raise BeirkitError(
                f"internal error: {measure} of {query_ids[row]} is {values[row, column]}",
                hint="please report it",
            )
