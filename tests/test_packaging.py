"""What pyproject.toml promises against what the tree holds."""

from __future__ import annotations

import importlib.metadata
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import beirkit
from tests.house.tree import CHECKOUT, ROOMS, imports, module_name, modules, pyproject

# Extras that "all" leaves out.
LEFT_OUT = {"lucene", "mteb", "static"}
TYPING = CHECKOUT / ".typing" / "beirkit"

# The five packages at the heart: distribution, the module it brings.
HEART = {
    "faiss-cpu": "faiss",
    "sentence-transformers": "sentence_transformers",
    "pytrec-eval-terrier": "pytrec_eval",
    "rank-bm25": "rank_bm25",
    "beir": "beir",
}

# Imported names whose distribution is called otherwise.
DISTRIBUTIONS = {module: name for name, module in HEART.items()} | {"Stemmer": "PyStemmer", "yaml": "PyYAML"}


def packages() -> list[str]:
    listed: list[str] = pyproject()["tool"]["setuptools"]["packages"]
    return listed


def declared(*, without: tuple[str, ...] = ()) -> set[str]:
    """Canonical names of every declared distribution, but for those of some extras."""
    project = pyproject()["project"]
    extras = project["optional-dependencies"]
    lines = [
        *project["dependencies"],
        *(line for name in extras if name not in without for line in extras[name]),
    ]
    return {canonicalize_name(Requirement(line).name) for line in lines}


def test_every_package_of_the_tree_is_listed() -> None:
    folders = {path.parent for path in modules()}
    without_init = [str(folder) for folder in folders if not (CHECKOUT / folder / "__init__.py").is_file()]
    assert not without_init, f"no __init__.py, so not in the wheel: {without_init}"
    tree = sorted(module_name(folder / "__init__.py") for folder in folders)
    assert sorted(packages()) == tree, "[tool.setuptools] packages of pyproject.toml against the tree"


def test_every_room_is_mapped_and_typed() -> None:
    mapping = pyproject()["tool"]["setuptools"]["package-dir"]
    assert mapping == {module_name(Path(room) / "__init__.py"): room for room in ROOMS}
    assert [room for room in ROOMS if not (CHECKOUT / room / "py.typed").is_file()] == []


def test_every_config_ships() -> None:
    patterns = pyproject()["tool"]["setuptools"]["package-data"]["beirkit.configs"]
    configs = CHECKOUT / "configs"
    files = {path for ending in ("yaml", "yml", "json") for path in configs.rglob(f"*.{ending}")}
    shipped = {path for pattern in patterns for path in configs.glob(pattern)}
    assert files, "there are no configs at all"
    assert files - shipped == set(), "matched by no pattern of [tool.setuptools.package-data]"


def test_typing_links_mirror_the_package() -> None:
    """mypy and pyright read the rooms under their installed names through these links."""
    wanted = {room: f"../../{room}" for room in ROOMS if room != "beirkit"}
    for entry in (CHECKOUT / "beirkit").iterdir():
        if entry.name != "__pycache__" and (entry.is_dir() or entry.suffix in (".py", ".typed")):
            wanted[entry.name] = f"../../beirkit/{entry.name}"
    have = {
        link.name: str(link.readlink()) if link.is_symlink() else "not a link" for link in TYPING.iterdir()
    }
    mend = [
        f"ln -sfn {target} .typing/beirkit/{name}"
        for name, target in wanted.items()
        if have.get(name) != target
    ]
    mend += [f"git rm .typing/beirkit/{name}" for name in have if name not in wanted]
    assert not mend, "run:\n" + "\n".join(sorted(mend))


def test_typing_links_are_links_in_git() -> None:
    """A checkout without symbolic links would commit them as files of text."""
    if shutil.which("git") is None or not (CHECKOUT / ".git").exists():
        pytest.skip("needs git and a checkout that git made")
    listing = subprocess.run(
        ["git", "ls-files", "--stage", ".typing"], cwd=CHECKOUT, capture_output=True, text=True, check=True
    ).stdout
    modes = {line.split("\t")[1]: line.split()[0] for line in listing.splitlines()}
    assert modes, "git knows no file under .typing"
    assert {path: mode for path, mode in modes.items() if mode != "120000"} == {}


def test_the_command_is_the_documented_one() -> None:
    project = pyproject()["project"]
    assert project["name"] == "beirkit"
    assert project["scripts"] == {"beirkit": "beirkit.cli.main:main"}


def test_one_version() -> None:
    version = pyproject()["project"]["version"]
    assert beirkit.__version__ == version
    assert importlib.metadata.version("beirkit") == version


def test_the_changelog_knows_the_version() -> None:
    headings = re.findall(
        r"^## \[(.+?)\]", (CHECKOUT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert headings[0] == "Unreleased"


@pytest.mark.parametrize("name", sorted(HEART))
def test_heart_is_declared_and_used(name: str) -> None:
    """Each of the five is a run-time dependency, and some product code imports it."""
    assert name in declared(without=("dev",)), f"{name} is not declared in pyproject.toml"
    used = {item.module.split(".")[0] for path in modules() for item in imports(path) if item.runs}
    assert HEART[name] in used, f"no product code imports {HEART[name]}"


def test_every_library_in_use_is_declared() -> None:
    names = {item.module.split(".")[0]: path for path in modules() for item in imports(path)}
    third = {name: path for name, path in names.items() if name not in sys.stdlib_module_names | {"beirkit"}}
    missing = {
        name: str(path)
        for name, path in third.items()
        if canonicalize_name(DISTRIBUTIONS.get(name, name)) not in declared(without=("dev",))
    }
    assert not missing, "imported by product code, declared nowhere in pyproject.toml"


def test_core_needs_no_torch() -> None:
    core = {canonicalize_name(Requirement(line).name) for line in pyproject()["project"]["dependencies"]}
    assert not core & {"torch", "sentence-transformers", "faiss-cpu", "beir", "transformers", "pandas"}


def test_all_is_every_extra_but_the_developers_and_what_is_left_out() -> None:
    extras = pyproject()["project"]["optional-dependencies"]
    (everything,) = extras["all"]
    assert Requirement(everything).extras == set(extras) - {"all", "dev", *LEFT_OUT}


def test_python_versions_agree() -> None:
    project = pyproject()["project"]
    asked = re.fullmatch(r">=3\.(\d+),<3\.(\d+)", project["requires-python"])
    assert asked, "the set-up script reads this form"
    lowest, above = map(int, asked.groups())
    listed = [line.rsplit(" ", 1)[1] for line in project["classifiers"] if " :: 3." in line]
    assert listed == [f"3.{minor}" for minor in range(lowest, above)]
    for tool, key in (("mypy", "python_version"), ("pyright", "pythonVersion")):
        assert pyproject()["tool"][tool][key] == f"3.{lowest}"
    assert pyproject()["tool"]["ruff"]["target-version"] == f"py3{lowest}"
