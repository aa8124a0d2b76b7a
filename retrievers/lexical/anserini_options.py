"""Options of Anserini, and the flags of its programs that they become."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Literal

import msgspec

from beirkit.corpora.errors import ConfigError, nearest
from beirkit.retrievers.base import Facts
from beirkit.retrievers.lexical.analysis.languages import primary
from beirkit.retrievers.lexical.rm3 import RM3Options
from beirkit.retrievers.template import FIELDS

LANGUAGES = (
    "ar", "bn", "da", "de", "en", "es", "fa", "fi", "fr", "hi", "hu", "id", "it", "ja", "ko", "nl", "no",
    "pl", "pt", "ru", "sv", "te", "th", "tr", "uk", "zh",
)  # fmt: skip
"""Those that Anserini 1.7.1 has an analyzer for; it takes any other for English without a word."""

_FIELD = {"text": "contents", "title": "title"}


class AnseriniOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`AnseriniRetriever`; the defaults are Anserini's.

    Attributes:
        k1: how fast repeated terms stop counting.
        b: how far long documents are held back, from 0 (not at all) to 1.
        accurate: lengths as they are, and not in one byte (``-bm25.accurate``).
        template: the text of a document; not read where there are ``fields``.
        fields: ``title`` and ``text`` with what each counts, to score them apart; none: one flat text.
        language: of Lucene's analyzers, a BCP 47 tag; ``auto`` is the dataset's.
        stemmer: of English: ``porter``, ``krovetz`` or ``none``.
        stopwords: of English: ``lucene`` (33 words), ``none`` (``-keepStopwords``), or a list of words.
        pretokenized: terms are what stands between blanks, as it is.
        rm3: expands every query by terms of its first results (``rm3={}`` with Anserini's parameters); not
            with ``fields``.
        heap: MiB of memory that Java may take at most.
    """

    k1: float = 0.9
    b: float = 0.4
    accurate: bool = False
    template: str = "{title} {text}"
    fields: dict[str, float] = {}
    language: str = "en"
    stemmer: Literal["porter", "krovetz", "none"] = "porter"
    stopwords: str | list[str] = "lucene"
    pretokenized: bool = False
    rm3: RM3Options | None = None
    heap: int = 4096

    def __post_init__(self) -> None:
        if not (math.isfinite(self.k1) and self.k1 >= 0):
            raise ValueError(f"k1 is {self.k1}; it must be 0 or more")
        if not 0 <= self.b <= 1:
            raise ValueError(f"b is {self.b}; it must be between 0 and 1")
        if self.heap < 64:
            raise ValueError(f"heap is {self.heap}; it must be at least 64 MiB")
        if self.rm3 is not None and self.fields:
            raise ValueError("rm3 expands queries over one flat text; leave fields out")
        for name, boost in self.fields.items():
            if name not in FIELDS:
                raise ValueError(f"there is no field {name!r}; fields are {' and '.join(FIELDS)}")
            if not (math.isfinite(boost) and boost > 0):
                raise ValueError(f"the field {name!r} counts {boost}; it must be greater than 0")
        if isinstance(self.stopwords, str):
            if self.stopwords not in ("lucene", "none"):
                raise ValueError(f"stopwords are {self.stopwords!r}; write lucene, none, or a list of words")
        elif not self.stopwords or any(len(word.split()) != 1 for word in self.stopwords):
            raise ValueError("stopwords must be words without blanks; write none where there are none")

    @property
    def primary_language(self) -> str:
        """The language, one of Anserini's.

        Raises:
            ConfigError: it has no analyzer for it, or what is for English alone is set.
        """
        return _language(self)

    def analysis(self) -> Facts:
        """All that the terms depend on besides the jar."""
        language = self.primary_language
        if self.pretokenized:
            return {"name": "pretokenized", "language": language}
        words = self.stopwords
        named = words if isinstance(words, str) else sorted(set(words))
        english = {"stemmer": self.stemmer, "stopwords": named} if language == "en" else {}
        return {"name": "anserini", "language": language, **english}

    def analysis_flags(self, folder: Path) -> list[str]:
        """The flags of the analyzer, which both programs take; a list of words is written into the folder."""
        if self.pretokenized:
            return ["-pretokenized"]
        if self.primary_language != "en":
            return ["-language", self.primary_language]
        flags = ["-stemmer", self.stemmer]
        if self.stopwords == "none":
            flags.append("-keepStopwords")
        elif not isinstance(self.stopwords, str):
            listed = folder / "stopwords.txt"
            listed.write_text("".join(f"{word}\n" for word in self.stopwords), encoding="utf-8")
            flags += ["-stopwords", str(listed)]
        return flags

    def ranking_flags(self) -> list[str]:
        """The flags of the search."""
        flags = ["-bm25", "-bm25.k1", repr(self.k1), "-bm25.b", repr(self.b)]
        flags += ["-bm25.accurate"] if self.accurate else []
        if self.fields:
            flags += ["-fields", *(f"{_FIELD[name]}={boost!r}" for name, boost in self.fields.items())]
        if self.rm3 is not None:
            flags += ["-rm3", "-rm3.fbDocs", str(self.rm3.fb_docs), "-rm3.fbTerms", str(self.rm3.fb_terms)]
            flags += ["-rm3.originalQueryWeight", repr(self.rm3.original_query_weight)]
            flags += [] if self.rm3.filter_terms else ["-rm3.noTermFilter"]
        return flags


def _language(options: AnseriniOptions) -> str:
    """The language, one of Anserini's.

    Raises:
        ConfigError: it has no analyzer for it, or what is for English alone is set.
    """
    if options.language == "auto":
        raise ConfigError(
            "the language is 'auto', which stands for a dataset's, and there is none here",
            hint="say which: language=de",
        )
    code = primary(options.language)
    if options.pretokenized:
        return code
    if code not in LANGUAGES:
        raise ConfigError(
            f"Anserini has no analyzer for the language {options.language!r}",
            hint=f"bm25-lucene:language={code} has one; {nearest(code, list(LANGUAGES))}",
        )
    if code != "en" and (options.stemmer != "porter" or options.stopwords != "lucene"):
        raise ConfigError("stemmer and stopwords are for English", hint="Lucene's analyzers have their own")
    return code
