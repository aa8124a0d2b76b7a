"""MIRACL and Mr.TyDi: passages of Wikipedia in many languages, with topics and TREC qrels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import ClassVar

import msgspec

from beirkit.converters.base import Converter
from beirkit.converters.reading.readers import read_jsonl
from beirkit.converters.reading.source import Source
from beirkit.converters.reading.text_blocks import ids_and_texts
from beirkit.converters.reading.without import WITHOUT_DOCUMENTS, documents_unless
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError
from beirkit.corpora.jsonl import read_documents
from beirkit.corpora.notices import Once
from beirkit.corpora.qrels import iter_judgments
from beirkit.corpora.records import Document, Query

_CORPUS = ("corpus.jsonl", "docs.jsonl", "docs-*.jsonl")
_SPLIT = re.compile(r"[.-](train|dev|test(?:-?[ab])?)\.", re.IGNORECASE)


class MiraclOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`Miracl`."""

    language: str = ""
    without_documents: bool = False


class Miracl(Converter[MiraclOptions]):
    """One language of MIRACL or Mr.TyDi.

    ``raw`` is a folder, zip or tar with the passages (``corpus.jsonl``, ``docs.jsonl`` or the shards
    ``docs-0.jsonl``, ``docs-1.jsonl``, …; as ``docid``, ``title`` and ``text``, or as ``id`` and ``contents``
    with the title in a paragraph of its own), the topics (``topics.…-dev.tsv``, ``topics.test.txt``) and the
    qrels (``qrels.…-dev.tsv``, ``qrels.test.txt``), each plain or compressed. Names of topics and qrels tell
    the split. Judgments keep the grade 0 where the file has it: these passages were read and found not
    relevant. Topics of splits without qrels, such as MIRACL's ``test-a``, are queries without a judgment.

    Options:
        language: word in the paths of the files, such as ``sw`` or ``swahili``, where ``raw`` has several
            languages.
        without_documents: read queries and judgments only; the passages need not be there.
    """

    name: ClassVar[str] = "miracl"
    summary: ClassVar[str] = "MIRACL and Mr.TyDi: passages in JSON lines, topics in TSV, TREC qrels"
    Options: ClassVar[type[msgspec.Struct]] = MiraclOptions

    def convert(self, raw: Path | None, options: MiraclOptions) -> Collection:
        """Find the files of the language.

        Raises:
            DataError: files are missing, or belong to several languages; the message lists them.
        """
        assert raw is not None  # the catalog sees to it
        source = Source(raw)
        shards = [] if options.without_documents else _shards(source, options.language)
        topics = _by_split(source, options.language, "topic*.tsv", "topic*.txt", what="topics")
        qrels = _by_split(source, options.language, "qrels*.tsv", "qrels*.txt", what="judgments")
        if missing := sorted(qrels.keys() - topics.keys()):
            raise DataError(f"has judgments of the split {missing[0]!r} and no topics of it", path=raw)
        say = Once()

        def documents() -> Iterator[Document]:
            for name in shards:
                yield from _passages(source.path(name))

        def queries() -> Iterator[Query]:
            texts: dict[str, str] = {}
            for name in topics.values():
                for query_id, text in ids_and_texts(source.path(name)):
                    if query_id not in texts:
                        texts[query_id] = text
                        yield Query(query_id, text)
                    elif texts[query_id] != text:
                        found = f"topic {query_id!r} stands in an earlier file with another text"
                        raise DataError(found, path=source.path(name), hint="convert the splits apart")

        return self.collection(
            source,
            options,
            files=[*shards, *topics.values(), *qrels.values()],
            documents=documents_unless(options.without_documents, documents),
            queries=queries,
            judgments={
                split: partial(lambda name: iter_judgments(source.path(name), warn=say), name)
                for split, name in qrels.items()
            },
        )


def _of_language(source: Source, language: str, *patterns: str) -> list[str]:
    word = re.compile(rf"(?<![a-z]){re.escape(language.lower())}(?![a-z])")
    return [name for name in source.find(*patterns) if not language or word.search(name.lower())]


def _shards(source: Source, language: str) -> list[str]:
    """The files of the passages, shards in the order of their numbers."""
    found = _of_language(source, language, *_CORPUS)
    if not found and source.find(*_CORPUS):
        raise DataError(
            f"has no passages of the language {language!r}", path=source.raw, hint="see its paths"
        )
    if not found:
        source.only(*_CORPUS, what="passages", instead=WITHOUT_DOCUMENTS)  # lists what is there
    folders = sorted({str(PurePosixPath(name).parent) for name in found})
    if len(folders) > 1:
        listed = ", ".join(folders[:4])
        hint = "say which language: --set language=…"
        raise DataError(f"has passages in {len(folders)} folders: {listed}", path=source.raw, hint=hint)
    return sorted(
        found, key=lambda name: [int(number) for number in re.findall(r"\d+", PurePosixPath(name).name)]
    )


def _by_split(source: Source, language: str, *patterns: str, what: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in _of_language(source, language, *patterns):
        if split := _SPLIT.search(PurePosixPath(name).name):
            other = found.setdefault(split[1].lower(), name)
            if other != name:
                hint = "say which language: --set language=…"
                raise DataError(f"has {what} of {split[1]} in {other} and {name}", path=source.raw, hint=hint)
    if not found:
        of = f" of the language {language!r}" if language else ""
        example = patterns[0].replace("*", "s.dev")
        hint = f"needed are names such as {example}; {source.there()}"
        raise DataError(f"has no {what}{of}", path=source.raw, hint=hint)
    return found


def _passages(path: Path) -> Iterator[Document]:
    first = next(read_jsonl(path), None)
    keys = {"_id": "id" if first and "docid" not in first.cells else "docid"}
    if first is None or "contents" not in first.cells:
        yield from read_documents(path, keys=keys)
        return
    for document in read_documents(path, keys={**keys, "text": "contents"}):
        title, blank, text = document.text.partition("\n\n")
        yield Document(document.doc_id, title, text) if blank else document
