"""Whatever retrieval task the installed mteb has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from beirkit.converters.base import Converter
from beirkit.converters.reading.hub_records import document, judgment, query
from beirkit.converters.reading.mteb_tasks import load_task
from beirkit.converters.reading.rows import Row
from beirkit.corpora.collection import Collection, Provenance
from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.notices import Once, Warn
from beirkit.corpora.records import Document, Judgment, Query

_BATCH = 1000  # rows


class MtebOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Options of :class:`MtebTask`."""

    task: str = ""
    subset: str = ""
    split: str = ""
    download: bool = False


class MtebTask(Converter[MtebOptions]):
    """Any retrieval or reranking task of the installed mteb, loaded by mteb itself.

    ``beirkit convert mteb:SciFact --out FOLDER``; there is no ``raw``. Only judged queries are there, as mteb
    keeps no others. Instructions, ranked lists to rerank and the task's prompt for queries become
    ``instruction``, ``top_ranked`` and ``prompt`` in the metadata of the queries. Judgments stand in the
    order of the queries, those of one query by document id.

    Nothing is downloaded without leave: what is not in the caches of the hub's libraries is refused with the
    repository, its revision and licence.

    Options:
        task: the task, which ``mteb:TASK`` names too.
        subset: which of its subsets to take, such as a language.
        split: the split to take; by default those that mteb evaluates.
        download: let mteb download what is not on this disk.
    """

    name: ClassVar[str] = "mteb"
    summary: ClassVar[str] = "any retrieval task of the installed mteb: mteb:TASK"
    needs_raw: ClassVar[bool] = False
    subject: ClassVar[str] = "task"
    Options: ClassVar[type[msgspec.Struct]] = MtebOptions

    def convert(self, raw: Path | None, options: MtebOptions) -> Collection:
        """Load the task; its tables stay on the disk and are read when the records are.

        Raises:
            UsageError: there is no such task, subset or split, or its data is not on this disk.
            DataError: mteb cannot load the data.
            MissingExtraError: mteb is not installed.
        """
        if raw is not None:
            raise UsageError(
                "mteb loads its own data, and no files are named", path=raw, hint="name a task only"
            )
        task, data = load_task(options.task, options.subset, options.split, download=options.download)
        warn, facts = Once(), task.metadata
        return Collection(
            documents=partial(_documents, options.task, [split["corpus"] for split in data.values()], warn),
            queries=partial(_queries, options.task, list(data.values()), _prompt(facts.prompt), warn),
            judgments={name: partial(_judgments, options.task, split, warn) for name, split in data.items()},
            provenance=Provenance(
                source=options.task,
                converter=self.name,
                options={name: value for name, value in msgspec.to_builtins(options).items() if value},
                revision=facts.dataset["revision"],
                licence=facts.license or "",
                citation=facts.bibtex_citation or "",
            ),
        )


def _rows(task: str, what: str, table: Iterable[Mapping[str, Any]]) -> Iterator[Row]:
    path = Path(f"mteb:{task}", what)
    for number, cells in enumerate(_cells(table), start=1):
        yield Row(path, number, dict(cells))


def _cells(table: Any) -> Iterator[Mapping[str, Any]]:
    """The rows of a table; of one of the datasets library by batches, which takes a sixth of the time."""
    if not hasattr(table, "iter"):
        yield from table
        return
    for batch in table.iter(batch_size=_BATCH):
        for values in zip(*batch.values(), strict=True):
            yield dict(zip(batch, values, strict=True))


def _documents(task: str, corpora: list[Any], warn: Warn) -> Iterator[Document]:
    """The corpus, which must be the same in every split."""
    for rows in zip_longest(*(_rows(task, "corpus", corpus) for corpus in corpora)):
        found = [document(row, warn) if row else None for row in rows]
        if found[0] is None or found.count(found[0]) < len(found):
            raise DataError(
                f"mteb: the splits of {task} have several corpora", hint="take one: --set split=NAME"
            )
        yield found[0]


def _queries(task: str, splits: list[Any], prompt: str, warn: Warn) -> Iterator[Query]:
    seen: set[str] = set()
    for split in splits:
        for row in _rows(task, "queries", split["queries"]):
            found = query(row, warn, {"top_ranked": split["top_ranked"] or {}})
            if found.query_id not in seen:
                seen.add(found.query_id)
                yield msgspec.structs.replace(
                    found, metadata={**found.metadata, **({"prompt": prompt} if prompt else {})}
                )


def _judgments(task: str, split: Any, warn: Warn) -> Iterator[Judgment]:
    judged: dict[str, dict[str, Any]] = split["relevant_docs"]
    order = [row.id("id") for row in _rows(task, "queries", split["queries"])]
    pairs = (
        {"query-id": query_id, "corpus-id": doc_id, "score": score}
        for query_id in dict.fromkeys([*order, *sorted(judged)])  # mteb's own order is another every time
        for doc_id, score in sorted(judged.get(query_id, {}).items())
    )
    return (judgment(row, warn) for row in _rows(task, "relevant_docs", pairs))


def _prompt(prompt: Any) -> str:
    """What mteb tells a model that takes instructions before a query."""
    found = prompt.get("query", "") if isinstance(prompt, dict) else prompt
    return found or ""
