"""Every single thing that tools do otherwise when they score a run: one switch each.

Which of them apply is seen from the run and the judgments alone; no dataset is known here by its name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
import numpy as np

from beirkit.evaluate.explain.scorer import Scorer
from beirkit.evaluate.explain.settings import Setting
from beirkit.evaluate.families import engine_only
from beirkit.evaluate.measures import Measure

_CUTOFFS = (1, 3, 5, 10, 20, 50, 100, 1000)

_TIES = {
    "id descending": "ties by document id, descending (trec_eval)",
    "id ascending": "ties by document id, ascending (Lucene)",
    "file": "ties as they stand in the run (insertion order, as beir's MRR has it)",
    "relevant first": "ties at their luckiest: relevant documents first",
    "relevant last": "ties at their unluckiest: relevant documents last",
}
_MISSING = {
    "zero": "queries without results count 0 (trec_eval -c)",
    "skip-empty": "queries without results are left out of the mean",
    "skip-absent": "queries that the run does not have are left out of the mean (pytrec_eval)",
    "skip-trec": "queries that the run does not have are left out of nDCG, AP, R and P (beir)",
}
_DENOMINATORS = {
    "judged": "divided by the judged queries",
    "with a relevant document": "divided by the queries that have a relevant document",
    "all queries": "divided by all queries of the dataset, judged or not",
}


class Switch(msgspec.Struct, frozen=True, kw_only=True):
    """One thing done otherwise.

    Attributes:
        axis: what is switched; two switches of one axis exclude each other.
        says: to what, for people.
        changes: fields of a setting.
        of_measure: fields of its measure, of which two switches may each change one.
        alone: whether it goes together with no other one.
    """

    axis: str
    says: str
    changes: tuple[tuple[str, Any], ...] = ()
    of_measure: tuple[tuple[str, Any], ...] = ()
    alone: bool = False

    @property
    def fields(self) -> frozenset[str]:
        """Names of all that it changes."""
        return frozenset(name for name, _ in self.changes + self.of_measure)

    def applied(self, setting: Setting) -> Setting:
        """The setting with it."""
        measure = msgspec.structs.replace(setting.measure, **dict(self.of_measure))
        changed: Setting = msgspec.structs.replace(setting, measure=measure, **dict(self.changes))
        return changed


def together(one: Switch, other: Switch) -> bool:
    """Whether two switches can be set at once, and it means something that they are.

    They cannot where both are of one axis, or change one field: a run is scored by one file of judgments. The
    luckiest and the unluckiest order of ties are bounds that no tool is at, so nothing goes with them.
    """
    return not (one.alone or other.alone or one.axis == other.axis or one.fields & other.fields)


def switches(setting: Setting, scorer: Scorer, versions: Mapping[str, str]) -> Iterator[Switch]:
    """Every switch that may change a setting, the likeliest axes first.

    Args:
        setting: what they start from.
        scorer: of the run.
        versions: what each further version or split of the judgments is, by the name that the scorer has it
            by: ``split`` or ``qrels version``.
    """
    for switch in _all(setting, scorer, versions):
        if switch.applied(setting) != setting:
            yield switch


def untested(setting: Setting, scorer: Scorer, versions: Mapping[str, str]) -> dict[str, str]:
    """What no switch was tried for, and why."""
    found = {}
    kinds = set(versions.values())
    if "split" not in kinds:
        found["split"] = "no other split's judgments share a query with the run"
    if "qrels version" not in kinds:
        found["qrels version"] = "no other version of the judgments was given"
    if scorer.queries is None:
        found["denominator"] = "how many queries the dataset has besides the judged ones is not known"
    if scorer.self_match_ids is None and not _own(scorer):
        found["self-match"] = (
            "no result has its query's id: it may have been removed before the run was written"
        )
    grades = {grade for row in scorer.judgments[setting.qrels].values() for grade in row.values()}
    if max(grades) <= 1 and setting.measure.family == "nDCG":
        found["gain"] = "no grade is above 1, so every gain is alike"
    if not _ties(scorer):
        found["ties"] = "no two results of a query have equal scores"
    return found


def _all(setting: Setting, scorer: Scorer, versions: Mapping[str, str]) -> Iterator[Switch]:
    yield from _self_match(scorer)
    yield from _missing(scorer)
    yield from _judgments(versions)
    yield from _of_measure(setting.measure)
    yield from _gain(setting, scorer)
    if _ties(scorer):
        for value, says in _TIES.items():
            yield Switch(
                axis="ties",
                says=says,
                changes=(("ties", value),),
                alone=value in ("relevant first", "relevant last"),
            )
    yield _one("precision", "scores compared as float32 (pytrec_eval)", precision="float32")
    yield _one("precision", "scores compared as float64 (trec_eval 10)", precision="float64")
    yield from _mean(setting)
    for depth in (10, 100, 1000):
        yield _one("depth", f"only {depth} results per query", depth=depth)
    yield _one("rounding", "the mean is cut off, not rounded", rounding="cut off")
    yield _one("rounding", f"each query is rounded to {scorer.decimals} digits first", rounding="each query")


def _one(axis: str, says: str, **changes: Any) -> Switch:
    return Switch(axis=axis, says=says, changes=tuple(changes.items()))


def _self_match(scorer: Scorer) -> Iterator[Switch]:
    if not _own(scorer):
        return
    yield _one(
        "self-match", "a result with the query's id is removed", self_match="remove", removed_after=False
    )
    yield _one("self-match", "a result with the query's id is kept", self_match="keep", removed_after=False)
    yield _one(
        "self-match",
        "a result with the query's id is removed from the list that was cut already, so that k - 1 remain",
        self_match="remove",
        removed_after=True,
    )


def _missing(scorer: Scorer) -> Iterator[Switch]:
    for value, says in _MISSING.items():
        yield _one("missing queries", says, missing=value)
    for denominator, says in _DENOMINATORS.items():
        if denominator != "all queries" or scorer.queries is not None:
            yield _one("denominator", says, denominator=denominator)


def _judgments(versions: Mapping[str, str]) -> Iterator[Switch]:
    for name, kind in versions.items():
        yield _one(kind, f"by the judgments {name}", qrels=name)


def _of_measure(measure: Measure) -> Iterator[Switch]:
    if measure.family in ("R", "R_cap") and measure.at is not None:
        yield _measure("recall", "recall divided by all relevant documents", family="R")
        yield _measure("recall", "recall capped: divided by at most k", family="R_cap")
    if measure.family == "AP":
        yield _one("AP's divisor", "AP divided by at most k relevant documents", divisor="at most k")
        yield _one("AP's divisor", "AP divided by the relevant documents found", relevant="found")
    if measure.family in ("nDCG", "nDCG_exp"):
        yield _one("ideal order", "nDCG's ideal order is of the documents found alone", relevant="found")
    if measure.about.at == "rank?" and measure.at is not None:
        yield _measure("cut-off", f"looks at all results, not {measure.at}", at=None)
    for at in _CUTOFFS if isinstance(measure.at, int) else ():
        yield _measure("cut-off", f"looks at {at} results, not {measure.at}", at=at)
    if measure.family in ("RR", "AP", "nDCG") and measure.at is None:
        for at in (10, 100, 1000):
            yield _measure("cut-off", f"looks at {at} results, not all", at=at)
    if not measure.judged_only and measure.family not in ("Judged", "Hole"):
        yield _measure("unjudged documents", "are taken out of the lists first", judged_only=True)


def _gain(setting: Setting, scorer: Scorer) -> Iterator[Switch]:
    measure = setting.measure
    grades = {grade for row in scorer.judgments[setting.qrels].values() for grade in row.values()}
    if max(grades) <= 1:
        return
    if measure.family in ("nDCG", "nDCG_exp"):
        yield _measure("gain", "nDCG's gain is the grade", family="nDCG")
        yield _measure("gain", "nDCG's gain is 2^grade - 1", family="nDCG_exp")
    if measure.family in ("nDCG", "nDCG_exp") or measure.family in engine_only():
        yield _one("gain", "every relevant document counts 1, whatever its grade", grades="binary")
    if measure.about.levels:
        for level in sorted(grade for grade in grades if grade > 0):
            yield _measure("relevance level", f"relevant from grade {level}", level=level)


def _mean(setting: Setting) -> Iterator[Switch]:
    yield _one("mean", "arithmetic mean over queries", mean="queries")
    yield _one("mean", "geometric mean over queries", mean="geometric")
    yield _one("mean", "queries weighted by how many relevant documents they have", mean="relevant documents")


def _measure(axis: str, says: str, **changes: Any) -> Switch:
    return Switch(axis=axis, says=says, of_measure=tuple(changes.items()))


def _own(scorer: Scorer) -> bool:
    """Whether some result has its query's id."""
    from beirkit.corpora.packed_ids import ordinals

    run = scorer.run
    own = ordinals(run.doc_ids, run.query_ids)
    return bool((run.docs == own[run.groups]).any())


def _ties(scorer: Scorer) -> bool:
    """Whether two results of a query have equal scores, compared as float32."""
    run = scorer.run
    with np.errstate(over="ignore"):
        keys = run.scores.astype("float32")
    groups = run.groups
    within = groups[1:] == groups[:-1]
    if bool((within & (keys[1:] > keys[:-1])).any()):
        keys = keys[np.lexsort((keys, groups))]
    return bool((within & (keys[1:] == keys[:-1])).any())
