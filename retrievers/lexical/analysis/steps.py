"""The steps that analyzers are made of, by name."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import cached_property
from hashlib import sha256
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Literal

from beirkit.corpora.errors import ConfigError, MissingExtraError
from beirkit.retrievers.base import Facts
from beirkit.retrievers.lexical.analysis import arabic, cjk, grams, hebrew, hindi, porter, word_break
from beirkit.retrievers.lexical.analysis.pipeline import GRAM, ExpandStep, SplitStep, Step, TextStep, WordStep
from beirkit.retrievers.lexical.analysis.word_break_table import UNICODE

LUCENE_ENGLISH = frozenset({
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no",
    "not", "of", "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this",
    "to", "was", "will", "with",
})  # fmt: skip
"""The 33 stop words of Lucene's EnglishAnalyzer."""

SNOWBALL = (
    "arabic", "armenian", "basque", "catalan", "czech", "danish", "dutch", "dutch_porter", "english",
    "esperanto", "estonian", "finnish", "french", "german", "greek", "hindi", "hungarian", "indonesian",
    "irish", "italian", "lithuanian", "nepali", "norwegian", "persian", "polish", "porter", "portuguese",
    "romanian", "russian", "serbian", "sesotho", "spanish", "swedish", "tamil", "turkish", "yiddish",
)  # fmt: skip
"""Stemmers of PyStemmer 3.1, written down so that options are checked without loading it."""

SEGMENTERS = {"jieba": ("rjieba", "chinese"), "newmm": ("pythainlp", "thai")}
"""Segmenters by dictionary: the package of each, which is also its module, and the optional part."""

_APOSTROPHES = "'\u2019\uff07"
_APOSTROPHE = re.compile(f"[{_APOSTROPHES}]")
_ELIDED = frozenset({
    "b", "c", "d", "j", "l", "m", "n", "s", "t", "v", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu", "un",
    "all", "dall", "dell", "nell", "sull", "coll", "pell", "gl", "agl", "dagl", "degl", "negl", "sugl",
})  # fmt: skip
"""What may stand before an apostrophe in French, Italian, Catalan and Irish, in lower case."""


def normal_form(name: str) -> TextStep:
    """Unicode's normal form ``NFC`` or ``NFKC``; digits and letters that are ASCII are in each already."""
    form: Literal["NFC", "NFKC"] = "NFC" if name == "NFC" else "NFKC"
    return TextStep(
        name,
        lambda text: text if text.isascii() else unicodedata.normalize(form, text),
        {"unicode_of_normal_form": unicodedata.unidata_version},
    )


def split(name: str) -> list[Step]:
    """The steps that split texts: for pairs of Han, kana and Hangul, first the words they are made of."""
    facts: Facts = {"unicode": UNICODE, "longest_word": word_break.LONGEST}
    uax29 = SplitStep("words:uax29", word_break.words, facts, by_blanks=True)
    if name == "uax29":
        return [uax29]
    if name == "cjk-bigrams":
        return [uax29, SplitStep("cjk-bigrams", cjk.bigrams)]
    if name == "hebrew":
        return [
            TextStep("hebrew", hebrew.normalize, {"unicode_of_normal_form": unicodedata.unidata_version}),
            SplitStep(
                "words:hebrew",
                re.compile(hebrew.WORD).findall,
                {"hebrew": hebrew.VERSION},
                by_blanks=True,
            ),
        ]
    return [uax29, segmented(name)]


def segmented(name: str) -> SplitStep:
    """Words by the dictionary of an optional package.

    Raises:
        MissingExtraError: the package is not installed.
    """
    package, extra = SEGMENTERS[name]
    try:
        found = version(package)
    except PackageNotFoundError as error:
        raise MissingExtraError(f"the segmenter {name!r}", extra) from error

    def words(text: str) -> list[str]:
        module = import_module(package)
        pieces = module.cut(text) if name == "jieba" else module.word_tokenize(text, engine="newmm")
        # A piece of punctuation has no word in it.
        return [word for piece in pieces for word in word_break.words(piece)]

    return SplitStep(f"words:{name}", words, {package: found})


def lower(word: str) -> str:
    """Lower case character by character, as Lucene's: a capital sigma becomes σ wherever it stands."""
    if word.isascii():
        return word.lower()
    return "".join("i" if letter == "\u0130" else letter.lower() for letter in word)


def lower_turkish(word: str) -> str:
    """Lower case with Turkish's two letters i: I becomes ı, and İ, in one character or two, i."""
    return lower(word.replace("I\u0307", "i").replace("I", "ı"))


def without_possessive(word: str) -> str:
    """An English word without ``'s``."""
    ends = word[-1:] in ("s", "S") and word[-2:-1] in tuple(_APOSTROPHES)
    return word[:-2] if ends else word


