"""How a comparison is told to continuous integration: JUnit's XML, one test case per gate and system."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from beirkit.cli.compare_report import Report


def write_junit(path: Path, report: Report) -> None:
    """Write JUnit's XML; without gates every comparison is a case that passes and tells what was found.

    Raises:
        WriteError: the system refused the file.
    """
    from xml.etree import ElementTree

    from beirkit.corpora.files import atomic_open

    cases = [
        (f"{one.gate}: {one.system}" + (f" on {one.where}" if one.where else ""), one.told, one.passed)
        for one in report.gates
    ]
    if not report.gates:
        for where, measure, said in report.verdict():
            place = f"{measure} on {where}" if where else measure
            cases += [(f"{place}: comparison {n}", sentence, True) for n, sentence in enumerate(said, 1)]
    failures = sum(not passed for _, _, passed in cases)
    suite = ElementTree.Element(
        "testsuite",
        name="beirkit compare",
        tests=str(len(cases)),
        failures=str(failures),
        errors="0",
        skipped="0",
    )
    for name, told, passed in cases:
        case = ElementTree.SubElement(suite, "testcase", classname="beirkit.compare", name=_for_xml(name))
        if passed:
            ElementTree.SubElement(case, "system-out").text = _for_xml(told)
        else:
            failure = ElementTree.SubElement(case, "failure", type="gate", message=_for_xml(told))
            failure.text = _for_xml("\n".join([told, *report.notes]))
    tree = ElementTree.ElementTree(suite)
    ElementTree.indent(tree)
    with atomic_open(path, "wb") as out:
        tree.write(out, encoding="utf-8", xml_declaration=True)


def _for_xml(text: str) -> str:
    """Without what XML cannot hold."""
    return "".join(char if char >= " " or char in "\n\t" else "\ufffd" for char in text)
