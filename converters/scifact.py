"""SciFact from its raw release: claims, and the abstracts they cite."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar, NamedTuple

from beirkit.converters.base import Converter, NoOptions
from beirkit.converters.reading.printed_arrays import integer_array, string_array
from beirkit.converters.reading.readers import read_csv, read_jsonl
from beirkit.converters.reading.rows import Row
from beirkit.converters.reading.source import Source
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError
from beirkit.corpora.records import Document, Judgment, Query


class Claim(NamedTuple):
    """One claim: what it cites, and which sentences support or contradict it (``{doc_id: [...]}``)."""

    claim_id: str
    text: str
    cited: list[str]
    evidence: dict[str, list[dict[str, Any]]]


class Layout(NamedTuple):
    """File names of one form of the release, and the functions that read them."""

    corpus: str
    train: str
    dev: str
    documents: Callable[[Path], Iterator[Document]]
    claims: Callable[[Path], Iterator[Claim]]


class Scifact(Converter[NoOptions]):
    """SciFact as BEIR has it: abstracts as documents, claims as queries, cited abstracts as relevant.

    ``raw`` is the folder, zip or tar of the original release (``corpus.jsonl``, ``claims_train.jsonl``,
    ``claims_dev.jsonl``) or of its form in CSV (``corpus_train.csv``, …, ``claims_validation.csv``). A
    document's text is its sentences without edge blanks, joined by one blank. Judgments are the cited
    abstracts, with or without evidence: they are what BEIR's test split has. Claims for development are the
    split ``test``; the released test claims have no labels and are not read. Options: none.
    """

    name: ClassVar[str] = "scifact"
    summary: ClassVar[str] = "SciFact's raw release, as JSON lines or as CSV"

    def convert(self, raw: Path | None, options: NoOptions) -> Collection:
        """Open the release.

        Raises:
            DataError: files are missing; the message lists them.
        """
        assert raw is not None  # the catalog sees to it
        source = Source(raw)
        layout, files = _find(source)
        corpus, train, dev = files

        def claims(name: str) -> Iterator[Claim]:
            return layout.claims(source.path(name))

        return self.collection(
            source,
            options,
            files=files,
            documents=lambda: layout.documents(source.path(corpus)),
            queries=lambda: map(_query, chain(claims(train), claims(dev))),
            judgments={
                "train": partial(_judgments, partial(claims, train)),
                "test": partial(_judgments, partial(claims, dev)),
            },
        )


def _find(source: Source) -> tuple[Layout, list[str]]:
    by_name = {PurePosixPath(name).name: name for name in reversed(source.names)}
    for layout in _LAYOUTS:
        wanted = layout[:3]
        if by_name.keys() >= set(wanted):
            return layout, [by_name[name] for name in wanted]
    forms = " or ".join(", ".join(layout[:3]) for layout in _LAYOUTS)
    raise DataError(f"is no SciFact release; needed are {forms}", path=source.raw, hint=source.there())


def _document(row: Row, sentences: list[str]) -> Document:
    text = " ".join(sentence.strip() for sentence in sentences)
    return Document(row.id("doc_id"), row.text("title"), text)


def _query(claim: Claim) -> Query:
    return Query(claim.claim_id, claim.text, dict(claim.evidence))


def _judgments(claims: Callable[[], Iterator[Claim]]) -> Iterator[Judgment]:
    for claim in claims():
        cited = dict.fromkeys(claim.cited)  # claim 1245 cites one abstract twice
        yield from (Judgment(claim.claim_id, doc_id, 1) for doc_id in cited)


def _documents_jsonl(path: Path) -> Iterator[Document]:
    return (_document(row, row.texts("abstract")) for row in read_jsonl(path))


def _claims_jsonl(path: Path) -> Iterator[Claim]:
    for row in read_jsonl(path):
        cited = [row.as_id("cited_doc_ids", item) for item in row.list("cited_doc_ids")]
        yield Claim(row.id("id"), row.text("claim"), cited, row.cells.get("evidence") or {})


def _documents_csv(path: Path) -> Iterator[Document]:
    return (_document(row, string_array(row, "abstract")) for row in read_csv(path))


def _claims_csv(path: Path) -> Iterator[Claim]:
    """Claims of the CSV form, which has one row per piece of evidence; rows of one claim are neighbours."""
    claim: Claim | None = None
    for row in read_csv(path):
        claim_id = row.id("id")
        if claim is None or claim.claim_id != claim_id:
            if claim is not None:
                yield claim
            claim = Claim(claim_id, row.text("claim"), integer_array(row, "cited_doc_ids"), {})
        if doc_id := row.cells["evidence_doc_id"]:
            sentences = [int(number) for number in integer_array(row, "evidence_sentences")]
            found = {"sentences": sentences, "label": row.text("evidence_label")}
            claim.evidence.setdefault(doc_id, []).append(found)
    if claim is not None:
        yield claim


_LAYOUTS = (
    Layout("corpus.jsonl", "claims_train.jsonl", "claims_dev.jsonl", _documents_jsonl, _claims_jsonl),
    Layout("corpus_train.csv", "claims_train.csv", "claims_validation.csv", _documents_csv, _claims_csv),
)
