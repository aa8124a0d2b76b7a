"""Output folders of TIRA: one run and what ir_metadata says about it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import yaml

from beirkit.configs.load import load_yaml
from beirkit.corpora.errors import UsageError
from beirkit.corpora.files import atomic_open
from beirkit.corpora.ids import slug
from beirkit.corpora.run_files import write_run
from beirkit.evaluate.exports.base import Entry, Problem, Step, Submittable, Target
from beirkit.evaluate.exports.found import Found, quoted
from beirkit.evaluate.exports.known import Checkable, Known
from beirkit.evaluate.exports.lists import (
    require_no_white_space,
    require_once,
    require_whole,
    submitted_run,
)
from beirkit.evaluate.exports.run_lines import RunTally, file_problems
from beirkit.evaluate.exports.submission import Submission, find_submission

METADATA = "ir-metadata.yml"
_RUNS = ("run.txt", "run.txt.gz")
_PLACEHOLDER = "ENTER_VALUE_HERE"
_LARGEST = 250 << 20
_LEAST_LINES, _LEAST_QUERIES = 5, 3
_REQUIRED = (
    ("actor", "team"),
    ("implementation", "source", "repository"),
    ("data", "test collection", "name"),
    ("method", "name"),
    ("method", "description"),
)
_SECTIONS = (
    "actor",
    "data",
    "implementation",
    "method",
    "platform",
    "research goal",
    "resources",
    "tag",
    "schema version",
)
_ADDRESS = re.compile(r"(https?|ssh|git)://[^\s/]+/\S+|git@[^\s:]+:\S+")


class TiraOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Options of :class:`Tira`."""

    team: str = ""
    repository: str = ""
    collection: str = ""
    description: str = ""
    depth: int | None = None
    gzip: bool = False


class Tira(Target[TiraOptions], Checkable, Submittable):
    """One folder per result with ``run.txt`` and ``ir-metadata.yml``; a single result gets none of its own.

    What the metadata need and no result knows is asked for: the team, and the address of the code.

    Options:
        team: of the submission, as TIRA knows it.
        repository: address of the code that made the run.
        collection: TIRA's or ir_datasets' id of the test collection; none: ``DATASET/SPLIT``.
        description: of the method, in a sentence; none: the retriever's settings.
        depth: results per query; none: as many as the result holds.
        gzip: write ``run.txt.gz``.
    """

    name: ClassVar[str] = "tira"
    summary: ClassVar[str] = "output folders of TIRA: run.txt with ir-metadata.yml"
    Options: ClassVar[type[msgspec.Struct]] = TiraOptions

    def write(self, entries: Sequence[Entry], folder: Path, options: TiraOptions) -> None:
        """Write the folders; see :class:`Target`."""
        require_whole(entries, "TIRA")
        for key, value in (("team", options.team), ("repository", options.repository)):
            if not value.strip():
                raise UsageError(f"ir_metadata asks for the {key}", hint=f"add --set {key}=…")
        if not _ADDRESS.fullmatch(options.repository):
            raise UsageError(
                f"repository={options.repository!r} is no address", hint="such as https://…/NAME"
            )
        if options.collection and len({(one.dataset, one.split) for one in entries}) > 1:
            raise UsageError(
                "collection= names one test collection, and there are several", hint="export them apart"
            )
        places = [slug(f"{one.dataset}@{one.split}") + f"/{slug(one.system)}" for one in entries]
        require_once(entries, places)
        for entry, place in zip(entries, places, strict=True):
            own = folder if len(entries) == 1 else folder / place
            run = submitted_run(entry, options.depth)
            require_no_white_space(run, entry)
            _require_enough(run.n_results, len(run), entry)
            write_run(replace(run, tag=slug(entry.system)), own / _RUNS[options.gzip])
            with atomic_open(own / METADATA) as out:
                yaml.safe_dump(_metadata(entry, options), out, allow_unicode=True, sort_keys=False, width=100)

    def validate(self, path: Path) -> list[Problem]:
        """See :class:`Target`; a folder of output folders is validated as all of them."""
        return _problems(path, None)

    def validate_against(self, path: Path, known: Known) -> list[Problem]:
        """See :class:`Checkable`."""
        return _problems(path, known)

    def steps(self, path: Path) -> Sequence[Step]:
        """See :class:`Submittable`; the commands are those of TIRA's own client."""
        folders = sorted({run.parent for name in _RUNS for run in path.rglob(name)})
        uploads = []
        for folder in folders:
            about = _said(folder)
            where = f"--directory {folder} --dataset ID --system {slug(about.get('name', '')) or 'NAME'}"
            uploads.append(
                Step(
                    what=f"upload {folder}: tira-cli upload {where}",
                    why=f"ID is what the task calls {about.get('collection') or 'the collection'} in TIRA; "
                    "with --dry-run its client checks the folder and sends nothing",
                )
            )
        missing = sum(not (folder / METADATA).is_file() for folder in folders)
        described = f"{METADATA} says who ran what: {len(folders)} of {len(folders)} runs"
        if missing:
            described = f"write {METADATA} for {missing} of {len(folders)} runs"
        return [
            Step(what=described, done=not missing, why="without it nobody can tell how a run was made"),
            Step(
                what="register a team for the task at https://www.tira.io and take its token",
                why="each task opens for itself; one that is over takes nothing",
            ),
            Step(
                what="pip install tira, then: tira-cli login --token TOKEN", why="or upload by the web page"
            ),
            *uploads,
            Step(
                what="wait for the scores: the organisers unblind a run when they have seen it",
                why="judgments of an open task are hidden",
            ),
        ]


