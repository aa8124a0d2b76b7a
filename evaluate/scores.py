"""The outcome of an evaluation: one value per query and measure, with the rules they were made under."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import numpy.typing as npt

from beirkit.corpora.errors import MissingExtraError, UsageError
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.protocol import Protocol

if TYPE_CHECKING:
    import pandas as pd


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """What was scored and what was not.

    Attributes:
        judged: queries with at least one judgment; the denominator where missing queries count 0. Where a
            protocol leaves queries out, a mean is over fewer: :meth:`Scores.n`.
        scored: judged queries with results in the run.
        missing: judged queries without: not in the run, or there with an empty list. Where a protocol
            skips missing queries, it skips the former only, as pytrec_eval does.
        unjudged: queries of the run without judgments; ignored.
        self_matches_removed: results taken out because they are the query itself.
        self_matches_kept: results whose id is the query's that were scored.
        duplicates: further copies of a document in a list, and those dropped when the run's file was read
            (there of every query); ignored.
        scores_not_finite: results with NaN (ranked last) or an infinite score; taken only when asked for.
        judged_not_in_corpus: judged documents that the corpus does not have, where it was given.
        relevant_not_in_corpus: those of them that are relevant for some query: 1.0 is out of reach.
        results_not_in_corpus: documents of the run that the corpus does not have, where it was given.
    """

    judged: int
    scored: int
    missing: int = 0
    unjudged: int = 0
    self_matches_removed: int = 0
    self_matches_kept: int = 0
    duplicates: int = 0
    scores_not_finite: int = 0
    judged_not_in_corpus: int = 0
    relevant_not_in_corpus: int = 0
    results_not_in_corpus: int = 0

    def to_dict(self) -> dict[str, int]:
        """The counts by name."""
        counts: dict[str, int] = msgspec.structs.asdict(self)
        return counts


@dataclass(frozen=True, eq=False)
class Scores:
    """Values per query and measure; means are derived from them.

    Attributes:
        query_ids: the judged queries, ascending.
        measures: the columns.
        values: ``(len(query_ids), len(measures)) float64``; NaN: the query has no value and is in no mean.
        protocol: the rules.
        counts: what was scored.
        depth: results per query that counted; ``None``: all.
    """

    query_ids: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: npt.NDArray[np.float64]
    protocol: Protocol
    counts: Counts
    depth: int | None = None

    def of(self, measure: str | Measure) -> npt.NDArray[np.float64]:
        """``(len(query_ids),) float64`` the values of one measure.

        Raises:
            UsageError: it was not computed.
        """
        wanted = Measure.parse(measure)
        if wanted not in self.measures:
            known = ", ".join(map(str, self.measures))
            raise UsageError(f"{wanted} was not computed", hint=f"computed: {known}")
        column: npt.NDArray[np.float64] = self.values[:, self.measures.index(wanted)]
        return column

    def mean(self, measure: str | Measure) -> float | None:
        """The mean over the queries that have a value; ``None`` where none has.

        Counts (NumRet and the like) are summed and gm_ measures taken as geometric means, as trec_eval does.
        The sum is exact, so the order of queries does not change the last digit.
        """
        column = self.of(measure)
        kept = column[~np.isnan(column)].tolist()
        total = Measure.parse(measure).about.total
        if not kept:
            return None
        if total == "sum":
            return math.fsum(kept)
        mean = math.fsum(kept) / len(kept)
        return math.exp(mean) if total == "geometric" else mean

    def means(self) -> dict[str, float | None]:
        """:meth:`mean` of every measure, by canonical name."""
        return {str(measure): self.mean(measure) for measure in self.measures}

    def n(self, measure: str | Measure) -> int:
        """Number of queries in the mean of a measure."""
        return int((~np.isnan(self.of(measure))).sum())

    def per_query(self) -> dict[str, dict[str, float | None]]:
        """``{query_id: {measure: value}}``; ``None``: the query has no value."""
        names = [str(measure) for measure in self.measures]
        return {
            query_id: {name: None if math.isnan(v) else v for name, v in zip(names, row, strict=True)}
            for query_id, row in zip(self.query_ids, self.values.tolist(), strict=True)
        }

    def to_frame(self) -> pd.DataFrame:
        """A data frame with one row per query (index ``query_id``) and one column per measure.

        Raises:
            MissingExtraError: pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtraError("a data frame", "frames") from error
        index = pd.Index(self.query_ids, name="query_id")
        return pd.DataFrame(self.values.copy(), index=index, columns=[str(m) for m in self.measures])
