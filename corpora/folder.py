"""BEIR folders: opened as a collection, written whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

from beirkit.corpora.blocks import counted
from beirkit.corpora.collection import Collection, Provenance
from beirkit.corpora.encoding import block_encoder
from beirkit.corpora.errors import DataError
from beirkit.corpora.files import atomic_open
from beirkit.corpora.following import CorpusCount
from beirkit.corpora.jsonl import Keys, read_documents, read_queries
from beirkit.corpora.layout import MANIFEST, find_layout, is_beir_folder, require_split_name
from beirkit.corpora.manifest import (
    ContentId,
    Counts,
    Manifest,
    SplitCounts,
    SplitTally,
    content_ids,
    file_facts,
    has_manifest,
    installed_version,
    matching_manifest,
    read_manifest,
    write_manifest,
)
from beirkit.corpora.notices import Once
from beirkit.corpora.progress import Advance, Progress, silent
from beirkit.corpora.qrels import HEADER, iter_judgments, once, row
from beirkit.corpora.records import Document, Judgment, Qrels, Query
from beirkit.corpora.spans import SUFFIX as SPANS
from beirkit.corpora.spans import read_spans, span_lines
from beirkit.corpora.unique import unique_blocks
from beirkit.corpora.whole import place_for, whole_folder

__all__ = ["folder_content_ids", "is_beir_folder", "open_folder", "write_folder"]

_STEP = 1024


class Lines(NamedTuple):
    """How a folder is written that keeps what it can of another.

    Attributes:
        documents: the lines of documents.
        queries: the lines of queries.
        suffixes: the compression of each file, such as ``.bz2``, by the file's name without it.
    """

    documents: Callable[[Sequence[Document]], bytes]
    queries: Callable[[Sequence[Query]], bytes]
    suffixes: Mapping[str, str]


RecordT = TypeVar("RecordT", Document, Query)
WatchedT = TypeVar("WatchedT", Document, Query, contravariant=True)


class FileWatch(Protocol[WatchedT]):
    """Who looks on while a file of records is written."""

    def are_new(self, ids: Sequence[str]) -> bool:
        """Keep the ids of what may be written next; whether none was there before."""

    def written(self, records: Sequence[WatchedT], lines: bytes) -> None:
        """Look at records that were just written as these lines."""


class Watch(Protocol):
    """Who looks on while a folder is written: queries first, then documents."""

    def queries(self, name: str) -> FileWatch[Query]:
        """Who looks at the file of the queries."""

    def corpus(self, name: str) -> FileWatch[Document]:
        """Who looks at the file of the documents."""


def open_folder(
    path: Path | str,
    *,
    repair: bool = False,
    skip_without_id: bool = False,
    default_relevance: int | None = None,
    corpus_keys: Keys | None = None,
    query_keys: Keys | None = None,
) -> Collection:
    """A BEIR folder as a collection; only file names are looked at until it is read.

    Nothing is guessed: what can be read in two ways is refused until an option says how. Whatever an option
    mends or leaves out is counted in a warning.

    Args:
        path: the folder.
        repair: take apart lines on which several records stand, as a writer without line ends leaves them.
        skip_without_id: leave out documents and queries without an id.
        default_relevance: the grade of every pair in a qrels file of two columns.
        corpus_keys: how the corpus calls ``_id``, ``title`` and ``text``, such as ``{"_id": "id"}``.
        query_keys: how the queries call ``_id`` and ``text``.

    Raises:
        DataError: the folder has no corpus or no queries.
    """
    layout = find_layout(path)
    warn = Once()
    provenance = Provenance(source=layout.folder.resolve().name)
    if has_manifest(layout.folder):
        with suppress(DataError):  # a manifest of another tool
            provenance = read_manifest(layout.folder).provenance
    documents = partial(read_documents, repair=repair, skip_without_id=skip_without_id, warn=warn)
    queries = partial(read_queries, repair=repair, skip_without_id=skip_without_id, warn=warn)
    judgments = partial(iter_judgments, default_relevance=default_relevance, warn=warn)
    return Collection(
        documents=partial(documents, layout.corpus, keys=corpus_keys),
        queries=partial(queries, layout.queries, keys=query_keys),
        judgments={split: partial(judgments, file) for split, file in layout.qrels.items()},
        provenance=provenance,
        spans={split: partial(read_spans, file) for split, file in layout.spans.items()},
        distinct=True,
    )


def folder_content_ids(path: Path | str) -> dict[str, str]:
    """The content ids of a folder: its manifest's where every file still has the hash told there.

    For any other folder they are computed by one pass over the records.
    """
    manifest = matching_manifest(path)
    return content_ids(open_folder(path)) if manifest is None else dict(manifest.content_ids)


def write_folder(
    collection: Collection,
    path: Path | str,
    *,
    ascii: bool = False,
    gzip: bool = False,
    lines: Lines | None = None,
    overwrite: bool = False,
    watch: Watch | None = None,
    progress: Progress = silent,
    version: str = "",
) -> Manifest:
    """Write a collection as a BEIR folder with its manifest.

    The folder is built beside its place and renamed into it, so it is there whole or not at all.

    Args:
        collection: what to write; each stream is read once, and again only where ids repeat.
        path: the folder.
        ascii: escape everything beyond ASCII in the JSON lines.
        gzip: compress the data files.
        lines: how the files are written instead, where they are to be as those of another folder.
        overwrite: replace a folder that beirkit wrote; any other is never replaced.
        watch: looks on; only where ``lines`` is None.
        progress: told of every record.
        version: of beirkit, for the manifest; empty: the installed one.

    Raises:
        UsageError: something stands at ``path`` that may not be replaced.
        DataError: a record cannot be written, or an id repeats with another content.
        WriteError: the system refused to write; nothing is left.
    """
    if lines is None:
        encode, names = block_encoder(ascii=ascii), _Names(".gz" if gzip else "", {})
        writing = _Writing(encode, encode, names, watch)
    else:
        assert watch is None  # it knows beirkit's own lines
        writing = _Writing(lines.documents, lines.queries, _Names("", lines.suffixes), None)
    with whole_folder(path, overwrite=overwrite, written=_written) as part:
        return _fill(part, collection, writing, progress, version or installed_version())


class _Names(NamedTuple):
    """The names of files with their compression."""

    suffix: str
    suffixes: Mapping[str, str]

    def of(self, name: str) -> str:
        return name + self.suffixes.get(name, self.suffix)


class _Writing(NamedTuple):
    """How the records are written, into which files, and who looks on."""

    documents: Callable[[Sequence[Document]], bytes]
    queries: Callable[[Sequence[Query]], bytes]
    names: _Names
    watch: Watch | None


def _fill(
    part: Path, collection: Collection, writing: _Writing, progress: Progress, version: str
) -> Manifest:
    names, watch = writing.names, writing.watch
    queries, queried = ContentId(), 0
    queries_name, corpus_name = names.of("queries.jsonl"), names.of("corpus.jsonl")
    with (
        atomic_open(part / queries_name, "wb") as out,
        progress("queries", None, "queries") as advance,
    ):
        query_watch = watch.queries(queries_name) if watch else None
        for some in _each_once(collection.queries, collection.distinct, query_watch):
            lines = writing.queries(some)
            out.write(lines)
            if query_watch:
                query_watch.written(some, lines)
            for query in some:
                queries.add_query(query)
            queried += len(some)
            advance(len(some))
    with (
        atomic_open(part / corpus_name, "wb") as out,
        CorpusCount(out, follow=corpus_name == "corpus.jsonl") as corpus,
        progress("documents", None, "documents") as advance,
    ):
        corpus_watch = watch.corpus(corpus_name) if watch else None
        for block in _each_once(collection.documents, collection.distinct, corpus_watch):
            lines = writing.documents(block)
            out.write(lines)
            if corpus_watch:
                corpus_watch.written(block, lines)
            corpus.add(block)
            advance(len(block))
        corpus_id, corpus_facts = corpus.facts()
    ids = {"corpus": corpus_id, "queries": queries.hexdigest()}
    splits: dict[str, SplitCounts] = {}
    for split in collection.splits:
        require_split_name(split)
        tally = SplitTally()
        with (
            atomic_open(part / names.of(f"qrels/{split}.tsv")) as table,
            progress(f"judgments of {split}", None, "judgments") as advance,
        ):
            table.write(HEADER + "\n")
            for judgment in _told(_unique_judgments(collection, split), advance):
                table.write(row(judgment))
                tally.add(judgment)
        ids[f"qrels/{split}"], splits[split] = tally.content.hexdigest(), tally.counts()
    for split, spans in collection.spans.items():
        require_split_name(split)
        with atomic_open(part / names.of(f"qrels/{split}{SPANS}"), "wb") as out:
            out.writelines(span_lines(spans()))
    manifest = Manifest(
        beirkit=version,
        provenance=collection.provenance,
        counts=Counts(corpus.documents, queried, splits),
        content_ids=ids,
        files=file_facts(find_layout(part), {corpus_name: corpus_facts} if corpus_facts else {}),
    )
    write_manifest(manifest, part)
    return manifest


def _told(records: Iterator[Judgment], advance: Advance) -> Iterator[Judgment]:
    count = 0
    for count, record in enumerate(records, 1):
        if count % _STEP == 0:
            advance(_STEP)
        yield record
    advance(count % _STEP)


def _each_once(
    start: Callable[[], Iterable[RecordT]], distinct: bool, watch: FileWatch[RecordT] | None
) -> Iterator[Sequence[RecordT]]:
    """Documents or queries by the block, each id once."""
    if distinct:
        return (batch.records for batch in counted(start()))
    are_new = watch.are_new if watch else None
    return unique_blocks(lambda: counted(start()), place="record", are_new=are_new)


def _unique_judgments(collection: Collection, split: str) -> Iterator[Judgment]:
    seen: Qrels = {}
    return once(lambda: enumerate(collection.judgments(split), 1), seen, place="judgment")


def require_room(path: Path | str, *, overwrite: bool) -> Path:
    """The place where :func:`write_folder` would write, before anything is made ready for it.

    Raises:
        UsageError: something stands there that may not be replaced.
        WriteError: it is a link that leads to itself.
    """
    return place_for(path, overwrite=overwrite, written=_written)


def _written(folder: Path) -> set[str]:
    """The files that beirkit wrote into a folder."""
    read_manifest(folder)
    return {MANIFEST, *find_layout(folder).files()}
