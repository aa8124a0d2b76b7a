"""Analysis as Lucene's analyzers do it, by language; for English that is Anserini's, token for token."""

from __future__ import annotations

from typing import Literal

import msgspec

from beirkit.corpora.errors import ConfigError
from beirkit.retrievers.base import Facts
from beirkit.retrievers.lexical.analysis import steps
from beirkit.retrievers.lexical.analysis.choices import hebrew_clitics, one_of, run_length, stop_step
from beirkit.retrievers.lexical.analysis.languages import language_of
from beirkit.retrievers.lexical.analysis.pipeline import Pipeline, Step, TextStep

STEMMERS = ("porter", "light-arabic", "none")
"""Stemmers beside Snowball's."""


class LuceneAnalyzerOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of a :class:`LuceneAnalyzer`.

    Attributes:
        language: a BCP 47 tag or the English name of a language, which settles what ``auto`` stands for below
            and how words are spelt in one way; ``und`` serves any language; ``auto``, the dataset's, is for
            the runner to resolve.
        stopwords: ``auto`` (``lucene`` for English, else ``none``), ``lucene`` (its 33 English words),
            ``iso`` (the language's list of stopwords-iso, the optional part ``stopwords``), ``none``, or a
            list of words.
        stemmer: ``auto`` (the language's own), ``none``, ``porter``, ``light-arabic``, or the name of a
            Snowball stemmer.
        normal_form: ``NFC``, so that a letter and its accent are one character whoever typed it; ``NFKC``,
            which makes one of letters that differ in width or form, too; ``none``, which is Lucene's own way;
            ``auto``: the language's own.
        segmenter: ``jieba`` (Chinese, the optional part ``chinese``) or ``newmm`` (Thai, the part
            ``thai``): words by a dictionary; ``none``: by Unicode's rules, in pairs of characters for
            Chinese, Japanese and Korean, in runs of three for scripts without blanks.
        clitics: what is indexed of a Hebrew word that may begin with clitics: the word and each form
            without some (``variants``), the shortest form alone (``longest``), or the word alone (``none``);
            ``auto``: ``variants`` for Hebrew, else ``none``.
        ngrams: length of the runs of characters that are indexed beside each word, 0: none; ``auto``: 4 for
            Hebrew and for languages without an analysis of their own, else none.
    """

    language: str = "en"
    stopwords: str | list[str] = "auto"
    stemmer: str = "auto"
    normal_form: Literal["auto", "NFC", "NFKC", "none"] = "auto"
    segmenter: Literal["none", "jieba", "newmm"] = "none"
    clitics: Literal["auto", "variants", "longest", "none"] = "auto"
    ngrams: int | Literal["auto"] = "auto"

    def analyzer(self) -> LuceneAnalyzer:
        """The analyzer of these options."""
        return LuceneAnalyzer(self)


class LuceneAnalyzer(Pipeline):
    """The steps of a language in :mod:`~beirkit.retrievers.lexical.analysis.languages`, with some changed.

    For English they are Lucene's: words by Unicode's rules, possessive ``'s`` removed, lower case character
    by character, stop words dropped, Porter's stemmer; before them normal form C, which Lucene leaves out.

    Args:
        options: how to analyse.

    Raises:
        ConfigError: an option names nothing that exists, or the language is for the runner to resolve.
        MissingExtraError: a list or a segmenter that is asked for is not installed.
    """

    name = "lucene"
    version = 2

    def __init__(self, options: LuceneAnalyzerOptions | None = None) -> None:
        self.options = given = options if options is not None else LuceneAnalyzerOptions()
        if given.language == "auto":
            raise ConfigError(
                "the language is 'auto', which stands for a dataset's, and there is none here",
                hint="say which: language=de, or language=und for any",
            )
        self.language, own = language_of(given.language)
        self.stemmer = own.stemmer if given.stemmer == "auto" else given.stemmer
        one_of("stemmer", self.stemmer, ("auto", *STEMMERS, *steps.SNOWBALL))
        self.clitics = hebrew_clitics(given.clitics, self.language, own.clitics)
        self.ngrams = run_length(given.ngrams, own.ngrams)
        form = own.normal_form if given.normal_form == "auto" else given.normal_form
        texts: list[Step] = [] if form == "none" else [steps.normal_form(form)]
        splits = steps.split(own.words)
        if given.segmenter != "none":
            changes = [step for step in splits if isinstance(step, TextStep)]
            splits = [*changes, *steps.split("uax29"), steps.segmented(given.segmenter)]
        filters = [steps.least(2) if name == "least:2" else steps.word_filter(name) for name in own.filters]
        stopwords = own.stopwords if given.stopwords == "auto" else given.stopwords
        self.stopwords = stopwords if isinstance(stopwords, str) else "list"
        stopped = stop_step(stopwords, self.language, filters)
        super().__init__(
            [
                *texts,
                *splits,
                *filters,
                *([] if stopped is None else [stopped]),
                *([steps.runs_in_place(own.runs)] if own.runs and given.segmenter == "none" else []),
                *([steps.ngrams(self.ngrams, fold_finals=self.language == "he")] if self.ngrams else []),
                *([] if self.clitics == "none" else [steps.clitics(self.clitics)]),
                *([] if self.stemmer == "none" else [steps.stem(self.stemmer)]),
            ]
        )

    def describe(self) -> Facts:
        """All that the terms depend on, resolved."""
        return {
            "name": self.name,
            "version": self.version,
            "language": self.language,
            "stopwords": self.stopwords,
            "stemmer": self.stemmer,
            **super().describe(),
        }
