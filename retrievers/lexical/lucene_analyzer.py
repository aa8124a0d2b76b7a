"""Lucene's analysis of English: the tokens of its EnglishAnalyzer, as Anserini indexes them."""

from __future__ import annotations

import unicodedata
from hashlib import sha256
from typing import Literal

import msgspec

from beirkit.corpora.errors import ConfigError, nearest
from beirkit.retrievers.base import Facts
from beirkit.retrievers.lexical.analysis import word_break
from beirkit.retrievers.lexical.analysis.porter import stem
from beirkit.retrievers.lexical.analysis.word_break_table import UNICODE
from beirkit.retrievers.lexical.analyzer import LUCENE_ENGLISH

_STOPWORDS = {"lucene": LUCENE_ENGLISH, "none": frozenset[str]()}
_STEMMERS = ("porter", "none")


class LuceneAnalyzerOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of a :class:`LuceneAnalyzer`.

    Attributes:
        stopwords: ``lucene`` (its 33 English words), ``none``, or a list of words in lower case.
        stemmer: ``porter`` or ``none``.
        normal_form: ``NFC``, so that a letter and its accent are one character whoever typed it, or ``none``,
            which is Lucene's own way.
    """

    stopwords: str | list[str] = "lucene"
    stemmer: str = "porter"
    normal_form: Literal["NFC", "none"] = "NFC"


class LuceneAnalyzer:
    """Splits text into words by Unicode's rules, and words into terms as Lucene's English filters do.

    In this order: normal form C, words (:mod:`~beirkit.retrievers.lexical.analysis.word_break`), possessive
    ``'s`` removed, lower case, stop words dropped, Porter's stemmer. Lower case is character by character: a capital
    sigma at the end of a word becomes σ, not ς.

    Args:
        options: how to analyse.

    Raises:
        ConfigError: an option names nothing that exists.
    """

    name = "lucene-english"
    version = 1
    one_term_a_word = True

    def __init__(self, options: LuceneAnalyzerOptions | None = None) -> None:
        self.options = options if options is not None else LuceneAnalyzerOptions()
        given, stemmer = self.options.stopwords, self.options.stemmer
        if isinstance(given, str) and given not in _STOPWORDS:
            raise ConfigError(
                f"no list of stop words is called {given!r}", hint=nearest(given, list(_STOPWORDS))
            )
        if stemmer not in _STEMMERS:
            raise ConfigError(f"no stemmer is called {stemmer!r}", hint=nearest(stemmer, list(_STEMMERS)))
        self._stopwords = _STOPWORDS[given] if isinstance(given, str) else frozenset(given)
        self._terms: dict[str, str | None] = {}

    def words(self, text: str) -> list[str]:
        """The words of a text as they stand in it, none dropped."""
        if self.options.normal_form == "NFC" and not text.isascii():
            text = unicodedata.normalize("NFC", text)
        return word_break.words(text)

    def term(self, word: str) -> str | None:
        """The index term of one of :meth:`words`, or ``None`` where it is dropped."""
        if word[-1:] in ("s", "S") and word[-2:-1] in ("'", "\u2019", "\uff07"):
            word = word[:-2]
        word = _lower(word)
        if not word or word in self._stopwords:
            return None
        return stem(word) if self.options.stemmer == "porter" else word

    def terms_of(self, word: str) -> list[str]:
        """All index terms of one of :meth:`words`."""
        term = self.term(word)
        return [] if term is None else [term]

    def terms(self, text: str) -> list[str]:
        """The index terms of a text, in order, repeated ones as often as they stand."""
        known = self._terms
        found = []
        for word in self.words(text):
            if word not in known:
                known[word] = self.term(word)
            term = known[word]
            if term is not None:
                found.append(term)
        return found

    def describe(self) -> Facts:
        """All that the terms depend on, resolved."""
        given = self.options.stopwords
        return {
            "name": self.name,
            "version": self.version,
            "words": "UAX 29",
            "unicode": UNICODE,
            "normal_form": self.options.normal_form,
            "longest_word": word_break.LONGEST,
            "possessive": "removed",
            "lower_case": "by character",
            "stopwords": given if isinstance(given, str) else "list",
            "stopwords_sha256": sha256("\n".join(sorted(self._stopwords)).encode()).hexdigest(),
            "stemmer": self.options.stemmer,
        }


def _lower(word: str) -> str:
    if word.isascii():
        return word.lower()
    return "".join("i" if letter == "\u0130" else letter.lower() for letter in word)
