"""Ranked lists of other tools: TREC's columns, ranx, sentence-transformers, AIR-Bench, BRIGHT."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from beirkit.corpora.compressed import bare_name
from beirkit.corpora.errors import DataError, MissingExtraError
from beirkit.corpora.files import byte_lines
from beirkit.corpora.run import Run
from beirkit.corpora.run_files import read_run
from beirkit.evaluate.exports.air_bench_files import read_tree
from beirkit.evaluate.exports.sentence_transformers import read_predictions
from beirkit.evaluate.exports.strict_json import NotStrictError, strict_json
from beirkit.evaluate.imports.base import Importer, Lists, Means
from beirkit.evaluate.imports.reading import means_of, peek_json, read_json

_BRIGHT_FOLDER = re.compile(
    r"(?P<task>biology|earth_science|economics|psychology|robotics|stackoverflow|sustainable_living|aops|leetcode"
    r"|pony|theoremqa_theorems|theoremqa_questions|theoremqa)_(?P<model>.+)_long_(?P<long>True|False)"
)
_EMPTY_TAGS = ("", "None", "beirkit")
_LZ4 = b"\x04\x22\x4d\x18"
_ZIP = b"PK\x03\x04"


class TrecRun(Importer):
    """A run in TREC's six columns, or in the JSON lines that beirkit writes; compressed too."""

    name: ClassVar[str] = "trec"
    summary: ClassVar[str] = "runs in TREC's columns"

    def recognises(self, path: Path) -> bool:
        """See :class:`Importer`."""
        line = _first_line(path) if path.is_file() else b""
        return len(line.split()) >= 6 and not line.startswith(_ZIP)

    def read(self, path: Path) -> Iterator[Lists]:
        """See :class:`Importer`."""
        run = read_run(path)
        stem = Path(bare_name(path.name)).stem
        yield Lists(system=stem if run.tag in _EMPTY_TAGS else run.tag, run=run, source=path)


class Ranx(Importer):
    """A run that ranx saved: JSON, LZ4, Parquet, or TREC's columns."""

    name: ClassVar[str] = "ranx"
    summary: ClassVar[str] = "runs of ranx: JSON, LZ4, Parquet, TREC's columns"

    def recognises(self, path: Path) -> bool:
        """See :class:`Importer`."""
        if path.suffix in (".lz4", ".parquet", ".parq"):
            return path.is_file()
        facts = peek_json(path)
        return bool(facts) and all(isinstance(row, dict) for row in facts.values()) and _are_scores(facts)

    def read(self, path: Path) -> Iterator[Lists]:
        """See :class:`Importer`."""
        if path.suffix == ".lz4":
            run = _read_lz4(path)
        elif path.suffix == ".parq":
            raise DataError("is Parquet under another name", path=path, hint="let its name end in .parquet")
        else:
            run = read_run(path)
        stem = Path(bare_name(path.name)).stem
        named = path.suffix not in (".lz4", ".json", ".parquet") and run.tag not in _EMPTY_TAGS
        yield Lists(system=run.tag if named else stem, run=run, source=path)


class SentenceTransformers(Importer):
    """Predictions of sentence-transformers' evaluators, JSON lines; a folder of them is several systems."""

    name: ClassVar[str] = "sentence-transformers"
    summary: ClassVar[str] = "predictions of sentence-transformers: ranked lists"

    def recognises(self, path: Path) -> bool:
        """See :class:`Importer`."""
        if path.is_dir() or not bare_name(path.name).endswith(".jsonl"):
            return False
        try:
            line = strict_json(_first_line(path))
        except NotStrictError:
            return False
        rows = line.get("results") if isinstance(line, dict) else None
        return isinstance(rows, list) and all(isinstance(row, dict) and "corpus_id" in row for row in rows)

    def read(self, path: Path) -> Iterator[Lists]:
        """See :class:`Importer`."""
        files = [path] if path.is_file() else sorted(path.rglob("*.jsonl"))
        for file in files:
            yield Lists(
                system=Path(bare_name(file.name)).stem, run=Run.from_dict(read_predictions(file)), source=file
            )


