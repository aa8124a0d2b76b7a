"""Which analysis a tag stands for."""

from __future__ import annotations

import pytest

from beirkit.corpora.errors import ConfigError
from beirkit.retrievers.lexical.analysis.languages import LANGUAGES, NEUTRAL, language_of, primary
from beirkit.retrievers.lexical.analysis.steps import SNOWBALL
from beirkit.retrievers.lexical.lucene_analyzer import STEMMERS


@pytest.mark.parametrize(
    ("tag", "code"),
    [
        ("he", "he"), ("he-IL", "he"), ("HE_il", "he"), ("iw", "he"), ("heb", "he"), ("Hebrew", "he"),
        ("nb", "no"), ("nn-NO", "no"), ("zh-Hant-TW", "zh"), ("cmn", "zh"), ("in", "id"), ("mul", NEUTRAL),
        ("sw", "sw"), ("und", NEUTRAL),
    ],
)  # fmt: skip
def test_primary_language(tag: str, code: str) -> None:
    assert primary(tag) == code


@pytest.mark.parametrize("tag", ["germn", "", "d", "e1", "日本", "-de"])
def test_what_is_no_tag_is_refused(tag: str) -> None:
    with pytest.raises(ConfigError, match="neither a language tag"):
        primary(tag)


def test_a_language_without_its_own_takes_the_neutral_one() -> None:
    assert language_of("sw") == ("sw", LANGUAGES[NEUTRAL])
    assert language_of("yo-NG")[1] is LANGUAGES[NEUTRAL]


def test_every_snowball_language_is_catalogued() -> None:
    """But for what Snowball has twice; English and Arabic take other stemmers of their own."""
    used = {language.stemmer for language in LANGUAGES.values()}
    assert set(SNOWBALL) - used == {"arabic", "english", "dutch_porter"}
    assert used <= {*SNOWBALL, *STEMMERS}


def test_every_language_but_the_neutral_one_names_its_scripts() -> None:
    assert [tag for tag, language in LANGUAGES.items() if not language.scripts] == [NEUTRAL]
