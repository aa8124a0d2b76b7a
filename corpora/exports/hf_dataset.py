"""A dataset repository in the layout that the datasets library, mteb and the beir package read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from beirkit.corpora.errors import DataError, UsageError, nearest
from beirkit.corpora.exports.base import Facts, FolderExport, Records
from beirkit.corpora.exports.card import Config, Split, card
from beirkit.corpora.exports.parquet import Type, write_rows
from beirkit.corpora.files import atomic_open
from beirkit.corpora.records import Metadata

_DOCUMENT: dict[str, Type] = {"_id": "string", "title": "string", "text": "string"}
_QUERY: dict[str, Type] = {"_id": "string", "text": "string"}
_JUDGMENT: dict[str, Type] = {"query-id": "string", "corpus-id": "string", "score": "int32"}
_METADATA: dict[str, Type] = {"metadata": "string"}

_SPLIT = re.compile(r"\w+(\.\w+)*", re.ASCII)
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


class HfDatasetOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Options of :class:`HfDataset`."""

    splits: dict[str, str] = {}
    metadata: bool = True
    title: str = ""
    language: str = ""
    licence: str = ""
    source: str = ""
    citation: str = ""


class HfDataset(FolderExport[HfDatasetOptions]):
    """A dataset repository as mteb has them: Parquet files and a dataset card, ``README.md``.

    Its configurations are ``corpus`` (split ``corpus``: ``_id``, ``title``, ``text``), ``queries`` (split
    ``queries``: ``_id``, ``text``, judged or not) and ``default``, the judgments, one split each
    (``query-id``, ``corpus-id``, ``score``).

    Options:
        splits: another name for a split, such as ``{dev: validation}``; the hub's names are made of letters,
            digits, ``_`` and ``.``.
        metadata: where a document or query has metadata, write them as JSON in a column ``metadata``.
        title: what the card calls the dataset.
        language: BCP 47 code of its language.
        licence: its licence, as the owner states it.
        source: where the data come from.
        citation: how the owner asks to be cited.
    """

    name: ClassVar[str] = "hf-dataset"
    summary: ClassVar[str] = "Parquet and a dataset card, as datasets, mteb and beir read them from a hub"
    Options: ClassVar[type[msgspec.Struct]] = HfDatasetOptions

    def write(self, records: Records, folder: Path, facts: Facts, options: HfDatasetOptions) -> None:
        """Write the files; see :class:`FolderExport`."""
        names = _split_names(records.splits, options.splits)
        of_documents, of_queries = records.have_metadata() if options.metadata else (False, False)

        def corpus() -> Iterator[tuple[str, ...]]:
            for document in records.documents():
                row = (document.doc_id, document.title, document.text)
                yield (*row, _json(document.metadata, document.doc_id)) if of_documents else row

        def queries() -> Iterator[tuple[str, ...]]:
            for query in records.queries():
                row = (query.query_id, query.text)
                yield (*row, _json(query.metadata, query.query_id)) if of_queries else row

        def judgments(split: str) -> Iterator[tuple[str | int, ...]]:
            for judgment in records.judgments(split):
                yield judgment.query_id, judgment.doc_id, judgment.relevance

        columns = _DOCUMENT | (_METADATA if of_documents else {})
        path = "corpus/corpus.parquet"
        configs = [
            Config("corpus", columns, [Split("corpus", path, write_rows(folder / path, columns, corpus()))])
        ]
        columns = _QUERY | (_METADATA if of_queries else {})
        path = "queries/queries.parquet"
        configs.append(
            Config(
                "queries", columns, [Split("queries", path, write_rows(folder / path, columns, queries()))]
            )
        )
        judged = []
        for split, name in names.items():
            path = f"qrels/{name}.parquet"
            judged.append(Split(name, path, write_rows(folder / path, _JUDGMENT, judgments(split))))
        if judged:
            configs.append(Config("default", _JUDGMENT, judged))
        known = msgspec.structs.replace(facts, **_said(options))
        with atomic_open(folder / "README.md") as out:
            out.write(card(known, configs, records.counts(), records.content_ids(), names))


def _split_names(splits: tuple[str, ...], renamed: dict[str, str]) -> dict[str, str]:
    """The hub's name of each split."""
    for split in renamed:
        if split not in splits:
            raise UsageError(f"there is no split {split!r} to rename", hint=nearest(split, list(splits)))
    names = {split: renamed.get(split, split) for split in splits}
    for split, name in names.items():
        if not _SPLIT.fullmatch(name) or name == "all":
            raise DataError(
                f"a split cannot be called {name!r} on the hub",
                hint=f"rename it, as with --set splits.{split}={re.sub('[^A-Za-z0-9_]+', '_', name)}",
            )
    if len(set(names.values())) < len(names):
        raise UsageError("two splits get one name")
    return names


def _said(options: HfDatasetOptions) -> dict[str, Any]:
    """The facts that the options state."""
    values = {name: getattr(options, name) for name in ("title", "language", "licence", "source", "citation")}
    return {name: value for name, value in values.items() if value}


def _json(metadata: Metadata, name: str) -> str:
    try:
        return _encode(metadata)
    except (TypeError, ValueError) as error:
        raise DataError(f"the metadata of {name!r} cannot be written as JSON: {error}") from error
