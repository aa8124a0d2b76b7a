"""The checkout as the tests of the house see it: rooms, modules, imports."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parent.parent.parent
ROOMS = ("beirkit", "configs", "converters", "corpora", "evaluate", "retrievers")


@dataclass(frozen=True)
class Import:
    """One imported module.

    Attributes:
        module: dotted name as written; for ``from a import b`` it is ``a.b``, maybe a name inside ``a``.
        line: line number, from 1.
        top: whether it runs when the module is imported.
        runs: whether it runs at all; what only type checkers see does not.
        level: the number of leading dots.
    """

    module: str
    line: int
    top: bool
    level: int
    runs: bool


@cache
def pyproject() -> dict[str, Any]:
    """The parsed pyproject.toml."""
    return tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))


@cache
def modules() -> tuple[Path, ...]:
    """Every Python file of the rooms, relative to the checkout."""
    files = (path for room in ROOMS for path in (CHECKOUT / room).rglob("*.py"))
    inside = (path.relative_to(CHECKOUT) for path in files)
    return tuple(sorted(path for path in inside if path.parts[:2] != ("corpora", "built")))


def module_name(path: Path) -> str:
    """The name under which a file of a room is imported."""
    parts = list(path.with_suffix("").parts)
    if parts[0] != "beirkit":
        parts.insert(0, "beirkit")
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def parse(path: Path) -> ast.Module:
    """The syntax tree of a file, given relative to the checkout."""
    return ast.parse((CHECKOUT / path).read_text(encoding="utf-8"), filename=str(path))


@cache
def imports(path: Path) -> tuple[Import, ...]:
    """Every import of a file, wherever it stands."""
    return tuple(_walk(parse(path), top=True, runs=True))


def _walk(node: ast.AST, *, top: bool, runs: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.Import():
                for alias in child.names:
                    yield Import(alias.name, child.lineno, top, 0, runs)
            case ast.ImportFrom():
                for alias in child.names:
                    name = f"{child.module}.{alias.name}" if child.module else alias.name
                    yield Import(name, child.lineno, top, child.level, runs)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                yield from _walk(child, top=False, runs=runs)
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                yield from _walk(ast.Module(child.body, []), top=False, runs=False)
                yield from _walk(ast.Module(child.orelse, []), top=top, runs=runs)
            case _:
                yield from _walk(child, top=top, runs=runs)
