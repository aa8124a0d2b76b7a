"""A folder of submissions: every result in it, whatever wrote it, and what in it is none, with the reason."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from beirkit.configs.suites import SuiteNode
from beirkit.corpora.errors import BeirkitError, DataError
from beirkit.corpora.folder import is_beir_folder
from beirkit.corpora.progress import Progress, silent
from beirkit.evaluate.exports.capsule_file import INDEX
from beirkit.evaluate.exports.zips import reading_zip
from beirkit.evaluate.imports.base import Means
from beirkit.evaluate.imports.catalog import importer_for
from beirkit.evaluate.imports.mteb import META
from beirkit.evaluate.imports.reading import peek_json
from beirkit.evaluate.imports.stated_files import STATED, read_stated_file
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.site.model import Refused
from beirkit.evaluate.stated import read_stated
from beirkit.importing import Wanted, import_results
from beirkit.replaying import unpack_capsule
from beirkit.stored import StoredResult, read_result, read_suite_results

ABOUT = "submission.json"
"""What a submitter says of all results in a folder and below it."""

# Files that stand beside results and are none; what they say is told by others, or they are read with them.
_BESIDE = {META, ABOUT, "run_settings.jsonl", "export.json"}
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


class Submitted(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``submission.json``.

    Attributes:
        date: of the submission, as YYYY-MM-DD.
        by: who submits.
        link: where more is written.
        licence: of the model.
        parameters: of the model; 0: it has none.
        trained_on: families of the datasets that the model was trained on; None: not told.
    """

    date: str = ""
    by: str = ""
    link: str = ""
    licence: str = ""
    parameters: int | None = None
    trained_on: list[str] | None = None


@dataclass(frozen=True)
class Tested:
    """A result with values of single queries.

    Attributes:
        result: where it is by now.
        source: where it was, inside the folder of submissions.
        submitted: what its submitter says.
    """

    result: StoredResult
    source: str
    submitted: Submitted


@dataclass(frozen=True)
class Stated:
    """Figures of one system on one dataset without values of single queries.

    Attributes:
        system: its name.
        dataset: its name.
        split: of the dataset; empty: not told.
        means: by measure.
        source: the file, inside the folder of submissions.
        facts: what else the file tells.
        meta: what the file about the model tells; empty: there is none.
        submitted: what its submitter says.
    """

    system: str
    dataset: str
    split: str
    means: dict[Measure, float]
    source: str
    facts: dict[str, Any]
    meta: dict[str, Any]
    submitted: Submitted


@dataclass
class Submissions:
    """Everything that was found.

    Attributes:
        tested: results.
        stated: figures.
        suites: those that tables of ``beirkit run`` are of, each once.
        refused: what is not in the leaderboard.
    """

    tested: list[Tested] = field(default_factory=list)
    stated: list[Stated] = field(default_factory=list)
    suites: list[SuiteNode] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)


def read_submissions(folder: Path, scratch: Path, *, progress: Progress = silent) -> Submissions:
    """Read all that a folder holds, in the order of its names.

    Result folders of ``beirkit run`` and of ``beirkit import`` are taken as they are, capsules once their
    checksums hold, files of other tools as ``beirkit import`` takes them: ranked lists are scored over their
    dataset, which must be here, means are kept.

    Args:
        folder: the submissions.
        scratch: an empty folder for what must be unpacked, which is needed as long as the results are.
        progress: shows how it gets on.

    Raises:
        DataError: it is no folder.
    """
    if not folder.is_dir():
        raise DataError("is no folder of submissions", path=folder)
    reader = _Reader(folder, scratch)
    with progress("reading submissions", None, "entries") as advance:
        for _ in reader.walk(folder, Submitted()):
            advance()
    return reader.found


