"""Questions whose supporting pages are known by address: LexBench-SimpleQA-Verified and SimpleQA."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar, Literal

import msgspec

from beirkit.converters.base import Converter
from beirkit.converters.reading.lexbench_release import (
    check_release,
    contract_of,
    is_release,
    read_release,
)
from beirkit.converters.reading.pages import page_documents, read_copies
from beirkit.converters.reading.simpleqa import read_simpleqa, require_form, steps
from beirkit.converters.reading.source import Source
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import UsageError
from beirkit.corpora.files import sha256_file
from beirkit.corpora.notices import Once
from beirkit.corpora.records import Document, Judgment, Query
from beirkit.corpora.supporting import POLICY, Supporting, Task, policy_record, query_of
from beirkit.corpora.urls import UrlPolicy


class LexbenchOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`Lexbench`."""

    form: Literal["any", "verified", "original"] = "any"
    longest: int = 128
    repair_urls: bool = False
    hash_routes: bool = False
    mobile_hosts: list[str] = []
    equivalents: str = ""
    pages: str = ""
    results: str = ""


class Lexbench(Converter[LexbenchOptions]):
    """Questions as queries, the pages that support their answers as documents, by address.

    ``raw`` is the CSV of Google's SimpleQA Verified or of OpenAI's SimpleQA, or a release of
    LexBench-SimpleQA-Verified as folder, zip or tar. A document's id is its address without a scheme as
    ``document-url/1`` writes it, so two spellings of one page are one document; that policy is beirkit's own.
    The text of a page belongs to its site: without ``pages`` or ``results`` a document is an address alone,
    marked ``url_only``, and there is nothing to search. A query keeps answer, labels and every address of
    the publisher; those that are no address are in ``invalid_reference_urls`` and are not judged.

    Options:
        form: what the source may be: Google's SimpleQA Verified or a release of it (``verified``), OpenAI's
            SimpleQA (``original``), or ``any``.
        longest: most Unicode code points of a question from a CSV file; 0: any length.
        repair_urls: read addresses in quotes or with junk before ``http`` as what they mean; the queries keep
            them as the publisher wrote them.
        hash_routes: keep fragments such as ``#/p/20``, by which some applications tell pages apart.
        mobile_hosts: hosts such as ``m.imdb.com`` that show the page of the host without its first label.
        equivalents: JSON lines of verified copies of references, each under its reference's document.
        pages: JSON lines of pages that you captured: ``url``, ``title``, ``text``. Others than references
            become documents too.
        results: JSON lines of a search tool's results, whose ``text``, else ``snippet``, is taken.
    """

    name: ClassVar[str] = "lexbench"
    summary: ClassVar[str] = "SimpleQA Verified, SimpleQA and LexBench's release: supporting pages by address"
    Options: ClassVar[type[msgspec.Struct]] = LexbenchOptions

    def convert(self, raw: Path | None, options: LexbenchOptions) -> Collection:
        """Find out which of the forms it is.

        Raises:
            DataError: it is none of them, or the release is not what its manifest says.
        """
        assert raw is not None  # the catalog sees to it
        policy = UrlPolicy(
            repair=options.repair_urls,
            hash_routes=options.hash_routes,
            mobile_hosts=tuple(sorted(options.mobile_hosts)),
        )
        source = Source(raw, alone=True)
        release = is_release(source)
        with source.named():
            files = check_release(source) if release else [source.only("*.csv", what="the questions")]
            require_form(options.form, raw, None if release else source.path(files[0]))
        extra = {path: _given(path) for path in (options.equivalents, options.pages, options.results) if path}
        copies = read_copies(extra[options.equivalents]) if options.equivalents else {}
        say = Once()

        def tasks() -> Iterator[tuple[Task, Supporting]]:
            path = source.path(files[0])
            for task in read_release(path) if release else read_simpleqa(path, options.longest):
                found = [copy for url in task.reference_urls for copy in copies.get(url, [])]
                task = task.with_copies(found)
                yield task, Supporting(task, policy)

        def documents() -> Iterator[Document]:
            references: dict[str, list[str]] = {}
            names: dict[str, str] = {}
            for _, supporting in tasks():
                for name, url in supporting.references.items():
                    references.setdefault(name, []).append(url)
                names.update(supporting.names)
            keys = {options.pages: ("text",), options.results: ("text", "snippet")}
            given = {extra[path]: columns for path, columns in keys.items() if path}
            for document in page_documents(given, names, policy, say):
                references.pop(document.doc_id, None)
                yield document
            for name, urls in references.items():
                yield Document(name, metadata={"url": urls[0], "url_only": True})

        def queries() -> Iterator[Query]:
            yield from (query_of(task, policy) for task, _ in tasks())

        def judgments() -> Iterator[Judgment]:
            for task, supporting in tasks():
                yield from (Judgment(task.id, name, 1) for name in supporting.references)

        collection = self.collection(
            source,
            options,
            files=files,
            documents=documents,
            queries=queries,
            judgments={"test": judgments},
            more_inputs={path.name: sha256_file(path) for path in extra.values()},
        )
        contract = contract_of(source) if release else steps(source.path(files[0]), options.longest)
        recorded = {**collection.provenance.options, POLICY: policy_record(policy), "source": contract}
        collection.provenance = msgspec.structs.replace(collection.provenance, options=recorded)
        return collection


def _given(text: str) -> Path:
    path = Path(text).expanduser()
    if not path.is_file():
        raise UsageError("there is no such file", path=path)
    return path
