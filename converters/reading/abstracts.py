"""The introductions of Wikipedia's pages that HotpotQA released, and ids of pages by their titles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from html import unescape

from beirkit.converters.reading.readers import read_jsonl
from beirkit.converters.reading.source import Source
from beirkit.corpora.errors import DataError
from beirkit.corpora.records import Document

_SHARD = "wiki_[0-9][0-9]*"
_TAR = "enwiki-*abstracts.tar"


class Abstracts:
    """Shards ``AA/wiki_00.bz2``, … of JSON lines: ``id``, ``url``, ``title``, and the sentences as ``text``.

    Args:
        source: where they are: in folders, or in one tar of the release, which is unpacked when first read.

    Attributes:
        files: names of the shards, or of the tar.

    Raises:
        DataError: there are neither shards nor a tar of them.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._shards = source.find(_SHARD)
        self.files = self._shards or [source.only(_TAR, _SHARD, what="the abstracts")]
        self._tar: Source | None = None

    def documents(self) -> Iterator[Document]:
        """A pass over the pages."""
        source, shards = self._opened()
        with source.named():
            for shard in shards:
                for row in read_jsonl(source.path(shard)):
                    url = row.text("url") if "url" in row.cells else ""
                    text = "".join(row.texts("text"))
                    yield Document(row.id("id"), row.text("title"), text, {"url": url} if url else {})

    def _opened(self) -> tuple[Source, list[str]]:
        """What holds the shards, and their names; those in a tar are all unpacked at once."""
        if self._shards:
            return self._source, self._shards
        if self._tar is None:
            self._tar = Source(self._source.path(self.files[0]))
        shards = self._tar.find(_SHARD)
        if not shards:
            raise DataError(f"has no file {_SHARD}, which holds abstracts", path=self._tar.raw)
        self._tar.folder("", shards)
        return self._tar, shards


class IdsByTitle:
    """Ids of the pages that somebody needs, learnt from the first whole pass over all pages.

    Titles are compared with ``&amp;`` and its like resolved, for a title may be written either way.

    Args:
        documents: starts a pass over the pages.
        titles: starts a pass over the titles that are needed, resolved.
    """

    def __init__(
        self, documents: Callable[[], Iterable[Document]], titles: Callable[[], Iterable[str]]
    ) -> None:
        self._start = documents
        self._titles = titles
        self._ids: dict[str, str] | None = None

    def documents(self) -> Iterator[Document]:
        """A pass over the pages that learns the ids."""
        needed, ids = set(self._titles()), dict[str, str]()
        for document in self._start():
            title = unescape(document.title)
            if title in needed:
                ids.setdefault(title, document.doc_id)
            yield document
        self._ids = ids

    def id_of(self, title: str) -> str | None:
        """The id of a page; None where no page has the title.

        The pages are read for it where nobody has read them to their end before.
        """
        if self._ids is None:
            for _ in self.documents():
                pass
        assert self._ids is not None
        return self._ids.get(title)
