"""Everything that a score depends on besides the run, as one value: what a switch changes."""

from __future__ import annotations

from typing import Literal

import msgspec

from beirkit.corpora.run import Precision
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.protocol import Protocol, SelfMatch

Ties = Literal["id descending", "id ascending", "file", "relevant first", "relevant last"]
Missing = Literal["zero", "skip-absent", "skip-empty", "skip-trec"]
Mean = Literal["queries", "geometric", "relevant documents"]
Rounding = Literal["none", "cut off", "each query"]
Grades = Literal["as judged", "binary"]


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """How a run becomes one number.

    Attributes:
        measure: what is computed.
        qrels: by which version or split of the judgments, by name.
        self_match: what becomes of a result whose id is the query's.
        removed_after: whether it is removed from the list that was cut already, which leaves one less.
        ties: how equal scores are ordered; by relevance is what an order of chance is at best and at worst.
        precision: scores are compared after rounding them to this type.
        depth: results per query that count; None: all.
        grades: whether they are made 0 and 1.
        missing: what a judged query without results counts: 0, nothing where the run has no list of it,
            nothing where it has none or an empty one, or what beir makes of it.
        denominator: the queries that are divided by.
        relevant: which documents the ideal order of nDCG and the divisor of AP are of: all that are judged
            relevant, or those of them that stand in the list.
        divisor: of AP: all relevant documents, or at most as many as the cut-off.
        mean: over what.
        rounding: what is rounded before it is printed.
    """

    measure: Measure
    qrels: str = ""
    self_match: SelfMatch = "dataset"
    removed_after: bool = False
    ties: Ties = "id descending"
    precision: Precision = "float32"
    depth: int | None = None
    grades: Grades = "as judged"
    missing: Missing = "zero"
    denominator: Literal["judged", "with a relevant document", "all queries"] = "judged"
    relevant: Literal["judged", "found"] = "judged"
    divisor: Literal["relevant", "at most k"] = "relevant"
    mean: Mean = "queries"
    rounding: Rounding = "none"

    @classmethod
    def of(
        cls, measure: Measure, protocol: Protocol, *, qrels: str = "", depth: int | None = None
    ) -> Setting:
        """What a protocol does with a measure."""
        apart = measure.family == "RR" and measure.at is not None
        missing: Missing = "zero"
        if protocol.missing != "zero":
            missing = "skip-absent" if protocol.missing == "skip" else "skip-trec"
        return cls(
            measure=measure,
            qrels=qrels,
            self_match=protocol.self_match,
            precision=(protocol.rr_precision if apart else None) or protocol.precision,
            missing=missing,
            depth=depth,
        )
