"""How ``beirkit check`` tells what it found: to people, to JUnit readers, and as a page about one code."""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from beirkit.corpora.codes import CODES
from beirkit.corpora.errors import UnknownNameError, UsageError, nearest
from beirkit.corpora.findings import Finding, Identity

if TYPE_CHECKING:
    from beirkit.corpora.explain import Page

_SHOWN = 5
_ORDER = ("error", "warning", "info", "known", "accepted")
_WORDS = {"error": "error", "warning": "warning", "info": "remark"}


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


def asked_folder(args: argparse.Namespace) -> Path:
    """The folder to check; only ``--explain`` needs none.

    Raises:
        UsageError: none was given.
    """
    from beirkit.datasets import built_or_path

    if args.folder is None:
        raise UsageError("nothing to check", hint="give a BEIR folder, or --explain CODE")
    return built_or_path(args.folder)


def print_gone(accepted: Iterable[Identity], *, deep: bool) -> None:
    """Say how many accepted findings were looked for and are not there, without disturbing JSON."""
    count = sum(deep or not CODES[identity.code].deep for identity in accepted)
    if count:
        verb = "is" if count == 1 else "are"
        told = f"{_counted(count, 'accepted finding')} {verb} no longer there"
        print(f"beirkit: {told}", file=sys.stderr)


def say_accepted(path: Path, count: int) -> None:
    """Say where the accepted findings are, without disturbing JSON."""
    told = f"{_counted(count, 'finding')} written to {path}; accept with --accept {path}"
    print(f"beirkit: {told}", file=sys.stderr)


def print_findings(findings: Sequence[Finding], where: Path, *, every: bool) -> None:
    """Print the findings by code, the worst first, and the totals."""
    groups: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for finding in findings:
        groups[finding.severity, finding.code].append(finding)
    for severity, code in sorted(groups, key=lambda group: (_ORDER.index(group[0]), group[1])):
        group = groups[severity, code]
        total = number(group)
        print(f"{severity} {code}: {CODES[code].title}" + (f" ({total:,} findings)" if total > 1 else ""))
        told = [finding for finding in group if not finding.is_rest]
        shown = told if every else told[:_SHOWN]
        _print_shown(shown)
        if total > len(shown):
            print(f"    ... and {total - len(shown):,} more")
    if findings:
        print()
    print(totals(findings, where))


def _print_shown(findings: Sequence[Finding]) -> None:
    """Print findings of one code, each with what to do about it; once for all where it is the same."""
    same = len({finding.todo for finding in findings}) == 1
    for finding in findings:
        print(f"    {finding.place}: {finding.found}")
        if finding.todo and not same:
            print(f"        -> {finding.todo}")
    if same and findings[0].todo:
        print(f"    -> {findings[0].todo}")


def number(findings: Iterable[Finding]) -> int:
    """How many findings there are: each is one, however many things it is about; the rest is counted."""
    return sum(finding.count if finding.is_rest else 1 for finding in findings)


def totals(findings: Sequence[Finding], where: Path) -> str:
    """One line: how many there are of each severity."""
    by_severity: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        by_severity[finding.severity].append(finding)
    counts = {severity: number(by_severity[severity]) for severity in _ORDER}
    told = [_counted(counts[name], word) for name, word in _WORDS.items()]
    told += [f"{counts[name]:,} {name}" for name in ("known", "accepted") if counts[name]]
    return f"{where}: {', '.join(told)}"


def _counted(count: int, word: str) -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


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


def explain(code: str) -> Page:
    """The page about a code.

    Raises:
        UnknownNameError: there is no such code.
    """
    from beirkit.corpora.explain import explanation

    code = code.upper()
    if code not in CODES:
        raise UnknownNameError(f"there is no code {code!r}", hint=nearest(code, list(CODES)))
    return explanation(code)


def _for_xml(findings: Sequence[Finding]) -> str:
    """The findings one a line, without what XML cannot hold."""
    text = "\n".join(map(str, findings))
    return "".join(char if char >= " " or char in "\n\t" else "\ufffd" for char in text)
