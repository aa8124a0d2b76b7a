"""From text to terms, the same way for documents and for queries."""

from __future__ import annotations

import re
import unicodedata
from functools import cached_property
from hashlib import sha256
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from beirkit.corpora.errors import ConfigError, nearest
from beirkit.retrievers.base import Facts
from beirkit.retrievers.lexical.analysis import hebrew

if TYPE_CHECKING:
    from collections.abc import Callable

LUCENE_ENGLISH = frozenset({
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no",
    "not", "of", "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this",
    "to", "was", "will", "with",
})  # fmt: skip
"""The 33 stop words of Lucene's EnglishAnalyzer."""

PATTERNS = {"words": r"\w+", "symbols": r"[\w+#]+"}
"""Named patterns: runs of word characters; the same with ``+`` and ``#``, for C++ and C#."""

SNOWBALL = (
    "arabic", "armenian", "basque", "catalan", "czech", "danish", "dutch", "dutch_porter", "english",
    "esperanto", "estonian", "finnish", "french", "german", "greek", "hindi", "hungarian", "indonesian",
    "irish", "italian", "lithuanian", "nepali", "norwegian", "persian", "polish", "porter", "portuguese",
    "romanian", "russian", "serbian", "sesotho", "spanish", "swedish", "tamil", "turkish", "yiddish",
)  # fmt: skip
"""Stemmers of PyStemmer 3.1, written down so that options are checked without loading it."""

_TAGS = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek",
    "en": "english", "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian",
    "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian",
    "id": "indonesian", "it": "italian", "lt": "lithuanian", "nb": "norwegian", "ne": "nepali", "nl": "dutch",
    "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian",
    "st": "sesotho", "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
    "he": "hebrew", "iw": "hebrew",
}  # fmt: skip


GRAM = "~"
"""Stands before a term that is a run of characters and no word."""


class AnalyzerOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of an :class:`Analyzer`.

    Attributes:
        language: name of a Snowball language, ``hebrew``, or BCP 47 tag; settles what ``auto`` stands for
            below, and for Hebrew how texts are normalised.
        stopwords: ``auto`` (``lucene`` for English, else ``none``), ``lucene`` (its 33 English words),
            ``none``, or a list of words.
        stemmer: ``auto`` (the language's own), ``none``, or the name of a Snowball stemmer.
        pattern: ``words`` (runs of word characters), ``symbols`` (the same with ``+`` and ``#``), or a
            regular expression without groups whose matches are the words.
        min_length: shortest word kept, in characters; 1 keeps the A of "vitamin A".
        clitics: what is indexed of a Hebrew word that may begin with clitics: the word and each form
            without some (``variants``), the shortest form alone (``longest``), or the word alone (``none``);
            ``auto``: ``variants`` for Hebrew, else ``none``.
        ngrams: length of the runs of characters that are indexed beside each word, 0: none; ``auto``: 4 for
            Hebrew, else none.
    """

    language: str = "english"
    stopwords: str | list[str] = "auto"
    stemmer: str = "auto"
    pattern: str = "words"
    min_length: int = 2
    clitics: Literal["auto", "variants", "longest", "none"] = "auto"
    ngrams: int | Literal["auto"] = "auto"


class Analyzer:
    r"""Splits text into words and words into index terms.

    The text is brought to Unicode normal form C, so that a letter and its accent are one character whoever
    typed it, and to lower case; words are the matches of a pattern; short words and stop words are dropped;
    what is left is stemmed. The default is token for token what bm25s makes of NFC text with its English
    stop words and the Snowball stemmer: its pattern ``\b\w\w+\b`` matches the runs of word characters
    of length two and more. Of Hebrew a word is several terms; its rules are in
    :mod:`beirkit.retrievers.lexical.analysis.hebrew`.

    Args:
        options: how to analyse.

    Raises:
        ConfigError: an option names nothing that exists, or the pattern is no regular expression.
    """

    name = "words"
    version = 1

    def __init__(self, options: AnalyzerOptions | None = None) -> None:
        self.options = options if options is not None else AnalyzerOptions()
        self.language = _language(self.options.language)
        self.stopwords_name, self._stopwords = _stopwords(self.options.stopwords, self.language)
        self.stemmer = _stemmer(self.options.stemmer, self.language)
        self._hebrew = self.language == "hebrew"
        named = {**PATTERNS, "words": hebrew.WORD} if self._hebrew else PATTERNS
        self.pattern = named.get(self.options.pattern, self.options.pattern)
        self.clitics = _clitics(self.options.clitics, self.language)
        self.ngrams = _ngrams(self.options.ngrams, self.language)
        self._split = _compiled(self.pattern).findall
        self._terms: dict[str, list[str]] = {}

    def words(self, text: str) -> list[str]:
        """The words of a text as they stand in it, normalised and in lower case, none dropped."""
        if self._hebrew:
            found: list[str] = self._split(hebrew.normalize(text))
            return found
        if not text.isascii():
            text = unicodedata.normalize("NFC", text)
        words: list[str] = self._split(text.lower())
        return words

    def term(self, word: str) -> str | None:
        """The index term of one of :meth:`words`, or ``None`` where it is dropped."""
        if len(word) < self.options.min_length or word in self._stopwords:
            return None
        return self._stem(word) or None

    @property
    def one_term_a_word(self) -> bool:
        """Whether a word is never more than one term, so that :meth:`term` tells all."""
        return self.clitics == "none" and not self.ngrams

    def terms_of(self, word: str) -> list[str]:
        """The index terms of one of :meth:`words`: its own, those without clitics, its runs of characters."""
        own = self.term(word)
        if own is None:
            return []
        found = [own]
        if self.clitics != "none":
            shorter = hebrew.without_clitics(word)
            kept = shorter if self.clitics == "variants" else shorter[-1:]
            stems = [self._stem(form) for form in kept]
            found = [*found, *stems] if self.clitics == "variants" else stems or found
        if self.ngrams:
            found += [f"{GRAM}{run}" for run in hebrew.grams(word, self.ngrams)]
        return found

    def terms(self, text: str) -> list[str]:
        """The index terms of a text, in order, repeated ones as often as they stand."""
        known = self._terms
        found = []
        for word in self.words(text):
            if word not in known:
                known[word] = self.terms_of(word)
            found += known[word]
        return found

    def describe(self) -> Facts:
        """All that the terms depend on, resolved."""
        facts: Facts = {
            "name": self.name,
            "version": self.version,
            "language": self.language,
            "normal_form": "NFKC" if self._hebrew else "NFC",
            "unicode": unicodedata.unidata_version,
            "lower_case": True,
            "pattern": self.pattern,
            "min_length": self.options.min_length,
            "stopwords": self.stopwords_name,
            "stopwords_sha256": sha256("\n".join(sorted(self._stopwords)).encode()).hexdigest(),
            "stemmer": self.stemmer,
        }
        if self.clitics != "none":
            facts["clitics"] = self.clitics
            facts["clitic_letters"] = "".join(sorted(hebrew.CLITICS))
            facts["least_stem"] = hebrew.LEAST_STEM
        if self.ngrams:
            facts["ngrams"] = self.ngrams
        if self._hebrew:
            facts["hebrew"] = hebrew.VERSION
        if self.stemmer != "none":
            facts["pystemmer"] = version("PyStemmer")
        return facts

    @cached_property
    def _stem(self) -> Callable[[str], str]:
        if self.stemmer == "none":
            return str
        import Stemmer

        # Words are stemmed once each by whoever holds this analyzer; a second cache would only cost.
        stem: Callable[[str], str] = Stemmer.Stemmer(self.stemmer, 0).stemWord
        return stem


def _language(given: str) -> str:
    name = _TAGS.get(given.lower().replace("_", "-").split("-")[0], given.lower())
    if name not in (*SNOWBALL, "hebrew"):
        found = f"there is neither a stemmer nor a list of stop words for the language {given!r}"
        plain = "to index words as they are: analyzer.stemmer=none,analyzer.stopwords=none and no language"
        close = nearest(given, list(SNOWBALL))
        parts = (close, plain) if close.startswith("did you mean") else (plain, close)
        raise ConfigError(found, hint="; ".join(parts))
    return name


def _stopwords(given: str | list[str], language: str) -> tuple[str, frozenset[str]]:
    if not isinstance(given, str):
        return "list", frozenset(unicodedata.normalize("NFC", word).lower() for word in given)
    name = given if given != "auto" else "lucene" if language == "english" else "none"
    lists: dict[str, frozenset[str]] = {"lucene": LUCENE_ENGLISH, "none": frozenset()}
    if name not in lists:
        raise ConfigError(f"no list of stop words is called {name!r}", hint=nearest(name, ["auto", *lists]))
    return name, lists[name]


def _stemmer(given: str, language: str) -> str:
    own = language if language in SNOWBALL else "none"
    name = own if given == "auto" else given
    if name != "none" and name not in SNOWBALL:
        raise ConfigError(f"no stemmer is called {name!r}", hint=nearest(name, ["auto", "none", *SNOWBALL]))
    return name


def _clitics(given: str, language: str) -> str:
    if given in ("variants", "longest") and language != "hebrew":
        raise ConfigError(f"clitics are known of Hebrew, not of {language}", hint="set language=hebrew")
    return given if given != "auto" else "variants" if language == "hebrew" else "none"


def _ngrams(given: int | str, language: str) -> int:
    if isinstance(given, int) and given < 0:
        raise ConfigError(f"ngrams is {given}; it must be 0 or more")
    return given if isinstance(given, int) else 4 if language == "hebrew" else 0


def _compiled(pattern: str) -> re.Pattern[Any]:
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise ConfigError(f"the pattern {pattern!r} is no regular expression: {error}") from error
    if compiled.groups:
        raise ConfigError(f"the pattern {pattern!r} has groups", hint="write (?:...) in place of (...)")
    return compiled
