"""Capsules replayed: every run scored again, and searched again where its data and its model are here."""

from __future__ import annotations

import logging
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from beirkit.configs.schema import SuiteConfig
from beirkit.configs.spec import parse_retriever
from beirkit.corpora.errors import BeirkitError, DataError, UsageError
from beirkit.corpora.files import open_bytes
from beirkit.corpora.folder import is_beir_folder
from beirkit.corpora.qrels import read_qrels
from beirkit.corpora.records import Qrels
from beirkit.corpora.whole import whole_folder
from beirkit.datasets import NotBuiltError, as_folder, find_dataset
from beirkit.evaluate.exports.capsule import NAME
from beirkit.evaluate.exports.capsule_file import (
    CapsuleResult,
    Manifest,
    OpenCapsule,
    judgments_id,
    metrics_of,
    scored,
    scores_bytes,
)
from beirkit.evaluate.scores import Scores
from beirkit.exam import Exam, Sample, prepare
from beirkit.experiment import run_suite
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.catalog import create

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Replayed:
    """What became of one result.

    Attributes:
        result: as the capsule tells it.
        judgments: where they were found.
        equal: whether the file of scores came out byte for byte.
        difference: the first one, where it did not.
        searched: whether the run was made anew and came out equal; None: it was not made.
        why: where it was not made, why; where it came out otherwise, how.
    """

    result: CapsuleResult
    judgments: str
    equal: bool
    difference: str = ""
    searched: bool | None = None
    why: str = ""

    @property
    def passed(self) -> bool:
        """Whether all that was done came out the same."""
        return self.equal and self.searched is not False

    def to_dict(self) -> dict[str, Any]:
        """The same for JSON."""
        return {
            "result": self.result.path,
            "dataset": self.result.dataset,
            "split": self.result.split,
            "system": self.result.system,
            "judgments": self.judgments,
            "scores_equal": self.equal,
            "difference": self.difference,
            "run": {None: "not made again", True: "equal", False: "differs"}[self.searched],
            "why": self.why,
        }


def replay(
    capsule: Path | str,
    judgments: Mapping[str, Path | str] | None = None,
    *,
    search: bool = True,
    out: Path | str | None = None,
    workplace: Workplace | None = None,
) -> list[Replayed]:
    """Score every run of a capsule again, and search again where the dataset and the retriever are here.

    Args:
        capsule: the zip, or the folder that it was exported into.
        judgments: files or BEIR folders by dataset, or as ``dataset@split``; the empty name is that of the
            only dataset there is. Those in the capsule come first, then these, then the dataset of that name.
        search: search again where that can be done; False: only score.
        out: put the results there, as folders that ``compare`` takes.
        workplace: cache, device and progress of a search.

    Raises:
        DataError: it is no capsule, or was changed after it was made.
        UsageError: judgments with the capsule's content id are nowhere.
    """
    path = _zip(Path(capsule))
    with tempfile.TemporaryDirectory() as temporary:
        opened = OpenCapsule(path, Path(temporary))
        finder = _Finder(opened, judgments or {})
        done, means = [], []
        for one in opened.facts.results:
            replayed, scores = _scored_again(opened, one, finder)
            if search:
                replayed = _searched_again(opened, one, replayed, finder, workplace)
            done.append(replayed)
            means.append((one.path, scores))
        if all(one.equal for one in done) and metrics_of(means) != opened.metrics():
            raise DataError("metrics.json does not hold the means of its scores", path=path)
        if out is not None:
            _unpack(opened, Path(out))
    return done


def unpack_capsule(path: Path, out: Path) -> list[tuple[Path, str]]:
    """Put the results of a capsule whose checksums hold into a folder of results, scored as they are.

    Returns:
        Where each result is now, and where it is in the capsule.

    Raises:
        DataError: it is no capsule, is damaged, or was changed after it was made.
    """
    with tempfile.TemporaryDirectory() as temporary:
        opened = OpenCapsule(path, Path(temporary))
        return [(place, one.path) for one, place in _unpack(opened, out)]


def _zip(path: Path) -> Path:
    if not path.is_dir():
        return path
    zips = sorted(path.glob("*.zip"))
    if len(zips) != 1:
        raise DataError(f"holds {len(zips)} zips, not one", path=path, hint=f"name the file, such as {NAME}")
    return zips[0]


