"""Natural Questions: questions asked of a search engine, the paragraphs of Wikipedia that answer them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import ClassVar, NamedTuple

import msgspec

from beirkit.converters.base import Converter
from beirkit.converters.reading.nq_examples import Example, read_examples
from beirkit.converters.reading.source import Source
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError
from beirkit.corpora.notices import Once
from beirkit.corpora.records import Document, Judgment, Query

_TABLE = ("<table>", "<tr>")


class NaturalQuestionsOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`NaturalQuestions`."""

    questions: str = "*nq-dev*.jsonl"
    pages: str = ""
    annotators: int = 2

    def __post_init__(self) -> None:
        if self.annotators < 1:
            raise ValueError("an answer needs an annotator: `annotators` is 1 or more")


class Page(NamedTuple):
    """The version of a page that is kept, and the number of its first paragraph."""

    url: str
    first: int


class NaturalQuestions(Converter[NaturalQuestionsOptions]):
    """Natural Questions 1.0: paragraphs as documents, each question with the paragraphs marked as its answer.

    Documents are ``doc0``, ``doc1``, …, the paragraphs of all pages in order; the title is that of the page.
    Of a page that comes in several versions the first one is kept. Queries are ``test0``, ``test1``, …: the
    questions with an answer. Left out and counted are those without one, with a table as an answer, with
    lists only, and those asked of a version of a page that is not kept.

    These are BEIR's rules as far as they are known. Its paragraphs and its numbers cannot be had again, so
    what comes out has the same shape and other ids.

    Options:
        questions: shell pattern for the files of questions, such as ``nq-dev-00.jsonl.gz``.
        pages: shell pattern for further files whose pages are documents too, such as ``nq-train-*.jsonl``.
        annotators: how many of a question's annotators must have marked an answer; two of five, as in the
            scorer of the release, and never more than there are.
    """

    name: ClassVar[str] = "nq"
    summary: ClassVar[str] = "Natural Questions 1.0 in JSON lines: the paragraphs of its pages"
    Options: ClassVar[type[msgspec.Struct]] = NaturalQuestionsOptions

    def convert(self, raw: Path | None, options: NaturalQuestionsOptions) -> Collection:
        """Find the files.

        Raises:
            DataError: there is none; the message lists what is there.
        """
        assert raw is not None  # the catalog sees to it
        source = Source(raw, alone=True)
        asked = _found(source, options.questions)
        more = _found(source, options.pages) if options.pages else []
        files = list(dict.fromkeys([*asked, *more]))
        told = Once()

        def walk(names: list[str]) -> Iterator[tuple[Example, dict[int, str], Page, bool]]:
            """Each example, its paragraphs, the kept version of its page, and whether it is the first."""
            pages: dict[str, Page] = {}
            count = 0
            for name in names:
                for example in read_examples(source.path(name)):
                    paragraphs = example.paragraphs()
                    new = example.document_title not in pages
                    if new:
                        pages[example.document_title] = Page(example.document_url, count)
                        count += len(paragraphs)
                    yield example, paragraphs, pages[example.document_title], new

        def documents() -> Iterator[Document]:
            for example, paragraphs, page, new in walk(files):
                for number, text in enumerate(paragraphs.values() if new else (), page.first):
                    yield Document(f"doc{number}", example.document_title, text)

        @cache
        def answered() -> list[tuple[Query, list[str]]]:
            kept: list[tuple[Query, list[str]]] = []
            dropped: Counter[str] = Counter()
            for example, paragraphs, page, _ in walk(asked):
                problem = _problem(example, paragraphs, page, options.annotators)
                if problem:
                    dropped[problem] += 1
                    continue
                numbers = {start: number for number, start in enumerate(paragraphs, page.first)}
                answers = dict.fromkeys(numbers[start] for start in example.marked() if start in numbers)
                query = Query(
                    f"test{len(kept)}", example.question_text, {"example_id": str(example.example_id)}
                )
                kept.append((query, [f"doc{number}" for number in answers]))
            if dropped:
                listed = ", ".join(f"{count} {problem}" for problem, count in sorted(dropped.items()))
                told(f"{dropped.total()} questions left out: {listed}")
            return kept

        return self.collection(
            source,
            options,
            files=files,
            documents=documents,
            queries=lambda: (query for query, _ in answered()),
            judgments={
                "test": lambda: (Judgment(q.query_id, doc, 1) for q, docs in answered() for doc in docs)
            },
        )


def _found(source: Source, pattern: str) -> list[str]:
    if names := source.find(pattern):
        return names
    raise DataError(f"has no file {pattern}", path=source.raw, hint=source.there())


def _problem(example: Example, paragraphs: dict[int, str], page: Page, annotators: int) -> str:
    """Why a question is left out; empty: it is not."""
    marked = example.marked()
    if len(marked) < min(annotators, len(example.annotations)) or not marked:
        return "without an answer"
    if any(example.tag(start) in _TABLE for start in marked):
        return "answered by a table"
    if page.url != example.document_url:
        return "of another version of a page"
    return "" if any(start in paragraphs for start in marked) else "without a paragraph as answer"
