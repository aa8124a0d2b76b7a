"""KILT: tasks over one copy of Wikipedia, with pages or paragraphs as evidence."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar, Literal

import msgspec

from beirkit.converters.base import Converter
from beirkit.converters.reading.readers import read_jsonl
from beirkit.converters.reading.rows import Row
from beirkit.converters.reading.source import Source
from beirkit.converters.reading.splits import split_files
from beirkit.converters.reading.without import WITHOUT_DOCUMENTS, documents_unless
from beirkit.corpora.collection import Collection
from beirkit.corpora.notices import Once
from beirkit.corpora.records import Document, Judgment, Query


class KiltOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`Kilt`."""

    splits: dict[str, str] = {}
    level: Literal["page", "paragraph"] = "page"
    knowledge: str = "kilt_knowledgesource.json"
    without_documents: bool = False


class Kilt(Converter[KiltOptions]):
    """One task of KILT.

    ``raw`` is a folder, zip or tar with the knowledge source (JSON lines, in spite of its name) and the
    task's files, such as ``nq-train-kilt.jsonl`` and ``nq-dev-kilt.jsonl``. A document is a page, or a
    paragraph called ``12#3``, by its place on the page from 0, titles of sections included, which is how
    evidence counts. Whatever stands in some provenance is relevant, with grade 1. A question may have several
    sets of evidence, each of which is enough: they are the query's ``evidence`` in its metadata, beside its
    ``answers``. Questions of ``…-test_input-kilt.jsonl`` have neither and no judgment.

    Options:
        splits: file of each split, such as ``{dev: nq-dev-kilt.jsonl}``; by default the names of the files
            tell.
        level: whether a document is a ``page`` or a ``paragraph``.
        knowledge: file of the knowledge source.
        without_documents: read queries and judgments only; the knowledge source need not be there.
    """

    name: ClassVar[str] = "kilt"
    summary: ClassVar[str] = "KILT: kilt_knowledgesource.json and the files of a task, by page or paragraph"
    Options: ClassVar[type[msgspec.Struct]] = KiltOptions

    def convert(self, raw: Path | None, options: KiltOptions) -> Collection:
        """Find the files of the task.

        Raises:
            DataError: files are missing, or belong to several tasks and none was chosen.
        """
        assert raw is not None  # the catalog sees to it
        source = Source(raw)
        files = split_files(source, options.splits, "*-kilt.jsonl", what="questions")
        pages = []
        if not options.without_documents:
            pages = [source.only(options.knowledge, what="the knowledge source", instead=WITHOUT_DOCUMENTS)]
        say = Once()

        def documents() -> Iterator[Document]:
            for name in pages:
                for row in read_jsonl(source.path(name)):
                    yield from _paragraphs(row) if options.level == "paragraph" else [_page(row)]

        def queries() -> Iterator[Query]:
            for name in files.values():
                for row in read_jsonl(source.path(name)):
                    yield Query(row.id("id"), row.text("input"), _told(row, options.level))

        def judgments(split: str) -> Iterator[Judgment]:
            nowhere = 0
            for row in read_jsonl(source.path(files[split])):
                relevant = dict.fromkeys(doc_id for ids in _evidence(row, options.level) for doc_id in ids)
                nowhere += not relevant
                query_id = row.id("id")
                yield from (Judgment(query_id, doc_id, 1) for doc_id in relevant)
            if nowhere:
                say(f"split {split}: {nowhere} questions have no evidence and no judgment")

        return self.collection(
            source,
            options,
            files=[*pages, *files.values()],
            documents=documents_unless(options.without_documents, documents),
            queries=queries,
            judgments={
                split: partial(judgments, split)
                for split, name in files.items()
                if "_input" not in PurePosixPath(name).name
            },
        )


def _page(row: Row) -> Document:
    title, texts = row.text("wikipedia_title"), row.texts("text")
    texts = [text.strip() for text in texts]
    body = texts[1:] if texts[:1] == [title.strip()] else texts
    return Document(row.id("wikipedia_id"), title, "\n".join(body))


def _paragraphs(row: Row) -> Iterator[Document]:
    title, page = row.text("wikipedia_title"), row.id("wikipedia_id")
    for number, text in enumerate(row.texts("text")):
        yield Document(f"{page}#{number}", title, text.strip())


def _outputs(row: Row) -> list[dict[str, Any]]:
    outputs = row.list("output") if "output" in row.cells else []
    if not all(isinstance(output, dict) for output in outputs):
        raise row.error("has an output that is no object", 'write {"answer": …, "provenance": […]}')
    return outputs


def _evidence(row: Row, level: str) -> list[list[str]]:
    """The ids of the documents of each set of evidence."""
    found = []
    for output in _outputs(row):
        ids: dict[str, None] = {}
        for place in output.get("provenance") or []:
            if not isinstance(place, dict):
                raise row.error(f"has the provenance {place!r:.40}, which is no object")
            cells = row._replace(cells=place)
            page = cells.id("wikipedia_id")
            ids |= dict.fromkeys([page] if level == "page" else (f"{page}#{n}" for n in _range(cells)))
        if ids:
            found.append(list(ids))
    return found


def _range(provenance: Row) -> range:
    first, last = provenance.cell("start_paragraph_id"), provenance.cell("end_paragraph_id")
    if not (isinstance(first, int) and isinstance(last, int) and 0 <= first <= last):
        raise provenance.error(f"has evidence from paragraph {first!r} to {last!r}", "--set level=page")
    return range(first, last + 1)


def _told(row: Row, level: str) -> dict[str, Any]:
    answers = [answer for output in _outputs(row) if (answer := output.get("answer"))]
    metadata = {"answers": list(dict.fromkeys(answers)), "evidence": _evidence(row, level)}
    return {key: value for key, value in metadata.items() if value}