class _Reader:
    def __init__(self, root: Path, scratch: Path) -> None:
        self.root, self.scratch = root, scratch
        self.found = Submissions()
        self._seen: set[Path] = set()
        self._kept = {
            file.parent.parent.parent.resolve() / name
            for file in root.rglob(STATED)
            for name in _names_kept(file)
        }

    def walk(self, folder: Path, said: Submitted) -> Iterator[None]:
        """Read a folder and all below it."""
        real = folder.resolve()
        if real in self._seen:
            self.refuse(folder, "is the same folder as another one, by a link")
            return
        self._seen.add(real)
        said = self._submitted(folder, said)
        for path in sorted(folder.iterdir(), key=lambda one: one.name):
            yield
            try:
                if path.name.startswith("."):
                    self.refuse(path, "is hidden, and was not looked at")
                elif path.is_symlink() and path.exists() and not self._holds(path):
                    self.refuse(path, "is a link to a place outside the submissions, and was not followed")
                elif path.is_dir():
                    yield from self._folder(path, said)
                elif path.is_file():
                    self._file(path, said)
                else:
                    self.refuse(path, "is neither a file nor a folder, or a link that leads nowhere")
            except BeirkitError as error:
                self.refuse(path, _reason(error, path))
            except OSError as error:
                self.refuse(path, f"cannot be read: {error.strerror}")

    def _holds(self, path: Path) -> bool:
        return path.resolve().is_relative_to(self.root.resolve())

    def _folder(self, path: Path, said: Submitted) -> Iterator[None]:
        if (path / STATED).is_file() and not (path / "manifest.json").is_file():
            self._stated(path / STATED, self._submitted(path, said))
        elif is_beir_folder(path):
            self.refuse(path, "is a BEIR folder, and no result")
        elif (path / "manifest.json").is_file():
            said = self._submitted(path, said)
            self.found.tested.append(Tested(read_result(path), self.inside(path), said))
        else:
            yield from self.walk(path, said)

    def _file(self, path: Path, said: Submitted) -> None:
        if path.name in _BESIDE or path.resolve() in self._kept:
            return
        if path.suffix == ".zip" and _is_capsule(path):
            place = self.scratch / self.inside(path.with_suffix(""))
            for folder, name in unpack_capsule(path, place):
                self.found.tested.append(Tested(read_result(folder), f"{self.inside(path)}: {name}", said))
            return
        listed = read_suite_results(path)
        if listed is not None:
            if listed.suite is not None and listed.suite not in self.found.suites:
                self.found.suites.append(listed.suite)
            outside = [
                one for one in listed.results if self.root.resolve() not in one.folder.resolve().parents
            ]
            if outside:
                self.refuse(path, f"lists {len(outside)} results that are not in this folder")
            return
        if path.suffix in (".md", ".html") and read_suite_results(path.with_suffix(".json")) is not None:
            return  # the same table for people
        self._of_other_tool(path, said)

    def _of_other_tool(self, path: Path, said: Submitted) -> None:
        importer = importer_for(path)
        means: list[Means] = []
        for one in importer.read(path):
            if not isinstance(one, Means):
                self._lists(path, said)
                return
            means.append(one)
        if not means:
            raise DataError("holds no result", path=path)
        meta = peek_json(path.parent / META)
        for one in means:
            self._add(one.system, one.dataset, one.split, one.means, self.inside(path), one.facts, meta, said)

    def _lists(self, path: Path, said: Submitted) -> None:
        """Ranked lists of another tool, scored as ``beirkit import`` does."""
        place = self.scratch / self.inside(path)
        import_results([path], place, Wanted())
        for manifest in sorted(place.glob("*/*/manifest.json")):
            self.found.tested.append(Tested(read_result(manifest.parent), self.inside(path), said))

    def _stated(self, file: Path, said: Submitted) -> None:
        facts, values = read_stated_file(file), read_stated(file)
        results = file.parent.parent.parent
        meta = next((peek_json(results / name) for name in facts.kept if Path(name).name == META), {})
        means = values.means
        self._add(
            facts.model, facts.dataset, facts.split, means, self.inside(file), facts.facts, dict(meta), said
        )

    def _add(
        self,
        system: str,
        dataset: str,
        split: str,
        means: dict[Measure, float],
        source: str,
        facts: dict[str, Any],
        meta: Any,
        said: Submitted,
    ) -> None:
        one = Stated(system, dataset, split, dict(means), source, facts, dict(meta), said)
        self.found.stated.append(one)

    def _submitted(self, folder: Path, above: Submitted) -> Submitted:
        """What is said of a folder, over what is said of the one it is in."""
        path = folder / ABOUT
        if not path.is_file():
            return above
        try:
            found = msgspec.json.decode(path.read_bytes(), type=Submitted)
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            self.refuse(path, f"cannot be read, and nothing of it is shown: {error}")
            return above
        if found.date and not _DATE.fullmatch(found.date):
            self.refuse(path, f"date is {found.date!r} and not YYYY-MM-DD, so it is not shown")
            found = msgspec.structs.replace(found, date="")
        given = {
            name: value for name, value in msgspec.structs.asdict(found).items() if value not in ("", None)
        }
        return msgspec.structs.replace(above, **given)

    def refuse(self, path: Path, reason: str) -> None:
        self.found.refused.append(Refused(self.inside(path), reason))

    def inside(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()


def _names_kept(file: Path) -> list[str]:
    try:
        return read_stated_file(file).kept
    except DataError:
        return []


def _is_capsule(path: Path) -> bool:
    with reading_zip(path) as opened:
        return INDEX in opened.namelist()


def _reason(error: BeirkitError, path: Path) -> str:
    """What is wrong, without the path that stands before it, and what can be done."""
    where = "" if error.path in (None, path, str(path)) else f"{Path(str(error.path)).name}: "
    asks = error.hint and "--as" not in error.hint  # an option of another command
    return where + error.found + (f" ({error.hint})" if asks else "")
