"""What tells one state of a user's code from another, without running it.

The rule: code of an installed distribution is told by the distribution's version, code of Python itself by
Python's version, and all other code by the hash of its files. For a file those are the file and the modules
beside it that it imports, directly or through each other; for a module that is a package, every file of code
in the package as well. Imports are read from the source, so a module whose name is put together while the
code runs is not seen, nor is a data file.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.machinery import ModuleSpec
from importlib.metadata import packages_distributions, version
from pathlib import Path
from platform import python_version

from beirkit.corpora.errors import UsageError
from beirkit.corpora.files import sha256_file
from beirkit.retrievers.base import Facts

MAX_FILES = 2000
"""More files than any search class has: past this the name leads to something else."""

_CODE = (".py", ".so", ".pyd")


def describe_module(module: str) -> Facts:
    """The version or the hash of a module; neither it nor its package is imported.

    Raises:
        ModuleNotFoundError: there is no such module.
        UsageError: its package has too many files.
    """
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names:
        return {"python": python_version()}
    places = module_places(module)
    if any(map(_is_installed, places)) and (known := _distributions(top)):
        return {"installed": known}
    return _hashed(places)


def describe_file(path: Path) -> Facts:
    """The hash of a file and of what it imports from beside it.

    Raises:
        UsageError: there is no such file, or it imports a package with too many files.
    """
    if not path.is_file():
        raise UsageError("there is no such file", path=path)
    return _hashed([path])


def module_places(module: str) -> list[Path]:
    """The file, or the folders, of a module's top-level package.

    Raises:
        ModuleNotFoundError: there is no such module.
    """
    top = module.partition(".")[0]
    spec = find_top(top)
    if spec is None:
        raise ModuleNotFoundError(f"No module named {top!r}", name=top)
    places = [Path(place) for place in spec.submodule_search_locations or ()]
    if not places and spec.origin is not None:
        places = [_on_disk(Path(spec.origin))]
    return places


def sources(places: Iterable[Path]) -> dict[str, Path]:
    """Files of code that some files and packages consist of, with the modules beside them that they import.

    Args:
        places: files, or folders of packages.

    Returns:
        Paths by name relative to the folder that Python finds them in, sorted by name.

    Raises:
        UsageError: there are more than :data:`MAX_FILES`.
    """
    found: dict[Path, str] = {}
    waiting = [(place, place.parent) for place in places]
    met: set[Path] = set()
    while waiting:
        place, root = waiting.pop()
        if place in met:
            continue
        met.add(place)
        for path in _files(place):
            if path in found:
                continue
            found[path] = path.relative_to(root).as_posix()
            if len(found) > MAX_FILES:
                raise UsageError(
                    f"more than {MAX_FILES:,} files of code would have to be hashed",
                    path=place,
                    hint="move the class into a folder of its own",
                )
            if not _is_installed(root):
                waiting += [(beside, root) for name in _imports(path) for beside in _beside(name, root)]
    return {name: path for path, name in sorted(found.items(), key=lambda item: (item[1], item[0]))}


def find_top(name: str) -> ModuleSpec | None:
    """Where Python finds a top-level module; for those, none of its code is run."""
    importlib.invalidate_caches()
    try:
        return importlib.util.find_spec(name)
    except ValueError:  # in sys.modules without a spec, as __main__ is
        return None


def _hashed(places: Iterable[Path]) -> Facts:
    files = sources(places)
    lines = "".join(f"{name} {sha256_file(path)}\n" for name, path in files.items())
    return {"files": len(files), "sha256": hashlib.sha256(lines.encode()).hexdigest()}


def _files(place: Path) -> Iterator[Path]:
    """The file, or the files of code of a package, hidden folders left out."""
    if place.is_file():
        yield place
        return
    for path in place.rglob("*"):
        inner = path.relative_to(place).parts
        if path.suffix in _CODE and path.is_file() and not any(part.startswith(".") for part in inner):
            yield path


def _imports(path: Path) -> set[str]:
    """Top-level names that a file imports, anywhere in it."""
    if path.suffix != ".py":
        return set()
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError, RecursionError):  # whoever loads it will say so
        return set()
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
    return {name.partition(".")[0] for name in names}


def _beside(name: str, root: Path) -> Iterator[Path]:
    """The module or package of this name in a folder."""
    folder = root / name
    if name == "beirkit":
        return
    if (root / f"{name}.py").is_file():
        yield root / f"{name}.py"
    if (folder / "__init__.py").is_file():
        yield folder
    elif folder.is_dir() and name not in sys.stdlib_module_names:
        # A folder alone is a package only where no module of this name is found anywhere.
        spec = find_top(name)
        if spec is None or spec.origin is None:
            yield folder


def _on_disk(origin: Path) -> Path:
    """The file that holds a module: itself, or the zip it is in."""
    return next((path for path in (origin, *origin.parents) if path.is_file()), origin)


def _is_installed(place: Path) -> bool:
    return bool({"site-packages", "dist-packages"}.intersection(place.parts))


@cache
def _distributions(top: str) -> list[str]:
    """Name and version of each installed distribution that a top-level module is of."""
    return [f"{name} {version(name)}" for name in sorted(set(packages_distributions().get(top, ())))]
