"""LoTTE: questions from searches and forums over answers of StackExchange, by domain."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import ClassVar, Literal

import msgspec

from beirkit.converters.base import Converter
from beirkit.converters.reading.readers import read_jsonl
from beirkit.converters.reading.source import Source
from beirkit.converters.reading.text_blocks import ids_and_texts
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError, UnknownNameError, nearest
from beirkit.corpora.records import Document, Judgment, Query


class LotteOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`Lotte`."""

    domains: list[str] = []
    part: Literal["dev", "test"] = "test"
    questions: Literal["search", "forum", "both"] = "both"


class Lotte(Converter[LotteOptions]):
    """One part of LoTTE, of one domain or of several that are pooled.

    ``raw`` is the release (``lotte.tar.gz``, as it is or unpacked), a domain's folder in it, or the folder of
    a part, which has ``collection.tsv``, ``questions.search.tsv``, ``qas.search.jsonl`` and the same two for
    ``forum``. The splits are ``search`` and ``forum``. Numbers start again with every kind of questions and
    every domain: with both kinds, queries are called ``search-0`` and ``forum-0``, with several domains
    ``writing-search-0``, and documents ``writing-0``. LoTTE is scored with Success@5.

    Options:
        domains: domains to read, such as ``[writing]``; several are pooled (the release has a pool of all
            five, with numbers of its own, as ``pooled``).
        part: ``dev`` or ``test``, whose documents and questions have nothing in common.
        questions: ``search``, ``forum`` or ``both``.
    """

    name: ClassVar[str] = "lotte"
    summary: ClassVar[str] = "LoTTE: collection.tsv, questions.search.tsv, qas.search.jsonl, and of forum"
    Options: ClassVar[type[msgspec.Struct]] = LotteOptions

    def convert(self, raw: Path | None, options: LotteOptions) -> Collection:
        """Find the folders of the domains.

        Raises:
            DataError: there is none, or several and none was chosen.
            UnknownNameError: a domain is not there.
        """
        assert raw is not None  # the catalog sees to it
        source = Source(raw)
        folders = _folders(source, options)
        pooled = len(folders) > 1
        kinds = ("search", "forum") if options.questions == "both" else (options.questions,)

        def file(folder: str, name: str) -> str:
            return source.only(f"{folder}/{name}" if folder else name, what=f"a part of {folder or 'LoTTE'}")

        collections = {domain: file(folder, "collection.tsv") for domain, folder in folders.items()}
        asked = {(d, k): file(f, f"questions.{k}.tsv") for d, f in folders.items() for k in kinds}
        answered = {(d, k): file(f, f"qas.{k}.jsonl") for d, f in folders.items() for k in kinds}

        files = [*collections.values(), *asked.values(), *answered.values()]

        def path(name: str) -> Path:
            return source.folder("", files) / name  # all at once: an archive is long to go through

        def doc_id(domain: str, number: str) -> str:
            return f"{domain}-{number}" if pooled else number

        def query_id(domain: str, kind: str, number: str) -> str:
            return "-".join([*([domain] if pooled else []), *([kind] if len(kinds) > 1 else []), number])

        def documents() -> Iterator[Document]:
            for domain, name in collections.items():
                for number, text in ids_and_texts(path(name)):
                    yield Document(doc_id(domain, number), "", text)

        def queries() -> Iterator[Query]:
            for (domain, kind), name in asked.items():
                for number, text in ids_and_texts(path(name)):
                    yield Query(query_id(domain, kind, number), text)

        def judgments(kind: str) -> Iterator[Judgment]:
            for domain in folders:
                for row in read_jsonl(path(answered[domain, kind])):
                    asking = query_id(domain, kind, row.id("qid"))
                    answers = dict.fromkeys(row.as_id("answer_pids", pid) for pid in row.list("answer_pids"))
                    yield from (Judgment(asking, doc_id(domain, number), 1) for number in answers)

        return self.collection(
            source,
            options,
            files=files,
            documents=documents,
            queries=queries,
            judgments={kind: partial(judgments, kind) for kind in kinds},
        )


def _folders(source: Source, options: LotteOptions) -> dict[str, str]:
    """The folder of each domain; of a part that stands alone, the domain has no name."""
    parents = [PurePosixPath(name).parent for name in source.find("collection.tsv")]
    if not parents:
        source.only("collection.tsv", what="the answers")
    of_part = [p for p in parents if p.name == options.part or p.name not in ("dev", "test")]
    found = {path.parent.name if path.name == options.part else path.name: str(path) for path in of_part}
    if found == {"": "."}:
        return {"": ""}
    if unknown := [domain for domain in options.domains if domain not in found]:
        raise UnknownNameError(
            f"has no {options.part} part of {unknown[0]!r}",
            path=source.raw,
            hint=nearest(unknown[0], [*found]),
        )
    chosen = options.domains or sorted(found)
    if len(chosen) > 1 and not options.domains:
        hint = f"say which, several are pooled: --set domains=[{chosen[0]}]"
        raise DataError(f"has {len(chosen)} domains: {', '.join(chosen)}", path=source.raw, hint=hint)
    if not chosen:
        raise DataError(
            f"has no part {options.part!r}", path=source.raw, hint="--set part=dev reads the other"
        )
    return {domain: found[domain] for domain in chosen}
