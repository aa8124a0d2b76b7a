"""Quora's duplicate questions from the released pairs: one question of each cluster as query."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import ClassVar

import msgspec

from beirkit.converters.base import Converter
from beirkit.converters.reading.given import GivenSplits
from beirkit.converters.reading.quora_splits import LIMITS, Drawn, Pair, draw, questions
from beirkit.converters.reading.readers import read_csv
from beirkit.converters.reading.source import Source
from beirkit.corpora.collection import Collection
from beirkit.corpora.notices import Once
from beirkit.corpora.records import Document, Judgment, Query


class QuoraOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`Quora`."""

    splits: str = ""


class Quora(Converter[QuoraOptions]):
    """Quora's question pairs as BEIR has them: find the duplicates of a question among all others.

    ``raw`` is ``quora_duplicate_questions.tsv`` or a folder or archive with it. Queries and judgments follow
    the public script of the sentence-transformers project, with its seed: duplicates of duplicates are
    duplicates, as are questions that differ in stop words and punctuation only; the clusters are dealt out
    to train, dev and test; one question of a cluster is the query and the others are relevant. Documents are
    all questions that are no query; train has neither queries nor judgments. Line ends and tabs in a
    question become blanks, and pairs with an empty question are left out.

    Options:
        splits: folder with BEIR's ``dev.tsv`` and ``test.tsv``: queries and judgments are taken from there.
    """

    name: ClassVar[str] = "quora"
    summary: ClassVar[str] = "quora_duplicate_questions.tsv, split as sentence-transformers did"
    Options: ClassVar[type[msgspec.Struct]] = QuoraOptions

    def convert(self, raw: Path | None, options: QuoraOptions) -> Collection:
        """Open the file of pairs.

        Raises:
            DataError: there is no such file, or a given split is damaged.
            UsageError: there is no folder of the name in ``splits``.
        """
        assert raw is not None  # the catalog sees to it
        source = Source(raw, alone=True)
        name = source.only("quora_duplicate_questions.tsv", what="the pairs of questions")
        given = GivenSplits(Path(options.splits)) if options.splits else None
        told = Once()

        def pairs() -> Iterator[Pair]:
            return _pairs(source.path(name), told)

        @cache
        def drawn() -> Drawn:
            return draw(pairs())

        @cache
        def asked() -> frozenset[str]:
            if given:
                return frozenset(judgment.query_id for s in given.names for judgment in given.judgments(s))
            return frozenset(query_id for ids in drawn().queries.values() for query_id in ids)

        def judgments(split: str) -> Iterator[Judgment]:
            for query_id in drawn().queries[split]:
                others = sorted(drawn().clusters.of(query_id), key=lambda one: (len(one), one))
                yield from (Judgment(query_id, one, 1) for one in others if one != query_id)

        return self.collection(
            source,
            options,
            files=[name],
            documents=lambda: (
                Document(one, "", text) for one, text in questions(pairs()) if one not in asked()
            ),
            queries=lambda: (Query(one, text) for one, text in questions(pairs()) if one in asked()),
            judgments={split: partial(given.judgments, split) for split in given.names}
            if given
            else {split: partial(judgments, split) for split in LIMITS},
            more_inputs=given.inputs() if given else None,
        )


def _pairs(path: Path, told: Once) -> Iterator[Pair]:
    left_out = 0
    for row in read_csv(path, delimiter="\t"):
        first, second = (_one_line(row.text(column)) for column in ("question1", "question2"))
        if first and second:
            same = row.text("is_duplicate") == "1"
            yield Pair(row.id("qid1"), row.id("qid2"), first, second, same)
        else:
            left_out += 1
    if left_out:
        told(f"{path.name}: {left_out} pairs with an empty question left out")


def _one_line(text: str) -> str:
    return text.replace("\r", "").replace("\n", " ").replace("\t", " ")
