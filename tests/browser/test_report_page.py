"""The page of ``beirkit report`` in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from beirkit.evaluate.report.whole import render_report
from tests.browser.conftest import HOSTILE, Open
from tests.house.report_data import drawn_report

if TYPE_CHECKING:
    from playwright.sync_api import Page

SECTIONS = ("verdict", "leaderboard", "cost", "dataset-1", "how", "sources")


def visible(page: Page, selector: str) -> list[str]:
    return [one.inner_text().strip() for one in page.locator(selector).all() if one.is_visible()]


def column(page: Page, table: str, place: int) -> list[str]:
    return visible(page, f"#{table} tbody tr > :nth-child({place})")


def sort(page: Page, table: str, head: str) -> None:
    page.locator(f"#{table} thead button", has_text=head).first.click()


def test_the_verdict_is_first_and_the_navigation_leads_to_the_others(
    open_page: Open, report_page: Path
) -> None:
    page = open_page(report_page)
    assert visible(page, "main h2") == ["Verdict"]
    assert page.locator(".lead li").first.inner_text().startswith("minilm ")
    page.get_by_role("link", name="Quality and cost").click()
    assert visible(page, "main h2") == ["Quality and cost"]
    assert page.locator("nav [aria-current=page]").inner_text() == "Quality and cost"
    page.go_back()
    assert visible(page, "main h2") == ["Verdict"]


def test_tables_are_sorted_by_their_heads(open_page: Open, report_page: Path) -> None:
    page = open_page(report_page, "#leaderboard")
    before = [float(text) for text in column(page, "board-1", 3)]
    assert before == sorted(before, reverse=True)
    sort(page, "board-1", "mean")
    assert page.locator("#board-1 [aria-sort]").get_attribute("aria-sort") == "descending"
    sort(page, "board-1", "mean")
    assert [float(text) for text in column(page, "board-1", 3)] == sorted(before)
    assert page.locator("#board-1 [aria-sort]").get_attribute("aria-sort") == "ascending"
    sort(page, "board-1", "system")
    names = column(page, "board-1", 1)
    assert names == sorted(names)
    assert page.locator("#board-1 [aria-sort]").count() == 1


def test_rows_are_filtered_by_words(open_page: Open, report_page: Path) -> None:
    page = open_page(report_page, "#leaderboard")
    page.locator("#board-1-filter").fill("OWL")
    assert column(page, "board-1", 1) == ["owl-large"]
    assert "1 of 6 rows" in visible(page, "#leaderboard .filter")[0]
    page.locator("#board-1-filter").fill("")
    assert len(column(page, "board-1", 1)) == 6


def test_a_query_shows_its_text_what_is_relevant_and_every_ranking(
    open_page: Open, report_page: Path
) -> None:
    page = open_page(report_page, "#dataset-1")
    page.locator("#dataset-1 .list button").nth(2).click()
    chosen = page.locator("#dataset-1 .list button[aria-current]")
    chosen.wait_for()
    query_id = chosen.get_attribute("data-query")
    panel = page.locator("#dataset-1 .query")
    assert panel.locator("h3").inner_text() == f"Query {query_id}"
    assert panel.locator(".text").inner_text() in chosen.inner_text()
    assert visible(page, "#dataset-1 .query .systems h4 ~ ol") != []
    assert panel.locator(".systems .ranking").count() == 6
    assert panel.locator(".systems .ranking").first.locator("li").count() == 10
    assert "relevant, grade 2" in panel.inner_text()
    values = [float(text.rpartition(" ")[2]) for text in visible(page, "#dataset-1 .systems h4")]
    assert values == sorted(values, reverse=True)


def test_queries_are_ordered_and_filtered(open_page: Open, report_page: Path) -> None:
    page = open_page(report_page, "#dataset-1")
    page.locator("#dataset-1 .list button").first.wait_for()
    spreads = [float(text.rpartition(" ")[2]) for text in visible(page, "#dataset-1 .list .hint")]
    assert len(spreads) == 12
    assert spreads == sorted(spreads, reverse=True)
    page.locator("#queries-1-order").select_option("id")
    assert [text.split(" ")[0] for text in visible(page, "#dataset-1 .list .hint")] == [
        f"q{n}" for n in range(12)
    ]
    page.locator("#queries-1-filter").fill("q11")
    assert len(visible(page, "#dataset-1 .list button")) == 1
    assert visible(page, "#dataset-1 .count") == ["1 of 12 queries"]


def test_search_finds_systems_and_queries(open_page: Open, report_page: Path) -> None:
    page = open_page(report_page)
    page.keyboard.press("/")
    page.keyboard.type("q7 ")
    page.locator("#found-list a").first.wait_for()
    assert len(visible(page, "#found-list a")) == 2  # one of each dataset
    page.locator("#found-list a").nth(1).click()
    page.locator("#dataset-2 .query h3").wait_for()
    assert page.locator("#dataset-2 .query h3").inner_text() == "Query q7"
    page.locator("#find").fill("owl-large")
    page.locator("#found-list a").first.wait_for()
    assert "owl-large" in page.locator("#found-list a").first.inner_text()
    page.locator("#find").press("Escape")
    assert visible(page, "main h2") == ["lake"]


def test_everything_can_be_done_by_keyboard(open_page: Open, report_page: Path) -> None:
    page = open_page(report_page)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.goto(report_page.as_uri() + "#leaderboard")
    head = page.locator("#board-1 thead button").nth(2)
    head.focus()
    page.keyboard.press("Enter")
    assert page.locator("#board-1 [aria-sort]").count() == 1
    page.goto(report_page.as_uri() + "#dataset-1")
    first = page.locator("#dataset-1 .list button").first
    first.wait_for()
    first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.locator("#dataset-1 .query h3").wait_for()
    ids = page.locator("#dataset-1 .list button").evaluate_all("all => all.map(one => one.dataset.query)")
    for key, place in (("n", 2), ("p", 1), ("p", 0), ("p", 0)):
        page.keyboard.press(key)
        page.wait_for_function(
            "id => document.querySelector('#dataset-1 .query h3').textContent === 'Query ' + id",
            arg=ids[place],
        )


def test_a_narrow_screen_scrolls_tables_and_not_the_page(open_page: Open, report_page: Path) -> None:
    for name in SECTIONS:
        page = open_page(report_page, f"#{name}", viewport={"width": 360, "height": 740})
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, name


def test_print_has_every_section_and_no_control(open_page: Open, report_page: Path) -> None:
    page = open_page(report_page)
    page.emulate_media(media="print")
    assert {"Verdict", "Leaderboard", "reeds", "lake", "Citations and licences"} <= set(
        visible(page, "main h2")
    )
    assert visible(page, "nav, #search, .filter, .choose") == []
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    assert page.pdf()[:5] == b"%PDF-"


@pytest.mark.parametrize("name", SECTIONS)
def test_script_and_markup_in_every_field_are_inert(open_page: Open, hostile_page: Path, name: str) -> None:
    page = open_page(hostile_page, f"#{name}")
    if name == "dataset-1":
        button = page.locator("#dataset-1 .list button").first
        button.click()
        page.locator("#dataset-1 .query h3").wait_for()
        assert HOSTILE.strip() in page.locator("#dataset-1 .query .text").inner_text()
        assert HOSTILE[1:30] in page.locator("#dataset-1 .query .snippet").first.inner_text()
        page.locator("#find").fill("<script>")
        page.locator("#found-list a").first.wait_for()
    assert page.locator("img, iframe, main script").count() == 0
    assert HOSTILE.strip() in page.locator("h1").inner_text()
    page.wait_for_timeout(50)  # for what might have been set off


def test_texts_of_the_page_take_no_other_direction_than_their_own(open_page: Open, tmp_path: Path) -> None:
    report = drawn_report(["bm25", "שלום"], ["reeds"], 3)
    path = tmp_path / "report.html"
    path.write_text(render_report(report)[0], encoding="utf-8")
    page = open_page(path, "#leaderboard")
    cell = page.locator("#only-1 tbody th", has_text="שלום")
    assert cell.evaluate("one => getComputedStyle(one).direction") == "rtl"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", SECTIONS)
def test_axe_finds_nothing(open_page: Open, report_page: Path, name: str, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python")
    page = open_page(report_page, f"#{name}", color_scheme=scheme)
    if name == "dataset-1":
        page.locator("#dataset-1 .list button").first.click()
        page.locator("#dataset-1 .query h3").wait_for()
    found: dict[str, Any] = axe.Axe().run(page).response
    told = [
        f"{one['id']}: {node['html'][:120]} {node.get('failureSummary', '')}"
        for one in found["violations"]
        for node in one["nodes"]
    ]
    assert len(found["passes"]) > 10
    assert told == []


def test_light_and_dark_have_their_own_colours(open_page: Open, report_page: Path) -> None:
    colours = [
        open_page(report_page, color_scheme=scheme).evaluate(
            "getComputedStyle(document.body).backgroundColor"
        )
        for scheme in ("light", "dark")
    ]
    assert colours == ["rgb(255, 255, 255)", "rgb(20, 23, 27)"]


def test_without_a_script_all_sections_are_on_the_page(open_page: Open, report_page: Path) -> None:
    page = open_page(report_page, java_script_enabled=False)
    assert {"Verdict", "Leaderboard", "reeds", "lake"} <= set(visible(page, "main h2"))
    assert "tables cannot be sorted" in page.locator("noscript").inner_text()


def test_twenty_systems_on_fifteen_datasets_stay_under_five_megabytes(
    open_page: Open, tmp_path: Path
) -> None:
    report = drawn_report([f"system-{n:02}" for n in range(20)], [f"dataset-{n:02}" for n in range(15)], 200)
    path = tmp_path / "report.html"
    path.write_text(render_report(report)[0], encoding="utf-8")
    assert path.stat().st_size < 5_000_000
    opened = open_page(path)
    assert visible(opened, "main h2") == ["Verdict"]
    opened.goto(path.as_uri() + "#dataset-15")
    opened.locator("#dataset-15 .list button").first.wait_for()
