"""The means of suites of kept results, and why others have other means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from beirkit.configs.load import load_suite, names
from beirkit.configs.references import Reference, references
from beirkit.configs.suites import SuiteNode, suite_tree
from beirkit.corpora.errors import BeirkitError, UsageError
from beirkit.corpora.progress import Progress, silent
from beirkit.evaluate.explain.explanation import Explanation, Target
from beirkit.evaluate.explain.suites import Members, explain_mean
from beirkit.evaluate.explain.two_means import explain_means
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.protocol import Protocol, get_protocol, protocol_names
from beirkit.evaluate.suites import suite_mean
from beirkit.stored import StoredResult


@dataclass(frozen=True)
class OurSuite:
    """The results of one system over a suite, and how its mean is made.

    Attributes:
        node: the suite.
        results: of its datasets, all of one system.
        measure: of the mean.
        protocol: how each is scored.
    """

    node: SuiteNode
    results: Sequence[StoredResult]
    measure: Measure
    protocol: Protocol

    def members(self, protocol: Protocol | None = None) -> dict[str, float | Mapping[str, float]]:
        """The value of each member, those of a suite inside one by one.

        Args:
            protocol: how they are scored; None: as the suite's are.

        Raises:
            UsageError: members are missing, so there is no mean.
        """
        means = self._means(protocol or self.protocol)
        return {
            name: means[name] if isinstance(member, str) else {leaf: means[leaf] for leaf in member.leaves()}
            for member in self.node.members
            for name in [member if isinstance(member, str) else member.name]
        }

    def flat(self) -> dict[str, float]:
        """The value of each member, of a suite inside its mean."""
        means = self._means(self.protocol)
        found = {}
        for member in self.node.members:
            inner = SuiteNode("", (member,)) if isinstance(member, str) else member
            value = suite_mean(inner, means).value
            assert value is not None  # every dataset has one
            found[member if isinstance(member, str) else member.name] = value
        return found

    def queries(self) -> dict[str, int]:
        """By dataset, how many queries have a value."""
        return {
            one.dataset: one.scores(self.protocol, [self.measure]).n(self.measure) for one in self.results
        }

    def _means(self, protocol: Protocol) -> dict[str, float]:
        means = {one.dataset: one.scores(protocol, [self.measure]).mean(self.measure) for one in self.results}
        whole = suite_mean(self.node, means)
        if whole.value is None:
            raise UsageError(f"the mean of {self.node.name} is {whole}", hint="run the other members too")
        return {name: value for name, value in means.items() if value is not None}


def explain_suite(ours: OurSuite, target: Target, *, progress: Progress = silent) -> Explanation:
    """Why another mean is not that of a suite's results.

    Args:
        ours: the results.
        target: the other mean.
        progress: shows by how many protocols the members were scored.

    Raises:
        UsageError: members are missing, so there is no mean.
    """
    lost: list[str] = []

    def by_rules() -> dict[str, Members]:
        found: dict[str, Members] = {}
        others = [name for name in protocol_names() if name != ours.protocol.name]
        with progress("scoring every member", len(others), "protocols") as advance:
            for name in others:
                try:
                    found[name] = ours.members(get_protocol(name))
                except BeirkitError as error:  # its scores by these rules were not kept
                    lost.append(f"{name}: {error.found}")
                advance()
        return found

    parts = {
        name: suite_tree(load_suite(name)).leaves() for name in names("suites") if name != ours.node.name
    }
    leaves = set(ours.node.leaves())
    parts = {name: part for name, part in parts.items() if leaves > set(part)}
    found = explain_mean(
        ours.members(), ours.measure, target, queries=ours.queries(), rules=by_rules, parts=parts
    )
    if lost:
        return msgspec.structs.replace(found, untested={**found.untested, "protocol": "; ".join(lost)})
    return found


def explain_suites(ours: OurSuite, theirs: OurSuite, says: str) -> Explanation:
    """Why the mean of one suite's results is not that of another's.

    Args:
        ours: the results.
        theirs: the others.
        says: what they are, for people.

    Raises:
        UsageError: members of one are missing.
    """
    members = theirs.flat()
    target = Target(value=sum(members.values()) / len(members), says=says)
    return explain_means(ours.flat(), members, ours.measure, target)


def published_means(node: SuiteNode, measure: Measure, system: str, result: StoredResult) -> list[Reference]:
    """The figures of a suite's mean that a system's results are held against.

    Args:
        node: the suite.
        measure: of the mean.
        system: the published system's name; empty: that which the results' retriever is.
        result: one of the results.
    """
    return [
        one
        for one in references()
        if one.figure.dataset == node.name
        and one.figure.measure == str(measure)
        and not one.figure.unusable
        and (one.figure.system == system if system else one.likeness_of(result.facts.retriever) is not None)
    ]
