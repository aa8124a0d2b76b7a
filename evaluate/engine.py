"""``evaluate``: a run and judgments to scores, under a protocol."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import BeirkitError, UsageError
from beirkit.corpora.records import Qrels
from beirkit.corpora.run import Run
from beirkit.corpora.run_parts import WholeOnlyError, run_parts
from beirkit.evaluate.coverage import absent_from
from beirkit.evaluate.evidence import Evidence
from beirkit.evaluate.judgments import as_qrels, checked_qrels
from beirkit.evaluate.measures import Measure, parse_measures
from beirkit.evaluate.protocol import Protocol, get_protocol
from beirkit.evaluate.ranking import as_run
from beirkit.evaluate.scores import Counts, Scores
from beirkit.evaluate.tally import Tally, Task

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
    searched: Collection[str] = (),
    evidence: Evidence | None = None,
) -> Scores:
    """Score a run; neither it nor the judgments are changed.

    Args:
        qrels: ``{query_id: {doc_id: grade}}`` with whole grades, or a file that
            :func:`beirkit.corpora.qrels.read_qrels` reads.
        run: ranked lists, ``{query_id: {doc_id: score}}``, or a file that
            :func:`beirkit.corpora.run_files.read_run` reads; a TREC file whose lists each stand in one piece
            is never held as a whole.
        measures: in any spelling; ``None``: the protocol's.
        protocol: a preset's name, or a protocol.
        self_match_ids: the queries whose document of the same id is the query itself; ``None``: not known.
        depth: results per query that count, after self-matches are removed; ``None``: all.
        strict: a document that stands twice in a list is an error.
        lenient_scores: rank NaN last and infinite scores as the numbers they are, and count both, instead of
            refusing them.
        corpus_ids: every id of the corpus, read once: judged and retrieved documents that it does not have
            are counted and told. They are scored all the same, as in published figures.
        searched: queries that found nothing where the run has no list of them; a TREC file cannot hold an
            empty list.
        evidence: spans, sets of evidence and places, for the measures that go by them; it is read only where
            one is asked for.

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
    outside_too = corpus_ids is not None
    task = Task(
        judged, asked, rules, self_match_ids, depth, strict=strict, outside=outside_too, evidence=evidence
    )
    tally = _tally(task, run, lenient_scores=lenient_scores, searched=searched)
    outside = {} if corpus_ids is None else _outside(judged, tally.documents, corpus_ids)
    values = tally.values()
    absent = np.array([query_id not in tally.sizes for query_id in judged])
    for column, measure in enumerate(asked):
        if rules.skips(measure.about):
            values[absent, column] = np.nan
    answered = sum(tally.sizes.get(query_id, 0) > 0 for query_id in judged)
    counts = Counts(
        judged=len(judged),
        scored=answered,
        missing=len(judged) - answered,
        unjudged=sum(query_id not in judged for query_id in tally.sizes),
        self_matches_removed=tally.selves_removed,
        self_matches_kept=tally.selves_kept,
        duplicates=tally.duplicates,
        scores_not_finite=tally.not_finite,
        **outside,
    )
    _report(counts, judged, tally, rules)
    _require_bounds(values, asked, tuple(judged))
    return Scores(tuple(judged), asked, values, rules, counts, depth)


def _tally(
    task: Task,
    run: Run | Mapping[str, Mapping[str, float]] | Path | str,
    *,
    lenient_scores: bool,
    searched: Collection[str],
) -> Tally:
    """The values of a run; a file is scored in parts where it can be, and a run in memory is one part."""
    if isinstance(run, str | Path) and not task.whole:
        try:
            parts = run_parts(Path(run), lenient_scores=lenient_scores)
            return Tally.of(task, parts, searched, source=str(run))
        except WholeOnlyError:
            pass
    whole = as_run(run, strict=task.strict, lenient_scores=lenient_scores)
    return Tally.of(task, [whole], searched, source=whole.source)


def _outside(qrels: Qrels, found: Collection[str], corpus_ids: Iterable[str]) -> dict[str, int]:
    """Counts of documents that are judged or found and not in the corpus."""
    judged = {doc_id for row in qrels.values() for doc_id in row}
    relevant = {doc_id for row in qrels.values() for doc_id, grade in row.items() if grade > 0}
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


def _report(counts: Counts, qrels: Qrels, tally: Tally, rules: Protocol) -> None:
    sizes = tally.sizes
    if counts.missing:
        few = [query_id for query_id in qrels if not sizes.get(query_id)][:3]
        empty = sum(sizes.get(query_id) == 0 for query_id in qrels)
        fate = "an empty list counts 0" if empty == counts.missing else rules.describe_missing()
        if 0 < empty < counts.missing and rules.missing != "zero":
            fate += f" ({empty} have an empty list, which counts 0)"
        logger.warning(
            "%s%d of %d judged queries have no results in the run; by protocol %s, %s: %s",
            tally.named, counts.missing, counts.judged, rules.name, fate, ", ".join(map(repr, few)),
        )  # fmt: skip
    if counts.unjudged:
        few = [query_id for query_id in sizes if query_id not in qrels][:3]
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
