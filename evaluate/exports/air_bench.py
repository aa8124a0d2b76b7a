"""Search results for AIR-Bench 24.05: a tree of JSON files, and the zip of its test parts to upload."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import ClassVar

import msgspec

from beirkit.configs.boards import air_bench
from beirkit.corpora.errors import UsageError, nearest
from beirkit.corpora.files import atomic_open
from beirkit.corpora.ids import slug
from beirkit.evaluate.exports.air_bench_files import Where, tree_problems
from beirkit.evaluate.exports.base import Entry, Problem, Step, Submittable, Target
from beirkit.evaluate.exports.known import Checkable, Known
from beirkit.evaluate.exports.lists import require_once, require_whole, submitted_run
from beirkit.evaluate.exports.zips import reading_zip, write_zip

_NO_RERANKER = "NoReranker"


class AirBenchOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Options of :class:`AirBenchResults`."""

    places: dict[str, str] = {}
    model: str = ""
    reranker: str = _NO_RERANKER
    depth: int | None = None


class AirBenchResults(Target[AirBenchOptions], Submittable, Checkable):
    """``RETRIEVER/RERANKER/TASK/DOMAIN/LANGUAGE_DATASET_SPLIT.json``, and ``RETRIEVER_RERANKER.zip``.

    The zip holds what the board takes: everything but dev parts, from the task on.

    Options:
        places: for each dataset its place, as in ``places.NAME=qa/finance/en_default``.
        model: name of the retriever; none: that of the result, and each system gets its own folder.
        reranker: name of the reranker.
        depth: results per query; none: as many as the result holds.
    """

    name: ClassVar[str] = "air-bench"
    summary: ClassVar[str] = "search results for AIR-Bench 24.05: the tree, and the zip to upload"
    Options: ClassVar[type[msgspec.Struct]] = AirBenchOptions

    def write(self, entries: Sequence[Entry], folder: Path, options: AirBenchOptions) -> None:
        """Write tree and zips; see :class:`Target`."""
        require_whole(entries, "AIR-Bench")
        if options.model and len({entry.system for entry in entries}) > 1:
            raise UsageError("model= names one retriever, and there are several", hint="export them apart")
        reranker = slug(options.reranker)
        names = [
            f"{slug(options.model or one.system)}/{reranker}/{_place(one, options)}_{one.split}.json"
            for one in entries
        ]
        require_once(entries, names)
        zips: dict[str, dict[str, bytes | Path]] = {}
        for name, entry in zip(names, entries, strict=True):
            where = Where.of(PurePosixPath(name))
            total = air_bench().queries[where.place][where.split]
            if len(entry.qrels) != total:
                raise UsageError(
                    f"{entry.label} has {len(entry.qrels):,} queries, and AIR-Bench {total:,}: "
                    "it is another set",
                    hint="look at places=",
                )
            run = submitted_run(entry, options.depth)
            with atomic_open(folder / name) as out:
                data = {**where.keys(), "search_results": run.to_dict()}
                json.dump(data, out, ensure_ascii=False, allow_nan=False)
            if where.split != "dev":
                inside = "/".join(PurePosixPath(name).parts[2:])
                zips.setdefault(f"{where.model}_{reranker}.zip", {})[inside] = folder / name
        for name, parts in zips.items():
            write_zip(folder / name, parts)

    def validate(self, path: Path) -> list[Problem]:
        """See :class:`Target`; a tree, a part of one from the retriever on, or a zip."""
        return tree_problems(path)

    def validate_against(self, path: Path, known: Known) -> list[Problem]:
        """See :class:`Checkable`."""
        return tree_problems(path, known)

    def steps(self, path: Path) -> Sequence[Step]:
        """See :class:`Submittable`."""
        zips = [path] if path.suffix == ".zip" else sorted(path.glob("*.zip"))
        total = sum("test" in splits for splits in air_bench().queries.values())
        steps = []
        for one in zips:
            with reading_zip(one) as opened:
                count = sum(not info.is_dir() for info in opened.infolist())
            steps.append(
                Step(
                    what=f"upload {one.name}: {count} of the board's {total} test sets",
                    done=False if count < total else None,
                    why="what is missing has no figure, and a mean over fewer sets is another mean",
                )
            )
        return [
            *steps,
            Step(
                what="give the address of the model, and of the reranker where there is one",
                why="the form asks for both",
            ),
            Step(what="say whether the entry may be anonymous", why="the form asks for it"),
            Step(
                what="wait for the scores: labels of test parts are hidden, only dev parts can be scored here"
            ),
        ]


def _place(entry: Entry, options: AirBenchOptions) -> str:
    place = options.places.get(entry.dataset, "").strip("/")
    queries = air_bench().queries
    if place not in queries:
        told = f"{place!r} is no dataset of {air_bench().version}" if place else "its place is not known"
        raise UsageError(
            f"{entry.label}: {told}",
            hint=f"add --set places.{entry.dataset}=TASK/DOMAIN/LANGUAGE_DATASET; "
            + nearest(place or entry.dataset, [*queries]),
        )
    if entry.split not in queries[place]:
        have = ", ".join(queries[place])
        raise UsageError(f"{entry.label}: {place} has no split {entry.split!r}", hint=f"it has: {have}")
    return place
