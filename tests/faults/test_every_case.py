"""No handed case is left out silently."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

from tests.faults.cases import all_cases


def named() -> Counter[str]:
    """How often each case is named by a ``@case`` in this folder."""
    found: Counter[str] = Counter()
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "case":
                found.update(str(arg.value) for arg in node.args if isinstance(arg, ast.Constant))
    return found


def test_every_case_has_a_test(shared: Path) -> None:
    known = set(all_cases(shared / "faults" / "cases.jsonl"))
    assert len(known) == 118
    assert not known - set(named())
    assert not set(named()) - known


def test_no_case_is_named_twice() -> None:
    assert [one for one, times in named().items() if times > 1] == []
