"""``explain``: a run, its judgments and another number, to why it is another."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.progress import Progress, silent
from beirkit.corpora.records import Qrels
from beirkit.corpora.run import Run
from beirkit.evaluate.explain.arithmetic import alike
from beirkit.evaluate.explain.explanation import Explanation, Target
from beirkit.evaluate.explain.makings import Alternative, by_way_of, measured, of_facts, of_words
from beirkit.evaluate.explain.manifests import differences, mattering, of_axis
from beirkit.evaluate.explain.ranking import chance, ranked, verdict
from beirkit.evaluate.explain.scorer import Scorer
from beirkit.evaluate.explain.settings import Setting
from beirkit.evaluate.explain.switches import untested
from beirkit.evaluate.explain.trials import Trials
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.protocol import Protocol, get_protocol


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
    unmeasured: Mapping[str, str] = {},
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
        unmeasured: by axis, why runs that have it apart measure nothing.
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
    trials = Trials(scorer, base, ours, target, {name: kinds[name] for name in shared}, progress)
    apart = differences(facts or {}, target.facts, partial=partial) if target.facts is not None else []
    whole = target.facts is not None and not partial  # all is known of how the other number was made
    if whole:  # what both have alike is no cause, whatever it does to a run
        differing = {one.axis for one in apart}
        alternatives = [one for one in alternatives if differing.issuperset(one.axes)]
    rules = target.protocol if target.protocol not in ("", get_protocol(protocol).name) else ""
    causes = [*trials.singles(), *(measured(one, ours, target) for one in alternatives)]
    if abs(target.value - ours.value) <= target.tolerance:
        causes = []
    else:
        if not any(cause.explains for cause in causes):
            causes += trials.combined(causes, rules)
        scored_alike = any(cause.explains and cause.kind == "scoring" for cause in causes)
        if target.facts is not None and not (scored_alike and target.values is not None):
            if not any(cause.explains for cause in causes):
                causes += by_way_of(mattering(apart), ours.value, target, alternatives, rules=rules)
            several = len(mattering(apart)) > 1 or bool(rules)
            if several:  # what another run measures need not be told without a measure
                apart = [one for one in apart if (one.axis,) not in {other.axes for other in alternatives}]
            causes += of_facts(apart, ours, target, partial=several or partial)
            if not any(cause.explains for cause in causes):
                causes += of_words(target, facts or {}, {cause.axes for cause in causes})
    order = ranked(causes)
    return Explanation(
        measure=str(wanted),
        ours=ours.value,
        target=target,
        verdict=verdict(trials.values, target, order, same=alike(ours, target)),
        causes=order,
        tried=trials.tried,
        chance=chance(trials.values, target),
        untested=_untested(base, scorer, kinds, {one.axis for one in apart} if whole else None)
        | ({} if whole else _unmeasured(facts or {}, alternatives, unmeasured, target))
        | _left_out(trials.left_out),
    )


MAKING = frozenset({"title handling", "prompts", "max length", "analyzer", "k1 and b", "model revision"})
"""In what runs of one retriever mostly part."""


def _untested(
    base: Setting, scorer: Scorer, kinds: Mapping[str, str], apart: Collection[str] | None
) -> dict[str, str]:
    """What no scoring was tried for; what both numbers are known to have alike was none to try."""
    found = untested(base, scorer, {name: kind for name, kind in kinds.items() if name in scorer.judgments})
    strangers = [name for name in kinds if name not in scorer.judgments]
    if strangers:
        found["split"] = f"the run has no query of {', '.join(strangers)}: search that split too"
    if apart is not None:
        alike = {"split", "qrels version"} - set(apart)
        found = {what: why for what, why in found.items() if what not in alike}
    return found


def _unmeasured(
    facts: Mapping[str, Any],
    alternatives: Sequence[Alternative],
    unmeasured: Mapping[str, str],
    target: Target,
) -> dict[str, str]:
    """What another making may do that no run was there for."""
    measured = {axis for one in alternatives for axis in one.axes}
    found = {axis: why for axis, why in unmeasured.items() if axis not in measured}
    if "title handling" not in measured:
        found.setdefault("title handling", "no run with another template or fields was given")
    open_ones = [axis for axis in sorted(MAKING) if axis not in measured and axis not in found]
    open_ones = [axis for axis in open_ones if not facts or of_axis(facts, axis)]
    if target.facts is None and open_ones:
        found[", ".join(open_ones)] = (
            "how the other number was made is not known; a run with one of them changed measures it"
        )
    return found


def _left_out(pairs: int) -> dict[str, str]:
    return {"two settings together": f"{pairs:,} pairs, the less likely ones"} if pairs else {}
