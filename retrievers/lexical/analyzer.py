"""Analysis as bm25s does it: words are the matches of a pattern, English ones stopped and stemmed."""

from __future__ import annotations

import re
import unicodedata
from hashlib import sha256
from importlib.metadata import version
from typing import Any, Literal

import msgspec

from beirkit.corpora.errors import ConfigError, nearest
from beirkit.retrievers.base import Facts
from beirkit.retrievers.lexical.analysis import hebrew, steps
from beirkit.retrievers.lexical.analysis.choices import hebrew_clitics, one_of, run_length, stop_step
from beirkit.retrievers.lexical.analysis.languages import LANGUAGES, primary
from beirkit.retrievers.lexical.analysis.pipeline import Pipeline, SplitStep, TextStep
from beirkit.retrievers.lexical.analysis.steps import LUCENE_ENGLISH as LUCENE_ENGLISH
from beirkit.retrievers.lexical.analysis.steps import SNOWBALL as SNOWBALL

PATTERNS = {"words": r"\w+", "symbols": r"[\w+#]+"}
"""Named patterns: runs of word characters; the same with ``+`` and ``#``, for C++ and C#."""


class AnalyzerOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of an :class:`Analyzer`.

    Attributes:
        language: name of a Snowball language, ``hebrew``, or BCP 47 tag; settles what ``auto`` stands for
            below, and for Hebrew how texts are normalised.
        stopwords: ``auto`` (``lucene`` for English, else ``none``), ``lucene`` (its 33 English words),
            ``iso`` (the language's list of stopwords-iso, the optional part ``stopwords``), ``none``, or a
            list of words.
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

    def analyzer(self) -> Analyzer:
        """The analyzer of these options."""
        return Analyzer(self)


class Analyzer(Pipeline):
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
        self.options = given = options if options is not None else AnalyzerOptions()
        self.language, tag = _language(given.language)
        self._hebrew = of_hebrew = self.language == "hebrew"
        stopwords = given.stopwords
        if stopwords == "auto":
            stopwords = "lucene" if self.language == "english" else "none"
        self.stopwords_name = stopwords if isinstance(stopwords, str) else "list"
        own = self.language if self.language in SNOWBALL else "none"
        self.stemmer = own if given.stemmer == "auto" else given.stemmer
        one_of("stemmer", self.stemmer, ("auto", "none", *SNOWBALL))
        named = {**PATTERNS, "words": hebrew.WORD} if of_hebrew else PATTERNS
        self.pattern = named.get(given.pattern, given.pattern)
        self.clitics = hebrew_clitics(given.clitics, self.language, "variants" if of_hebrew else "none")
        self.ngrams = run_length(given.ngrams, 4 if of_hebrew else 0)
        stopped = stop_step(stopwords, tag)
        self._stopwords_sha256 = (stopped.facts if stopped else {}).get("stopwords_sha256", _OF_NOTHING)
        texts = [TextStep("hebrew", hebrew.normalize)] if of_hebrew else [steps.normal_form("NFC"), _LOWER]
        super().__init__(
            [
                *texts,
                SplitStep(
                    f"pattern:{given.pattern}",
                    _compiled(self.pattern).findall,
                    by_blanks=given.pattern in PATTERNS,
                ),
                steps.least(max(1, given.min_length)),  # a pattern may match the empty word
                *([] if stopped is None else [stopped]),
                *([steps.ngrams(self.ngrams, fold_finals=True)] if self.ngrams else []),
                *([] if self.clitics == "none" else [steps.clitics(self.clitics)]),
                *([] if self.stemmer == "none" else [steps.snowball(self.stemmer)]),
            ]
        )

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
            "stopwords_sha256": self._stopwords_sha256,
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


_LOWER = TextStep("lower", str.lower)
_OF_NOTHING = sha256(b"").hexdigest()


_ALGORITHMS = {"porter": "en", "dutch_porter": "nl"}  # stemmers that are named for no language


def _language(given: str) -> tuple[str, str]:
    """Name and tag of a language that has a Snowball stemmer, or Hebrew's."""
    if given.lower() in _ALGORITHMS:
        return given.lower(), _ALGORITHMS[given.lower()]
    try:
        tag = primary(given)
    except ConfigError:
        tag = ""
    name = LANGUAGES[tag].name.lower() if tag in LANGUAGES else ""
    if name not in (*SNOWBALL, "hebrew"):
        found = f"there is neither a stemmer nor a list of stop words for the language {given!r}"
        elsewhere = [f"bm25-lucene:language={tag} knows its words"] if tag else []
        plain = "to index words as they are: analyzer.stemmer=none,analyzer.stopwords=none and no language"
        close = nearest(given, list(SNOWBALL))
        parts = (close, plain) if close.startswith("did you mean") else (*elsewhere, plain, close)
        raise ConfigError(found, hint="; ".join(parts))
    return name, tag


def _compiled(pattern: str) -> re.Pattern[Any]:
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise ConfigError(f"the pattern {pattern!r} is no regular expression: {error}") from error
    if compiled.groups:
        raise ConfigError(f"the pattern {pattern!r} has groups", hint="write (?:...) in place of (...)")
    return compiled
