"""The page as a file: its policy, its escaping, what it holds and leaves out."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from html.parser import HTMLParser
from typing import Any

from beirkit.evaluate.report.blocks import Cell, Column, Folded, Page, Queries, Section, Sentences, Table
from beirkit.evaluate.report.page import render, shown
from beirkit.evaluate.report.whole import render_report
from tests.house.report_data import drawn_report

HOSTILE = '</script><script>window.hit=1</script><img src=x onerror="window.hit=1">\'"`{{7*7}}\u202e\x00'


class Elements(HTMLParser):
    """Every start tag with its attributes, and the text of scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.inside: list[tuple[str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.found and self.found[-1][0] in ("script", "style") and data.strip():
            self.inside.append((self.found[-1][0], data))

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


def hashed(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def unpacked(text: str, name: str) -> Any:
    found = re.search(rf'id="{name}">([^<]*)<', text)
    assert found is not None
    return json.loads(gzip.decompress(base64.b64decode(found[1])))


def page_of(**settings: Any) -> str:
    report = drawn_report(["bm25", "minilm"], ["reeds", "lake"], 12, **settings)
    return render_report(report, most=5)[0]


def test_the_policy_allows_the_one_script_and_the_one_style_that_are_there() -> None:
    elements = Elements(page_of())
    [policy] = [one["content"] for one in elements.named("meta") if "http-equiv" in one]
    assert policy is not None
    scripts = [text for tag, text in elements.inside if tag == "script" and "use strict" in text]
    [style] = [text for tag, text in elements.inside if tag == "style"]
    assert len(scripts) == 1
    assert policy.startswith("default-src 'none'; ")
    assert f"script-src '{hashed(scripts[0])}'; " in policy
    assert f"style-src '{hashed(style)}'; " in policy
    assert "unsafe" not in policy


def test_nothing_is_loaded_and_nothing_runs_from_an_attribute() -> None:
    elements = Elements(page_of(field=HOSTILE))
    assert {"img", "iframe", "link", "object", "embed", "base", "form"} & {
        tag for tag, _ in elements.found
    } == set()
    names = {name for _, attributes in elements.found for name in attributes}
    assert {name for name in names if name.startswith("on")} == set()
    assert not names & {"style", "src", "srcset", "action", "formaction"}
    links = [value or "" for _, attributes in elements.found if (value := attributes.get("href"))]
    assert links
    assert all(link.startswith("#") for link in links)
    assert [one.get("type") for one in elements.named("script")] == ["text/plain", "text/plain", None]


def test_text_of_any_field_is_shown_and_is_not_markup() -> None:
    table = Table("t", HOSTILE, (Column(HOSTILE, about=HOSTILE),), ((Cell(HOSTILE, HOSTILE, HOSTILE),),))
    blocks = (table, Sentences((HOSTILE,)), Folded(HOSTILE, HOSTILE), Queries("q", HOSTILE, HOSTILE))
    page = Page(HOSTILE, HOSTILE, (Section("one", HOSTILE, blocks, HOSTILE),), HOSTILE)
    plain = Page("a", "a", (Section("one", "a", _plain_blocks(), "a"),), "a")
    hostile, harmless = Elements(render(page)), Elements(render(plain))
    assert [tag for tag, _ in hostile.found] == [tag for tag, _ in harmless.found]
    assert "{{7*7}}" in render(page)


def _plain_blocks() -> tuple[Any, ...]:
    table = Table("t", "a", (Column("a", about="a"),), ((Cell("a", "a", "a"),),))
    return table, Sentences(("a",)), Folded("a", "a"), Queries("q", "a", "a")


def test_control_characters_are_shown_as_such() -> None:
    assert shown("a\x00b\x1b[31m\x85\ud800\tc\n") == "a\ufffdb\ufffd[31m\ufffd\ufffd\tc\n"


def test_the_same_report_is_the_same_page() -> None:
    assert page_of() == page_of()


def test_the_verdict_comes_first_and_every_section_has_its_place_in_the_navigation() -> None:
    text = page_of()
    sections = re.findall(r'<section id="([\w-]+)" class="page"', text)
    assert sections == [
        "found", "verdict", "leaderboard", "cost", "dataset-1", "dataset-2", "how", "sources",
    ]  # fmt: skip
    navigation = text[text.index("<nav") : text.index("</nav>")]
    assert [f'href="#{name}"' in navigation for name in sections[1:]] == [True] * 7


def test_what_has_no_room_is_left_to_the_file_beside() -> None:
    report = drawn_report(["bm25", "minilm"], ["reeds", "lake"], 12)
    text, rest = render_report(report, most=5, beside="x.queries.jsonl")
    assert [len(unpacked(text, f"queries-{n}")["queries"]) for n in (1, 2)] == [5, 5]
    lines = [one for one in map(json.loads, rest) if "query_id" in one]
    assert [(one["dataset"]) for one in lines] == ["reeds"] * 7 + ["lake"] * 7
    shown_ids = {one["i"] for one in unpacked(text, "queries-1")["queries"]}
    assert shown_ids.isdisjoint(one["query_id"] for one in lines if one["dataset"] == "reeds")
    spreads = [view.spread for view in report.parts[0].queries.views] if report.parts[0].queries else []
    assert [one["spread"] for one in lines[:7]] == spreads[5:]
    assert (
        "5 of 12 queries, those on which systems disagree most. The other 7 are in x.queries.jsonl." in text
    )


def test_a_banner_tells_of_texts_and_their_licences() -> None:
    with_text, without = page_of(), page_of(with_text=False)
    assert "This page holds texts of queries and documents." in with_text
    assert "reeds (CC0)" in with_text
    assert 'class="banner"' not in without
    found = unpacked(without, "queries-1")
    assert {one["t"] for one in found["queries"]} == {""}
    assert {(title, text) for _, title, text in found["docs"]} == {("", "")}


def test_ids_of_sections_and_tables_are_there_once() -> None:
    ids = [attributes["id"] for _, attributes in Elements(page_of()).found if "id" in attributes]
    assert len(ids) == len(set(ids))
