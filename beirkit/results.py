"""One folder per dataset, split, retriever and configuration: the run, its scores and how it was made.

``manifest.json`` is written last inside a folder that appears under its name only when it is whole, so a
folder that exists can be trusted. Its name ends in the first 8 hex digits of the SHA-256 of everything the
run depends on; equal work is found again, and a changed setting gets a folder of its own.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from beirkit.corpora.errors import BeirkitError, DataError, WriteError
from beirkit.corpora.files import write_json as write_json
from beirkit.corpora.ids import slug as slug
from beirkit.corpora.run import Run
from beirkit.corpora.run_files import read_run, run_file_name, write_run

_log = logging.getLogger(__name__)

_FORMAT = 1  # of the folder; raised when its files change meaning

_SOURCE = "dataset_folder"  # in timings.json: manifests of equal work are equal wherever the dataset is

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")

_ANOTHER_PLACE = "make room there, or choose another folder with --out"

LIBRARIES = (
    "beir", "faiss-cpu", "mteb", "numpy", "onnxruntime", "openvino", "pytrec-eval-terrier", "PyStemmer",
    "rank-bm25", "scipy", "sentence-transformers", "tokenizers", "torch", "transformers",
)  # fmt: skip
"""Distributions whose versions stand in a result's manifest."""


