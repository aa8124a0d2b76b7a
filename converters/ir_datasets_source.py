"""Whatever the installed ir_datasets has an id for."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from beirkit.converters.base import Converter
from beirkit.converters.reading import named_fields
from beirkit.converters.reading.irds_downloads import reading
from beirkit.converters.reading.irds_parts import judged_parts, judgments_of, queries_of
from beirkit.corpora.collection import Collection, Provenance
from beirkit.corpora.errors import MissingExtraError, UnknownNameError, UsageError, nearest
from beirkit.corpora.notices import Once


class IrDatasetsOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Options of :class:`IrDatasets`."""

    id: str = ""
    split: str = ""
    query_text: str = ""
    metadata: bool = True
    download: bool = False


class IrDatasets(Converter[IrDatasetsOptions]):
    """Any dataset that the installed ir_datasets knows, read by ir_datasets itself.

    ``beirkit convert ir_datasets:vaswani --out FOLDER``; there is no ``raw``. An id without judgments whose
    parts have them, such as ``beir/fiqa``, gives one split for each part. Fields beside the title and the
    text become metadata. Judgments that say "excluded", as BRIGHT's, become ``excluded_ids`` of the query; of
    several for one pair, which judge subtopics or passages, the highest grade is taken, which is told.

    Nothing is downloaded without leave. What ir_datasets downloads, and the stores that it builds, lie where
    its ``IR_DATASETS_HOME`` says.

    Options:
        id: the dataset, which ``ir_datasets:ID`` names too.
        split: the name of the split; by default the last part of the id where that is ``train``, ``dev``,
            ``validation``, ``test`` or ``eval``, else ``test``.
        query_text: the field of a query to search with, such as ``description``.
        metadata: keep fields beside the title and the text.
        download: let ir_datasets download what is not on this disk.
    """

    name: ClassVar[str] = "ir_datasets"
    summary: ClassVar[str] = "any dataset that the installed ir_datasets knows: ir_datasets:ID"
    needs_raw: ClassVar[bool] = False
    subject: ClassVar[str] = "id"
    Options: ClassVar[type[msgspec.Struct]] = IrDatasetsOptions

    def convert(self, raw: Path | None, options: IrDatasetsOptions) -> Collection:
        """Open the dataset; a first query and judgment are read now, so what is missing is told at once.

        Raises:
            UsageError: no id or an unknown one is given, or something would have to be downloaded.
            DataError: the dataset has no documents or no judgments.
            MissingExtraError: ir_datasets is not installed.
        """
        if raw is not None:
            raise UsageError(
                "ir_datasets reads its own files, and none are named", path=raw, hint="name an id only"
            )
        library, dataset = _dataset(options.id)
        judged = judged_parts(library.registry, options.id, options.split)
        asked = [dataset] if dataset.has_queries() else list(judged.values())
        fields = asked[0].queries_cls()._fields
        if options.query_text and options.query_text not in fields:
            found = f"queries of {options.id} have no field {options.query_text!r}"
            raise UsageError(found, hint=nearest(options.query_text, list(fields)))
        warn = Once()
        passes = partial(reading, options.id, download=options.download)
        document = partial(named_fields.document, metadata=options.metadata)
        query = partial(named_fields.query, field=options.query_text, metadata=options.metadata)
        queries = passes(partial(queries_of, asked, list(judged.values()), query))
        judgments = {split: passes(partial(judgments_of, part, warn)) for split, part in judged.items()}
        for start in (queries, *judgments.values()):
            next(start(), None)
        return Collection(
            documents=passes(lambda: map(document, dataset.docs_iter())),
            queries=queries,
            judgments=judgments,
            provenance=Provenance(
                source=options.id,
                converter=self.name,
                options={name: value for name, value in msgspec.to_builtins(options).items() if value},
                revision=f"ir_datasets {library.__version__}",
            ),
        )


def _dataset(dataset_id: str) -> tuple[Any, Any]:
    """The library and the dataset."""
    try:
        import ir_datasets
    except ModuleNotFoundError as error:
        raise MissingExtraError("format 'ir_datasets'", "irds") from error
    if not dataset_id:
        raise UsageError("ir_datasets has many datasets", hint="name one: ir_datasets:ID, such as vaswani")
    try:
        return ir_datasets, ir_datasets.registry[dataset_id]
    except KeyError as error:
        found = f"ir_datasets {ir_datasets.__version__} has no dataset {dataset_id!r}"
        raise UnknownNameError(found, hint=nearest(dataset_id, list(ir_datasets.registry))) from error
