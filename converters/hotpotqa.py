"""HotpotQA: questions that take two pages of Wikipedia, and the introductions of all pages."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from html import unescape
from pathlib import Path
from typing import ClassVar, Literal

import msgspec

from beirkit.converters.base import Converter
from beirkit.converters.reading.abstracts import Abstracts, IdsByTitle
from beirkit.converters.reading.given import GivenSplits
from beirkit.converters.reading.source import Source
from beirkit.converters.reading.supporting_facts import Question, read_questions
from beirkit.converters.reading.wikipedia import page_name
from beirkit.corpora.collection import Collection
from beirkit.corpora.notices import Once
from beirkit.corpora.records import Document, Judgment

_QUESTIONS = {"train": "hotpot_train*.json", "test": "hotpot_dev_fullwiki*.json"}


class HotpotqaOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`Hotpotqa`."""

    questions: dict[str, str] = msgspec.field(default_factory=_QUESTIONS.copy)
    corpus: Literal["abstracts", "contexts"] = "abstracts"
    splits: str = ""


class Hotpotqa(Converter[HotpotqaOptions]):
    """HotpotQA's questions as queries, the pages of their supporting facts as relevant documents.

    Questions are read as a JSON array or as JSON lines, with pairs (``[title, sentences]``) or with columns
    (``{title: […], sentences: […]}``). The documents are the introductions of all pages of Wikipedia in
    October 2017: JSON lines in files ``wiki_00.bz2``, …, in a folder or still in their tar. A document's text
    is its sentences with nothing between them.

    The official questions for development are the split ``test``, as in BEIR. BEIR drew its own ``dev`` from
    the training questions by chance: name the folder of its qrels with ``splits``, or they stay in ``train``.

    Options:
        questions: for each split, the file of its questions, by name or shell pattern.
        corpus: ``abstracts``, or ``contexts`` to take the pages shown with the questions for the documents;
            then the id of a document is the name of its page, such as ``Fox_(animal)``.
        splits: folder with BEIR's ``dev.tsv`` and maybe other splits, which say the split of each question.
    """

    name: ClassVar[str] = "hotpotqa"
    summary: ClassVar[str] = (
        "HotpotQA's questions, over the abstracts of Wikipedia or the questions' contexts"
    )
    Options: ClassVar[type[msgspec.Struct]] = HotpotqaOptions

    def convert(self, raw: Path | None, options: HotpotqaOptions) -> Collection:
        """Open questions and abstracts.

        Raises:
            DataError: a file is missing, or a given split is damaged.
            UsageError: there is no folder of the name in ``splits``.
        """
        assert raw is not None  # the catalog sees to it
        source = Source(raw)
        files = {s: source.only(p, what=f"the questions of {s}") for s, p in options.questions.items()}
        given = GivenSplits(Path(options.splits)) if options.splits else None
        told = Once()

        def questions() -> Iterator[tuple[str, Question]]:
            for split, name in files.items():
                for question in read_questions(source.path(name)):
                    yield (given and given.of(question.query.query_id)) or split, question

        def contexts() -> Iterator[Document]:
            texts: dict[str, int] = {}
            others = 0
            for _, question in questions():
                for title, sentences in question.context:
                    key, text = unescape(title), "".join(sentences)
                    others += texts.get(key, hash(text)) != hash(text)
                    if key not in texts:
                        texts[key] = hash(text)
                        yield Document(page_name(key), title, text)
            if others:
                told(f"{others} pages come again with another text; the first one counts")

        abstracts = Abstracts(source) if options.corpus == "abstracts" else None
        pages = IdsByTitle(
            abstracts.documents if abstracts else contexts,
            lambda: (title for _, question in questions() for title in question.titles),
        )

        def judgments(split: str) -> Iterator[Judgment]:
            if given is None and split == "train":
                told(
                    "BEIR drew its dev questions from train by chance; without its qrels "
                    "(--set splits=FOLDER) they stay in train"
                )
            unknown: dict[str, None] = {}
            for own, question in questions():
                for title in question.titles if own == split else ():
                    if doc_id := pages.id_of(title):
                        yield Judgment(question.query.query_id, doc_id, 1)
                    else:
                        unknown[title] = None
            if unknown:
                names = ", ".join(list(unknown)[:3])
                told(f"split {split}: {len(unknown)} supporting pages are no documents; left out: {names}")

        return self.collection(
            source,
            options,
            files=[*(abstracts.files if abstracts else ()), *files.values()],
            documents=pages.documents,
            queries=lambda: (question.query for _, question in questions()),
            judgments={s: partial(judgments, s) for s in sorted({*files, *(given.names if given else ())})},
            more_inputs=given.inputs() if given else None,
        )
