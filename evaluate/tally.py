"""The values of a run and what was counted on the way, gathered from it as a whole or part by part."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import DataError
from beirkit.corpora.packed_ids import PackedIds, take
from beirkit.corpora.records import Qrels
from beirkit.corpora.run import Run
from beirkit.evaluate.evidence import Evidence
from beirkit.evaluate.judgments import require_usable_ids
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.own_measures import OWN, Graded
from beirkit.evaluate.protocol import Protocol
from beirkit.evaluate.ranking import (
    in_order,
    judged_results,
    without_duplicates,
    without_self_matches,
)
from beirkit.evaluate.trec import trec_values

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Task:
    """What is to be computed of a run.

    Attributes:
        qrels: checked judgments.
        measures: the columns.
        rules: the protocol.
        self_match_ids: the queries whose document of the same id is the query itself; ``None``: not known.
        depth: results per query that count, after self-matches are removed; ``None``: all.
        strict: a document that stands twice in a list is an error.
        outside: whether every document of the judged queries' lists is asked for.
        evidence: what measures go by beside grades; ``None``: there is none.
    """

    qrels: Qrels
    measures: tuple[Measure, ...]
    rules: Protocol
    self_match_ids: Collection[str] | None
    depth: int | None
    strict: bool
    outside: bool
    evidence: Evidence | None = None

    @property
    def whole(self) -> bool:
        """Whether a measure looks up the place of every result, for which a run is read as a whole."""
        return any(measure.about.by == "spans" for measure in self.measures)

    @cached_property
    def pool(self) -> frozenset[str]:
        """The documents that are judged for any query."""
        return frozenset(doc_id for row in self.qrels.values() for doc_id in row)


@dataclass
class Tally:
    """Values of the queries so far.

    Attributes:
        task: what is computed.
        source: the run's file, for messages; empty: none.
        sizes: results of every query of the run, judged or not, in its order.
        documents: those of the judged queries' lists, in the order they came; empty unless asked for.
        selves_removed: results taken out because they are the query itself.
        selves_kept: results whose id is the query's that were scored.
        duplicates: further copies of a document in a list.
        not_finite: results of judged queries whose score is NaN or infinite.
    """

    task: Task
    source: str
    sizes: dict[str, int] = field(default_factory=dict)
    documents: dict[str, None] = field(default_factory=dict)
    selves_removed: int = 0
    selves_kept: int = 0
    duplicates: int = 0
    not_finite: int = 0
    _rows: dict[str, npt.NDArray[np.float64]] = field(default_factory=dict)

    @classmethod
    def of(cls, task: Task, parts: Iterable[Run], searched: Collection[str], source: str) -> Tally:
        """Of every part, and of an empty list of each searched query that is in none.

        Raises:
            DataError: a part cannot be scored; the run has no list of a judged query.
        """
        tally = cls(task, source)
        for part in parts:
            tally.add(part)
        if tally.sizes.keys().isdisjoint(task.qrels) and set(searched).isdisjoint(task.qrels):
            raise tally._strangers()
        tally.sizes.update({query_id: 0 for query_id in searched if query_id not in tally.sizes})
        return tally

    @property
    def named(self) -> str:
        """The file of the run in front of a message, where it has one."""
        return f"{self.source}: " if self.source else ""

    def add(self, part: Run) -> None:
        """Score the lists of some queries, each of which is in no other part.

        Raises:
            DataError: they cannot be scored.
        """
        task = self.task
        self.sizes.update(zip(part.query_ids, np.diff(part.offsets).tolist(), strict=True))
        self.duplicates += part.duplicates
        lists = part.select(task.qrels)
        if not len(lists):
            return
        if not isinstance(lists.doc_ids, PackedIds):  # which hold printable ASCII only
            require_usable_ids(lists.doc_ids, "document id of the run")
        lists, selves = without_self_matches(lists, task.rules.self_match, task.self_match_ids)
        self.selves_removed += selves.removed
        self.selves_kept += selves.kept
        ordered, copies = without_duplicates(in_order(lists, task.rules.precision), strict=task.strict)
        self.duplicates += copies
        values = _values(ordered, lists.query_ids, task, task.measures)
        _order_rr_apart(values, lists, lists.query_ids, task)
        self._rows.update(zip(lists.query_ids, values, strict=True))
        self.not_finite += _not_finite(lists, self.named)
        if task.outside:
            self.documents.update(dict.fromkeys(take(lists.doc_ids, np.unique(lists.docs))))

    def values(self) -> npt.NDArray[np.float64]:
        """``(len(qrels), len(measures))`` by judged query; one without a list has what an empty list has."""
        absent = [query_id for query_id in self.task.qrels if query_id not in self._rows]
        empty = _values(_NOTHING, absent, self.task, self.task.measures)
        rows = self._rows | dict(zip(absent, empty, strict=True))
        return np.array([rows[query_id] for query_id in self.task.qrels])

    def _strangers(self) -> DataError:
        ours = next(iter(self.task.qrels))
        theirs = next((f"the run has {query_id!r}" for query_id in self.sizes), "the run is empty")
        return DataError(
            f"0 of {len(self.task.qrels)} judged queries are in the run: "
            f"the judgments have {ours!r}, {theirs}",
            path=self.source or None,
            hint="check that run and judgments are of the same split",
        )


_NOTHING = Run(
    [], [], np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int32), np.empty(0, dtype=np.float64)
)


def _cut(run: Run, measures: Sequence[Measure], depth: int | None) -> Run:
    """Only as deep as the measures look, and at most ``depth``."""
    cutoffs = [measure.cutoff for measure in measures]
    deepest = (
        None if None in cutoffs or not cutoffs else max(cutoff for cutoff in cutoffs if cutoff is not None)
    )
    depths = [limit for limit in (deepest, depth) if limit is not None]
    return run.top(min(depths)) if depths else run


def _values(
    run: Run, query_ids: Sequence[str], task: Task, measures: Sequence[Measure]
) -> npt.NDArray[np.float64]:
    """``(len(query_ids), len(measures))`` values of ordered lists; a query without one has an empty one.

    A condensed list is made of the results that count: what lies below ``depth`` does not move up into it.
    """
    values = np.zeros((len(query_ids), len(measures)))
    whole = [c for c, measure in enumerate(measures) if not measure.judged_only]
    condensed = [c for c, measure in enumerate(measures) if measure.judged_only]
    if whole:
        picked = [measures[c] for c in whole]
        values[:, whole] = _values_of(_cut(run, picked, task.depth), query_ids, task, picked)
    if condensed:
        picked = [measures[c] for c in condensed]
        short = _cut(run, (), task.depth)
        judged = np.zeros(short.n_results, dtype=bool)
        judged[judged_results(short, task.qrels)[0]] = True
        values[:, condensed] = _values_of(_cut(short.keep(judged), picked, None), query_ids, task, picked)
    return values


def _values_of(
    run: Run, query_ids: Sequence[str], task: Task, measures: Sequence[Measure]
) -> npt.NDArray[np.float64]:
    """The values of measures that look at the same lists."""
    values = np.zeros((len(query_ids), len(measures)))
    engine = [c for c, measure in enumerate(measures) if measure.trec_name is not None]
    if engine:
        values[:, engine] = trec_values(run, task.qrels, query_ids, [measures[c] for c in engine])
    if len(engine) < len(measures):
        pool = task.pool if any(measure.family == "Hole" for measure in measures) else ()
        graded = Graded.of(run, task.qrels, query_ids, pool, task.evidence)
        for column, measure in enumerate(measures):
            if measure.trec_name is None:
                values[:, column] = OWN[measure.family](graded, measure)
    return values


def _order_rr_apart(
    values: npt.NDArray[np.float64], lists: Run, query_ids: Sequence[str], task: Task
) -> None:
    """Overwrite RR@k where the protocol compares its scores at another precision, as mteb does."""
    precision = task.rules.rr_precision
    columns = [c for c, m in enumerate(task.measures) if m.family == "RR" and m.at is not None]
    if precision is None or precision == task.rules.precision or not columns:
        return
    run, _ = without_duplicates(in_order(lists, precision), strict=False)
    values[:, columns] = _values(run, query_ids, task, [task.measures[c] for c in columns])


def _not_finite(run: Run, named: str) -> int:
    """How many scores are none that a retriever should give; told, since they speak of a fault before."""
    odd = np.flatnonzero(~np.isfinite(run.scores))
    if len(odd):
        few = (f"{run.query_ids[run.groups[i]]}/{run.doc_ids[run.docs[i]]}" for i in odd[:3].tolist())
        logger.warning(
            "%s%d scores are not finite: NaN is ranked last, infinity by its sign (%s)",
            named,
            len(odd),
            ", ".join(few),
        )
    return len(odd)
