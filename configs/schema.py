"""The shapes of configuration files: what keys there are, of which type, and what they default to."""

from __future__ import annotations

import re
from typing import Any, Literal

import msgspec

Task = Literal[
    "fact checking", "question answering", "citation prediction", "duplicate question retrieval",
    "argument retrieval", "news retrieval", "tweet retrieval", "bio-medical retrieval", "entity retrieval",
    "documentation retrieval", "passage retrieval",
]  # fmt: skip


class Expected(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Counts that a correct conversion has.

    Attributes:
        documents: number of documents.
        queries: number of queries of all splits.
        judgments: for each split, the number of judgments per grade.
        unless: options of the converter, as in :class:`Difference`, under which other counts are right.
    """

    documents: int | None = None
    queries: int | None = None
    judgments: dict[str, dict[int, int]] = {}
    unless: list[str] = []


class KnownDefect(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A published defect of a dataset: ``beirkit check`` tells it as known.

    Attributes:
        code: what kind it is, as listed in docs/codes.
        note: what is known about it, and where it was published.
        file: the file it is in, such as `qrels/test.tsv`.
        ids: the ids it is about; a pair of query and document may be given by either.
        count: how many there are; where more are found, none of them is taken as known.
    """

    code: str
    note: str
    file: str = ""
    ids: list[str] = []
    count: int | None = None


class Difference(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A known difference that some options of the converter do away with.

    Attributes:
        says: the difference, in a sentence.
        unless: options of the converter, such as ``splits`` or ``dedupe=title``; where one of them is given,
            and has that value, it is not told.
    """

    says: str
    unless: list[str]


class Published(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One published form of a dataset, which ``beirkit fetch`` brings.

    Attributes:
        kind: ``beir``, an archive of a BEIR folder; ``huggingface``, a dataset repository of its hub;
            ``raw``, a file of the source's own release.
        url: address of the archive or file.
        mirrors: further addresses of the same bytes.
        md5: of the archive or file, as its publisher states it.
        sha256: of the archive or file.
        bytes: its size.
        repository: ``OWNER/NAME`` on the hub.
        revision: full commit of the repository, 40 hex digits.
        qrels: the repository of the judgments, where it is another one.
        qrels_revision: its full commit.
        options: options of the converter that reads what was fetched: ``beir`` for an archive,
            ``huggingface`` for a repository, the dataset's own format for raw files.
        note: what a user should know before fetching it.
    """

    kind: Literal["beir", "huggingface", "raw"]
    url: str = ""
    mirrors: list[str] = []
    md5: str = ""
    sha256: str = ""
    bytes: int | None = None
    repository: str = ""
    revision: str = ""
    qrels: str = ""
    qrels_revision: str = ""
    options: dict[str, Any] = {}
    note: str = ""

    def __post_init__(self) -> None:
        for key, digits in (("md5", 32), ("sha256", 64)):
            digest = getattr(self, key)
            if digest and not re.fullmatch(rf"[0-9a-fA-F]{{{digits}}}", digest):
                raise ValueError(f"`{key}` is {digest!r}, not {digits} hexadecimal digits")


class DatasetConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    r"""Facts about one dataset (``configs/datasets/*.yaml``).

    Attributes:
        name: the name in every command and result.
        title: what people call it.
        extends: name of a shipped dataset whose facts hold where this file says nothing, but for what is true
            of its files alone: ``expected``, ``known``, ``differences``, ``published`` and ``revision``. Of
            the same format, ``options`` are taken key by key; of another, not at all.
        format: catalog name of the converter that reads its source.
        options: options of that converter.
        json: how corpus.jsonl and queries.jsonl write non-ASCII characters: as they are, or ``\uXXXX``.
        expected: counts of a correct conversion.
        task: the kind of retrieval.
        domain: what the documents are about.
        language: BCP 47 code.
        instruction: what a model that takes instructions is told.
        reported_split: the split that published figures are of.
        measures: measures reported beside the default ones, the first as the dataset's main measure.
        self_match: whether a result whose id equals the query's is removed before scoring.
        family: datasets of one family share texts; training on one is not zero-shot on another.
        known: published defects, which `beirkit check` tells as known.
        differences: how the result of the documented rules differs from the published BEIR files, where it
            does; told at every conversion that it applies to: a sentence, or one with the options that do
            away with it.
        published: forms that can be fetched, the preferred one first.
        judgment_kind: what a judgment says.
        licence: as the owner states it.
        citation: as the owner asks for it.
        revision: revision of the source that the expected counts are of.
        obtain: where the raw files come from, in a sentence.
    """

    name: str
    title: str
    extends: str = ""
    format: str
    options: dict[str, Any] = {}
    json: Literal["utf-8", "ascii"] = "utf-8"
    expected: Expected | None = None
    task: Task
    domain: str
    language: str
    instruction: str = ""
    reported_split: str | None = None
    measures: list[str] = []
    self_match: Literal["keep", "remove"] = "keep"
    family: str
    known: list[KnownDefect] = []
    differences: list[str | Difference] = []
    published: list[Published] = []
    judgment_kind: Literal["graded", "reference-url", "span"] = "graded"
    licence: str
    citation: str = ""
    revision: str = ""
    obtain: str = ""


class RetrieverConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One retriever (``configs/retrievers/*.yaml``, or a user's own file).

    Attributes:
        name: the name in every command and result.
        kind: catalog name of the retriever's class.
        summary: one line for ``beirkit list retrievers``.
        options: options of that class; relative paths in ``class`` and ``model`` start at this file's folder.
        trained_on: families of the datasets the model was trained on; ``None``: not known.
        adapted_from: the retriever it was made from; the name of a shipped one brings what that was trained
            on, any other makes unknown what is not in ``trained_on``. Empty for a model made from a language
            model that was never trained to retrieve.
        licence: licence of the model, as its owner states it.
        parameters: number of parameters of the model.
        citation: how the owner asks to be cited.
    """

    name: str
    kind: str
    summary: str = ""
    options: dict[str, Any] = {}
    trained_on: list[str] | None = None
    adapted_from: str = ""
    licence: str = ""
    parameters: int | None = None
    citation: str = ""


class SuiteConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Datasets crossed with retrievers under one protocol (``configs/suites/*.yaml``, or a user's own file).

    Attributes:
        name: the name of the tables it makes.
        title: one line for people.
        datasets: names of datasets, folders, or names of suites, each of which is one member with the mean of
            its own members. A relative path, known by a slash, starts at this file's folder.
        retrievers: names, names with options, or YAML files, where the suite itself says what is run; with a
            slash or the ending ``.yaml`` or ``.yml`` a relative path, which starts at this file's folder.
        protocol: how runs are scored.
        measures: columns of the table; empty: the protocol's default.
        k: results kept per query.
        split: the split to search, where it is not the dataset's reported one.
        seed: seed of everything that is drawn by chance.
    """

    name: str
    title: str = ""
    datasets: list[str]
    retrievers: list[str] = []
    protocol: str = "beirkit"
    measures: list[str] = []
    k: int = 1000
    split: str | None = None
    seed: int = 1
