"""Capsules written and validated; ``beirkit replay`` scores them again."""

from __future__ import annotations

import logging
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from beirkit.corpora.errors import BeirkitError
from beirkit.corpora.exports.catalog import MANIFEST
from beirkit.corpora.files import byte_lines
from beirkit.corpora.ids import slug
from beirkit.corpora.manifest import installed_version
from beirkit.corpora.qrels_write import qrels_lines
from beirkit.corpora.records import Judgment
from beirkit.evaluate.exports.base import Entry, Problem, Target
from beirkit.evaluate.exports.capsule_file import (
    CITATIONS,
    FORMAT,
    INDEX,
    METRICS,
    README,
    SUMS,
    Capsule,
    CapsuleResult,
    Manifest,
    OpenCapsule,
    json_bytes,
    metrics_of,
    scored,
    scores_bytes,
    sums,
)
from beirkit.evaluate.exports.known import files_in
from beirkit.evaluate.exports.lists import require_once
from beirkit.evaluate.exports.run_lines import run_problems
from beirkit.evaluate.exports.zips import write_zip
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.protocol import Protocol, get_protocol
from beirkit.evaluate.score_files import read_scores
from beirkit.evaluate.scores import Scores

_log = logging.getLogger(__name__)

NAME = "capsule.zip"
_PLACE = re.compile(r"(/|[A-Za-z]:\\|~/).+[/\\].+")

_TEXT = """# A capsule of results

Made by beirkit {version}.

    beirkit replay {name}

scores every run again and tells whether each file of scores comes out byte for byte as it is here, then
searches again what can be searched on that machine. {judgments}

- `{index}`: what is here, content ids of corpus, queries and judgments, and the protocol: {rules}
- `results/`: for each result its run, its manifest and its scores per query
- `{metrics}`: the means
- `{citations}`: papers and licences of all that stands behind the results
- `{sums}`: for `sha256sum -c {sums}`

There is no text of any query or document in it.
"""


class CapsuleOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Options of :class:`CapsuleFile`."""

    protocol: str = "beirkit"
    judgments: bool = False


class CapsuleFile(Target[CapsuleOptions]):
    """``capsule.zip``: runs, manifests, scores, content ids, protocol, checksums and citations.

    No text of a query or document is in it, and no judgment unless asked for: whose they are decides whether
    they may be passed on. ``beirkit replay`` finds them by their content id.

    Options:
        protocol: what the scores are made under.
        judgments: put the judgments in too, where their licence allows it.
    """

    name: ClassVar[str] = "capsule"
    summary: ClassVar[str] = "one zip of runs, scores and content ids, which `beirkit replay` scores again"
    Options: ClassVar[type[msgspec.Struct]] = CapsuleOptions

    def write(self, entries: Sequence[Entry], folder: Path, options: CapsuleOptions) -> None:
        """Write the zip; see :class:`Target`."""
        protocol = get_protocol(options.protocol)
        paths = [f"results/{_folder_of(entry)}/{entry.folder.resolve().name}" for entry in entries]
        require_once(entries, paths)
        files: dict[str, bytes] = {}
        results: list[CapsuleResult] = []
        means: list[tuple[str, Scores]] = []
        for path, entry in sorted(zip(paths, entries, strict=True), key=lambda pair: pair[0]):
            _warn_of_places(entry)
            manifest = msgspec.convert(dict(entry.manifest), Manifest)
            scores = scored(entry.run_file, manifest, entry.qrels, protocol, _measures(entry, protocol))
            name = f"scores.{slug(protocol.name)}.jsonl"
            files[f"{path}/manifest.json"] = (entry.folder / "manifest.json").read_bytes()
            files[f"{path}/{entry.run_file.name}"] = entry.run_file.read_bytes()
            files[f"{path}/{name}"] = scores_bytes(scores)
            judgments = f"qrels/{_folder_of(entry)}.jsonl" if options.judgments else ""
            if judgments:
                files[judgments] = _judgments(entry)
            results.append(
                CapsuleResult(
                    path=path,
                    dataset=entry.dataset,
                    split=entry.split,
                    system=entry.system,
                    content_ids=dict(entry.content_ids),
                    run=entry.run_file.name,
                    scores=name,
                    judgments=judgments,
                )
            )
            means.append((path, scores))
        facts = Capsule(
            format=FORMAT,
            beirkit=installed_version(),
            protocol=protocol.name,
            rules=protocol.describe(),
            results=tuple(results),
        )
        files[INDEX] = json_bytes(msgspec.to_builtins(facts))
        files[METRICS] = metrics_of(means)
        if (citations := merged_citations(entries)).strip():
            files[CITATIONS] = citations.encode()
        files[README] = _readme(facts, options).encode()
        files[SUMS] = sums(files)
        write_zip(folder / NAME, dict(files))

    def validate(self, path: Path) -> list[Problem]:
        """See :class:`Target`; a zip, or a folder of them."""
        problems: list[Problem] = []
        count = 0
        for name, file in files_in(path, ".zip", without=MANIFEST):
            count += 1
            try:
                with tempfile.TemporaryDirectory() as temporary:
                    opened = OpenCapsule(file, Path(temporary))
                    problems += [
                        one for result in opened.facts.results for one in _problems(opened, result, name)
                    ]
                    problems += _metrics_problems(opened, name)
            except BeirkitError as error:
                problems.append(
                    Problem(file=name, found=error.found, expected="a capsule of beirkit", todo=error.hint)
                )
        if not count:
            problems.append(Problem(file=".", found="no zip", expected=NAME))
        return problems


def merged_citations(entries: Sequence[Entry]) -> str:
    """What stands behind all the results, as BibTeX: each source and each paper once."""
    parts = [part.strip("\n") for entry in entries for part in entry.cite().split("\n\n")]
    lines = [line for part in parts if part.startswith("%") for line in part.splitlines()]
    papers = [part for part in parts if part and not part.startswith("%")]
    return "\n\n".join(["\n".join(dict.fromkeys(lines)), *dict.fromkeys(papers)]) + "\n" if parts else ""


def _folder_of(entry: Entry) -> str:
    return entry.folder.resolve().parent.name or slug(f"{entry.dataset}@{entry.split}")


def _measures(entry: Entry, protocol: Protocol) -> tuple[Measure, ...]:
    """Those that were kept under the protocol, and those that it reports."""
    kept = entry.folder / f"scores.{slug(protocol.name)}.jsonl"
    known = read_scores(kept).measures if kept.is_file() else ()
    return tuple(dict.fromkeys((*known, *protocol.measures)))


def _judgments(entry: Entry) -> bytes:
    rows = (
        Judgment(query_id, doc_id, grade)
        for query_id, row in entry.qrels.items()
        for doc_id, grade in row.items()
    )
    return "".join(qrels_lines(rows, "jsonl")).encode()


def _readme(facts: Capsule, options: CapsuleOptions) -> str:
    held = "The judgments are in `qrels/`." if options.judgments else (
        "The judgments are not in it: they are found\nunder their dataset's name, or in what --qrels "
        "names, and are taken where they have the content id that is told here."
    )  # fmt: skip
    return _TEXT.format(
        version=facts.beirkit, name=NAME, index=INDEX, rules=facts.rules, judgments=held, metrics=METRICS,
        citations=CITATIONS, sums=SUMS,
    )  # fmt: skip


def _warn_of_places(entry: Entry) -> None:
    """Say which values of a manifest look like places on this machine; they go out as they are."""
    for key, value in _texts(entry.manifest, ""):
        if _PLACE.fullmatch(value):
            _log.warning("%s: the manifest names %s = %s, which the capsule shows", entry.label, key, value)


def _texts(value: Any, key: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _texts(inner, f"{key}.{name}" if key else str(name))


def _problems(opened: OpenCapsule, result: CapsuleResult, name: str) -> list[Problem]:
    """What is wrong with one result, as far as can be told without judgments."""
    place = f"{name}!{result.path}"
    problems = []
    try:
        manifest = opened.manifest(result)
        scores = opened.kept_scores(result)
    except BeirkitError as error:
        return [Problem(file=place, found=error.found, expected="a manifest and scores that can be read")]
    stated = {"dataset": result.dataset, "split": result.split, "system": result.system}
    stated |= {f"content_ids.{key}": value for key, value in result.content_ids.items()}
    sampled = manifest.sample is not None and manifest.dataset.startswith(f"{result.dataset}+")
    whole = result.dataset if sampled else manifest.dataset  # a sample's own name stands behind its dataset's
    made = {"dataset": whole, "split": manifest.split, "system": manifest.name}
    made |= {f"content_ids.{key}": value for key, value in manifest.content_ids.items()}
    problems += [
        Problem(
            file=f"{name}!{INDEX}",
            key=f"results.{result.path}.{key}",
            found=repr(value),
            expected=f"{made[key]!r}, as the manifest says",
        )
        for key, value in stated.items()
        if made.get(key, value) != value
    ]
    if scores.protocol.name != opened.facts.protocol:
        problems.append(
            Problem(
                file=f"{place}/{result.scores}",
                key="protocol",
                found=repr(scores.protocol.name),
                expected=repr(opened.facts.protocol),
            )
        )
    if len(result.judgments_id) != 64:
        problems.append(
            Problem(
                file=f"{name}!{INDEX}",
                key=f"results.{result.path}.content_ids.qrels/{result.split}",
                found=repr(result.judgments_id),
                expected="the content id of the judgments",
                todo="without it nobody can tell which judgments the scores are of",
            )
        )
    if result.run == "run.trec.gz":
        run = opened.file(result, result.run)
        wrong, tally = run_problems(byte_lines(run), f"{place}/{result.run}")
        problems += [one for one in wrong if one.severity == "error" and tally.lines]  # nothing may be found
    return problems


def _metrics_problems(opened: OpenCapsule, name: str) -> list[Problem]:
    """Means that are not those of the scores."""
    try:
        kept = [(one.path, opened.kept_scores(one)) for one in opened.facts.results]
    except BeirkitError:
        return []  # told already
    if metrics_of(kept) == opened.metrics():
        return []
    return [
        Problem(file=f"{name}!{METRICS}", found="other means", expected="the means of the scores in results/")
    ]
