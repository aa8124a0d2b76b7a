"""What the options of an analyzer stand for, checked."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from beirkit.corpora.errors import ConfigError, nearest
from beirkit.retrievers.lexical.analysis.pipeline import WordStep
from beirkit.retrievers.lexical.analysis.steps import LUCENE_ENGLISH, stop, stop_list

MOST_IN_A_RUN = 20
"""Characters of the longest runs that can be asked for."""


def one_of(what: str, given: str, known: Iterable[str]) -> str:
    """A name that must be known.

    Raises:
        ConfigError: it is not; the message names the nearest one.
    """
    choices = list(known)
    if given not in choices:
        raise ConfigError(f"no {what} is called {given!r}", hint=nearest(given, choices))
    return given


def stop_step(given: str | list[str], tag: str, filters: Iterable[WordStep] = ()) -> WordStep | None:
    """The step that drops stop words: of the list ``lucene`` or ``iso`` or of words, none for ``none``.

    Raises:
        ConfigError: there is no such list.
    """
    if not isinstance(given, str):
        words = [unicodedata.normalize("NFC", word).lower() for word in given]
        return stop("list", words, filters)
    name = one_of("list of stop words", given, ("auto", "lucene", "iso", "none"))
    if name == "none":
        return None
    return stop(name, LUCENE_ENGLISH if name == "lucene" else stop_list(tag), filters)


def hebrew_clitics(given: str, language: str, own: str) -> str:
    """What is done about clitics, ``auto`` resolved.

    Raises:
        ConfigError: they are asked for in a language that has none of them here.
    """
    if given in ("variants", "longest") and language not in ("he", "hebrew"):
        raise ConfigError(f"clitics are known of Hebrew, not of {language}", hint="set language=hebrew")
    return own if given == "auto" else given


def run_length(given: int | str, own: int) -> int:
    """Length of the runs of characters beside words, ``auto`` resolved.

    Raises:
        ConfigError: it is impossible.
    """
    if isinstance(given, int) and not 0 <= given <= MOST_IN_A_RUN:
        raise ConfigError(f"ngrams is {given}; it must be from 0 to {MOST_IN_A_RUN}, or auto")
    return given if isinstance(given, int) else own
