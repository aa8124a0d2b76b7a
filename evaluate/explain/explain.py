"""``explain``: a run, its judgments and another number, to why it is another."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import Any

from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.progress import Progress, silent
from beirkit.corpora.records import Qrels
from beirkit.corpora.run import Run
from beirkit.evaluate.explain.arithmetic import alike, steps
from beirkit.evaluate.explain.explanation import Cause, Explanation, Target, closed
from beirkit.evaluate.explain.makings import Alternative, by_way_of, measured, of_facts, of_words
from beirkit.evaluate.explain.manifests import differences, mattering
from beirkit.evaluate.explain.ranking import chance, ranked, verdict
from beirkit.evaluate.explain.scorer import Outcome, Scorer
from beirkit.evaluate.explain.settings import Setting
from beirkit.evaluate.explain.switches import Switch, switches, untested
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.protocol import Protocol, get_protocol, protocol_names

_MOST_PAIRS = 500
_ALONE = ("relevant first", "relevant last")  # bounds, which no tool is at together with something else


def explain(
    run: Run,
    qrels: Qrels,
    measure: str | Measure,
    target: Target,
    *,
    protocol: str | Protocol = "beirkit",
    self_match_ids: Collection[str] | None = None,
    depth: int | None = None,
    queries: int | None = None,
    splits: Mapping[str, Qrels] | None = None,
    versions: Mapping[str, Qrels] | None = None,
    facts: Mapping[str, Any] | None = None,
    partial: bool = False,
    alternatives: Sequence[Alternative] = (),
    progress: Progress = silent,
) -> Explanation:
    """Why another number is not ours.

    The run is scored anew with every single switch, and, where none explains the gap, with two together and
    as each protocol does. What the makings of both have apart is a cause that is certain where it is the only
    one.

    Args:
        run: the ranked lists; a query that was searched and found nothing has an empty one.
        qrels: their judgments.
        measure: of our number.
        target: the other number.
        protocol: how our number was made.
        self_match_ids: the queries whose document of the same id is the query itself; ``None``: not known.
        depth: results per query that count.
        queries: how many the dataset has, judged or not.
        splits: judgments of other splits, by name.
        versions: other versions of these judgments, by name.
        facts: how the run was made.
        partial: the other number's facts are only some of those that there are.
        alternatives: numbers of runs that have something apart.
        progress: shows how many scorings were tried.

    Raises:
        UsageError: the measure is no mean over queries.
        DataError: our number has no value.
    """
    wanted = Measure.parse(measure)
    if wanted.about.total != "mean":
        raise UsageError(f"{wanted} is no mean over queries", hint="name a measure such as nDCG@10")
    kinds = dict.fromkeys(splits or {}, "split") | dict.fromkeys(versions or {}, "qrels version")
    other = {**(splits or {}), **(versions or {})}
    shared = {name: rows for name, rows in other.items() if not rows.keys().isdisjoint(run.query_ids)}
    scorer = Scorer(
        run,
        {"": qrels, **shared},
        self_match_ids=self_match_ids,
        queries=queries,
        decimals=4 if target.decimals is None else target.decimals,
    )
    base = Setting.of(wanted, get_protocol(protocol), depth=depth)
    ours = scorer.score(base)
    if ours.value is None:
        raise DataError(f"no query has a value of {wanted}, so there is no number to explain")
    search = _Search(scorer, base, ours, target, {name: kinds[name] for name in shared}, progress)
    apart = differences(facts or {}, target.facts, partial=partial) if target.facts is not None else []
    if (
        target.facts is not None and not partial
    ):  # what both have alike is no cause, whatever it does to a run
        differing = {one.axis for one in apart}
        alternatives = [one for one in alternatives if differing.issuperset(one.axes)]
    causes = [*search.singles(), *(measured(one, ours, target) for one in alternatives)]
    if abs(target.value - ours.value) <= target.tolerance:
        causes = []
    else:
        if not any(cause.explains for cause in causes):
            causes += search.combined()
        scored_alike = any(cause.explains and cause.kind == "scoring" for cause in causes)
        if target.facts is not None and not (scored_alike and target.values is not None):
            causes += by_way_of(mattering(apart), ours.value, target, alternatives)
            if len(mattering(apart)) > 1:  # what another run measures need not be told without a measure
                apart = [one for one in apart if (one.axis,) not in {other.axes for other in alternatives}]
                partial = True
            causes += of_facts(apart, ours.value, target, partial=partial)
            if not any(cause.explains for cause in causes):
                causes += of_words(target, facts or {}, {cause.axes for cause in causes})
    order = ranked(causes)
    luck = chance(search.values, target)
    return Explanation(
        measure=str(wanted),
        ours=ours.value,
        target=target,
        verdict=verdict(ours.value, target, order, search.tried, same=alike(ours, target), luck=luck),
        causes=order,
        tried=search.tried,
        chance=luck,
        untested=_untested(base, scorer, kinds, shared, target, alternatives),
    )


class _Search:
    """Scorings of one run, and the causes among them."""

    def __init__(
        self,
        scorer: Scorer,
        base: Setting,
        ours: Outcome,
        target: Target,
        kinds: Mapping[str, str],
        progress: Progress,
    ) -> None:
        self._progress = progress
        self.scorer, self.base, self.ours, self.target, self.kinds = scorer, base, ours, target, kinds
        self.values: list[float] = [ours.value or 0.0]
        self._effective: list[Switch] = []
        self._alike = alike(ours, target) or 0.0

    @property
    def tried(self) -> int:
        """How many scorings were compared."""
        return len(self.values)

    def singles(self) -> list[Cause]:
        """Every switch by itself that changes the number."""
        found = []
        with self._progress("trying every setting", None, "settings") as advance:
            for switch in switches(self.base, self.scorer, self.kinds):
                before = self.tried
                cause = self._cause(switch.applied(self.base), (switch,))
                if self.tried > before and self.values[-1] != self.values[0]:
                    self._effective.append(switch)
                if cause is not None:
                    found.append(cause)
                advance()
        return found

    def combined(self) -> list[Cause]:
        """Two switches together, and every protocol's rules together."""
        able = [one for one in self._effective if dict(one.changes).get("ties") not in _ALONE]
        pairs = [(one, two) for one, two in combinations(able, 2) if _apart(one, two)]
        found = []
        with self._progress("trying two settings together", len(pairs[:_MOST_PAIRS]), "pairs") as advance:
            for one, two in pairs[:_MOST_PAIRS]:
                found.append(self._cause(two.applied(one.applied(self.base)), (one, two)))
                advance()
        for name in protocol_names():
            setting = Setting.of(self.base.measure, get_protocol(name), depth=self.base.depth)
            switch = Switch(axis="protocol", says=f"all rules of the protocol {name}", changes=())
            if setting != self.base:
                found.append(self._cause(setting, (switch,)))
        return [one for one in found if one is not None and one.explains]

    def _cause(self, setting: Setting, chosen: Sequence[Switch]) -> Cause | None:
        """What a setting makes of the gap; None: it changes nothing, or has no value."""
        then = self.scorer.score(setting)
        if then.value is None:
            return None
        self.values.append(then.value)
        assert self.ours.value is not None
        if then.value == self.ours.value and then.values == self.ours.values:
            return None
        share, explains = closed(self.ours.value, then.value, self.target)
        same = alike(then, self.target)
        cause = Cause(
            axes=tuple(switch.axis for switch in chosen),
            says="; ".join(switch.says for switch in chosen),
            kind="scoring",
            value=then.value,
            closes=share,
            explains=explains and same in (None, 1.0),
            alike=same,
            arithmetic=steps(self.ours, then, self.target),
            stated=all(self.target.rules.get(switch.axis, "-") in switch.says for switch in chosen),
        )
        return cause if cause.explains or self._tells(cause) else None

    def _tells(self, cause: Cause) -> bool:
        """Whether a cause that leaves something of the gap is worth telling: no rounding closes a part."""
        if cause.axes == ("rounding",):
            return False
        return cause.alike is None or cause.alike > self._alike


def _apart(one: Switch, two: Switch) -> bool:
    """Whether two switches are of different things."""
    return one.axis != two.axis and not dict(one.changes).keys() & dict(two.changes).keys()


def _untested(
    base: Setting,
    scorer: Scorer,
    kinds: Mapping[str, str],
    shared: Mapping[str, Qrels],
    target: Target,
    alternatives: Sequence[Alternative],
) -> dict[str, str]:
    found = untested(base, scorer, {name: kinds[name] for name in shared})
    strangers = [name for name in kinds if name not in shared]
    if strangers:
        found["split"] = f"the run has no query of {', '.join(strangers)}: search that split too"
    measured = {axis for one in alternatives for axis in one.axes}
    if "title handling" not in measured:
        found["title handling"] = "no run with another template or fields was given"
    if target.facts is None:
        found["prompts, max length, analyzer, k1 and b, model revision"] = (
            "how the other number was made is not known; a run with one of them changed measures it"
        )
    return found
