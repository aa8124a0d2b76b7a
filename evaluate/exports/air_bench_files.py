"""The files of an AIR-Bench submission: where they stand, what they say, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from beirkit.configs.boards import air_bench
from beirkit.corpora.errors import DataError, nearest
from beirkit.corpora.exports.catalog import MANIFEST
from beirkit.evaluate.exports.base import Problem
from beirkit.evaluate.exports.found import Found, quoted
from beirkit.evaluate.exports.known import Known, files_in
from beirkit.evaluate.exports.strict_json import NotStrictError, list_problems, strict_json
from beirkit.evaluate.exports.zips import member, reading_zip

_TREE = "RETRIEVER/RERANKER/TASK/DOMAIN/LANGUAGE_DATASET_SPLIT.json"
_RESULTS = "search_results"


@dataclass(frozen=True)
class Where:
    """A place in the tree; each part as the path has it."""

    model: str
    reranker: str
    task: str
    domain: str
    language: str
    dataset: str
    split: str

    @classmethod
    def of(cls, name: PurePosixPath) -> Where:
        """What the path of a file says, from the retriever on.

        Raises:
            ValueError: it is no path of the tree.
        """
        if len(name.parts) != 5 or name.suffix != ".json":
            raise ValueError(name)
        model, reranker, task, domain, _ = name.parts
        rest, _, split = name.stem.rpartition("_")
        language, _, dataset = rest.partition("_")
        return cls(model, reranker, task, domain, language, dataset, split)

    @property
    def place(self) -> str:
        """The dataset, as the table of the benchmark names it."""
        return f"{self.task}/{self.domain}/{self.language}_{self.dataset}"

    def keys(self) -> dict[str, str]:
        """What the file must say of itself."""
        return {
            "model_name": self.model,
            "reranker_name": self.reranker,
            "benchmark_version": air_bench().version,
            "task_type": self.task,
            "domain": self.domain,
            "language": self.language,
            "dataset_name": self.dataset,
            "split": self.split,
        }


def tree_problems(path: Path, known: Known | None = None) -> list[Problem]:
    """Everything that is wrong with a tree, a part of one from the retriever on, one file of it, or a zip."""
    problems: list[Problem] = []
    split_of: dict[str, dict[str, str]] = {}  # of the queries seen so far, by container and dataset
    count = 0
    try:
        for container, name, data in _files(path):
            count += 1
            shown = f"{container}!{name}" if container else str(name)
            found = Found(shown)
            where, lists = _where(found, container, name), None
            if where is not None:
                lists = _content(found, where, data)
            if where is not None and lists is not None:
                seen = split_of.setdefault(f"{container}/{where.model}/{where.reranker}/{where.place}", {})
                _split(found, where, lists, seen, in_zip=bool(container))
                if known is not None:
                    known.problems(found, _RESULTS, lists, where.split)
            problems += found.problems()
    except DataError as error:
        place = Path(error.path or path).name
        problems.append(Problem(file=place, found=error.found, expected="search results of AIR-Bench"))
        return problems
    if not count:
        problems.append(Problem(file=".", found="no search results", expected=_TREE))
    return problems


def read_tree(path: Path) -> Iterator[tuple[str, Where, dict[str, dict[str, float]], dict[str, Any]]]:
    """Each file of a tree or zip: its name, its place, its lists, and all that it says.

    Raises:
        DataError: a file is none of AIR-Bench, or its lists are damaged.
    """
    for container, name, data in _files(path):
        shown = f"{container}!{name}" if container else str(name)
        found = Found(shown)
        where = _where(found, container, name)
        lists = None if where is None else _content(found, where, data)
        wrong = [one for one in found.problems() if one.severity == "error"]
        if where is None or lists is None or wrong:
            raise DataError(str(wrong[0]), path=path)
        yield shown, where, lists, strict_json(data)


def _files(path: Path) -> Iterator[tuple[str, PurePosixPath, bytes]]:
    """Name of the zip (empty: none), name from the retriever on as far as it goes, and content."""
    for name, file in files_in(path, ".json", ".zip", without=MANIFEST):
        if file.suffix == ".json":
            full = PurePosixPath(name)
            above = PurePosixPath(file.resolve().as_posix()).parts
            if len(full.parts) < 5 <= len(above):  # the path begins further down than at the retriever
                full = PurePosixPath(*above[-5:])
            yield "", full, file.read_bytes()
            continue
        with reading_zip(file) as opened:
            for info in opened.infolist():
                if not info.is_dir():
                    yield name, PurePosixPath(info.filename), member(opened, info.filename)


def _where(found: Found, container: str, name: PurePosixPath) -> Where | None:
    """The place of a file, with everything that is wrong with it."""
    if container:
        model, mark, reranker = PurePosixPath(container).stem.rpartition("_")
        if not mark or not model or not reranker:
            found.add("names of zips", "", quoted(PurePosixPath(container).name), "RETRIEVER_RERANKER.zip")
        name = PurePosixPath(model or "-", reranker or "-", *name.parts)
    try:
        where = Where.of(name)
    except ValueError:
        expected = _TREE.partition("/RERANKER/")[2] if container else _TREE
        found.add("places", "", quoted(str(name)), expected, "the folders tell the server what a file is of")
        return None
    queries = air_bench().queries
    if where.place not in queries:
        found.add(
            "places",
            "",
            quoted(where.place),
            f"a dataset of {air_bench().version}",
            nearest(where.place, [*queries]),
        )
    elif where.split not in queries[where.place]:
        expected = f"a split of {where.place}: {', '.join(queries[where.place])}"
        found.add("splits", "", quoted(where.split), expected)
    return where


def _content(found: Found, where: Where, data: bytes) -> dict[str, dict[str, float]] | None:
    """The lists of a file, with everything that is wrong with what it says; None: it holds no lists."""
    try:
        said = strict_json(data)
    except NotStrictError as error:
        found.add("files that are no JSON", "", str(error), "strict JSON")
        return None
    if not isinstance(said, dict):
        found.add("files of other shape", "", quoted(said), "an object")
        return None
    expected = where.keys()
    for key, value in expected.items():
        if key not in said:
            found.add("missing keys", key, "no such key", quoted(value), "the server fails without it")
        elif said[key] != value:
            found.add(
                "keys that contradict the place", key, quoted(said[key]), f"{value!r}, as the place says"
            )
    for key in said:
        if key not in (*expected, _RESULTS):
            found.add("unknown keys", key, "a key that the format does not have", "none")
    rows = said.get(_RESULTS)
    if not isinstance(rows, dict):
        found.add("missing keys", _RESULTS, quoted(rows), "an object of queries")
        return None
    return {query_id: list_problems(found, f"{_RESULTS}.{query_id}", row) for query_id, row in rows.items()}


def _split(
    found: Found, where: Where, lists: dict[str, dict[str, float]], seen: dict[str, str], *, in_zip: bool
) -> None:
    """Tell queries of another split, a wrong number of queries, and dev parts in a zip."""
    for query_id in lists:
        other = seen.setdefault(query_id, where.split)
        if other != where.split:
            told = f"a query that stands in the {other} part too"
            found.add(
                "queries of two parts", f"{_RESULTS}.{query_id}", told, f"queries of {where.split} alone"
            )
    total = air_bench().queries.get(where.place, {}).get(where.split)
    if total is not None and len(lists) > total:
        told = f"{len(lists):,} queries"
        todo = "are queries of another split among them?"
        found.add("counts of queries", _RESULTS, told, f"{total:,}, all that the split has", todo)
    elif total is not None and len(lists) < total:
        found.add("counts of queries", _RESULTS, f"{len(lists):,} queries", f"{total:,}, all of the split")
    if in_zip and where.split == "dev":
        found.add(
            "dev parts", "split", "'dev'", "test parts alone", "the board takes no dev part; leave it out"
        )