class _Finder:
    """Looks for judgments and datasets by their content ids."""

    def __init__(self, opened: OpenCapsule, given: Mapping[str, Path | str]) -> None:
        self._opened, self._given = opened, given
        known = {name for one in opened.facts.results for name in (one.dataset, f"{one.dataset}@{one.split}")}
        for name in given:
            if name and name not in known:
                raise UsageError(
                    f"the capsule holds no result of {name!r}", hint=f"it has: {', '.join(sorted(known))}"
                )
        if "" in given and len({one.judgments_id for one in opened.facts.results}) > 1:
            raise UsageError("the capsule is of several datasets", hint="write --qrels DATASET=QRELS")

    def judgments(self, one: CapsuleResult) -> tuple[Qrels, str]:
        """The judgments a result was scored with, and where they were."""
        tried = []
        for place, read in self._sources(one):
            try:
                qrels = read()
            except NotBuiltError as error:
                tried.append(f"{place} is not built ({error.hint})")
                continue
            except BeirkitError as error:
                if place in map(str, self._given.values()):
                    raise
                tried.append(f"{place}: {error.found}")
                continue
            if qrels is None:
                continue
            if judgments_id(qrels) == one.judgments_id:
                return qrels, place
            tried.append(f"{place} holds other judgments")
        raise UsageError(
            f"no judgments of {one.dataset}@{one.split} with the content id {one.judgments_id[:12]}… are "
            f"here: {'; '.join(tried) or 'nothing was found'}",
            hint="name them: --qrels FILE, or a BEIR folder",
        )

    def exam(self, one: CapsuleResult, manifest: Manifest) -> Exam:
        """The dataset of a result, with the very texts it was searched in.

        Raises:
            BeirkitError: it is not here, or has other texts.
        """
        sample = _sample(manifest)
        given = self._of(one)
        name = as_folder(Path(given)) if given is not None and is_beir_folder(given) else one.dataset
        exam = prepare(find_dataset(name), one.split, sample)
        if exam.content != one.content_ids:
            raise UsageError(f"{name} holds other texts or judgments here")
        return exam

    def _of(self, one: CapsuleResult) -> Path | str | None:
        names = (f"{one.dataset}@{one.split}", one.dataset, "")
        return next((self._given[name] for name in names if name in self._given), None)

    def _sources(self, one: CapsuleResult) -> Iterator[tuple[str, Callable[[], Qrels | None]]]:
        yield "the capsule", lambda: self._opened.judgments(one)
        given = self._of(one)
        manifest = self._opened.manifest(one)
        if given is not None:
            if is_beir_folder(given):
                yield str(given), lambda: self._prepared(as_folder(Path(given)), one, manifest)
            else:
                yield str(given), lambda: read_qrels(given)
        yield f"the dataset {one.dataset}", lambda: self._prepared(one.dataset, one, manifest)

    def _prepared(self, name: str, one: CapsuleResult, manifest: Manifest) -> Qrels:
        sample = _sample(manifest)
        return prepare(find_dataset(name), one.split, sample).qrels


def _sample(manifest: Manifest) -> Sample | None:
    """The part of the dataset that was searched.

    Raises:
        DataError: the manifest tells it in no way that is known.
    """
    try:
        return None if manifest.sample is None else msgspec.convert(manifest.sample, Sample)
    except msgspec.ValidationError as error:
        raise DataError(f"the manifest's sample cannot be read: {error}") from error


def _scored_again(opened: OpenCapsule, one: CapsuleResult, finder: _Finder) -> tuple[Replayed, Scores]:
    kept = opened.kept_scores(one)
    qrels, place = finder.judgments(one)
    again = scored(
        opened.file(one, one.run),
        opened.manifest(one),
        qrels,
        kept.protocol,
        kept.measures,
        label=f"{opened.path}!{one.path}",
    )
    old, new = opened.file(one, one.scores).read_bytes(), scores_bytes(again)
    return Replayed(one, place, old == new, _first_difference(old, new)), again


def _first_difference(old: bytes, new: bytes) -> str:
    if old == new:
        return ""
    before, after = old.decode().splitlines(), new.decode().splitlines()
    for number, (line, other) in enumerate(zip(before, after, strict=False), 1):
        if line != other:
            return f"line {number}: {line:.120} in the capsule, {other:.120} here"
    return f"{len(before)} lines in the capsule, {len(after)} here"


def _searched_again(
    opened: OpenCapsule, one: CapsuleResult, replayed: Replayed, finder: _Finder, workplace: Workplace | None
) -> Replayed:
    """Search again where that gives the same by design: equal texts, and a retriever of equal identity."""
    manifest = opened.manifest(one)
    try:
        exam = finder.exam(one, manifest)
        place = workplace or Workplace()
        retriever = create(parse_retriever(manifest.name), place)
        if retriever.identity() != manifest.retriever or retriever.stage != manifest.stage:
            return _with(
                replayed,
                None,
                f"{manifest.name} is another retriever here: {_other(retriever.identity(), manifest)}",
            )
    except BeirkitError as error:
        return _with(replayed, None, error.found)
    suite = SuiteConfig(
        name="replay",
        datasets=[str(exam.dataset.folder)],
        retrievers=[manifest.name],
        k=manifest.k,
        split=one.split,
        protocol=opened.facts.protocol,
    )
    with tempfile.TemporaryDirectory() as temporary:
        _log.info("%s: searching again", one.label)
        (cell,) = run_suite(suite, results=Path(temporary), workplace=place, part=exam.sample)
        made, kept = _content(cell.path / one.run), _content(opened.file(one, one.run))
    if made == kept:
        return _with(replayed, True, "")
    return _with(replayed, False, _first_difference(kept, made))


def _content(path: Path) -> bytes:
    if not path.is_file():
        return b""
    with open_bytes(path) as stream:
        return stream.read()


def _other(identity: Mapping[str, Any], manifest: Manifest) -> str:
    keys = [
        key for key in {**manifest.retriever, **identity} if identity.get(key) != manifest.retriever.get(key)
    ]
    return ", ".join(sorted(keys)) or "its stage"


def _with(replayed: Replayed, searched: bool | None, why: str) -> Replayed:
    return Replayed(replayed.result, replayed.judgments, replayed.equal, replayed.difference, searched, why)


def _unpack(opened: OpenCapsule, out: Path) -> list[tuple[CapsuleResult, Path]]:
    """Put the results into a folder of results; one that is there already stays."""
    places = []
    for one in opened.facts.results:
        target = out / Path(*Path(one.path).parts[1:])
        places.append((one, target))
        if target.exists():
            _log.warning("%s is there already and stays as it is", target)
            continue
        with whole_folder(target, overwrite=False, written=lambda _: set()) as part:
            for name in ("manifest.json", one.run, one.scores):
                shutil.copyfile(opened.file(one, name), part / name)
    return places
