"""Which analysis each language takes: facts, by BCP 47 language tag."""

from __future__ import annotations

from dataclasses import dataclass

from beirkit.corpora.errors import ConfigError, nearest

NEUTRAL = "und"
"""BCP 47's tag for a language that is not determined; its analysis serves every language that has none."""


@dataclass(frozen=True)
class Language:
    """How texts of a language become terms.

    Attributes:
        name: in English.
        scripts: ISO 15924 codes of the scripts it is written in; none: any.
        normal_form: ``NFC``, ``NFKC`` or ``none``.
        words: how a text is split: ``uax29``, ``cjk-bigrams`` or ``hebrew``.
        filters: steps on words before any is dropped, in order.
        stopwords: ``lucene`` or ``none``.
        clitics: ``variants`` or ``none``.
        runs: length of the runs of characters that stand in place of words without blanks, 0: none.
        ngrams: length of the runs of characters beside each word, 0: none.
        stemmer: ``porter``, ``light-arabic``, the name of a Snowball stemmer, or ``none``.
    """

    name: str
    scripts: tuple[str, ...]
    normal_form: str = "NFC"
    words: str = "uax29"
    filters: tuple[str, ...] = ("lower",)
    stopwords: str = "none"
    clitics: str = "none"
    runs: int = 0
    ngrams: int = 0
    stemmer: str = "none"


_LATIN, _CYRILLIC = ("Latn",), ("Cyrl",)
_ELISION = ("lower", "elision")


def _latin(name: str, *filters: str, stemmer: str = "") -> Language:
    return Language(name, _LATIN, filters=filters or ("lower",), stemmer=stemmer or name.lower())


def _cjk(name: str, *scripts: str) -> Language:
    return Language(name, scripts, "NFKC", "cjk-bigrams")


def _without_blanks(name: str, script: str) -> Language:
    return Language(name, (script,), "NFKC", runs=3)


LANGUAGES: dict[str, Language] = {
    "ar": Language(
        "Arabic", ("Arab",), "NFKC", filters=("lower", "digits", "arabic"), stemmer="light-arabic"
    ),
    "ca": _latin("Catalan", *_ELISION),
    "cs": _latin("Czech"),
    "da": _latin("Danish"),
    "de": _latin("German"),
    "el": Language("Greek", ("Grek",), stemmer="greek"),
    "en": Language(
        "English", _LATIN, filters=("possessive", "lower"), stopwords="lucene", stemmer="porter"
    ),
    "eo": _latin("Esperanto"),
    "es": _latin("Spanish"),
    "et": _latin("Estonian"),
    "eu": _latin("Basque"),
    "fa": Language("Persian", ("Arab",), "NFKC", filters=("lower", "digits", "persian"), stemmer="persian"),
    "fi": _latin("Finnish"),
    "fr": _latin("French", *_ELISION),
    "ga": _latin("Irish", *_ELISION),
    "he": Language(
        "Hebrew", ("Hebr",), "none", "hebrew", ("least:2",), clitics="variants", ngrams=4
    ),
    "hi": Language("Hindi", ("Deva",), filters=("lower", "digits", "hindi"), stemmer="hindi"),
    "hu": _latin("Hungarian"),
    "hy": Language("Armenian", ("Armn",), stemmer="armenian"),
    "id": _latin("Indonesian"),
    "it": _latin("Italian", *_ELISION),
    "ja": _cjk("Japanese", "Hani", "Hira", "Kana"),
    "km": _without_blanks("Khmer", "Khmr"),
    "ko": _cjk("Korean", "Hang", "Hani"),
    "lo": _without_blanks("Lao", "Laoo"),
    "lt": _latin("Lithuanian"),
    "my": _without_blanks("Burmese", "Mymr"),
    "ne": Language("Nepali", ("Deva",), filters=("lower", "digits"), stemmer="nepali"),
    "nl": _latin("Dutch"),
    "no": _latin("Norwegian"),
    "pl": _latin("Polish"),
    "pt": _latin("Portuguese"),
    "ro": _latin("Romanian"),
    "ru": Language("Russian", _CYRILLIC, stemmer="russian"),
    "sr": Language("Serbian", ("Cyrl", "Latn"), stemmer="serbian"),
    "st": _latin("Sesotho"),
    "sv": _latin("Swedish"),
    "ta": Language("Tamil", ("Taml",), filters=("lower", "digits"), stemmer="tamil"),
    "th": _without_blanks("Thai", "Thai"),
    "tr": _latin("Turkish", "apostrophe", "lower-turkish"),
    "vi": Language("Vietnamese", _LATIN),
    "yi": Language("Yiddish", ("Hebr",), stemmer="yiddish"),
    "zh": _cjk("Chinese", "Hani"),
    NEUTRAL: Language("any other", (), "NFKC", "cjk-bigrams", ("lower", "digits"), runs=3, ngrams=4),
}  # fmt: skip
"""Tag of each language that has an analysis of its own, and of what serves all others."""

_ALIASES = {"iw": "he", "in": "id", "ji": "yi", "nb": "no", "nn": "no", "mul": NEUTRAL, "zxx": NEUTRAL,
            "ara": "ar", "cat": "ca", "ces": "cs", "dan": "da", "deu": "de", "ell": "el", "eng": "en",
            "epo": "eo", "spa": "es", "est": "et", "eus": "eu", "fas": "fa", "fin": "fi", "fra": "fr",
            "gle": "ga", "heb": "he", "hin": "hi", "hun": "hu", "hye": "hy", "ind": "id", "ita": "it",
            "jpn": "ja", "khm": "km", "kor": "ko", "lao": "lo", "lit": "lt", "mya": "my", "nep": "ne",
            "nld": "nl", "nor": "no", "nob": "no", "nno": "no", "pol": "pl", "por": "pt", "ron": "ro",
            "rus": "ru", "srp": "sr", "sot": "st", "swe": "sv", "tam": "ta", "tha": "th", "tur": "tr",
            "vie": "vi", "yid": "yi", "zho": "zh", "cmn": "zh", "yue": "zh"}  # fmt: skip
"""Other codes of the same languages: ISO 639-3, and those that BCP 47 has given up."""

_NAMES = {language.name.lower(): tag for tag, language in LANGUAGES.items() if tag != NEUTRAL}


def primary(tag: str) -> str:
    """The primary language of a BCP 47 tag or a language's English name: ``he`` of ``he-IL`` and ``Hebrew``.

    Raises:
        ConfigError: it is neither.
    """
    given = tag.strip().lower().replace("_", "-")
    if given in _NAMES:
        return _NAMES[given]
    first = given.partition("-")[0]
    if not (2 <= len(first) <= 3 and first.isascii() and first.isalpha()):
        hint = nearest(given, [*_NAMES, *LANGUAGES])
        raise ConfigError(
            f"{tag!r} is neither a language tag (de, pt-BR) nor the name of a language", hint=hint
        )
    return _ALIASES.get(first, first)


def language_of(tag: str) -> tuple[str, Language]:
    """The primary language of a tag, and its analysis or the neutral one.

    Raises:
        ConfigError: it is neither a tag nor the name of a language.
    """
    code = primary(tag)
    return code, LANGUAGES.get(code, LANGUAGES[NEUTRAL])
