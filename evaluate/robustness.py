"""Whether a conclusion holds under other rules that somebody might have chosen as well."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, get_args

import msgspec
import numpy as np

from beirkit.corpora.errors import UsageError
from beirkit.corpora.records import Qrels
from beirkit.corpora.run import Precision, Run
from beirkit.evaluate.compare import ComparisonTable, compare
from beirkit.evaluate.engine import evaluate
from beirkit.evaluate.evidence import Evidence
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.pairs import Comparison
from beirkit.evaluate.protocol import SWITCHES, Missing, Protocol, SelfMatch, get_protocol, protocol_names
from beirkit.evaluate.ranking import in_order, without_self_matches
from beirkit.evaluate.statistics.corrections import Correction
from beirkit.evaluate.statistics.paired import Test

CUTOFFS = (1, 3, 5, 10, 20, 100, 1000)
"""Where measures with a cut-off are cut besides: those that BEIR and MTEB report."""

_SWITCHED: dict[str, tuple[Any, ...]] = {
    "self_match": get_args(SelfMatch),
    "missing": get_args(Missing),
    "precision": get_args(Precision),
}

Outcome = Literal["ahead", "behind", "not separable", "identical", "untested"]


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """Rules under which nothing differs, and what comes out.

    Attributes:
        protocols: names of those that are the same for these runs.
        measure: what was compared.
        outcomes: for each system, how it stands beside the baseline.
        differences: for each system, its mean minus the baseline's.
    """

    protocols: tuple[str, ...]
    measure: Measure
    outcomes: dict[str, Outcome]
    differences: dict[str, float]


class Robustness(msgspec.Struct, frozen=True, kw_only=True):
    """One conclusion for each system, and the settings.

    Attributes:
        baseline: the system all others are compared with.
        asked: the conclusions under the protocol and measure that were asked for, by system.
        settings: every setting that is a different one, the one asked for first.
        refused: protocols under which the systems cannot be compared, and why.
    """

    baseline: str
    asked: dict[str, Outcome]
    settings: tuple[Setting, ...]
    refused: dict[str, str]

    def holds(self, system: str) -> int:
        """Under how many settings the conclusion about a system is the one asked for."""
        return len(self.settings) - len(self.flips(system))

    def flips(self, system: str) -> tuple[Setting, ...]:
        """The settings under which another conclusion is drawn."""
        return tuple(one for one in self.settings if one.outcomes[system] != self.asked[system])

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        settings = [{**msgspec.to_builtins(one), "measure": str(one.measure)} for one in self.settings]
        held = {system: self.holds(system) for system in self.asked}
        return {**msgspec.to_builtins(self), "settings": settings, "holds": held}


def robustness(
    runs: Mapping[str, Run],
    qrels: Qrels,
    measure: str | Measure,
    baseline: str,
    protocol: str | Protocol = "beirkit",
    *,
    self_match_ids: Mapping[str, Collection[str] | None] | None = None,
    depth: int | None = None,
    lenient_scores: bool = False,
    evidence: Evidence | None = None,
    test: Test = "randomisation",
    correction: Correction = "holm",
    level: float = 0.05,
    seed: int = 1,
    samples: int = 10_000,
) -> Robustness:
    """Draw the conclusions again under every preset, every single switch, and at the usual cut-offs.

    Rules that make no difference to any of these runs are one setting, which is computed once: a switch for
    missing queries where none is missing, or for self-matches where there are none.

    Args:
        runs: by system.
        qrels: the judgments.
        measure: what the conclusion is about.
        baseline: a key of ``runs``.
        protocol: what the conclusion was drawn under; its switches are turned one at a time.
        self_match_ids: by system, as given to ``evaluate``.
        depth: results per query that count.
        lenient_scores: as for ``evaluate``.
        evidence: as for ``evaluate``.
        test: which test decides.
        correction: of its p-values, over the systems.
        level: of the test.
        seed: of bootstrap and randomisation.
        samples: resamples and sign flips drawn.

    Raises:
        UsageError: the systems cannot be compared under the protocol itself.
    """
    asked, wanted, own = get_protocol(protocol), Measure.parse(measure), self_match_ids or {}
    matters = _Matters(runs, qrels, own)
    measures = cutoffs(wanted, matters.longest if depth is None else min(depth, matters.longest))
    groups: dict[Protocol, list[Protocol]] = {}
    for one in protocols(asked):
        groups.setdefault(matters.plain(one, wanted), []).append(one)
    settings: list[Setting] = []
    refused: dict[str, str] = {}
    for members in groups.values():
        scores = {
            name: evaluate(
                qrels, run, measures, members[0],
                self_match_ids=own.get(name), depth=depth, lenient_scores=lenient_scores,
                evidence=evidence,
            )
            for name, run in runs.items()
        }  # fmt: skip
        try:
            for each in measures:
                table = compare(
                    scores, each, baseline,
                    test=test, correction=correction, level=level, seed=seed, samples=samples,
                )  # fmt: skip
                settings.append(_setting(table, members))
        except UsageError as error:
            if members[0] == asked:
                raise
            refused |= {member.name: error.found for member in members}
    first = next(s for s in settings if s.measure == wanted and asked.name in s.protocols)
    return Robustness(
        baseline=baseline,
        asked=first.outcomes,
        settings=(first, *(one for one in settings if one is not first)),
        refused=refused,
    )


def protocols(asked: Protocol) -> list[Protocol]:
    """The protocol asked for, the presets, and the one asked for with each switch turned, by name."""
    found = {asked.name: asked}
    for name in protocol_names():
        found.setdefault(name, get_protocol(name))
    for switch, values in _SWITCHED.items():
        for value in values:
            one = _turned(asked, switch, value)
            found.setdefault(one.name, one)
    return list(found.values())


def _turned(asked: Protocol, switch: str, value: Any) -> Protocol:
    """With one switch turned, under the name by which it can be asked for."""
    if value == getattr(asked, switch):
        return asked
    base = asked.name.partition(":")[0]
    if base not in protocol_names():  # of somebody's own making
        return msgspec.structs.replace(asked, name=f"{asked.name}:{switch}={value}", **{switch: value})
    turned = {key: getattr(asked, key) for key in SWITCHES} | {switch: value}
    told = ",".join(f"{key}={its}" for key, its in turned.items() if its is not None)
    return get_protocol(f"{base}:{told}")


def cutoffs(measure: Measure, deepest: int) -> list[Measure]:
    """The measure, and the same at each usual cut-off that the lists reach."""
    if measure.cutoff is None:
        return [measure]
    others = [msgspec.structs.replace(measure, at=at) for at in CUTOFFS if at <= deepest]
    return [measure, *(one for one in others if one != measure)]


class _Matters:
    """Which switches make a difference to these runs."""

    def __init__(
        self, runs: Mapping[str, Run], qrels: Qrels, own: Mapping[str, Collection[str] | None]
    ) -> None:
        self.longest = 0
        self._missing = self._precision = False
        removed: dict[SelfMatch, list[int]] = {rule: [] for rule in get_args(SelfMatch)}
        for name, run in runs.items():
            lists = run.select(qrels)
            self.longest = max(self.longest, int(np.diff(lists.offsets).max(initial=0)))
            self._missing |= bool(set(qrels) - set(lists.query_ids))
            for rule, counts in removed.items():
                counts.append(without_self_matches(lists, rule, own.get(name))[1].removed)
            single, double = in_order(lists, "float32"), in_order(lists, "float64")
            self._precision |= not np.array_equal(single.docs, double.docs)
        # rules that remove as many remove the same: one removes a part of what the other does
        self._selves = {rule: next(o for o in removed if removed[o] == removed[rule]) for rule in removed}

    def plain(self, protocol: Protocol, measure: Measure) -> Protocol:
        """The protocol without what makes no difference: equal for equal outcomes."""
        rr = protocol.rr_precision if measure.family == "RR" and measure.at is not None else None
        return Protocol(
            name="",
            self_match=self._selves[protocol.self_match],
            missing=("skip" if protocol.skips(measure.about) else "zero") if self._missing else "zero",
            precision=(rr or protocol.precision) if self._precision else "float32",
        )


def _setting(table: ComparisonTable, members: Sequence[Protocol]) -> Setting:
    return Setting(
        protocols=tuple(one.name for one in members),
        measure=table.measure,
        outcomes={row.system: _outcome(row, table.level) for row in table.rows},
        differences={row.system: row.difference for row in table.rows},
    )


def _outcome(row: Comparison, level: float) -> Outcome:
    if row.note:
        return "identical" if row.p == 1.0 else "untested"
    if row.separable(level):
        return "ahead" if row.difference > 0 else "behind"
    return "not separable"