def _said(folder: Path) -> dict[str, str]:
    """Name and collection of a run that was found valid, where its metadata say them."""
    if not (folder / METADATA).is_file():
        return {}
    data = load_yaml((folder / METADATA).read_text(encoding="utf-8"))
    return {"name": data["method"]["name"], "collection": data["data"]["test collection"]["name"]}


def _problems(path: Path, known: Known | None) -> list[Problem]:
    if path.is_file():
        if path.name not in (*_RUNS, METADATA):
            expected = f"{' or '.join(_RUNS)}, beside {METADATA}"
            return [Problem(file=path.name, found=quoted(path.name), expected=expected)]
        return _folder(path.parent, path.parent, find_submission(path), known)
    marks = sorted({*path.rglob("run.txt"), *path.rglob("run.txt.gz"), *path.rglob(METADATA)})
    folders = sorted({mark.parent for mark in marks}) or [path]
    submission = find_submission(path)
    return [problem for one in folders for problem in _folder(one, path, submission, known)]


def _require_enough(lines: int, queries: int, entry: Entry) -> None:
    if lines < _LEAST_LINES or queries < _LEAST_QUERIES:
        raise UsageError(
            f"{entry.label} has {lines} results for {queries} queries; TIRA refuses runs of fewer than "
            f"{_LEAST_LINES} lines or {_LEAST_QUERIES} queries, valid as they may be",
            hint="export it to trec",
        )


def _metadata(entry: Entry, options: TiraOptions) -> dict[str, Any]:
    versions = entry.manifest.get("versions")
    software = (
        {name: str(version) for name, version in versions.items()} if isinstance(versions, dict) else {}
    )
    data: dict[str, Any] = {
        "actor": {"team": options.team},
        "implementation": {"source": {"repository": options.repository}},
        "data": {"test collection": {"name": options.collection or f"{entry.dataset}/{entry.split}"}},
        "method": {
            "name": entry.system,
            "description": options.description
            or ", ".join(_settings(entry.manifest.get("retriever")))
            or entry.system,
        },
    }
    if software:
        data["platform"] = {
            "software": {"libraries": [f"{name}=={version}" for name, version in software.items()]}
        }
    seconds = entry.timings.get("seconds")
    if isinstance(seconds, dict) and seconds:
        data["resources"] = {"runtime": {"wallclock": f"{sum(seconds.values()):.3f} s"}}
    return data


def _settings(facts: Any, prefix: str = "") -> Iterator[str]:
    """The settings of a retriever as ``key=value``, without hashes."""
    if not isinstance(facts, Mapping):
        return
    for key, value in facts.items():
        if isinstance(value, Mapping):
            yield from _settings(value, f"{prefix}{key}.")
        elif value not in (None, "") and not re.fullmatch(r"[0-9a-f]{64}", str(value)):
            yield f"{prefix}{key}={value}"


