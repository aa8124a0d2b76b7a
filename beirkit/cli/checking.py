"""How ``beirkit check`` tells what it found: to people, to JUnit readers, and as a page about one code."""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from beirkit.corpora.codes import CODES
from beirkit.corpora.errors import UnknownNameError, UsageError, nearest
from beirkit.corpora.findings import Finding

_SHOWN = 5
_ORDER = ("error", "warning", "info", "known", "accepted")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that say what is looked for and how it is told."""
    parser.add_argument(
        "--deep",
        action="store_true",
        help="compare texts too: near-duplicates, unjudged twins of relevant documents, repeated queries, "
        "queries that splits share; reads the corpus several times",
    )
    parser.add_argument(
        "--accept",
        metavar="FILE",
        type=Path,
        help="findings listed in FILE are shown as accepted and fail nothing",
    )
    parser.add_argument(
        "--write-accept", metavar="FILE", type=Path, help="write every finding to FILE, for --accept"
    )
    parser.add_argument(
        "--junit", metavar="FILE", type=Path, help="write JUnit XML to FILE, one test case per code"
    )
    parser.add_argument(
        "--all", action="store_true", help=f"show every finding, not only the first {_SHOWN} of each code"
    )
    parser.add_argument(
        "--explain", metavar="CODE", help="print what a code means and what to do about it, and check nothing"
    )


def require_folder(args: argparse.Namespace) -> None:
    """Only ``--explain`` needs no folder.

    Raises:
        UsageError: there is none.
    """
    if args.folder is None:
        raise UsageError("nothing to check", hint="give a BEIR folder, or --explain CODE")


def say_accepted(path: Path, count: int) -> None:
    """Say where the accepted findings are, without disturbing JSON."""
    print(f"beirkit: {count:,} findings written to {path}; accept them with --accept {path}", file=sys.stderr)


def print_findings(findings: Sequence[Finding], where: Path, *, every: bool) -> None:
    """Print the findings by code, the worst first, and the totals."""
    groups: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for finding in findings:
        groups[finding.severity, finding.code].append(finding)
    for severity, code in sorted(groups, key=lambda group: (_ORDER.index(group[0]), group[1])):
        group = groups[severity, code]
        total = sum(finding.count for finding in group)
        print(f"{severity} {code}: {CODES[code].title}" + (f" ({total:,} times)" if total > 1 else ""))
        one_by_one = [finding for finding in group if finding.line is not None or finding.key or total == 1]
        shown = one_by_one if every else one_by_one[:_SHOWN]
        for finding in shown or group[:1]:
            print(f"    {finding.place}: {finding.found}")
        hints = dict.fromkeys(finding.todo for finding in shown if finding.todo)
        if len(hints) == 1:
            print(f"    -> {next(iter(hints))}")
        rest = total - sum(finding.count for finding in shown or group[:1])
        if rest:
            print(f"    ... and {rest:,} more")
    if findings:
        print()
    print(totals(findings, where))


def totals(findings: Sequence[Finding], where: Path) -> str:
    """One line: how many there are of each severity."""
    counts: Counter[str] = Counter()
    for finding in findings:
        counts[finding.severity] += finding.count
    line = f"{where}: {counts['error']:,} errors, {counts['warning']:,} warnings, {counts['info']:,} remarks"
    for severity in ("known", "accepted"):
        if counts[severity]:
            line += f", {counts[severity]:,} {severity}"
    return line


def write_junit(path: Path, findings: Sequence[Finding], where: Path, *, strict: bool, deep: bool) -> None:
    """Write JUnit's XML: one test case per code, which fails where the command does."""
    from xml.etree import ElementTree

    from beirkit.corpora.files import atomic_open

    fails = {"error", "warning"} if strict else {"error"}
    by_code: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        by_code[finding.code].append(finding)
    suite = ElementTree.Element("testsuite", name=f"beirkit check {where}", tests=str(len(CODES)))
    failures = skipped = 0
    for code, kind in CODES.items():
        case = ElementTree.SubElement(
            suite, "testcase", classname="beirkit.check", name=f"{code} {kind.title}"
        )
        failed = [finding for finding in by_code[code] if finding.severity in fails]
        others = [finding for finding in by_code[code] if finding.severity not in fails]
        if kind.deep and not deep:
            skipped += 1
            ElementTree.SubElement(case, "skipped", message="looked for with --deep only")
        if failed:
            failures += 1
            count = sum(finding.count for finding in failed)
            failure = ElementTree.SubElement(case, "failure", type=kind.severity, message=f"{count} found")
            failure.text = _for_xml(failed)
        if others:
            ElementTree.SubElement(case, "system-out").text = _for_xml(others)
    suite.attrib |= {"failures": str(failures), "errors": "0", "skipped": str(skipped)}
    tree = ElementTree.ElementTree(suite)
    ElementTree.indent(tree)
    with atomic_open(path, "wb") as out:
        tree.write(out, encoding="utf-8", xml_declaration=True)


def explain(code: str) -> str:
    """The page about a code, as plain text.

    Raises:
        UnknownNameError: there is no such code.
    """
    from beirkit.corpora.explain import explanation

    code = code.upper()
    if code not in CODES:
        raise UnknownNameError(f"there is no code {code!r}", hint=nearest(code, list(CODES)))
    return explanation(code).text()


def _for_xml(findings: Sequence[Finding]) -> str:
    """The findings one a line, without what XML cannot hold."""
    text = "\n".join(map(str, findings))
    return "".join(char if char >= " " or char in "\n\t" else "\ufffd" for char in text)
