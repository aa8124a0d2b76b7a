"""What a capsule is: a zip from which whoever has the judgments scores results again, byte for byte."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from beirkit.corpora.errors import DataError
from beirkit.corpora.manifest import ContentId
from beirkit.corpora.qrels import read_qrels
from beirkit.corpora.records import Judgment, Qrels
from beirkit.corpora.run_files import read_run
from beirkit.evaluate.engine import evaluate
from beirkit.evaluate.exports.zips import member, reading_zip
from beirkit.evaluate.measures import Measure
from beirkit.evaluate.protocol import Protocol
from beirkit.evaluate.score_files import read_scores, write_scores
from beirkit.evaluate.scores import Scores

INDEX, METRICS, SUMS, CITATIONS, README = (
    "capsule.json",
    "metrics.json",
    "SHA256SUMS",
    "citations.bib",
    "README.md",
)
FORMAT = "beirkit capsule 1"
RUN_FILES = ("run.trec.gz", "run.jsonl.gz")


class CapsuleResult(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One result in a capsule.

    Attributes:
        path: of its folder in the zip, as under a folder of results.
        dataset: the dataset's name, without the mark of a sample.
        split: the split that was searched.
        system: the retriever's name.
        content_ids: of corpus, queries and judgments.
        run: name of the run's file in the folder.
        scores: name of the scores' file in the folder.
        judgments: name of the judgments in the zip; empty: they are not in it.
    """

    path: str
    dataset: str
    split: str
    system: str
    content_ids: dict[str, str]
    run: str
    scores: str
    judgments: str = ""

    @property
    def label(self) -> str:
        """The result in a few words."""
        return f"{self.system} on {self.dataset}@{self.split}"

    @property
    def judgments_id(self) -> str:
        """Content id of the judgments it was scored with."""
        return self.content_ids.get(f"qrels/{self.split}", "")


class Capsule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``capsule.json``.

    Attributes:
        format: of the capsule.
        beirkit: version that wrote it.
        protocol: what the scores were made under.
        rules: the same in words.
        results: what it holds.
    """

    format: str
    beirkit: str
    protocol: str
    rules: str
    results: tuple[CapsuleResult, ...]


class _SelfMatch(msgspec.Struct):
    query_ids: list[str]


class Manifest(msgspec.Struct):
    """Of a result's manifest, what it is of, and what scoring and searching again need."""

    dataset: str
    split: str
    content_ids: dict[str, str]
    k: int
    queries: int
    name: str
    self_match: _SelfMatch
    retriever: dict[str, Any]
    stage: int | str = ""
    sample: dict[str, Any] | None = None


def scored(
    run_file: Path,
    manifest: Manifest,
    qrels: Qrels,
    protocol: Protocol,
    measures: Sequence[Measure],
    *,
    label: str = "",
) -> Scores:
    """The scores of a kept run from nothing but itself, its manifest and judgments.

    The label names the run in messages, where its file has only a passing place.
    Documents outside the corpus are not counted, as they are beside a result: that would take the corpus.
    """
    run = replace(read_run(run_file), source=label or str(run_file))
    if manifest.queries >= len(qrels):  # a searched query without a list found nothing
        run = run.including(qrels)
    return evaluate(
        qrels,
        run,
        measures,
        protocol,
        self_match_ids=frozenset(manifest.self_match.query_ids),
        depth=manifest.k,
    )


def scores_bytes(scores: Scores) -> bytes:
    """Scores as their file has them."""
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary) / "scores.jsonl"
        write_scores(scores, path)
        return path.read_bytes()


def judgments_id(qrels: Qrels) -> str:
    """The content id of judgments."""
    content = ContentId()
    for query_id, row in qrels.items():
        for doc_id, grade in row.items():
            content.add_judgment(Judgment(query_id, doc_id, grade))
    return content.hexdigest()


