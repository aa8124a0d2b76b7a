"""Annotation pools: from runs to what annotators are asked, and from their answers to new judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from beirkit import __version__
from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.files import sha256_file
from beirkit.corpora.notices import warn
from beirkit.corpora.qrels_counts import count_judgments, judgments_of
from beirkit.corpora.qrels_tools import Merge, merge_qrels
from beirkit.corpora.qrels_write import write_qrels
from beirkit.corpora.records import Qrels
from beirkit.datasets import Dataset, choose_split, self_match_ids
from beirkit.evaluate.exclusions import excluded_of
from beirkit.evaluate.pooling import By, Pooled, pool_runs, shuffled
from beirkit.evaluate.protocol import get_protocol
from beirkit.pool_files import (
    Filled,
    PoolKey,
    RunFacts,
    key_path,
    read_filled,
    read_key,
    write_key,
    write_pool,
)
from beirkit.results import write_json
from beirkit.runs import GivenRun, counted_depth

PROVENANCE = "beirkit pooled judgments 1"


def export_pool(
    out: Path,
    dataset: Dataset,
    runs: Mapping[str, GivenRun],
    split: str | None = None,
    *,
    depth: int = 10,
    by: By = "depth",
    limit: int | None = None,
    protocol: str = "beirkit",
    seed: int | None = 1,
    show_systems: bool = False,
    unjudged_queries: bool = False,
) -> PoolKey:
    """Write the unjudged results of runs for annotators, and beside it the key that tells what was asked.

    Args:
        out: the file for annotators: ``.csv``, ``.tsv`` or ``.jsonl``.
        dataset: the benchmark.
        runs: by the name of their system.
        split: the split whose judgments are looked at; ``None``: the reported one.
        depth: results of each list that are looked at.
        by: which documents come first; see :func:`beirkit.evaluate.pooling.pool_runs`.
        limit: documents that are kept.
        protocol: orders the lists and decides about self-matches.
        seed: of the order in which annotators see them; ``None``: in the order in which they matter.
        show_systems: let annotators see which systems found a document.
        unjudged_queries: pool also for queries without any judgment.

    Returns:
        the key; without items, nothing was written.

    Raises:
        UsageError: the file exists, an option is impossible, or a run is not as deep.
        DataError: a run cannot be read, or has none of the queries.
    """
    if out.exists():
        raise UsageError("is there already, and may be filled in", path=out, hint="choose another name")
    counted_depth(depth, runs.items())
    collection = dataset.open()
    chosen = choose_split(dataset, collection, split)
    qrels = collection.qrels(chosen)
    asked_for = list(collection.queries())
    queries = {query.query_id: query.text for query in asked_for}
    excluded = excluded_of(asked_for)
    read = {system: given.read(qrels, excluded=excluded) for system, given in runs.items()}
    asked = queries.keys() if unjudged_queries else qrels.keys()
    for system, run in read.items():
        if not asked & set(run.query_ids):
            raise DataError(
                f"{system} has none of the queries of {dataset.name}@{chosen}", path=run.source or None
            )
    pool = pool_runs(
        qrels,
        read,
        depth=depth,
        by=by,
        limit=limit,
        protocol=protocol,
        self_match_ids=self_match_ids(dataset, collection, set(queries)),
        unjudged_queries=unjudged_queries,
    )
    wanted = {item.doc_id for item in pool.items}
    documents = {
        document.doc_id: (document.title, document.text)
        for document in collection.documents()
        if document.doc_id in wanted
    }
    items = _with_texts(pool.items, queries, documents)
    key = PoolKey(
        dataset=dataset.name,
        split=chosen,
        judgments=count_judgments(qrels).content_id,
        depth=depth,
        by=by,
        limit=limit,
        protocol=get_protocol(protocol).name,
        seed=seed,
        runs={system: RunFacts(str(given.file), sha256_file(given.file)) for system, given in runs.items()},
        items=items,
    )
    if items:
        shown = items if seed is None else shuffled(items, seed)
        write_pool(out, shown, queries, documents, show_systems=show_systems)
        write_key(key_path(out), key)
    if pool.left:
        warn(f"{pool.left:,} more unjudged results are beyond the limit of {limit:,}")
    return key


def _with_texts(
    items: Sequence[Pooled], queries: Mapping[str, str], documents: Mapping[str, tuple[str, str]]
) -> list[Pooled]:
    """What can be shown; the rest is told."""
    kept = [item for item in items if item.query_id in queries and item.doc_id in documents]
    if len(kept) < len(items):
        gone = next(item for item in items if item.query_id not in queries or item.doc_id not in documents)
        warn(
            f"{len(items) - len(kept):,} results have no text and cannot be judged, such as query "
            f"{gone.query_id!r} with document {gone.doc_id!r}: is the run of this dataset?"
        )
    return kept


class Conflict(msgspec.Struct, frozen=True):
    """A pair that was graded differently, by file, and the grade that counts."""

    query_id: str
    doc_id: str
    grades: dict[str, int]
    kept: int


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """A new version of judgments.

    Attributes:
        qrels: all judgments.
        new: how many the old version does not have.
        same: judgments that several files have, with the same grade.
        conflicts: pairs with several grades, settled as asked.
        empty: pooled documents that nobody gave a grade.
        unasked: pooled documents that no file has a row of.
        content_id: of the judgments.
    """

    qrels: Qrels
    new: int
    same: int
    conflicts: list[Conflict]
    empty: int
    unasked: int
    content_id: str


def import_pool(
    filled: Sequence[Path],
    out: Path,
    old: Qrels,
    *,
    old_name: str,
    dataset: Dataset | None = None,
    key: Path | None = None,
    merge: Merge = "error",
    form: str | None = None,
) -> Imported:
    """Write a new version of judgments: the old ones and those that annotators filled in.

    ``OUT.provenance.json`` tells which files it was made of, what was new and what was settled.

    Args:
        filled: the pool, filled in, by one annotator or several.
        out: the new judgments; see :func:`beirkit.corpora.qrels_write.write_qrels`.
        old: the judgments there were; not changed.
        old_name: what to call them.
        dataset: the benchmark they are of; ``None``: not known, and not held against the pool.
        key: of the pool; ``None``: beside the first file.
        merge: which grade counts where files differ, the old version standing first.
        form: of the new file; ``None``: as its name says.

    Raises:
        UsageError: the new file would replace one of those it is made of.
        DataError: a row cannot be read, is not of the pool, or grades differ and ``merge`` is ``error``; no
            row has a grade; the pool is of another dataset, or of queries that this one does not have.
    """
    if out.resolve() in {path.resolve() for path in filled}:
        raise UsageError(
            "is what the annotators filled in", path=out, hint="give the new version its own name"
        )
    key_file = key or key_path(filled[0])
    asked = read_key(key_file)
    pooled = {(item.query_id, item.doc_id) for item in asked.items}
    read = {str(path): read_filled(path) for path in filled}
    for path, one in read.items():
        _require_pooled(Path(path), one, pooled)
    if not any(one.qrels for one in read.values()):
        raise DataError("has no row with a grade", path=filled[0], hint="fill in the column relevance")
    counts = count_judgments(old)
    if counts.content_id != asked.judgments:
        if dataset is not None and dataset.name != asked.dataset:
            raise DataError(
                f"is of a pool of {asked.dataset}@{asked.split}, not of {old_name}",
                path=key_file,
                hint=f"import it into {asked.dataset}",
            )
        warn(f"{old_name} is another version of the judgments than the pool was made for")
    if dataset is not None:
        queries = {query.query_id for query in dataset.open().queries()}
        for path, one in read.items():
            _require_queries(Path(path), one, queries, dataset.name)
    _warn_of_high_grades(read, old)
    versions = {old_name: old, **{path: one.qrels for path, one in read.items()}}
    merged = merge_qrels([*versions.values()], merge, names=[*versions])
    written = {pair for one in read.values() for pair in one.lines}
    left = {pair for one in read.values() for pair in one.empty}
    imported = Imported(
        qrels=merged.qrels,
        new=sum(doc_id not in old.get(query_id, {}) for query_id, doc_id in written),
        same=merged.same,
        conflicts=_conflicts(versions, merged.qrels, written),
        empty=len(pooled & left - written),
        unasked=len(pooled - left - written),
        content_id=count_judgments(merged.qrels).content_id,
    )
    write_qrels(out, judgments_of(merged.qrels), form)
    write_json(
        out.with_name(f"{out.name}.provenance.json"),
        {
            "format": PROVENANCE,
            "beirkit": __version__,
            "old": {"name": old_name, "content_id": counts.content_id, "judgments": counts.judgments},
            "key": _file(key_file),
            "pool": {
                name: getattr(asked, name)
                for name in ("dataset", "split", "depth", "by", "limit", "protocol")
            },
            "filled": [
                {**_file(Path(path)), "judgments": len(one.lines), "empty": len(one.empty)}
                for path, one in read.items()
            ],
            "merge": merge,
            **{name: getattr(imported, name) for name in ("new", "same", "unasked", "content_id")},
            "conflicts": msgspec.to_builtins(imported.conflicts),
        },
    )
    return imported


def _file(path: Path) -> dict[str, Any]:
    return {"file": path.name, "sha256": sha256_file(path)}


def _require_pooled(path: Path, filled: Filled, pooled: set[tuple[str, str]]) -> None:
    strangers = [(pair, line) for pair, line in filled.lines.items() if pair not in pooled]
    if strangers:
        (query_id, doc_id), line = strangers[0]
        raise DataError(
            f"{len(strangers):,} judgments are not of the pool, the first of query {query_id!r} and document "
            f"{doc_id!r}",
            path=path,
            line=line,
            hint="did a spreadsheet change the ids? judgments from elsewhere are merged with beirkit qrels",
        )


def _require_queries(path: Path, filled: Filled, queries: set[str], dataset: str) -> None:
    strangers = [(query_id, line) for (query_id, _), line in filled.lines.items() if query_id not in queries]
    if strangers:
        query_id, line = strangers[0]
        raise DataError(
            f"{len(strangers):,} judgments are of queries that {dataset} does not have, the first of "
            f"{query_id!r}",
            path=path,
            line=line,
            hint="import the pool into the folder that it was made for",
        )


def _warn_of_high_grades(read: Mapping[str, Filled], old: Qrels) -> None:
    highest = max((grade for row in old.values() for grade in row.values()), default=None)
    higher = [
        (grade, f"{path}:{one.lines[query_id, doc_id]}")
        for path, one in read.items()
        for query_id, row in one.qrels.items()
        for doc_id, grade in row.items()
        if highest is not None and grade > highest
    ]
    if higher:
        grade, place = max(higher)
        warn(f"{len(higher):,} grades are above the highest so far, {highest}: {grade} at {place}")


def _conflicts(versions: Mapping[str, Qrels], merged: Qrels, pairs: set[tuple[str, str]]) -> list[Conflict]:
    found = []
    for query_id, doc_id in sorted(pairs):
        grades = {
            name: qrels[query_id][doc_id]
            for name, qrels in versions.items()
            if doc_id in qrels.get(query_id, {})
        }
        if len(set(grades.values())) > 1:
            found.append(Conflict(query_id, doc_id, grades, merged[query_id][doc_id]))
    return found