def result_key(facts: dict[str, Any]) -> str:
    """SHA-256 hex of the facts a run depends on, whatever the order of their keys."""
    text = json.dumps({"format": _FORMAT, **facts}, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


class ResultFolder:
    """Where the result of one dataset and one retriever is kept.

    Args:
        results: the folder that holds all results.
        dataset: the dataset's label, watermark included.
        split: name of the split.
        retriever: the retriever's name.
        key: value of :func:`result_key`.
    """

    def __init__(self, results: Path, dataset: str, split: str, retriever: str, key: str) -> None:
        self.path = results / slug(f"{dataset}@{split}") / f"{slug(retriever)}--{key[:8]}"
        self.key = key

    def manifest(self) -> dict[str, Any] | None:
        """What is known about the run, or ``None`` where there is no finished run for this key.

        Raises:
            BeirkitError: another configuration has the same first 8 digits.
        """
        path = self.path / "manifest.json"
        if not path.is_file():
            return None
        try:
            manifest: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            _log.warning("%s is damaged; the result is made anew", path)
            return None
        if manifest.get("key") != self.key:
            raise BeirkitError("belongs to another configuration", path=path, hint="use another --out")
        return manifest

    def read_run(self) -> Run:
        """The stored run: ranked lists of depth k + 1, self-matches still inside."""
        for name in ("run.trec.gz", "run.jsonl.gz"):
            if (self.path / name).is_file():
                return read_run(self.path / name)
        raise DataError("holds no run", path=self.path)

    def scores_path(self, protocol: str) -> Path:
        """Where the per-query scores under one protocol are kept."""
        return self.path / f"scores.{slug(protocol)}.jsonl"

    def require_room(self) -> None:
        """Find out before any work whether the result will have somewhere to go.

        Raises:
            WriteError: the results folder cannot be written.
        """
        probe = self.path.parent / f".{self.path.name}.{os.getpid()}.probe"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            probe.write_bytes(b"")
            probe.unlink()
        except OSError as error:
            raise _refused(self.path.parent, error) from error

    def keep_source(self, dataset: Path) -> None:
        """Keep where the dataset is by now, for a result that was found; one that is read-only stays so."""
        path = self.path / "timings.json"
        if source_folder(self.path) == dataset.resolve():
            return
        with contextlib.suppress(WriteError, OSError, ValueError, TypeError):
            timings = json.loads(path.read_text(encoding="utf-8"))
            write_json(path, {**timings, _SOURCE: str(dataset.resolve())})

    def discard(self) -> None:
        """Remove what is left of a result that was damaged."""
        shutil.rmtree(self.path, ignore_errors=True)

    def write(
        self, run: Run, manifest: dict[str, Any], timings: dict[str, Any], *, dataset: Path | None = None
    ) -> None:
        """Put run, manifest and timings in place, all at once.

        Args:
            run: the ranked lists.
            manifest: how they were made; the same wherever they are made.
            timings: what differs between machines.
            dataset: the folder that was searched; it differs between machines too.

        Raises:
            WriteError: the system refused a file; nothing is left of the result.
        """
        temporary = self.path.with_name(f".{self.path.name}.{os.getpid()}.tmp")
        try:
            temporary.mkdir(parents=True)
            write_run(run, temporary / run_file_name(run))
            source = {} if dataset is None else {_SOURCE: str(dataset.resolve())}
            write_json(temporary / "timings.json", {**timings, **source})
            write_json(temporary / "manifest.json", {"key": self.key, **manifest})
            if self.manifest() is None:  # else the same work was finished elsewhere in the meantime
                self.discard()
                temporary.rename(self.path)
        except WriteError as error:
            raise WriteError(error.found, path=self.path, hint=_ANOTHER_PLACE) from error
        except OSError as error:
            raise _refused(self.path, error) from error
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def source_folder(result: Path) -> Path | None:
    """The folder of the dataset that a result is of; None: it is older than beirkit kept that."""
    try:
        folder = json.loads((result / "timings.json").read_text(encoding="utf-8"))[_SOURCE]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return Path(folder) if isinstance(folder, str) else None


def made_on(result: Path) -> str:
    """The day on which a result was searched, as YYYY-MM-DD; empty: its folder does not tell."""
    try:
        day = json.loads((result / "timings.json").read_text(encoding="utf-8"))["made"]
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    return day if isinstance(day, str) and _DAY.fullmatch(day) else ""


def _refused(path: Path, error: OSError) -> WriteError:
    return WriteError(f"cannot be written: {error.strerror}", path=path, hint=_ANOTHER_PLACE)


def differing_settings(results: Mapping[str, Path], *, depth: int | None = None) -> list[str]:
    """What keeps results from being compared: other data, another split, another depth.

    Args:
        results: result folders by name; what is none, such as a bare run file, is passed over.
        depth: results per query that count of all of them; None: as many as each was asked for.

    Returns:
        One sentence per difference; empty where there is none.

    Raises:
        DataError: a manifest is damaged.
    """
    known = {name: facts for name, path in results.items() if (facts := _compared(path))}
    differing: list[str] = []
    if depth is not None:  # then it does not matter how many more there are
        known = {name: facts | {"k": str(depth)} for name, facts in known.items()}
    for name, facts in list(known.items())[1:]:
        first_name, first = next(iter(known.items()))
        for what in sorted(facts.keys() | first.keys()):
            ours, theirs = first.get(what, "nothing"), facts.get(what, "nothing")
            if ours != theirs:
                kind = "different data versions: " if what.startswith("content id") else ""
                differing.append(f"{kind}{what} is {ours} in {first_name} and {theirs} in {name}")
    return differing


def _compared(path: Path) -> dict[str, str]:
    """The settings of a result that must be equal for a comparison to mean anything."""
    manifest = path / "manifest.json"
    if not manifest.is_file():
        return {}
    try:
        facts: dict[str, Any] = json.loads(manifest.read_text(encoding="utf-8"))
        contents: dict[str, str] = facts["content_ids"]
        ids = {f"content id of {name}": str(value)[:12] for name, value in contents.items()}
        if "excluded" in facts:  # documents that were taken out of rankings, a hash of them
            ids["excluded documents"] = str(facts["excluded"])[:12]
        return {name: str(facts[name]) for name in ("dataset", "split", "k")} | ids
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(
            f"is no manifest of a result: {error!r}", path=manifest, hint="run it again"
        ) from error


def library_versions(names: Iterable[str]) -> dict[str, str]:
    """Installed versions of the named distributions, without importing them."""
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