def _folder(folder: Path, root: Path, submission: Submission | None, known: Known | None) -> list[Problem]:
    """What is wrong with one output folder."""
    place = folder.relative_to(root).as_posix()
    prefix = "" if place == "." else f"{place}/"
    problems: list[Problem] = []
    found = Found(f"{prefix}run.txt")
    there = [name for name in _RUNS if (folder / name).is_file()]
    if len(there) != 1:
        told = " and ".join(there) or "neither run.txt nor run.txt.gz"
        found.add("runs", "", told, "one of run.txt and run.txt.gz", "TIRA takes one run from a folder")
    for name in there[:1]:
        if (folder / name).stat().st_size > _LARGEST:
            found.add("sizes", "", f"{(folder / name).stat().st_size:,} bytes", f"at most {_LARGEST:,}")
        wrong, tally = file_problems(folder / name, prefix + name, known=known)
        problems += wrong
        _enough(found, tally)
    problems += found.problems()
    names = _names(place, submission)
    if (folder / METADATA).is_file():
        problems += _metadata_problems(folder / METADATA, prefix + METADATA, names)
    else:
        problems.append(
            Problem(
                severity="warning",
                file=prefix + METADATA,
                found="no such file",
                expected="who ran what on which collection",
                todo="TIRA takes the run without it, and then nobody can tell how it was made",
            )
        )
    return problems


def _enough(found: Found, tally: RunTally) -> None:
    if 0 < tally.lines < _LEAST_LINES:
        found.add("few lines", "", f"{tally.lines} lines", f"{_LEAST_LINES} or more", "TIRA refuses fewer")
    if 0 < len(tally.queries) < _LEAST_QUERIES:
        found.add(
            "few queries",
            "",
            f"{len(tally.queries)} queries",
            f"{_LEAST_QUERIES} or more",
            "TIRA refuses fewer",
        )


def _names(place: str, submission: Submission | None) -> set[str]:
    """What the collection of a folder may be called, where the export tells which it is; else nothing."""
    if submission is None or submission.target != "tira":
        return set()
    if told := submission.options.get("collection"):
        return {str(told)}
    return {
        f"{one.dataset}/{one.split}"
        for one in submission.results
        if place in (".", f"{slug(f'{one.dataset}@{one.split}')}/{slug(one.system)}")
    }


def _metadata_problems(path: Path, name: str, names: set[str]) -> list[Problem]:
    found = Found(name)
    try:
        text = path.read_text(encoding="utf-8")
        data = load_yaml(text)
    except (OSError, ValueError, yaml.YAMLError) as error:
        found.add("files", "", f"no YAML: {error}".replace("\n", " "), "YAML")
        return found.problems()
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() in ("ir_metadata.start", "ir_metadata.end"):
            found.add(
                "markers",
                f"line {number}",
                quoted(line.strip()),
                "plain YAML",
                "the markers are for the comments of a run file; TIRA finds no metadata between them",
            )
    if not isinstance(data, dict):
        found.add("files", "", f"{data!r:.40}", "a mapping")
        return found.problems()
    for key in data:
        if key not in _SECTIONS:
            found.add("unknown sections", str(key), quoted(key), f"one of {', '.join(_SECTIONS)}")
    for keys in _REQUIRED:
        value: Any = data
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        where = ".".join(keys)
        if not isinstance(value, str):
            found.add("missing values", where, "nothing" if value is None else quoted(value), "a text")
        elif not value.strip() or _PLACEHOLDER in value:
            found.add("empty values", where, quoted(value), "a text that says it")
        elif keys[-1] == "repository" and not _ADDRESS.fullmatch(value.strip()):
            found.add("addresses", where, quoted(value), "an address, such as https://…/NAME")
        elif keys[1] == "test collection" and names and value not in names:
            found.add(
                "collections", where, quoted(value), " or ".join(sorted(names)), "the run is of that one"
            )
    return found.problems()
