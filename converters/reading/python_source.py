"""The documented public objects of a folder of Python source, parsed and never imported."""

from __future__ import annotations

import ast
import logging
import tokenize
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

logger = logging.getLogger(__name__)


class Documented(NamedTuple):
    """A public function, class or method: its qualified name and its documentation, cleaned."""

    name: str
    doc: str


def documented_objects(folder: Path, left_out: frozenset[str]) -> Iterator[Documented]:
    """Every documented public object, by sorted module name, then in source order.

    An object is public when no part of its qualified name starts with ``_``. Definitions inside ``if``,
    ``try`` and ``with`` count, those inside functions do not. A name that is defined twice, such as the
    two halves of a property, comes once, with its first documentation. A file that cannot be parsed is left
    out with a warning.

    Args:
        folder: what stands on the path: its modules are top-level modules.
        left_out: names of modules and folders, at any depth, that are not looked into.
    """
    seen: set[str] = set()
    for module, path in sorted(_modules(folder, "", left_out)):
        for found in _in_file(module, path):
            if found.name not in seen:
                seen.add(found.name)
                yield found


def _modules(folder: Path, package: str, left_out: frozenset[str]) -> Iterator[tuple[str, Path]]:
    """Dotted name and file of every public module below a folder."""
    for path in folder.iterdir():
        name = path.stem if path.suffix == ".py" else path.name
        if name in left_out or (name.startswith("_") and path.name != "__init__.py"):
            continue
        if path.suffix == ".py":
            if path.name != "__init__.py":
                yield package + name, path
            elif package:
                yield package[:-1], path
        elif name.isidentifier() and path.is_dir():
            yield from _modules(path, f"{package}{name}.", left_out)


def _in_file(module: str, path: Path) -> Iterator[Documented]:
    try:
        with tokenize.open(path) as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # odd escapes in others' strings are not our user's business
            tree = ast.parse(file.read(), filename=str(path))
    except (SyntaxError, UnicodeDecodeError, ValueError) as error:
        logger.warning("%s left out: it cannot be parsed (%s)", path, error)
        return
    yield from _walk(tree, module)


def _walk(node: ast.AST, scope: str) -> Iterator[Documented]:
    """The documented objects below a module, class, or a branch of ``if``, ``try`` or ``with`` in them."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if child.name.startswith("_"):
                continue
            name = f"{scope}.{child.name}"
            if doc := ast.get_docstring(child):
                yield Documented(name, doc)
            if isinstance(child, ast.ClassDef):
                yield from _walk(child, name)
        elif isinstance(child, ast.If | ast.Try | ast.With | ast.ExceptHandler):
            yield from _walk(child, scope)