def without_elision(word: str) -> str:
    """A word of a Romance language or Irish without the article or pronoun that lost its vowel: ``l'``."""
    if word.isalpha():
        return word
    first, *rest = _APOSTROPHE.split(word, maxsplit=1)
    return rest[0] if first in _ELIDED and rest and rest[0] else word


def before_apostrophe(word: str) -> str:
    """A Turkish name without the endings that an apostrophe parts from it."""
    return _APOSTROPHE.split(word, maxsplit=1)[0]


def with_ascii_digits(word: str) -> str:
    """A word with its decimal digits, whatever their script, as 0 to 9."""
    if word.isascii() or word.isalpha():
        return word
    return "".join(str(unicodedata.decimal(letter, letter)) for letter in word)


_FILTERS: dict[str, Callable[[str], str | None]] = {
    "possessive": without_possessive,
    "lower": lower,
    "lower-turkish": lower_turkish,
    "elision": without_elision,
    "apostrophe": before_apostrophe,
    "digits": with_ascii_digits,
    "arabic": arabic.normalize,
    "persian": arabic.normalize_persian,
    "hindi": hindi.normalize,
}


def word_filter(name: str) -> WordStep:
    """One of the steps that spell words in one way."""
    return WordStep(name, _FILTERS[name])


def least(length: int) -> WordStep:
    """Drops words of fewer characters."""
    return WordStep(f"least:{length}", lambda word: word if len(word) >= length else None)


def stop(name: str, words: Iterable[str], filters: Iterable[WordStep] = ()) -> WordStep:
    """Drops stop words.

    Args:
        name: of the list.
        words: the list.
        filters: what words have been through when they are looked up; the list goes through it too.
    """
    listed = set()
    for word in words:
        changed: str | None = word
        for step in filters:
            changed = step.apply(changed) if changed else None
        if changed:
            listed.add(changed)
    digest = sha256("\n".join(sorted(listed)).encode()).hexdigest()
    facts: Facts = {"stopwords_count": len(listed), "stopwords_sha256": digest}
    return WordStep(f"stop:{name}", lambda word: None if word in listed else word, facts)


def stop_list(tag: str) -> frozenset[str]:
    """The stop words of a language in the collection stopwords-iso, from the package that carries it.

    Raises:
        MissingExtraError: it is not installed.
        ConfigError: it has no list for the language.
    """
    try:
        stopwordsiso = import_module("stopwordsiso")
    except ModuleNotFoundError as error:
        raise MissingExtraError("the list of stop words 'iso'", "stopwords") from error
    if not stopwordsiso.has_lang(tag):
        raise ConfigError(f"stopwords-iso has no list for the language {tag!r}", hint="set stopwords=none")
    return frozenset(stopwordsiso.stopwords(tag))


def stem(name: str) -> WordStep:
    """Stems words: ``porter`` as Lucene has it, ``light-arabic``, or one of :data:`SNOWBALL`."""
    if name == "porter":
        return WordStep("stem:porter", porter.stem)
    if name == "light-arabic":
        return WordStep("stem:light-arabic", arabic.stem)
    return snowball(name)


def snowball(name: str) -> WordStep:
    """One of Snowball's stemmers, loaded with the first word."""
    return WordStep(f"stem:snowball-{name}", _Snowball(name), {"pystemmer": version("PyStemmer")})


class _Snowball:
    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, word: str) -> str:
        return self._stem(word)

    @cached_property
    def _stem(self) -> Callable[[str], str]:
        import Stemmer

        # Words are stemmed once each by whoever holds the pipeline; a second cache would only cost.
        stem: Callable[[str], str] = Stemmer.Stemmer(self._name, 0).stemWord
        return stem


def clitics(which: str) -> ExpandStep:
    """Hebrew words without the clitics they may begin with: every such form beside them, or the shortest."""
    apply = hebrew.variants if which == "variants" else hebrew.shortest
    letters = "".join(sorted(hebrew.CLITICS))
    return ExpandStep(f"clitics:{which}", apply, {"clitic_letters": letters, "least_stem": hebrew.LEAST_STEM})


def ngrams(length: int, *, fold_finals: bool = False) -> ExpandStep:
    """The runs of characters of each word beside it; of Hebrew with final letters folded."""
    fold = hebrew.fold_finals if fold_finals else str
    return ExpandStep(
        f"ngrams:{length}",
        lambda word: [word, *(f"{GRAM}{run}" for run in grams.runs(fold(word), length))],
    )


def runs_in_place(length: int) -> ExpandStep:
    """Runs of characters in place of words of scripts without blanks."""
    return ExpandStep(f"runs:{length}", lambda word: grams.in_place(word, length))