def json_bytes(data: Any) -> bytes:
    """JSON for people and machines."""
    return (json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode()


def sums(files: Mapping[str, bytes]) -> bytes:
    """SHA-256 of every file, in the form that ``sha256sum -c`` reads."""
    return "".join(f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files)).encode()


class OpenCapsule:
    """A capsule whose checksums hold, unpacked into a folder.

    Args:
        path: the zip.
        folder: an empty folder.

    Attributes:
        facts: what it says of itself.

    Raises:
        DataError: it is no capsule, is damaged, or was changed after it was made.
    """

    def __init__(self, path: Path, folder: Path) -> None:
        self.path, self._folder = path, folder
        with reading_zip(path) as opened:
            names = [info.filename for info in opened.infolist() if not info.is_dir()]
            told = _sums(member(opened, SUMS), path)
            for name in sorted({*names, *told} - {SUMS}):
                if name not in told:
                    raise self._wrong(f"holds {name}, which {SUMS} does not list")
                data = member(opened, name)
                if hashlib.sha256(data).hexdigest() != told[name]:
                    raise self._wrong(f"{name} is not what {SUMS} says: it was damaged or changed")
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
        if not (folder / INDEX).is_file():
            raise self._wrong(f"holds no {INDEX}")
        self.facts = self._decode(folder / INDEX, Capsule)
        if self.facts.format != FORMAT:
            raise self._wrong(f"has the format {self.facts.format!r}, not {FORMAT!r}")
        for one in self.facts.results:
            if not _stays_inside(one):
                raise self._wrong(f"{INDEX} names a place out of its results: {one.path!r}")
            for name in (f"{one.path}/manifest.json", f"{one.path}/{one.run}", f"{one.path}/{one.scores}"):
                if not (folder / name).is_file():
                    raise self._wrong(f"{INDEX} names {name}, which it does not hold")

    def file(self, one: CapsuleResult, name: str) -> Path:
        """Where a file of a result was unpacked."""
        return self._folder / one.path / name

    def manifest(self, one: CapsuleResult) -> Manifest:
        """How a result was made."""
        manifest: Manifest = self._decode(self.file(one, "manifest.json"), Manifest)
        return manifest

    def kept_scores(self, one: CapsuleResult) -> Scores:
        """The scores as they were packed."""
        return read_scores(self.file(one, one.scores))

    def judgments(self, one: CapsuleResult) -> Qrels | None:
        """The judgments that are packed too; None: they are not."""
        return read_qrels(self._folder / one.judgments) if one.judgments else None

    def metrics(self) -> bytes:
        """``metrics.json``."""
        path = self._folder / METRICS
        return path.read_bytes() if path.is_file() else b""

    def _decode(self, path: Path, shape: type[Any]) -> Any:
        try:
            return msgspec.json.decode(path.read_bytes(), type=shape)
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise self._wrong(f"{path.name} cannot be read: {error}") from error

    def _wrong(self, found: str) -> DataError:
        return DataError(found, path=self.path, hint="get the capsule again")


def metrics_of(scores: Iterable[tuple[str, Scores]]) -> bytes:
    """``metrics.json``: the means of each result, by its path."""
    return json_bytes({path: one.means() for path, one in scores})


def _stays_inside(one: CapsuleResult) -> bool:
    """Whether the places of a result are where a capsule has them, so that none leads out of it."""
    parts = one.path.split("/")
    plain = all(part not in ("", ".", "..") for part in parts) and "\\" not in one.path
    qrels = one.judgments.split("/")
    return (
        plain
        and len(parts) == 3
        and parts[0] == "results"
        and one.run in RUN_FILES
        and "/" not in one.scores
        and (not one.judgments or (len(qrels) == 2 and qrels[0] == "qrels"))
    )


def _sums(data: bytes, path: Path) -> dict[str, str]:
    found = {}
    for line in data.decode("utf-8", "replace").splitlines():
        digest, blanks, name = line.partition("  ")
        if not blanks or not name:
            raise DataError(f"{SUMS} has a line that is none: {line[:60]!r}", path=path)
        found[name] = digest
    return found
