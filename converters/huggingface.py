"""Dataset repositories of the Hugging Face hub, as BeIR, mteb, NanoBEIR and CoIR lay them out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from beirkit.converters.base import Converter
from beirkit.converters.reading.hub_parts import (
    Parts,
    all_files,
    find_parts,
    judged_splits,
    one_split,
    wanted_splits,
)
from beirkit.converters.reading.hub_records import by_query, document, judgment, query
from beirkit.converters.reading.hub_repository import Repository
from beirkit.converters.reading.parquet import read_table
from beirkit.converters.reading.rows import Row
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import UsageError, nearest
from beirkit.corpora.notices import Once, Warn
from beirkit.corpora.records import Judgment, Query


class HuggingFaceOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Options of :class:`HuggingFace`."""

    subset: str = ""
    split: str = ""
    splits: dict[str, str] = {}
    qrels: str = ""


class HuggingFace(Converter[HuggingFaceOptions]):
    """A dataset repository of the Hugging Face hub on this disk: Parquet, JSON lines, CSV or TSV files.

    ``raw`` is the folder of the repository, downloaded, cloned or in the hub's cache. Its card or its file
    names say which configurations it has: ``corpus``, ``queries`` (or ``query``) and, for the judgments,
    ``default`` or ``qrels``; each with ``SUBSET-`` before it where several benchmarks are in one repository.
    Or the splits ``corpus`` and ``queries`` of one configuration, with the judgments in another repository.
    What the configurations ``instruction`` and ``top_ranked`` say becomes metadata of the queries, and so do
    columns beside the id and the text. Loading scripts are never run.

    Every split of the judgments is taken; ``validation`` is called ``dev``, as in BEIR. Judgments without a
    score, as NanoBEIR's, have grade 1.

    Options:
        subset: which of several benchmarks to read, such as ``de`` for ``de-corpus``, ``de-queries``, ….
        split: the only split to take; of a table with a single split of another name that one, which is told.
        splits: new names of splits, such as ``{train: test}``.
        qrels: folder of the repository with the judgments, where they have one of their own, such as that of
            ``BeIR/scifact-qrels``; a relative one starts where the folder of ``raw`` lies.
    """

    name: ClassVar[str] = "huggingface"
    summary: ClassVar[str] = "a dataset repository of the hub on this disk: corpus, queries, qrels"
    Options: ClassVar[type[msgspec.Struct]] = HuggingFaceOptions

    def convert(self, raw: Path | None, options: HuggingFaceOptions) -> Collection:
        """Open the repository; its card and file names are looked at now, the tables when they are read.

        Raises:
            DataError: configurations or splits are missing; the message lists what is there.
            UsageError: ``splits`` renames one that is not there, or two to one name.
        """
        assert raw is not None  # the catalog sees to it
        main = Repository(raw)
        judged = Repository(raw.absolute().parent / options.qrels) if options.qrels else main
        parts = find_parts(main, judged, options.subset)
        qrels = judged_splits(parts.qrels, options.split, judged)
        wanted = options.split or (next(iter(qrels)) if len(qrels) == 1 else "")
        corpus = one_split("corpus", parts.corpus, wanted, main)
        queries = wanted_splits(parts.queries, wanted)
        more = [*all_files(parts.instruction), *all_files(parts.top_ranked)]
        warn = Once()
        collection = self.collection(
            main.source,
            options,
            files=[*corpus, *queries, *more, *(all_files(qrels) if judged is main else [])],
            documents=lambda: (document(row, warn) for row in _rows(main, corpus)),
            queries=lambda: _queries(main, queries, parts, warn),
            judgments={
                split: partial(_judgments, judged, qrels[old], warn)
                for old, split in _renamed(list(qrels), options.splits).items()
            },
            more_inputs={} if judged is main else judged.source.inputs(all_files(qrels)),
        )
        collection.provenance = msgspec.structs.replace(collection.provenance, revision=main.revision)
        return collection


def _rows(repository: Repository, names: Iterable[str]) -> Iterator[Row]:
    for name in names:
        yield from read_table(repository.path(name))


def _queries(repository: Repository, names: list[str], parts: Parts, warn: Warn) -> Iterator[Query]:
    """Each query once, though several splits may hold it."""
    more: dict[str, dict[str, Any]] = {
        "instruction": by_query(_rows(repository, all_files(parts.instruction)), "instruction"),
        "top_ranked": by_query(_rows(repository, all_files(parts.top_ranked)), "corpus-ids", "corpus_ids"),
    }
    seen: dict[str, str] = {}
    again = 0
    for row in _rows(repository, names):
        found = query(row, warn, more)
        if found.query_id not in seen:
            seen[found.query_id] = found.text
            yield found
        elif seen[found.query_id] == found.text:
            again += 1
        else:
            raise row.error(f"query {found.query_id!r} has another text than before", "ids must be unique")
    if again:
        warn(f"{repository.source.raw}: {again:,} rows of queries repeat one before them and are left out")


def _judgments(repository: Repository, names: list[str], warn: Warn) -> Iterator[Judgment]:
    return (judgment(row, warn) for row in _rows(repository, names))


def _renamed(splits: list[str], names: dict[str, str]) -> dict[str, str]:
    """The new name of each split."""
    for old in names:
        if old not in splits:
            raise UsageError(f"`splits` renames {old!r}, which is no split", hint=nearest(old, splits))
    if "dev" not in splits:
        names = {"validation": "dev", **names}
    found = {split: names.get(split, split) for split in splits}
    if len(set(found.values())) < len(found):
        raise UsageError(f"`splits` gives two splits one name: {found}", hint="give each its own")
    return found
