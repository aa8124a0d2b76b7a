"""Who may import whom, what may load when, and how large a file may be: held here, not by memory."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.tree import CHECKOUT, ROOMS, imports, module_name, modules, parse

# room: what it may import of the house; a name allows everything below it
MAY_IMPORT: dict[str, tuple[str, ...]] = {
    "corpora": ("beirkit.corpora",),
    "configs": ("beirkit.configs", "beirkit.corpora.errors"),
    "converters": ("beirkit.converters", "beirkit.corpora", "beirkit.configs"),
    "retrievers": ("beirkit.retrievers", "beirkit.corpora", "beirkit.configs"),
    "evaluate": ("beirkit.evaluate", "beirkit.corpora", "beirkit.configs"),
}
# Any room may write the version of the house into a manifest.
ANYONE = ("beirkit.__version__",)

# A retriever never learns which exam it sits.
HIDDEN_FROM_RETRIEVERS = (
    "beirkit.corpora.qrels",
    "beirkit.corpora.records.Judgment",
    "beirkit.corpora.records.Qrels",
    "beirkit.configs.load.load_dataset",
    "beirkit.configs.load.load_suite",
    "beirkit.configs.schema.DatasetConfig",
    "beirkit.configs.schema.SuiteConfig",
)

# The waist stands on the standard library and msgspec; files that hold arrays are named one by one.
CORPORA_LIBRARIES = {"msgspec"}
CORPORA_ARRAYS = {
    "corpora/check_qrels.py": {"numpy"},
    "corpora/check_records.py": {"numpy"},
    "corpora/check_repeats.py": {"numpy"},
    "corpora/check_shared.py": {"numpy"},
    "corpora/compressed.py": {"zstandard"},
    "corpora/deep.py": {"numpy"},
    "corpora/exports/parquet.py": {"pyarrow"},
    "corpora/keys.py": {"numpy"},
    "corpora/near.py": {"numpy"},
    "corpora/shingles.py": {"numpy"},
    "corpora/overlap.py": {"numpy"},
    "corpora/packed_ids.py": {"numpy"},
    "corpora/run.py": {"numpy", "pandas"},
    "corpora/run_blocks.py": {"numpy"},
    "corpora/run_columns.py": {"numpy"},
    "corpora/run_files.py": {"numpy"},
    "corpora/run_parquet.py": {"pyarrow"},
    "corpora/run_parts.py": {"numpy"},
    "corpora/unique.py": {"numpy"},
    "corpora/qrels_parquet.py": {"pyarrow"},
}

# Loaded only when what needs them is asked for.
HEAVY = {
    "altair", "beir", "bm25s", "datasets", "faiss", "jinja2", "numba", "pandas", "pyarrow", "pytrec_eval",
    "rank_bm25", "ray", "scipy", "sentence_transformers", "Stemmer", "torch", "transformers",
}  # fmt: skip
# Modules that import one of them when they are imported, with the reason: each is reached through a catalog
# string or from inside a function only.
HEAVY_AT_IMPORT: dict[str, str] = {}

NOT_FOR_HELP = HEAVY | {"numpy"}

LONGEST_FILE = 400
LONGEST_CONVERTER = 150  # a format family is one idea
COPIED = 6  # lines of code that no two converters may have in common


def under(module: str, names: tuple[str, ...]) -> bool:
    return any(module == name or module.startswith(f"{name}.") for name in names)


def in_room(*rooms: str) -> list[Path]:
    return [path for path in modules() if path.parts[0] in rooms]


def heavy_at_import(path: Path) -> set[str]:
    return {item.module.split(".")[0] for item in imports(path) if item.top} & HEAVY


def test_every_room_has_rules() -> None:
    assert set(MAY_IMPORT) | {"beirkit"} == set(ROOMS)


@pytest.mark.parametrize("room", sorted(MAY_IMPORT))
def test_rooms_import_only_what_lies_below_them(room: str) -> None:
    allowed = (*MAY_IMPORT[room], *ANYONE)
    wrong = [
        f"{path}:{item.line} imports {item.module}"
        for path in in_room(room)
        for item in imports(path)
        if under(item.module, ("beirkit",)) and not under(item.module, allowed)
    ]
    assert not wrong, "\n".join(wrong)


def test_only_the_command_line_imports_the_command_line() -> None:
    wrong = [
        f"{path}:{item.line} imports {item.module}"
        for path in modules()
        if path.parts[:2] != ("beirkit", "cli") and path != Path("beirkit/__main__.py")
        for item in imports(path)
        if under(item.module, ("beirkit.cli",))
    ]
    assert not wrong, "\n".join(wrong)


def test_retrievers_see_no_judgments_and_no_dataset() -> None:
    wrong = [
        f"{path}:{item.line} imports {item.module}"
        for path in in_room("retrievers")
        for item in imports(path)
        if under(item.module, HIDDEN_FROM_RETRIEVERS)
    ]
    assert not wrong, "\n".join(wrong)


def test_the_waist_stands_on_the_standard_library_and_msgspec() -> None:
    wrong = [
        f"{path}:{item.line} imports {item.module}"
        for path in in_room("corpora")
        for item in imports(path)
        if (library := item.module.split(".")[0]) not in sys.stdlib_module_names
        and library not in {"beirkit"} | CORPORA_LIBRARIES | CORPORA_ARRAYS.get(path.as_posix(), set())
    ]
    assert not wrong, "\n".join(wrong)


def test_every_import_has_its_full_name() -> None:
    """A relative or a bare import would make a second module of the same file."""
    bare = tuple(room for room in ROOMS if room != "beirkit")
    wrong = [
        f"{path}:{item.line} imports {'.' * item.level}{item.module}"
        for path in modules()
        for item in imports(path)
        if item.level or under(item.module, bare)
    ]
    assert not wrong, "\n".join(wrong)


def test_imports_within_the_house_exist() -> None:
    wrong = [
        f"{path}:{item.line} imports {item.module}"
        for path in modules()
        for item in imports(path)
        if under(item.module, ("beirkit",)) and not _is_importable(item.module)
    ]
    assert not wrong, "\n".join(wrong)


def test_no_room_imports_in_a_circle() -> None:
    """Module-level imports form no circle, so that any module can be imported first."""
    names = {module_name(path): path for path in modules()}
    edges = {
        name: {
            target
            for item in imports(path)
            if item.top
            for target in _targets(item.module)
            if target in names
        }
        - {name}
        for name, path in names.items()
    }
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " -> ".join([*trail[trail.index(name) :], name])
        if name not in done:
            for target in sorted(edges[name]):
                visit(target, (*trail, name))
            done.add(name)

    for name in sorted(edges):
        visit(name, ())


def test_only_the_command_line_prints() -> None:
    wrong = [
        f"{path}:{node.lineno}"
        for path in modules()
        if path.parts[:2] != ("beirkit", "cli")
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("print", "pprint")
    ]
    assert not wrong, "print outside beirkit/cli: " + ", ".join(wrong)


def test_heavy_libraries_load_only_when_asked_for() -> None:
    wrong = [
        f"{path} imports {', '.join(sorted(heavy))} at its top: move it into the function that needs it"
        for path in modules()
        if path.as_posix() not in HEAVY_AT_IMPORT and (heavy := heavy_at_import(path))
    ]
    assert not wrong, "\n".join(wrong)


def test_the_list_of_heavy_modules_is_true() -> None:
    for name, reason in HEAVY_AT_IMPORT.items():
        assert reason, f"{name}: say why"
        assert Path(name) in modules(), f"{name} is gone: take it off the list"
        assert heavy_at_import(Path(name)), f"{name} loads nothing heavy any more: take it off the list"
    heavy = tuple(module_name(Path(name)) for name in HEAVY_AT_IMPORT)
    wrong = [
        f"{path}:{item.line} imports {item.module} when it is imported"
        for path in modules()
        if path.as_posix() not in HEAVY_AT_IMPORT
        for item in imports(path)
        if item.top and under(item.module, heavy)
    ]
    assert not wrong, "\n".join(wrong)


def test_no_file_is_too_long() -> None:
    tests = (path.relative_to(CHECKOUT) for path in sorted((CHECKOUT / "tests").rglob("*.py")))
    files = (*modules(), *tests)
    lengths = {path: len((CHECKOUT / path).read_text(encoding="utf-8").splitlines()) for path in files}
    wrong = [f"{path}: {length} lines" for path, length in lengths.items() if length > LONGEST_FILE]
    assert not wrong, f"split, over {LONGEST_FILE} lines: " + ", ".join(wrong)


def test_rooms_themselves_load_no_numpy() -> None:
    rooms = ["beirkit", *(f"beirkit.{room}" for room in ROOMS if room != "beirkit")]
    loaded = _loaded("-c", "import " + ", ".join(rooms))
    assert set(rooms) <= loaded
    assert loaded & NOT_FOR_HELP == set()


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"]], ids=" ".join)
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    loaded = _loaded("-m", "beirkit", *arguments)
    assert "beirkit.cli.main" in loaded
    assert loaded & NOT_FOR_HELP == set()


@pytest.mark.parametrize("what", ["datasets", "formats", "retrievers", "measures", "suites", "protocols"])
def test_lists_load_nothing_heavy(what: str) -> None:
    """pytrec_eval alone may load, since it says itself which measures it has."""
    loaded = _loaded("-m", "beirkit", "list", what)
    assert loaded & HEAVY <= {"pytrec_eval"}


def _loaded(*arguments: str) -> set[str]:
    """Names of all modules that a fresh interpreter imports while it runs these arguments."""
    done = subprocess.run(
        [sys.executable, "-P", "-X", "importtime", *arguments],
        cwd=CHECKOUT.parent, capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    rows = (line for line in done.stderr.splitlines() if line.startswith("import time:"))
    return {row.rsplit("|", 1)[1].strip() for row in rows}


def _targets(module: str) -> tuple[str, str]:
    """What ``from a import b`` may import: the module ``a.b``, else the module ``a``."""
    return module, module.rpartition(".")[0]


def _is_importable(module: str) -> bool:
    """Whether a dotted name is a module of the house, or a name that such a module binds."""
    files = {module_name(path): path for path in modules()}
    parent, _, name = module.rpartition(".")
    return module in files or (parent in files and name in _names(files[parent]))


def _names(path: Path) -> set[str]:
    """Names that a module binds, and those that a lazy one (with ``__getattr__``) holds as strings."""
    found: set[str] = set()
    strings: set[str] = set()
    for node in ast.walk(parse(path)):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                found.add(node.name)
            case ast.Name(ctx=ast.Store()):
                found.add(node.id)
            case ast.alias():
                found.add((node.asname or node.name).split(".")[0])
            case ast.Constant(value=str(text)):
                strings.add(text)
    return found | strings if "__getattr__" in found else found


def converters() -> list[Path]:
    """The modules of format families; what they share lies in converters/reading."""
    rooms = (path for path in in_room("converters") if path.parent == Path("converters"))
    return [path for path in rooms if "(Converter[" in (CHECKOUT / path).read_text(encoding="utf-8")]


def test_a_format_family_is_small() -> None:
    lengths = {path: len((CHECKOUT / path).read_text(encoding="utf-8").splitlines()) for path in converters()}
    assert not {path: length for path, length in lengths.items() if length > LONGEST_CONVERTER}


def test_no_two_format_families_share_a_copied_block() -> None:
    seen: dict[tuple[str, ...], Path] = {}
    copied = []
    for path in converters():
        tree = ast.parse((CHECKOUT / path).read_text(encoding="utf-8"))
        for node in ast.walk(tree):  # docstrings and imports may be alike
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
                node.body = node.body[1:] or [ast.Pass()]
        tree.body = [node for node in tree.body if not isinstance(node, ast.Import | ast.ImportFrom)]
        lines = ast.unparse(tree).splitlines()
        lines = [line.strip() for line in lines if line.strip()]
        for start in range(len(lines) - COPIED + 1):
            block = tuple(lines[start : start + COPIED])
            if seen.setdefault(block, path) != path:
                copied.append(f"{path} and {seen[block]} share: {' | '.join(block)}")
    assert not copied, "\n".join(copied)
