from __future__ import annotations

from typing import Any, cast

import pytest

from beirkit.corpora.errors import ConfigError
from beirkit.corpora.records import Document
from beirkit.retrievers.template import Template


@pytest.mark.parametrize(
    ("pattern", "title", "text", "rendered"),
    [
        ("{title} {text}", "Owls", "hunt at night", "Owls hunt at night"),
        ("{title} {text}", "", "hunt at night", "hunt at night"),
        ("{title} {text}", "Owls", "", "Owls"),
        ("{title} {text}", "", "", ""),
        ("{title} {text}", " \n", "hunt", "hunt"),
        ("{title} {text}", " Owls", "hunt ", "Owls hunt"),
        ("{title}: {text}", "", "hunt", "hunt"),
        ("{title}: {text}", "Owls", "", "Owls"),
        ("{text}", "Owls", "hunt", "hunt"),
        ("passage: {title} {text}", "", "hunt", "passage: hunt"),
        ("passage: {title} {text}", "", "", ""),
        ("<{title}|{text}>", "Owls", "hunt", "<Owls|hunt>"),
        ("{title} {title} {text}", "Owls", "hunt", "Owls Owls hunt"),
        ("{{{title}}} {text}", "Owls", "hunt", "{Owls} hunt"),
        ("{title} {text}", "{text}", "hunt", "{text} hunt"),
    ],
)
def test_render(pattern: str, title: str, text: str, rendered: str) -> None:
    assert Template(pattern).render(Document("d", title, text)) == rendered


def test_a_missing_field_is_never_spelled_out() -> None:
    assert Template("{title} {text}").render(Document("d", cast("Any", None), "hunt")) == "hunt"
    assert Template("{title} {text}").render(Document("d", "Owls", cast("Any", None))) == "Owls"


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        ("{titel} {text}", "did you mean 'title'?"),
        ("no field at all", "has no field"),
        ("{title!r}", "takes no format"),
        ("{title:>9}", "takes no format"),
        ("{title", "cannot be read"),
        ("{} {text}", "has no field ''"),
        ("{title.upper}", "has no field 'title.upper'"),
    ],
)
def test_refused(pattern: str, told: str) -> None:
    with pytest.raises(ConfigError) as error:
        Template(pattern)
    assert told in str(error.value)
    assert repr(pattern) in str(error.value)