class AirBenchFiles(Importer):
    """Search results for AIR-Bench: a tree, a part of one, or a zip."""

    name: ClassVar[str] = "air-bench"
    summary: ClassVar[str] = "search results for AIR-Bench: ranked lists"

    def recognises(self, path: Path) -> bool:
        """See :class:`Importer`."""
        if path.is_file() and path.suffix != ".zip":
            return "search_results" in peek_json(path)
        try:
            return next(read_tree(path), None) is not None
        except DataError:
            return False

    def read(self, path: Path) -> Iterator[Lists]:
        """See :class:`Importer`."""
        for name, where, lists, _ in read_tree(path):
            reranked = "" if where.reranker == "NoReranker" else f"+{where.reranker}"
            yield Lists(
                system=f"{where.model}{reranked}",
                dataset=where.place.replace("/", "-"),
                split=where.split,
                run=Run.from_dict(lists),
                source=path / name if path.is_dir() else path,
            )


class Bright(Importer):
    """A folder of BRIGHT's evaluation: ``score.json``, ranked lists, and ``results.json``, their means.

    The lists are written after each query's excluded documents were taken out; where one is still there, they
    are those of another step, and refused. The model is told by a folder of BRIGHT's runner, which is called
    ``TASK_MODEL_long_False``; another folder's name is taken whole.
    """

    name: ClassVar[str] = "bright"
    summary: ClassVar[str] = "score.json and results.json of BRIGHT"

    def recognises(self, path: Path) -> bool:
        """See :class:`Importer`."""
        if path.is_dir():
            return (path / "score.json").is_file()
        return path.name == "score.json" or (path.name == "results.json" and bool(_bright_means(path)))

    def read(self, path: Path) -> Iterator[Lists | Means]:
        """See :class:`Importer`."""
        lists = path / "score.json" if path.is_dir() else path
        task, system = _bright_names(lists.resolve().parent.name)
        if lists.name != "results.json":
            run = replace(read_run(lists), source=str(lists))
            yield Lists(system=system, run=run, source=lists, refuse_excluded=True)
            return
        means = means_of(read_json(lists), lists, "")
        if not means:
            raise DataError("holds no figure of a known measure", path=lists)
        yield Means(
            system=system,
            dataset=task,
            means=means,
            source=lists,
            kept={f"{lists.resolve().parent.name}/{lists.name}": lists},
        )


def _bright_names(folder: str) -> tuple[str, str]:
    """Task and model from the name of a folder, ``TASK_MODEL_long_False``; of another, only the model."""
    match = _BRIGHT_FOLDER.fullmatch(folder)
    if match is None:
        return "", folder
    long = "-long" if match["long"] == "True" else ""
    return match["task"] + long, match["model"]


def _bright_means(path: Path) -> bool:
    facts = peek_json(path)
    try:
        return bool(facts) and bool(means_of(facts, path, ""))
    except DataError:
        return False


def _are_scores(facts: object) -> bool:
    rows = list(facts.values()) if isinstance(facts, dict) else []
    return all(isinstance(score, int | float) for row in rows[:20] for score in row.values())


def _first_line(path: Path) -> bytes:
    try:
        return next((line for _, line in byte_lines(path) if line.strip()), b"")
    except DataError:
        return b""


def _read_lz4(path: Path) -> Run:
    """A run in CBOR under LZ4's frame, as ranx writes it.

    Raises:
        DataError: it is none.
        MissingExtraError: the packages for it are not installed.
    """
    try:
        import cbor2
        from lz4 import frame
    except ModuleNotFoundError as error:
        raise MissingExtraError("ranx's LZ4", "ranx") from error
    data = path.read_bytes()
    if not data.startswith(_LZ4):
        raise DataError("is not LZ4, although its name says so", path=path)
    try:
        while data.startswith(_LZ4):  # ranx compresses twice
            data = frame.decompress(data)
        lists = cbor2.loads(data)
    except (cbor2.CBORError, RuntimeError, EOFError, ValueError, TypeError) as error:
        raise DataError(f"is damaged, or no run of ranx: {error}", path=path) from error
    if not isinstance(lists, dict):
        raise DataError("is not an object of query ids", path=path)
    try:
        return Run.from_dict(lists)
    except DataError as error:
        raise DataError(error.found, path=path, hint=error.hint) from error
