"""Long documents as passages, each with its place in its document; judgments follow by a declared rule."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple, get_args, get_origin

import msgspec

from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError, UsageError, nearest
from beirkit.corpora.notices import Once
from beirkit.corpora.records import Document, Judgment

_WORD = re.compile(r"\S+")

# A mark of the end with what closes behind it, before white space; in scripts without blanks, the mark alone;
# an empty line. The look behind keeps a long run of dots from being tried from each dot.
_SENTENCE_END = re.compile(
    r"""(?<![.!?…؟۔।॥])[.!?…؟۔।॥]++["'”’»)\]]*+(?=\s)|[。！？｡]++[」』”’）)\]]*+|\n\s*\n"""
)

Unit = Literal["characters", "words", "sentences"]

Window = tuple[int, int]
"""Start and end of a piece of a text, in code points: ``text[start:end]``."""


class PassageRules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How documents are split, and what becomes of their judgments.

    Attributes:
        size: of a passage, in units; the last one of a document may be shorter.
        overlap: units that a passage shares with the next; a span of no more is whole in some passage.
        unit: ``characters`` (code points); ``words``, between white space; or ``sentences``, up to ``.``,
            ``!``, ``?`` or their like in other scripts, or an empty line. Abbreviations end a sentence too.
        judgments: who inherits a relevant document's grade: every passage of it (``document``); or, by the
            spans that the query's metadata tell of, with grade 2 the passages that contain a span wholly and
            with grade 1 those that overlap one (``overlap``), or with the document's grade only those that
            contain one (``contains``). Grades below 1 go to every passage.
    """

    size: int
    overlap: int = 0
    unit: Unit = "characters"
    judgments: Literal["document", "overlap", "contains"] = "document"

    def __post_init__(self) -> None:
        if self.size < 1:
            raise ValueError(f"size is {self.size}: a passage has at least 1 of {self.unit}")
        if not 0 <= self.overlap < self.size:
            raise ValueError(
                f"overlap is {self.overlap}: it must be 0 or more and below the size, {self.size}"
            )


class Passage(NamedTuple):
    """A passage that a judgment may be about: its id and where it stands in its document."""

    doc_id: str
    start: int
    end: int


def parse_rules(text: str) -> PassageRules:
    """Read ``size=400,overlap=80,unit=characters,judgments=document``; all but ``size`` may be left out.

    Raises:
        UsageError: a rule is unknown, given twice, or has no possible value.
    """
    known = [field.name for field in msgspec.structs.fields(PassageRules)]
    rules: dict[str, str] = {}
    for part in text.split(","):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise UsageError(f"{part!r} is no rule for passages", hint="write size=400,overlap=80")
        if key not in known:
            raise UsageError(f"there is no rule {key!r} for passages", hint=nearest(key, known))
        if key in rules:
            raise UsageError(f"the rule {key!r} for passages is given twice")
        rules[key] = value
    try:
        return msgspec.convert(rules, PassageRules, strict=False)
    except msgspec.ValidationError as error:
        raise UsageError(f"rules for passages: {error}", hint=_choices(str(error))) from error


def _choices(message: str) -> str:
    """The values of the rule that a message about a wrong value names; empty: it names none of a few."""
    for field in msgspec.structs.fields(PassageRules):
        if get_origin(field.type) is Literal and f"`$.{field.name}`" in message:
            return f"{field.name} is one of: {', '.join(get_args(field.type))}"
    return ""


def split_passages(collection: Collection, rules: PassageRules) -> Collection:
    """The collection with passages for documents.

    A passage has the id ``DOC#N``, counted from 0, its document's title and metadata, and in the metadata
    ``doc``, ``start`` and ``end``: the document's text from start to end, in code points, is its text. A
    document without text is one passage, so that its title can still be found. Queries stay as they are.

    Spans stand in the metadata of a query as ``spans``, a list of objects with ``start``, ``end`` and
    ``doc``; the last may be missing where one document alone is relevant to the query.

    Documents are streamed; windows are held of the judged ones.

    Raises:
        DataError: while judgments are read: a span is no span of its document.
    """
    source = collection.provenance
    provenance = msgspec.structs.replace(
        source,
        source=f"{source.source}-passages",  # facts about the documents are none about passages
        options={**source.options, "passages": msgspec.to_builtins(rules)},
    )
    judged = _Judged(collection, rules)
    return Collection(
        documents=lambda: (
            passage for document in collection.documents() for passage in passages_of(document, rules)
        ),
        queries=collection.queries,
        judgments={split: partial(judged.judgments, split) for split in collection.splits},
        provenance=provenance,
        spans=collection.spans,
    )


def passages_of(document: Document, rules: PassageRules) -> Iterator[Document]:
    """The passages of one document, in its order."""
    for number, (start, end) in enumerate(windows(document.text, rules)):
        yield Document(
            f"{document.doc_id}#{number}",
            document.title,
            document.text[start:end],
            {**document.metadata, "doc": document.doc_id, "start": start, "end": end},
        )


def windows(text: str, rules: PassageRules) -> list[Window]:
    """Where the passages of a text are.

    Windows of characters cover the whole text; those of words and of sentences cover every word, and white
    space at an edge of a window is in none. A text without a word is one window.
    """
    pieces = None if rules.unit == "characters" else _pieces(text, rules.unit)
    length = len(text) if pieces is None else len(pieces)
    if not length:
        return [(0, len(text))]
    found: list[Window] = []
    for start in range(0, length, rules.size - rules.overlap):
        end = min(start + rules.size, length)
        found.append((start, end) if pieces is None else (pieces[start][0], pieces[end - 1][1]))
        if end == length:
            break
    return found


def _pieces(text: str, unit: Unit) -> list[Window]:
    """Where the words or the sentences of a text are, without the white space around them."""
    if unit == "words":
        return [word.span() for word in _WORD.finditer(text)]
    found: list[Window] = []
    start = 0
    for end in (*(mark.end() for mark in _SENTENCE_END.finditer(text)), len(text)):
        piece = text[start:end]
        if stripped := piece.strip():
            first = start + len(piece) - len(piece.lstrip())
            found.append((first, first + len(stripped)))
        start = end
    return found


class _Judged:
    """The judged documents of a collection, and the judgments of their passages."""

    def __init__(self, collection: Collection, rules: PassageRules) -> None:
        self._collection = collection
        self._rules = rules
        self._warn = Once()
        self._windows: dict[str, tuple[int, list[Window]]] | None = None

    def judgments(self, split: str) -> Iterator[Judgment]:
        """The judgments of one split, each document's replaced by those of its passages."""
        by_document = self._rules.judgments == "document"
        spans = {} if by_document else self._spans(split)
        absent = unmarked = torn = 0
        for judgment in self._collection.judgments(split):
            _, passages = self._document(judgment.doc_id)
            absent += not passages
            if by_document or judgment.relevance < 1:
                yield from (Judgment(judgment.query_id, p.doc_id, judgment.relevance) for p in passages)
                continue
            marked = spans.get((judgment.query_id, judgment.doc_id), [])
            grades = [self._grade(passage, marked, judgment.relevance) for passage in passages]
            unmarked += bool(passages) and not marked
            torn += sum(not _whole(span, passages) for span in marked) if passages else 0
            for passage, grade in zip(passages, grades, strict=True):
                if grade is not None:
                    yield Judgment(judgment.query_id, passage.doc_id, grade)
        for count, what in (
            (absent, "judgments of documents that are not there are left out"),
            (unmarked, "relevant documents have no span in their query's metadata, and no passage is judged"),
            (torn, "spans in relevant documents are whole in no passage: a larger overlap keeps them whole"),
        ):
            if count:
                self._warn(f"split {split}: {count:,} {what}")

    def _grade(self, passage: Passage, spans: Sequence[Window], relevance: int) -> int | None:
        """The grade of a passage of a relevant document, None where it is not judged."""
        if any(passage.start <= start and end <= passage.end for start, end in spans):
            return relevance if self._rules.judgments == "contains" else 2
        if self._rules.judgments == "contains":
            return None
        return 1 if any(start < passage.end and passage.start < end for start, end in spans) else None

    def _document(self, doc_id: str) -> tuple[int, list[Passage]]:
        """Length and passages of a judged document; no passages where there is no such document."""
        if self._windows is None:
            judged = {
                judgment.doc_id
                for split in self._collection.splits
                for judgment in self._collection.judgments(split)
            }
            self._windows = {
                document.doc_id: (len(document.text), windows(document.text, self._rules))
                for document in self._collection.documents()
                if document.doc_id in judged
            }
        length, found = self._windows.get(doc_id, (0, []))
        return length, [Passage(f"{doc_id}#{number}", *window) for number, window in enumerate(found)]

    def _spans(self, split: str) -> dict[tuple[str, str], list[Window]]:
        """The spans of each query in each document that is relevant to it."""
        relevant: dict[str, list[str]] = {}
        for judgment in self._collection.judgments(split):
            if judgment.relevance >= 1:
                relevant.setdefault(judgment.query_id, []).append(judgment.doc_id)
        found: dict[tuple[str, str], list[Window]] = {}
        for query in self._collection.queries():
            for span in query.metadata.get("spans") or [] if query.query_id in relevant else []:
                doc_id, window = _span(span, query.query_id, relevant[query.query_id])
                length, passages = self._document(doc_id)
                if passages and window[1] > length:
                    raise DataError(
                        f"query {query.query_id!r} has a span that ends at {window[1]}, and document "
                        f"{doc_id!r} has {length} characters"
                    )
                found.setdefault((query.query_id, doc_id), []).append(window)
        return found


def _span(span: Any, query_id: str, relevant: list[str]) -> tuple[str, Window]:
    """The document of a span and its place there."""
    start, end, doc_id = (
        (span.get(key) for key in ("start", "end", "doc")) if isinstance(span, dict) else (None, None, None)
    )
    if type(start) is not int or type(end) is not int or not 0 <= start < end:
        hint = 'a span is {"start": 3, "end": 5}, in code points of the text'
        raise DataError(f"query {query_id!r} has a span that is none: {span!r}", hint=hint)
    if doc_id is None and len(relevant) > 1:
        raise DataError(
            f"query {query_id!r} has {len(relevant)} relevant documents, and a span does not say its own",
            hint='add "doc" to it',
        )
    return relevant[0] if doc_id is None else str(doc_id), (start, end)


def _whole(span: Window, passages: Sequence[Passage]) -> bool:
    """Whether some passage contains a span wholly."""
    return any(passage.start <= span[0] and span[1] <= passage.end for passage in passages)
