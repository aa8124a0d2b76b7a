"""The part of ``beirkit explain`` that is about the means of suites."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from beirkit.configs.suites import SuiteNode
    from beirkit.evaluate.explain.explanation import Explanation
    from beirkit.evaluate.measures import Measure
    from beirkit.evaluate.protocol import Protocol
    from beirkit.stored import StoredResult, SuiteResults


def explained(
    args: argparse.Namespace, suite: SuiteResults, measure: Measure, protocol: Protocol
) -> list[tuple[str, Explanation]]:
    """Each system's mean, against a typed number, published ones or that of another suite.

    Raises:
        UsageError: there is no mean, no such system, or no number to hold it against.
    """
    from beirkit.cli.output import progress_for
    from beirkit.corpora.errors import UsageError
    from beirkit.evaluate.protocol import get_protocol
    from beirkit.explaining import of_reference
    from beirkit.explaining_suites import OurSuite, explain_suite, explain_suites, published_means
    from beirkit.typed_numbers import typed

    if suite.suite is None:
        raise UsageError("these datasets have no mean", path=args.result, hint="explain one of the results")
    systems = _systems(suite, args)
    node, found = suite.suite, []
    for name, results in systems.items():
        ours = OurSuite(node, results, measure, protocol)
        of = f"{name}, mean of {node.name}"
        if args.other is not None:
            other, its_name, its_results = _other_system(args, name)
            rules = get_protocol(args.other_protocol) if args.other_protocol else protocol
            theirs = OurSuite(other, its_results, measure, rules)
            says = f"{its_name}, mean of {other.name} ({args.other})"
            found.append((of, explain_suites(ours, theirs, says)))
            continue
        if args.published is not None:
            targets = [typed(args.published, args.note)]
        else:
            targets = [of_reference(one) for one in published_means(node, measure, args.system, results[0])]
        found += [(of, explain_suite(ours, one, progress=progress_for(args))) for one in targets]
    if not found:
        raise UsageError(f"nothing published is known of {node.name}", hint="give the number: --published")
    return found


def _systems(suite: SuiteResults, args: argparse.Namespace) -> dict[str, list[StoredResult]]:
    """The results of each system of a table, or of the one that was asked for."""
    from beirkit.corpora.errors import UnknownNameError, nearest

    found: dict[str, list[StoredResult]] = {}
    for one in suite.results:
        found.setdefault(one.name, []).append(one)
    if args.retriever and args.retriever not in found:
        hint = nearest(args.retriever, list(found)) or f"there is: {', '.join(found)}"
        raise UnknownNameError(f"{args.result} has no results of {args.retriever!r}", hint=hint)
    return {name: own for name, own in found.items() if args.retriever in (name, "")}


def _other_system(args: argparse.Namespace, name: str) -> tuple[SuiteNode, str, list[StoredResult]]:
    """Of another suite's table the results of the same system, or of the only one."""
    from beirkit.corpora.errors import UsageError
    from beirkit.stored import read_suite_results

    other = read_suite_results(args.other)
    if other is None or other.suite is None:
        raise UsageError("is no table of a suite, which has a mean", path=args.other)
    systems = list(dict.fromkeys(one.name for one in other.results))
    own = name if name in systems else systems[0]
    if name not in systems and len(systems) > 1:
        raise UsageError(
            f"has no results of {name}, but of {', '.join(systems)}",
            path=args.other,
            hint="choose ours with -r",
        )
    return other.suite, own, [one for one in other.results if one.name == own]
