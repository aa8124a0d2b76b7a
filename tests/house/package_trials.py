"""Trials of the package as other people get it: ``make check-package``.

Built, installed and run outside the checkout: an sdist, the wheel made of it, an editable install, a clone
under another folder name. Environments are empty ones that borrow the libraries of the environment running
this, so nothing is downloaded and the checkout's own installation stays out of sight.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import time
import tomllib
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

CHECKOUT = Path(__file__).resolve().parent.parent.parent

LIBRARIES = Path(sysconfig.get_path("purelib"))

WHERE = "import json, beirkit.cli as a, beirkit.corpora as b; print(json.dumps([a.__file__, b.__file__]))"


class Place:
    """An environment under a temporary folder, and commands run in it from outside any checkout."""

    def __init__(self, folder: Path, libraries: Path) -> None:
        self.folder = folder
        self.outside = folder / "elsewhere"
        self.outside.mkdir(parents=True)
        run([sys.executable, "-m", "venv", "--without-pip", folder / "env"])
        self.python = folder / "env" / "bin" / "python"
        site = run([self.python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]).strip()
        # A path added this way is searched last, and its own .pth files (the editable checkout) are not read.
        (Path(site) / "borrowed.pth").write_text(f"{libraries}\n", encoding="utf-8")

    def install(self, *what: str | Path) -> None:
        """Install without dependencies and without asking any index."""
        quiet = ["-q", "--no-deps", "--no-index", "--no-build-isolation"]
        run(
            [sys.executable, "-m", "pip", "--python", str(self.python), "install", *quiet, *what],
            cwd=self.outside,
        )

    def beirkit(self, *words: str | Path, code: int = 0) -> subprocess.CompletedProcess[str]:
        """Run the installed command and hold it to an exit code."""
        done = subprocess.run(
            [self.python.parent / "beirkit", *words],
            cwd=self.outside, env={**clean_environment(), "BEIRKIT_HOME": str(self.folder / "home")},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip
        told = f"beirkit {' '.join(map(str, words))}: exit {done.returncode}\n{done.stderr}"
        expect(done.returncode == code and "Traceback" not in done.stderr, told)
        return done

    def imported_from(self) -> list[Path]:
        """Where this environment finds modules of two rooms."""
        files = json.loads(run([self.python, "-P", "-c", WHERE], cwd=self.outside))
        return [Path(file).resolve() for file in files]


def trial_wheel(folder: Path) -> None:
    """The sdist and the wheel made of it hold all packages and configs, no data, and the wheel works."""
    run([sys.executable, "-P", "-m", "build", "--no-isolation", "--outdir", folder / "dist", CHECKOUT])
    (wheel,) = (folder / "dist").glob("*.whl")
    (sdist,) = (folder / "dist").glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        in_sdist = {name.partition("/")[2] for name in archive.getnames()}
    expect({"pyproject.toml", "README.md", "LICENSE", "configs/schema.py"} <= in_sdist, f"sdist: {in_sdist}")
    with zipfile.ZipFile(wheel) as zipped:
        check_wheel_names(set(zipped.namelist()))

    full = Place(folder / "full", LIBRARIES)
    full.install(wheel)
    site = (folder / "full" / "env").resolve()
    expect(
        all(path.is_relative_to(site) for path in full.imported_from()),
        "it is not the wheel that is imported",
    )
    use(full)
    lean = Place(folder / "lean", core_libraries(folder / "core"))
    lean.install(wheel)
    use_without_extras(lean)


def core_libraries(folder: Path) -> Path:
    """A folder of links to the libraries of the core alone, as where no optional part is installed."""
    folder.mkdir()
    todo, seen = ["beirkit"], set()
    while todo:
        distribution = importlib.metadata.distribution(todo.pop())
        needed = [Requirement(line) for line in distribution.requires or ()]
        todo += [one.name for one in needed if one.marker is None or one.marker.evaluate({"extra": ""})]
        todo = [name for name in todo if canonicalize_name(name) not in seen]
        seen.add(canonicalize_name(distribution.metadata["Name"]))
        for name in {file.parts[0] for file in distribution.files or () if file.parts[0] != ".."}:
            if (
                not name.startswith(("beirkit", "__editable__", "__pycache__"))
                and not (folder / name).exists()
            ):
                (folder / name).symlink_to(Path(str(distribution.locate_file(name))))
    return folder


def check_wheel_names(names: set[str]) -> None:
    """Every listed package and every data file of the tree is in the wheel, and only code beside them."""
    setup = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    for package in setup["packages"]:
        expect(package.replace(".", "/") + "/__init__.py" in names, f"{package} is not in the wheel")
    report = CHECKOUT / "evaluate" / "report"
    page = [*(report / "assets").iterdir(), *(report / "templates").iterdir()]
    data = [*(CHECKOUT / "configs").rglob("*.yaml"), *(CHECKOUT / "corpora").glob("*.toml"), *page]
    for file in data:
        expect(f"beirkit/{file.relative_to(CHECKOUT).as_posix()}" in names, f"{file} is not in the wheel")
    of_page = {f"beirkit/{file.relative_to(CHECKOUT).as_posix()}" for file in page}
    strange = [
        name
        for name in names - of_page
        if "/built/" in name
        or not (name.startswith("beirkit/") or ".dist-info/" in name)
        or not (name.endswith((".py", ".yaml", ".json", ".toml", "py.typed")) or ".dist-info/" in name)
    ]
    expect(not strange, f"should not be in the wheel: {strange}")


def use(place: Place) -> None:
    """What a user looks at first, outside the checkout."""
    expect("demo" in place.beirkit("--help").stdout, "--help does not name the demo")
    place.beirkit("version")
    libraries = json.loads(place.beirkit("version", "--json").stdout)["libraries"]
    expect("numpy" in libraries, f"version names no numpy: {libraries}")
    for what in ("datasets", "formats", "retrievers", "measures", "suites", "protocols"):
        expect(json.loads(place.beirkit("list", what, "--json").stdout), f"list {what} is empty")


def use_without_extras(place: Place) -> None:
    """The core converts, checks, searches and scores; a missing part is named with what installs it."""
    run([place.python, "-P", "-c", "import importlib.util as u; assert u.find_spec('torch') is None"])
    for what in ("formats", "retrievers", "measures"):
        place.beirkit("list", what)
    built = place.folder / "stdlib"
    place.beirkit("convert", "pystdlib", "--out", built)
    place.beirkit("check", built)
    done = place.beirkit("run", "-d", built, "-r", "bm25", "--sample", "queries=20,docs=300", "--json")
    (row,) = json.loads(done.stdout)["results"]
    expect(0 < row["measures"]["nDCG@10"] <= 1, f"bm25 on a sample: {row}")
    place.beirkit("run", "-d", built, "-r", "rank-bm25", "--sample", "queries=20,docs=300")
    for retriever in ("minilm", "beir-dres"):
        missing = place.beirkit("run", "-d", built, "-r", retriever, code=2).stderr
        expect("pip install" in missing, f"{retriever} without its part names no remedy: {missing}")


def trial_clone(folder: Path) -> None:
    """A clone under another folder name installs editable, sees new modules, and keeps its links."""
    clone = folder / "a-differently-named-checkout"
    run(["git", "clone", "-q", "--no-hardlinks", CHECKOUT, clone])
    links = list((clone / ".typing" / "beirkit").iterdir())
    for link in links:
        expect(link.is_symlink() and link.exists(), f"{link} is no link that leads somewhere")
        expect(link.resolve().is_relative_to(clone.resolve()), f"{link} leads out of its checkout")
    expect(len(links) > 0, ".typing is empty")

    place = Place(folder / "editable", LIBRARIES)
    place.install("-e", clone)
    expect(
        all(path.is_relative_to(clone.resolve()) for path in place.imported_from()),
        "not imported from the clone",
    )
    for room in ("converters", "beirkit/cli"):
        (clone / room / "added_later.py").write_text("VALUE = 42\n", encoding="utf-8")
        name = room.replace("/", ".").removeprefix("beirkit.")
        seen = run([place.python, "-P", "-c", f"from beirkit.{name}.added_later import VALUE; print(VALUE)"])
        expect(seen.strip() == "42", f"a module added to {room} is not seen")
    place.beirkit("--help")


def run(command: Sequence[str | Path], cwd: Path | None = None) -> str:
    """Run a command, give back what it printed, and end the trials with its words where it fails."""
    done = subprocess.run(
        command,
        cwd=cwd,
        env=clean_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    expect(done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


def clean_environment() -> dict[str, str]:
    """This environment without what would let the checkout leak in."""
    return {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("PYTHON", "VIRTUAL_ENV", "BEIRKIT"))
    }


def expect(holds: bool, otherwise: str) -> None:
    """End the trials where something does not hold."""
    if not holds:
        sys.exit(f"FAILED: {otherwise}")


def main() -> None:
    """Carry out every trial and say how long each took."""
    trials: dict[str, Callable[[Path], None]] = {"sdist, wheel and its use": trial_wheel}
    if shutil.which("git") and (CHECKOUT / ".git").exists():
        trials["clone, editable install, added module"] = trial_clone
    with tempfile.TemporaryDirectory(prefix="beirkit-trials-") as temporary:
        for number, (name, trial) in enumerate(trials.items()):
            began = time.monotonic()
            folder = Path(temporary) / str(number)
            folder.mkdir()
            trial(folder)
            print(f"  {name}: ok, {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
