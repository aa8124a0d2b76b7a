"""BRIGHT: questions whose documents must be reasoned out, by domain."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import ClassVar

import msgspec

from beirkit.converters.base import Converter
from beirkit.converters.reading.parquet import read_table
from beirkit.converters.reading.rows import Row
from beirkit.converters.reading.source import Source
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError, UnknownNameError, nearest
from beirkit.corpora.records import Document, Judgment, Query

_NONE = "N/A"  # stands in a list that would be empty
_ENDINGS = ("parquet", "jsonl", "json", "csv")


class BrightOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`Bright`."""

    domain: str = ""
    long_documents: bool = False
    examples: str = "examples"


class Bright(Converter[BrightOptions]):
    """One domain of BRIGHT.

    ``raw`` is the repository's folder, a zip or a tar, with ``examples/DOMAIN-….parquet`` and
    ``documents/DOMAIN-….parquet`` (or JSON lines). Judgments are the ``gold_ids``, of grade 1. Documents that
    BRIGHT takes out of a query's ranking before it is scored go into the query's metadata as
    ``excluded_ids``; a list that says ``N/A`` is empty.

    Options:
        domain: ``biology``, ``aops``, …; needed where there are several.
        long_documents: read whole pages (``long_documents`` and ``gold_ids_long``) instead of passages.
        examples: folder of the queries; ``gpt4_reason`` and its like have the questions thought out by a
            model.
    """

    name: ClassVar[str] = "bright"
    summary: ClassVar[str] = "BRIGHT by domain: examples, documents, long_documents in Parquet or JSON lines"
    Options: ClassVar[type[msgspec.Struct]] = BrightOptions

    def convert(self, raw: Path | None, options: BrightOptions) -> Collection:
        """Find the files of the domain.

        Raises:
            DataError: there are none, or several domains and none was chosen.
            UnknownNameError: the domain is not there.
        """
        assert raw is not None  # the catalog sees to it
        source = Source(raw)
        domain = _domain(source, options)
        examples = _files(source, options.examples, domain)
        corpus = _files(source, "long_documents" if options.long_documents else "documents", domain)
        gold = "gold_ids_long" if options.long_documents else "gold_ids"

        def rows(names: list[str]) -> Iterator[Row]:
            for name in names:
                yield from read_table(source.path(name))

        def queries() -> Iterator[Query]:
            for row in rows(examples):
                excluded = _ids(row, "excluded_ids") if "excluded_ids" in row.cells else []
                yield Query(row.id("id"), row.text("query"), {"excluded_ids": excluded} if excluded else {})

        def judgments() -> Iterator[Judgment]:
            for row in rows(examples):
                query_id = row.id("id")
                yield from (Judgment(query_id, doc_id, 1) for doc_id in _ids(row, gold))

        return self.collection(
            source,
            options,
            files=[*corpus, *examples],
            documents=lambda: (Document(row.id("id"), "", row.text("content")) for row in rows(corpus)),
            queries=queries,
            judgments={"test": judgments},
        )


def _ids(row: Row, column: str) -> list[str]:
    """The ids of a list, each once."""
    return list(dict.fromkeys(row.as_id(column, value) for value in row.list(column) if value != _NONE))


def _domain(source: Source, options: BrightOptions) -> str:
    names = source.find(*(f"{options.examples}/*.{ending}" for ending in _ENDINGS))
    have = sorted({PurePosixPath(name).name.partition("-0")[0].partition(".")[0] for name in names})
    if not have:
        found = f"has no {options.examples}/DOMAIN.parquet, which holds the queries"
        raise DataError(found, path=source.raw, hint=source.there())
    if not options.domain and len(have) > 1:
        hint = f"say which: --set domain={have[0]}"
        raise DataError(f"has {len(have)} domains: {', '.join(have)}", path=source.raw, hint=hint)
    if options.domain and options.domain not in have:
        raise UnknownNameError(
            f"has no domain {options.domain!r}", path=source.raw, hint=nearest(options.domain, have)
        )
    return options.domain or have[0]


def _files(source: Source, folder: str, domain: str) -> list[str]:
    """The files of one domain in one folder: one, or the parts of one in their order."""
    patterns = [f"{folder}/{domain}{part}.{ending}" for ending in _ENDINGS for part in ("", "-[0-9]*")]
    return source.find(*patterns) or [source.only(*patterns[:2], what=f"{folder} of {domain}")]
