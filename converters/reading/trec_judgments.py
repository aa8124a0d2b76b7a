"""Judgment files of a source by split, with one rule for grades and for topics that nobody judged."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import PurePosixPath
from typing import Literal

from beirkit.converters.reading.source import Source
from beirkit.corpora.compressed import bare_name
from beirkit.corpora.errors import DataError
from beirkit.corpora.notices import Once
from beirkit.corpora.qrels import iter_judgments
from beirkit.corpora.records import Judgment

Keep = Literal["all", "judged", "relevant"]

_SPLITS = {"train": "train", "training": "train", "dev": "dev", "val": "dev", "validation": "dev"}


class TrecJudgments:
    """The judgments of a source, in TREC's or BEIR's form.

    Args:
        source: holds the files.
        qrels: for each split, a pattern of its files; empty: every file called ``*qrels*``, in the split
            that its name tells, else ``test``.
        grades: the grade of each grade of the files, complete; empty: as they are.
        keep: the topics that are kept with their judgments: all, those with a judgment, or those with a
            relevant document.
        only_relevant: leave out judgments of a grade below 1.

    Raises:
        DataError: there is no such file, or several are of one split and none was chosen.
    """

    def __init__(
        self,
        source: Source,
        qrels: Mapping[str, str],
        *,
        grades: Mapping[int, int] | None = None,
        keep: Keep = "all",
        only_relevant: bool = False,
    ) -> None:
        self._source = source
        self._grades = dict(grades or {})
        self._keep = keep
        self._only_relevant = only_relevant
        self._tell = Once()
        self._by_split = _chosen(source, qrels) if qrels else _found(source)
        self.splits = tuple(sorted(self._by_split))
        self.files = tuple(name for split in self.splits for name in self._by_split[split])

    def keeps(self, query_id: str) -> bool:
        """Whether a topic is kept."""
        return self._keep == "all" or query_id in self._kept

    def read(self, split: str) -> Iterator[Judgment]:
        """The judgments of a split, those of dropped topics and, where asked, of low grades left out."""
        dropped = low = 0
        for judgment in self._rows(split):
            if not self.keeps(judgment.query_id):
                dropped += 1
            elif self._only_relevant and judgment.relevance < 1:
                low += 1
            else:
                yield judgment
        if dropped:
            self._tell(f"split {split}: {dropped} judgments of topics without a relevant document left out")
        if low:
            self._tell(f"split {split}: {low} judgments of a grade below 1 left out")

    @cached_property
    def _kept(self) -> frozenset[str]:
        least = 1 if self._keep == "relevant" else None
        rows = (judgment for split in self.splits for judgment in self._rows(split))
        return frozenset(row.query_id for row in rows if least is None or row.relevance >= least)

    def _rows(self, split: str) -> Iterator[Judgment]:
        for name in self._by_split[split]:
            path = self._source.path(name)
            for judgment in iter_judgments(path, warn=self._tell):
                if not self._grades:
                    yield judgment
                    continue
                if judgment.relevance not in self._grades:
                    place = f"query {judgment.query_id!r} and document {judgment.doc_id!r}"
                    found = f"{place} have grade {judgment.relevance}, which grades does not map"
                    known = ", ".join(map(str, sorted(self._grades)))
                    raise DataError(found, path=path, hint=f"mapped are: {known}")
                grade = self._grades[judgment.relevance]
                yield Judgment(judgment.query_id, judgment.doc_id, grade)


def _chosen(source: Source, qrels: Mapping[str, str]) -> dict[str, list[str]]:
    by_split: dict[str, list[str]] = {}
    for split, pattern in qrels.items():
        by_split[split] = source.find(pattern) or [source.only(pattern, what=f"judgments of {split}")]
    return by_split


def _found(source: Source) -> dict[str, list[str]]:
    names = source.find("*qrels*", "qrels/*.tsv", "qrels/*.txt")
    if not names:
        source.only("*qrels*", what="the judgments")  # says what is there
    by_split: dict[str, list[str]] = {}
    for name in names:
        by_split.setdefault(_split_of(name), []).append(name)
    split, number = Counter({split: len(files) for split, files in by_split.items()}).most_common(1)[0]
    if number > 1:
        listed = ", ".join(by_split[split][:5])
        hint = f"choose one: --set qrels.{split}={PurePosixPath(by_split[split][0]).name}"
        raise DataError(f"has {number} files of judgments for {split}: {listed}", path=source.raw, hint=hint)
    return by_split


def _split_of(name: str) -> str:
    words = re.split(r"[^a-z]+", bare_name(PurePosixPath(name).name).lower())
    return next((_SPLITS[word] for word in words if word in _SPLITS), "test")
