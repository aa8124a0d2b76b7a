"""TREC runs and judgments, as trec_eval and what stands on it read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import msgspec

from beirkit.corpora.compressed import bare_name
from beirkit.corpora.errors import DataError
from beirkit.corpora.exports.catalog import MANIFEST
from beirkit.corpora.files import byte_lines
from beirkit.corpora.ids import slug
from beirkit.corpora.qrels_write import write_qrels
from beirkit.corpora.records import Judgment, Qrels
from beirkit.corpora.run_files import write_run
from beirkit.evaluate.exports.base import Entry, Problem, Target
from beirkit.evaluate.exports.known import Checkable, Known
from beirkit.evaluate.exports.lists import require_no_white_space, require_once, submitted_run
from beirkit.evaluate.exports.run_lines import file_problems

RUNS = (".trec", ".run", ".txt", ".res")
QRELS = (".qrels", ".qrel")


class TrecOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Options of :class:`TrecRuns`."""

    depth: int | None = None
    qrels: bool = True
    gzip: bool = False


class TrecRuns(Target[TrecOptions], Checkable):
    """A run of each result, ``runs/DATASET@SPLIT/SYSTEM.trec``, and judgments, ``qrels/DATASET@SPLIT.qrels``.

    Lists are written in the order in which they are evaluated, ranks from 1, results that are the query
    itself left out where the dataset says so, scores as the shortest decimals that read back equal. Ids with
    white space are refused.

    Options:
        depth: results per query; none: as many as the result holds.
        qrels: write the judgments too.
        gzip: compress every file.
    """

    name: ClassVar[str] = "trec"
    summary: ClassVar[str] = "TREC run files and judgments"
    Options: ClassVar[type[msgspec.Struct]] = TrecOptions

    def write(self, entries: Sequence[Entry], folder: Path, options: TrecOptions) -> None:
        """Write the files; see :class:`Target`."""
        places = [f"{slug(f'{one.dataset}@{one.split}')}/{slug(one.system)}.trec" for one in entries]
        require_once(entries, places)
        end = ".gz" if options.gzip else ""
        for entry, place in zip(entries, places, strict=True):
            run = submitted_run(entry, options.depth)
            require_no_white_space(run, entry)
            write_run(replace(run, tag=slug(entry.system)), folder / "runs" / f"{place}{end}")
        judged = {slug(f"{one.dataset}@{one.split}"): one.qrels for one in entries if options.qrels}
        for name, qrels in judged.items():
            write_qrels(folder / "qrels" / f"{name}.qrels{end}", judgments_of(qrels), "trec")

    def validate(self, path: Path) -> list[Problem]:
        """See :class:`Target`; a file is a run or judgments by its name, else by its columns."""
        return _problems(path, None)

    def validate_against(self, path: Path, known: Known) -> list[Problem]:
        """See :class:`Checkable`."""
        return _problems(path, known)


def _problems(path: Path, known: Known | None) -> list[Problem]:
    if path.is_file():
        return _file(path, path.name, known)
    names = sorted(one for one in path.rglob("*") if one.is_file() and one.name != MANIFEST)
    files = [one for one in names if Path(bare_name(one.name)).suffix in (*RUNS, *QRELS)]
    if not files:
        expected = f"files that end in {', '.join((*RUNS, *QRELS))}"
        return [Problem(file=".", found="no run and no judgments", expected=expected)]
    return [problem for one in files for problem in _file(one, one.relative_to(path).as_posix(), known)]


def judgments_of(qrels: Qrels) -> list[Judgment]:
    """The judgments one by one, in their order."""
    return [
        Judgment(query_id, doc_id, grade) for query_id, row in qrels.items() for doc_id, grade in row.items()
    ]


def _file(path: Path, name: str, known: Known | None) -> list[Problem]:
    return file_problems(path, name, qrels=_is_qrels(path), known=known)[0]


def _is_qrels(path: Path) -> bool:
    suffix = Path(bare_name(path.name)).suffix
    if suffix in (*QRELS, ".trec", ".run", ".res"):
        return suffix in QRELS
    try:
        first = next((line for _, line in byte_lines(path) if line.strip()), b"")
    except DataError:
        return False
    return len(first.split()) == 4
