"""Files that ir_datasets' own readers take, and the module that registers them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from beirkit.corpora.errors import UsageError
from beirkit.corpora.exports.base import Facts, FolderExport, Records
from beirkit.corpora.exports.jsonl import json_line
from beirkit.corpora.files import atomic_open
from beirkit.corpora.qrels_write import write_qrels

_ID = re.compile(r"[\w.-]+(/[\w.-]+)*", re.ASCII)


class IrDatasetsOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Options of :class:`IrDatasets`."""

    id: str = ""
    module: str = ""


class IrDatasets(FolderExport[IrDatasetsOptions]):
    """A dataset of ir_datasets: ``documents.jsonl``, ``queries.jsonl``, ``qrels/<split>.qrels``, a module.

    Importing the module, with this folder on Python's path, registers ``ID`` (documents and queries) and
    ``ID/<split>`` (the documents, the queries that the split judges, its judgments). Ids with white space are
    refused, since the qrels are TREC's.

    Options:
        id: what the dataset is called, by default ``beirkit/NAME``.
        module: name of the module, by default ``NAME_ir_datasets``.
    """

    name: ClassVar[str] = "ir_datasets"
    summary: ClassVar[str] = "files for ir_datasets' readers, and a module that registers them when imported"
    Options: ClassVar[type[msgspec.Struct]] = IrDatasetsOptions

    def write(self, records: Records, folder: Path, facts: Facts, options: IrDatasetsOptions) -> None:
        """Write the files; see :class:`FolderExport`."""
        dataset_id = options.id or f"beirkit/{re.sub('[^A-Za-z0-9_.-]+', '-', facts.name)}"
        module = options.module or re.sub(r"\W+", "_", f"{facts.name}_ir_datasets", flags=re.ASCII)
        if not _ID.fullmatch(dataset_id):
            raise UsageError(f"{dataset_id!r} is no id for ir_datasets", hint="letters, digits, - _ . and /")
        if options.module and not options.module.isidentifier():
            raise UsageError(f"{options.module!r} cannot be imported", hint="letters, digits and _")
        module = module if module.isidentifier() else f"_{module}"
        some_metadata = records.have_metadata()

        with atomic_open(folder / "documents.jsonl") as out:
            for document in records.documents():
                fields: dict[str, Any] = {"doc_id": document.doc_id, "title": document.title}
                fields["text"] = document.text
                if some_metadata[0]:
                    fields["metadata"] = document.metadata
                out.write(json_line(fields, document.doc_id))
        with atomic_open(folder / "queries.jsonl") as out:
            for query in records.queries():
                fields = {"query_id": query.query_id, "text": query.text}
                if some_metadata[1]:
                    fields["metadata"] = query.metadata
                out.write(json_line(fields, query.query_id))
        for split in records.splits:
            write_qrels(folder / "qrels" / f"{split}.qrels", records.judgments(split), "trec")
        code = _MODULE.format(
            about=f"{dataset_id}: registers the files beside it with ir_datasets.",
            id=dataset_id,
            language=facts.language.split("-")[0] or None,
            documents=records.counts().documents,
            doc_fields=_fields("doc_id", "title", "text", metadata=some_metadata[0]),
            query_fields=_fields("query_id", "text", metadata=some_metadata[1]),
            splits=list(records.splits),
        )
        with atomic_open(folder / f"{module}.py") as out:
            out.write(code)


def _fields(*names: str, metadata: bool) -> str:
    lines = [f"    {name}: str\n" for name in names]
    return "".join(lines) + ("    metadata: dict\n" if metadata else "")


_MODULE = '''\
"""{about}

Written by `beirkit export`. With this folder on Python's path, `import` this module, then
`ir_datasets.load({id!r})`, or that with `/` and a split.
"""

from pathlib import Path
from typing import NamedTuple

import ir_datasets
from ir_datasets.datasets.base import Dataset, FilteredQueries
from ir_datasets.formats import JsonlDocs, JsonlQueries, TrecQrels
from ir_datasets.util import Lazy, LocalDownload

ID = {id!r}
LANGUAGE = {language!r}
SPLITS = {splits!r}
HERE = Path(__file__).resolve().parent


class Doc(NamedTuple):
{doc_fields}
    def default_text(self):
        return f"{{self.title}} {{self.text}}" if self.title else self.text


class Query(NamedTuple):
{query_fields}
    def default_text(self):
        return self.text


def _judged(qrels):
    return Lazy(lambda: {{judgment.query_id for judgment in qrels.qrels_iter()}})


def _register():
    documents = JsonlDocs(LocalDownload(HERE / "documents.jsonl"), Doc, lang=LANGUAGE, count_hint={documents})
    queries = JsonlQueries(LocalDownload(HERE / "queries.jsonl"), Query, lang=LANGUAGE)
    ir_datasets.registry.register(ID, Dataset(documents, queries))
    for split in SPLITS:
        qrels = TrecQrels(LocalDownload(HERE / "qrels" / f"{{split}}.qrels"), {{}})
        judged = FilteredQueries(queries, _judged(qrels))
        ir_datasets.registry.register(f"{{ID}}/{{split}}", Dataset(documents, judged, qrels))


_register()
'''
