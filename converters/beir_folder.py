"""BEIR folders and archives from anywhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import ClassVar

import msgspec

from beirkit.converters.base import Converter
from beirkit.converters.reading.archives import bare_archive_name
from beirkit.converters.reading.source import Source
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError, UnknownNameError, nearest
from beirkit.corpora.folder import open_folder
from beirkit.corpora.notices import warn
from beirkit.corpora.records import Judgment

_CORPUS = re.compile(r"corpus\.jsonl(\.(gz|bz2|zst))?")
_DATA = r"(corpus|queries)\.jsonl|qrels/[^/]+\.(tsv|spans\.jsonl)"
_PART = re.compile(rf"({_DATA})(\.(gz|bz2|zst))?|manifest\.json")


class BeirOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Options of :class:`BeirFolder`."""

    folder: str = ""
    repair: bool = False
    skip_rows_without_id: bool = False
    skip_queries_without_text: bool = False
    default_relevance: int | None = None
    corpus_keys: dict[str, str] = {}
    query_keys: dict[str, str] = {}

    def __post_init__(self) -> None:
        for name, known in (("corpus_keys", ("_id", "title", "text")), ("query_keys", ("_id", "text"))):
            keys: dict[str, str] = getattr(self, name)
            if strange := sorted(keys.keys() - set(known)):
                raise ValueError(f"{name} has {strange[0]!r}; it may name {', '.join(known)}")
            if len(set(keys.values())) < len(keys):
                raise ValueError(f"{name} takes one key of the file for two things")


class BeirFolder(Converter[BeirOptions]):
    """A BEIR folder: ``corpus.jsonl``, ``queries.jsonl`` and ``qrels/*.tsv``, each plain or compressed.

    ``raw`` is the folder, a zip or tar of it, or a folder, zip or tar that has it inside.

    Options:
        folder: which of several BEIR folders inside ``raw`` to read, such as one of CQADupStack's forums.
        repair: take apart lines on which several records stand, as a writer without line ends leaves them.
        skip_rows_without_id: leave out documents and queries without an id, and count them, instead of
            refusing the file.
        skip_queries_without_text: leave out judgments of queries that ``queries.jsonl`` does not have, and
            count them, instead of keeping them.
        default_relevance: the grade of every pair in a qrels file of two columns.
        corpus_keys: how the corpus calls ``_id``, ``title`` and ``text``, such as
            ``{_id: docid, text: contents}``.
        query_keys: how the queries call ``_id`` and ``text``.
    """

    name: ClassVar[str] = "beir"
    summary: ClassVar[str] = "a BEIR folder, zip or tar: corpus.jsonl, queries.jsonl, qrels/*.tsv"
    Options: ClassVar[type[msgspec.Struct]] = BeirOptions

    def convert(self, raw: Path | None, options: BeirOptions) -> Collection:
        """Open the folder or archive; the files that are needed are unpacked from an archive now.

        Raises:
            DataError: there is no BEIR folder, or more than one and none was chosen.
        """
        assert raw is not None  # the catalog sees to it
        source = Source(raw)
        root = _choose(source, options.folder)
        prefix = f"{root}/" if root else ""
        names = [n for n in source.names if n.startswith(prefix) and _PART.fullmatch(n[len(prefix) :])]
        with source.named():
            found = open_folder(
                source.folder(root, names),
                repair=options.repair,
                skip_without_id=options.skip_rows_without_id,
                default_relevance=options.default_relevance,
                corpus_keys=options.corpus_keys,
                query_keys=options.query_keys,
            )
        only_known = options.skip_queries_without_text
        judgments = partial(_of_known_queries, found) if only_known else found.judgments
        return Collection(
            documents=source.reading(found.documents),
            queries=source.reading(found.queries),
            judgments={split: source.reading(partial(judgments, split)) for split in found.splits},
            spans={split: source.reading(start) for split, start in found.spans.items()},
            provenance=msgspec.structs.replace(
                found.provenance,
                source=PurePosixPath(root).name or bare_archive_name(raw.resolve().name),
                converter=self.name,
                options={
                    name: value
                    for name, value in msgspec.to_builtins(options).items()
                    if name == "folder" or value not in (False, None, {})
                },
                inputs={},
                fetched=[],  # what the folder before was made from; who fetched this one says so
            ),
            inputs=source.hashing(names),
            distinct=found.distinct,
        )


def _of_known_queries(collection: Collection, split: str) -> Iterator[Judgment]:
    """The judgments of queries that have a text; how many of the others there were is told."""
    known = {query.query_id for query in collection.queries()}
    left_out: dict[str, None] = {}
    for judgment in collection.judgments(split):
        if judgment.query_id in known:
            yield judgment
        else:
            left_out[judgment.query_id] = None
    if left_out:
        what = "query has no text and is" if len(left_out) == 1 else "queries have no text and are"
        warn(f"split {split}: {len(left_out)} judged {what} left out: {', '.join(list(left_out)[:3])}")


def _choose(source: Source, asked: str) -> str:
    """The one folder below the source that holds a corpus, as a relative path."""
    paths = (PurePosixPath(name) for name in source.names)
    roots = sorted(
        {"" if (p := str(path.parent)) == "." else p for path in paths if _CORPUS.fullmatch(path.name)}
    )
    if asked:
        wanted = asked.strip("/")
        matching = [root for root in roots if root == wanted or PurePosixPath(root).name == wanted]
        if len(matching) != 1:
            known = [root or "." for root in roots]
            raise UnknownNameError(
                f"has no BEIR folder {asked!r}", path=source.raw, hint=nearest(wanted, known)
            )
        return matching[0]
    if not roots:
        found = "holds no BEIR folder: there is no corpus.jsonl, plain or compressed"
        raise DataError(found, path=source.raw, hint=source.there())
    if "" in roots:
        return ""
    if len(roots) > 1:
        hint = f"name one of them: --set folder={PurePosixPath(roots[0]).name}"
        raise DataError(f"holds {len(roots)} BEIR folders: {', '.join(roots)}", path=source.raw, hint=hint)
    return roots[0]
