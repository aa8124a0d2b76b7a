"""DBpedia-Entity v2: questions and keywords as queries, the entities of DBpedia as documents."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import ClassVar
from urllib.parse import unquote

import msgspec

from beirkit.converters.base import Converter
from beirkit.converters.reading.given import GivenSplits
from beirkit.converters.reading.source import Source
from beirkit.converters.reading.text_blocks import ids_and_texts
from beirkit.converters.reading.triples import text_triples
from beirkit.converters.reading.wikipedia import page_title
from beirkit.converters.reading.without import WITHOUT_DOCUMENTS, documents_unless
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError
from beirkit.corpora.notices import Once
from beirkit.corpora.qrels import iter_judgments
from beirkit.corpora.records import Document, Judgment, Query

_COMMENT = "http://www.w3.org/2000/01/rdf-schema#comment"
_RESOURCE = "http://dbpedia.org/resource/"
_SPLITS = ("dev", "test")


class DbpediaOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`DbpediaEntity`."""

    splits: str = ""
    without_documents: bool = False


class DbpediaEntity(Converter[DbpediaOptions]):
    """DBpedia-Entity v2: every graded entity, over the short abstracts of DBpedia 2015-10.

    ``raw`` is a folder or archive with ``queries-v2.txt``, ``qrels-v2.txt`` and
    ``short_abstracts_en.ttl.bz2`` (or ``.nt``). The id of a document is ``<dbpedia:Name>``, as in the
    judgments, its title the name with blanks, and its address is kept as ``url`` in its metadata.

    BEIR took 67 queries for ``dev`` by chance: name the folder of its qrels with ``splits``, or all judgments
    are in ``test``. The grades are the release's in either case.

    Options:
        splits: folder with BEIR's ``dev.tsv`` or ``test.tsv``, or both, which say the split of each query.
        without_documents: read queries and judgments only; the abstracts need not be there.
    """

    name: ClassVar[str] = "dbpedia-entity"
    summary: ClassVar[str] = "DBpedia-Entity v2: queries-v2.txt, qrels-v2.txt, short abstracts of DBpedia"
    Options: ClassVar[type[msgspec.Struct]] = DbpediaOptions

    def convert(self, raw: Path | None, options: DbpediaOptions) -> Collection:
        """Open the release.

        Raises:
            DataError: a file is missing, or a given split is damaged.
            UsageError: there is no folder of the name in ``splits``.
        """
        assert raw is not None  # the catalog sees to it
        source = Source(raw)
        topics = source.only("queries-v2.txt", what="the queries")
        qrels = source.only("qrels-v2.txt", what="the judgments")
        abstracts = []
        if not options.without_documents:
            patterns = [f"short{sign}abstracts_en.{end}" for sign in "_-" for end in ("ttl", "nt")]
            abstracts = [source.only(*patterns, what="the short abstracts", instead=WITHOUT_DOCUMENTS)]
        given = GivenSplits(Path(options.splits)) if options.splits else None
        told = Once()

        def queries() -> Iterator[Query]:
            for query_id, text in ids_and_texts(source.path(topics)):
                yield Query(query_id, text.strip())

        def judgments(split: str) -> Iterator[Judgment]:
            if given is None:
                told(
                    "BEIR drew its dev queries by chance; without its qrels (--set splits=FOLDER) all "
                    "queries are in test"
                )
            elsewhere: dict[str, None] = {}
            for judgment in iter_judgments(source.path(qrels), warn=told):
                own = _split_of(judgment.query_id, given) if given else "test"
                if own == split:
                    yield judgment
                elif own is None:
                    elsewhere[judgment.query_id] = None
            if elsewhere:
                told(f"{len(elsewhere)} judged queries are in neither of the given splits and are left out")

        return self.collection(
            source,
            options,
            files=[*abstracts, topics, qrels],
            documents=documents_unless(
                options.without_documents, lambda: _documents(source.path(abstracts[0]))
            ),
            queries=queries,
            judgments={split: partial(judgments, split) for split in (_SPLITS if given else ("test",))},
            more_inputs=given.inputs() if given else None,
        )


def _split_of(query_id: str, given: GivenSplits) -> str | None:
    """The given split of a query; where one split is given, the others are in the other one."""
    others = [split for split in _SPLITS if split not in given.names]
    return given.of(query_id) or (others[0] if len(others) == 1 else None)


def _documents(path: Path) -> Iterator[Document]:
    for line, subject, text in text_triples(path, _COMMENT):
        name = unquote(subject.removeprefix(_RESOURCE))
        if name == subject or not name:
            hint = f"the address of an entity starts with {_RESOURCE}"
            raise DataError(f"describes {subject!r}", path=path, line=line, hint=hint)
        yield Document(f"<dbpedia:{name}>", page_title(name), text, {"url": f"<{subject}>"})
