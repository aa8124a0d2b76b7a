"""Porter's stemmer as its author later distributed it, and as Lucene has it.

It differs from the published algorithm, which is Snowball's ``porter``, in three points: words of one or two
letters stay as they are, ``-bli`` becomes ``-ble`` (published: ``-abli`` becomes ``-able``), and ``-logi``
becomes ``-log``.
"""

from __future__ import annotations

from collections.abc import Iterable

_STEP_2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"),
    ("bli", "ble"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"),
    ("ation", "ate"), ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"),
    ("ousness", "ous"), ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble"), ("logi", "log"),
)  # fmt: skip
_STEP_3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""),
    ("ness", ""),
)  # fmt: skip
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "sion", "tion", "ou",
    "ism", "ate", "iti", "ous", "ive", "ize",
)  # fmt: skip


def stem(word: str) -> str:
    """The stem of a word in lower case; characters other than a, e, i, o, u and y count as consonants."""
    if len(word) < 3:
        return word
    word = _without_endings_of_verbs(_without_plural(word))
    if word.endswith("y") and "v" in _shape(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(_replaced(word, _REPLACED_2), _REPLACED_3)
    return _without_final_e(_without_suffix(word))


class _Shapes(dict[int, str]):
    """The shape of each letter but y: five vowels, and everything else a consonant."""

    def __missing__(self, letter: int) -> str:
        self[letter] = shape = "v" if chr(letter) in "aeiou" else "c"
        return shape


_SHAPES = _Shapes()


def _shape(word: str) -> str:
    """The word as consonants (c) and vowels (v); y is a vowel behind a consonant."""
    if "y" not in word:
        return word.translate(_SHAPES)
    shape = ""
    for letter in word:
        vowel = shape[-1:] == "c" if letter == "y" else letter in "aeiou"
        shape += "v" if vowel else "c"
    return shape


def _measure(word: str) -> int:
    """How often a consonant follows a vowel: about the number of syllables."""
    return _shape(word).count("vc")


def _ends_short(word: str) -> bool:
    """Whether the word ends in consonant, vowel, consonant, the last not w, x or y."""
    return _shape(word)[-3:] == "cvc" and word[-1] not in "wxy"


def _ends_double(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _shape(word)[-1] == "c"


def _without_plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _without_endings_of_verbs(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    ending = next((len(ending) for ending in ("ed", "ing") if word.endswith(ending)), 0)
    if not ending or "v" not in _shape(word[:-ending]):
        return word
    word = word[:-ending]
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if _ends_double(word):
        return word if word[-1] in "lsz" else word[:-1]
    return word + "e" if _measure(word) == 1 and _ends_short(word) else word


def _by_letter(pairs: Iterable[tuple[str, str]]) -> dict[str, list[tuple[str, str]]]:
    """Suffixes by their last letter but one, so that few are compared with a word; in their order."""
    found: dict[str, list[tuple[str, str]]] = {}
    for suffix, instead in pairs:
        found.setdefault(suffix[-2], []).append((suffix, instead))
    return found


_REPLACED_2, _REPLACED_3 = _by_letter(_STEP_2), _by_letter(_STEP_3)
_REMOVED_4 = _by_letter((suffix, "") for suffix in _STEP_4)


def _replaced(word: str, pairs: dict[str, list[tuple[str, str]]]) -> str:
    for suffix, instead in pairs.get(word[-2:-1], ()):
        if word.endswith(suffix):
            base = word[: -len(suffix)]
            return base + instead if _measure(base) > 0 else word
    return word


def _without_suffix(word: str) -> str:
    for suffix, _ in _REMOVED_4.get(word[-2:-1], ()):
        if word.endswith(suffix):
            cut = 3 if suffix.endswith("ion") else len(suffix)  # the s or t before it stays
            return word[:-cut] if _measure(word[:-cut]) > 1 else word
    return word


def _without_final_e(word: str) -> str:
    measure = _measure(word)
    if word.endswith("e") and (measure > 1 or (measure == 1 and not _ends_short(word[:-1]))):
        word = word[:-1]
    return word[:-1] if measure > 1 and word.endswith("l") and _ends_double(word) else word
