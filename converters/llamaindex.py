"""Question sets that LlamaIndex generates and saves as EmbeddingQAFinetuneDataset."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import ClassVar

import msgspec

from beirkit.converters.base import Converter
from beirkit.converters.reading.distinct import first_of_each
from beirkit.converters.reading.json_document import JsonDocument
from beirkit.converters.reading.source import Source
from beirkit.converters.reading.splits import split_files
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError
from beirkit.corpora.ids import id_problem
from beirkit.corpora.notices import Once
from beirkit.corpora.records import Document, Judgment, Query


class LlamaIndexOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`LlamaIndex`."""

    splits: dict[str, str] = {}


class QuestionSet(msgspec.Struct):
    """The document that is saved: texts by id, and the ids of the relevant passages of each question."""

    queries: dict[str, str]
    corpus: dict[str, str]
    relevant_docs: dict[str, list[str]]


class LlamaIndex(Converter[LlamaIndexOptions]):
    """A JSON file with ``queries``, ``corpus`` and ``relevant_docs``, or one such file per split.

    A file is held in memory while it is read. Ids stay as they are. Where several files have a passage, the
    first one's text counts.

    Options:
        splits: file of each split, such as ``{train: train.json, dev: val.json}``; by default the names of
            the files tell, and a file alone is ``test``.
    """

    name: ClassVar[str] = "llamaindex"
    summary: ClassVar[str] = "LlamaIndex's EmbeddingQAFinetuneDataset: queries, corpus, relevant_docs in JSON"
    Options: ClassVar[type[msgspec.Struct]] = LlamaIndexOptions

    def convert(self, raw: Path | None, options: LlamaIndexOptions) -> Collection:
        """Find the file of each split.

        Raises:
            DataError: there is none, or the names do not tell which is which.
        """
        assert raw is not None  # the catalog sees to it
        source = Source(raw, alone=True)
        files = split_files(source, options.splits, "*.json", what="questions, passages and what is relevant")
        say = Once()

        def read(split: str) -> QuestionSet:
            path = source.path(files[split])
            found = JsonDocument(path, "a question set of LlamaIndex").whole(QuestionSet)
            for name in chain(
                found.queries, found.corpus, found.relevant_docs, *found.relevant_docs.values()
            ):
                if problem := id_problem(name):
                    raise DataError(f"the id {name!r} {problem}", path=path)
            return found

        def passages() -> Iterator[Document]:
            for split in files:
                yield from (Document(doc_id, "", text) for doc_id, text in read(split).corpus.items())

        def queries() -> Iterator[Query]:
            for split in files:
                yield from (Query(query_id, text) for query_id, text in read(split).queries.items())

        def judgments(split: str) -> Iterator[Judgment]:
            for query_id, doc_ids in read(split).relevant_docs.items():
                yield from (Judgment(query_id, doc_id, 1) for doc_id in dict.fromkeys(doc_ids))

        return self.collection(
            source,
            options,
            files=files.values(),
            documents=lambda: first_of_each(passages(), str(raw), say),
            queries=queries,
            judgments={split: partial(judgments, split) for split in files},
        )
