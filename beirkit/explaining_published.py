"""Why one published figure is not another: by what their sources state, with no run at hand."""

from __future__ import annotations

from collections.abc import Sequence

from beirkit.configs.load import load_suite, names
from beirkit.configs.references import Reference, references
from beirkit.configs.suites import SuiteNode, suite_tree
from beirkit.corpora.errors import UnknownNameError, UsageError, nearest
from beirkit.evaluate.explain.arithmetic import left
from beirkit.evaluate.explain.explanation import Cause, Explanation, Target, closing
from beirkit.evaluate.explain.ranking import chance, ranked, verdict
from beirkit.evaluate.explain.suites import explain_mean
from beirkit.evaluate.measures import Measure
from beirkit.explaining import related

# What sources state, by what it is about, the weightiest first.
_ABOUT = {
    "self_match": "self-match",
    "missing_queries": "missing queries",
    "recall": "recall",
    "fields": "title handling",
    "analyzer": "analyzer",
    "k1": "k1 and b",
    "b": "k1 and b",
    "method": "BM25 variant",
    "prompt": "prompts",
    "ties": "ties",
    "depth": "depth",
    "engine": "engine",
    "averaging": "mean",
}


def published_figure(dataset: str, system: str, measure: Measure, split: str = "") -> Reference:
    """The figure of a system on a dataset or suite.

    Args:
        dataset: its name.
        system: what its source calls it.
        measure: which figure.
        split: of the judgments; empty: the only one, or that which published figures are of.

    Raises:
        UnknownNameError: nothing was published of such a system there.
        UsageError: several splits have one.
    """
    there = [one for one in references() if one.figure.dataset == dataset and not one.figure.unusable]
    if not there:
        known = sorted({one.figure.dataset for one in references()})
        raise UnknownNameError(f"nothing published is known of {dataset!r}", hint=nearest(dataset, known))
    own = [one for one in there if one.figure.system == system and not one.figure.variant]
    if not own:
        known = sorted({one.figure.system for one in there})
        hint = nearest(system, known) or f"there is: {', '.join(known)}"
        raise UnknownNameError(f"nothing was published of {system!r} on {dataset}", hint=hint)
    fitting = [one for one in own if one.figure.measure == str(measure) and split in ("", one.figure.split)]
    splits = sorted({one.figure.split for one in fitting})
    if len(splits) > 1:
        raise UsageError(f"figures of several splits are published: {', '.join(splits)}", hint="add --split")
    if not fitting:
        measures = ", ".join(sorted({f"{one.figure.measure} ({one.figure.split})" for one in own}))
        raise UsageError(f"there is no {measure} of {system} on {dataset}", hint=f"there is: {measures}")
    return fitting[0]


def explain_published(ours: Reference, target: Target, theirs: Reference | None = None) -> Explanation:
    """Why another number is not a published figure.

    Args:
        ours: the figure.
        target: the other number.
        theirs: the figure that the other number is, where it is one.
    """
    members = _of_members(ours, target)
    causes = [*_elsewhere(ours, target, theirs), *members]
    untested = {"every rule of scoring": "there is no run here; explain a result of beirkit run"}
    if theirs is not None:
        causes += _stated(ours, theirs)
        untested |= _unstated(ours, theirs)
    order = () if abs(target.value - ours.figure.value) <= target.tolerance else ranked(causes)
    values = [ours.figure.value, *(one.value for one in causes if one.value is not None)]
    return Explanation(
        measure=ours.figure.measure,
        ours=ours.figure.value,
        target=target,
        verdict=verdict(values, target, order),
        causes=order,
        tried=len(values),
        chance=chance(values, target),
        untested=untested,
    )


def _elsewhere(ours: Reference, target: Target, theirs: Reference | None) -> list[Cause]:
    """Figures of the same system that print as the other number: of another split, version or measure."""
    found = []
    figure = ours.figure
    own = (figure.dataset, figure.split, figure.measure)
    for one in [theirs] if theirs is not None else references():
        other = one.figure
        decimals = other.decimals if target.decimals is None else target.decimals
        if other.system != figure.system or abs(round(other.value, decimals) - target.value) > 1e-12:
            continue
        there = (other.dataset, other.split, other.measure)
        apart = tuple(
            axis
            for axis, one_of_them, own_one in zip(
                ("dataset version", "split", "measure"), there, own, strict=True
            )
            if one_of_them != own_one
        )
        if other.unusable and not apart:
            continue  # why it is wrong is what is asked
        if len(apart) != 1 or ("dataset version" in apart and not related(there[0], own[0])):
            continue
        says = (
            f"{one.source.title} prints {one.printed} of {other.system}: {other.measure} on "
            f"{other.dataset}@{other.split}"
        )
        note = f" ({other.note})" if other.note else ""
        sums = (left(figure.value, other.value, target),)
        found.append(
            Cause(axes=apart, says=says + note, kind="published", value=other.value, arithmetic=sums,
                  **closing(figure.value, other.value, target))
        )  # fmt: skip
    return found


def _of_members(ours: Reference, target: Target) -> Sequence[Cause]:
    """What the published parts of a suite make of its mean."""
    figure = ours.figure
    if figure.dataset not in names("suites"):
        return ()
    parts = {
        one.figure.dataset: one.figure.value
        for one in references()
        if (one.figure.system, one.figure.measure) == (figure.system, figure.measure)
        and not (one.figure.unusable or one.figure.variant)
    }
    tree: SuiteNode = suite_tree(load_suite(figure.dataset))
    members = [member if isinstance(member, str) else member.name for member in tree.members]
    if not set(members) <= parts.keys():
        return ()
    return explain_mean({name: parts[name] for name in members}, figure.measure, target).causes


def _stated(ours: Reference, theirs: Reference) -> list[Cause]:
    """What both sources state, and differently."""
    here, there = ours.system.protocol, theirs.system.protocol
    found: dict[str, list[str]] = {}
    for key, axis in _ABOUT.items():
        if key in here and key in there and here[key] != there[key]:
            found.setdefault(axis, []).append(f"{key}: {there[key]} there, {here[key]} here")
    return [Cause(axes=(axis,), says="; ".join(words), kind="manifest") for axis, words in found.items()]


def _unstated(ours: Reference, theirs: Reference) -> dict[str, str]:
    """What only one of the two sources states."""
    here, there = ours.system.protocol, theirs.system.protocol
    found = {}
    for key, axis in _ABOUT.items():
        if (key in here) != (key in there) and not (key == "recall" and ours.figure.measure[0] != "R"):
            who = "ours" if key in here else "the other"
            found[axis] = f"only {who} states it: {here.get(key, there.get(key))}"
    return found
