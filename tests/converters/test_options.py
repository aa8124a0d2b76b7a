"""Options of converters: from a command line's text, and checked."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from beirkit.converters.catalog import convert, parse_settings
from beirkit.converters.options import checked
from beirkit.converters.options import parse_settings as parse
from beirkit.corpora.errors import ConfigError, UsageError


class Shape(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    column: str = ""
    wide: bool = False
    number: int | None = None
    grades: dict[str, int] = {}
    names: list[str] = []


@pytest.mark.parametrize(
    ("setting", "key", "value"),
    [
        ("column=null", "column", "null"),
        ("column=Answer: yes", "column", "Answer: yes"),
        ("column=a=b", "column", "a=b"),
        ("column=|", "column", "|"),
        ("column=", "column", ""),
        ("wide=true", "wide", True),
        ("number=7", "number", 7),
        ("grades={no: 0, yes: 1, 3: 2}", "grades", {"no": 0, "yes": 1, "3": 2}),
        ('grades={"high":2,"low":1}', "grades", {"high": 2, "low": 1}),
        ("grades.no=0", "grades", {"no": 0}),
        ("grades.4.5=1", "grades", {"4.5": 1}),
        ("names=[a, 2019]", "names", ["a", "2019"]),
    ],
)
def test_text_of_a_command_line_becomes_what_the_option_is(setting: str, key: str, value: Any) -> None:
    assert getattr(checked("x", Shape, parse([setting], Shape)), key) == value


@pytest.mark.parametrize("setting", ["column", "=x", ""])
def test_a_setting_needs_a_key_and_a_value(setting: str) -> None:
    with pytest.raises(UsageError, match="write it as key=value"):
        parse([setting], Shape)


def test_entries_of_a_mapping_add_up() -> None:
    assert parse(["grades={a: 1}", "grades.b=2", "grades.b=3"], Shape) == {"grades": {"a": "1", "b": "3"}}


def test_a_mapping_that_is_no_yaml_is_shown() -> None:
    with pytest.raises(UsageError, match=r"the value of 'grades' is not YAML: .*\{high: 2"):
        parse(["grades={high: 2"], Shape)


def test_numbers_that_yaml_made_of_texts_are_texts_again() -> None:
    assert checked("x", Shape, {"column": 2019}).column == "2019"


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"colum": "a"}, "no option 'colum' .*did you mean 'column'?"),
        ({"column": 1.5}, "Expected `str`, got `float` at `column`"),
        ({"number": "many"}, "at `number`"),
        ({"grades": {"high": "much"}}, "grades.high is 'much', not a whole number .--set grades.high=NUMBER"),
        ({"wide": "perhaps"}, "at `wide` .write true or false"),
    ],
)
def test_what_does_not_fit_is_refused_by_key(options: dict[str, Any], found: str) -> None:
    with pytest.raises(ConfigError, match=found) as caught:
        checked("x", Shape, options)
    assert "options of format 'x'" in str(caught.value)


def test_settings_of_a_format_by_its_name() -> None:
    assert parse_settings("table", ["grades={low: 1}", "split=2019"]) == {
        "grades": {"low": "1"},
        "split": "2019",
    }
    with pytest.raises(ConfigError, match="no option 'qrels'"):
        convert("pystdlib", None, parse_settings("pystdlib", ["qrels=x"]))
