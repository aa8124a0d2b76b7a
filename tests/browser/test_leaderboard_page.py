"""The site of ``beirkit leaderboard`` in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from beirkit.evaluate.site.files import write_site
from tests.browser.conftest import HOSTILE, Open
from tests.house.site_data import drawn_site

if TYPE_CHECKING:
    from playwright.sync_api import Page

SYSTEMS = ["bm25", "minilm", "heron", "owl-large", "reed", "kestrel"]
PAGES = ("index.html#view-1", "index.html#dataset-1", "index.html#how", "index.html#not-shown")
OF_A_SYSTEM = tuple(f"systems/minilm.html#{name}" for name in ("scores", "about", "how", "sources"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six systems that were tested on two datasets, and two of which figures are stated."""
    folder = tmp_path_factory.mktemp("leaderboard") / "site"
    write_site(drawn_site(SYSTEMS, ["lake", "reeds"], 30, stated=["stork", "wren"]), folder)
    return folder


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with script and markup in every field."""
    folder = tmp_path_factory.mktemp("hostile") / "site"
    names, datasets = [f"{name}{HOSTILE}" for name in SYSTEMS], [f"lake{HOSTILE}", f"reeds{HOSTILE}"]
    write_site(drawn_site(names, datasets, 10, stated=[f"stork{HOSTILE}"], field=HOSTILE), folder)
    return folder


def rows(page: Page, table: str) -> list[str]:
    cells = page.locator(f"#{table} tbody tr:not([hidden]) > :first-child").all()
    return [cell.inner_text().strip() for cell in cells if cell.is_visible()]


def count(page: Page) -> str:
    return page.locator("#filters .count").inner_text()


def opened(open_page: Open, site: Path, name: str, **settings: Any) -> Page:
    file, _, section = name.partition("#")
    return open_page(site / file, f"#{section}" if section else "", **settings)


def test_the_means_are_first_and_every_name_leads_to_its_page(open_page: Open, site: Path) -> None:
    page = opened(open_page, site, "index.html")
    assert len(rows(page, "view-1-tested")) == 5  # the sixth lacks a dataset
    assert rows(page, "view-1-tested-incomplete") == ["kestrel"]
    assert rows(page, "view-1-stated") == ["wren", "stork"]
    page.locator("#view-1-tested").get_by_role("link", name="owl-large").click()
    assert page.locator("h1").inner_text() == "owl-large"
    page.get_by_role("link", name="reeds@test").first.click()
    assert page.locator("main h2:visible").inner_text() == "reeds@test"
    page.locator("#dataset-2").get_by_role("link", name="reed", exact=True).click()
    page.locator("nav .home a").click()
    assert page.locator("h1").inner_text() == "Drawn"


def test_filters_hide_rows_in_every_table_and_say_how_many_are_left(open_page: Open, site: Path) -> None:
    page = opened(open_page, site, "index.html#dataset-1")
    assert count(page) == "8 of 8 systems"
    page.get_by_label("Parameters").select_option(label="10 M to 35 M")
    assert set(rows(page, "dataset-1-1")) | set(rows(page, "dataset-1-2")) == {"minilm", "kestrel"}
    assert count(page) == "2 of 8 systems"
    assert "Ranks are those among all" in page.locator("#filters .about").inner_text()
    page.goto((site / "index.html").as_uri() + "#view-1")  # they stay
    assert rows(page, "view-1-tested") == ["minilm"]
    page.get_by_role("button", name="Show all").click()
    page.wait_for_function("document.querySelector('#filters .count').textContent === '8 of 8 systems'")
    assert not page.locator("#filters .about").is_visible()


@pytest.mark.parametrize(
    ("label", "option", "left"),
    [
        ("Training", "zero-shot: on no dataset of the table", {"bm25", "owl-large", "stork"}),
        ("Training", "in-domain: on one or more of them", {"minilm", "reed", "wren"}),
        ("Training", "not known", {"heron", "kestrel"}),
        ("Parameters", "none: no model", {"bm25", "reed"}),
        ("Parameters", "35 M to 120 M", {"heron", "stork"}),
        ("Parameters", "not stated", {"owl-large", "wren"}),
        ("Licence", "mit", {"heron", "stork"}),
        ("Licence", "not stated", {"owl-large", "wren"}),
    ],
)
def test_each_filter_takes_what_it_says(
    open_page: Open, site: Path, label: str, option: str, left: set[str]
) -> None:
    page = opened(open_page, site, "index.html#dataset-1")
    page.locator("#filters").get_by_label(label).select_option(label=option)
    assert {*rows(page, "dataset-1-1"), *rows(page, "dataset-1-2")} == left
    assert count(page) == f"{len(left)} of 8 systems"


def test_dates_are_filtered_from_and_to_a_day(open_page: Open, site: Path) -> None:
    page = opened(open_page, site, "index.html#dataset-1")
    page.get_by_label("Date from").fill("2021-08-30")
    assert {*rows(page, "dataset-1-1")} == {"bm25", "minilm", "heron", "reed", "kestrel"}
    page.get_by_label("to", exact=True).fill("2023-09-11")
    assert {*rows(page, "dataset-1-1")} == {"minilm", "heron", "kestrel"}


def test_an_empty_outcome_says_so(open_page: Open, site: Path) -> None:
    page = opened(open_page, site, "index.html#view-1")
    page.get_by_label("Names of systems").fill("no such bird")
    assert count(page) == "0 of 8 systems: none passes the filters"
    assert page.locator("#filters .count").get_attribute("aria-live") == "polite"
    assert not page.locator("#view-1-tested").is_visible()
    told = page.locator("#view-1 .nothing:visible").all_inner_texts()
    assert told[0] == "No row of this table passes the filters."
    assert len(told) == page.locator("#view-1 table.chosen").count()


def test_columns_sort_and_a_sorted_table_stays_filtered(open_page: Open, site: Path) -> None:
    page = opened(open_page, site, "index.html#dataset-1")
    page.get_by_label("Names of systems").fill("re")
    head = page.locator("#dataset-1-1 thead button", has_text="parameters")
    head.click()
    assert page.locator("#dataset-1-1 [aria-sort]").get_attribute("aria-sort") == "descending"
    assert rows(page, "dataset-1-1") == ["kestrel", "reed"]
    head.click()
    assert rows(page, "dataset-1-1") == ["reed", "kestrel"]
    page.get_by_label("Names of systems").fill("")
    assert len(rows(page, "dataset-1-1")) == 6
    assert rows(page, "dataset-1-1")[-1] == "owl-large"  # nothing is stated of its size


def test_everything_can_be_done_by_keyboard(open_page: Open, site: Path) -> None:
    page = opened(open_page, site, "index.html#dataset-1")
    page.get_by_label("Names of systems").focus()
    page.keyboard.type("minilm")
    assert count(page) == "1 of 8 systems"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "by-training"
    page.keyboard.press("ArrowDown")
    assert count(page).startswith("0 of 8")  # it is in-domain
    page.keyboard.press("ArrowDown")
    assert count(page) == "1 of 8 systems"
    page.get_by_role("button", name="Show all").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector('#filters .count').textContent === '8 of 8 systems'")
    page.locator("#dataset-1-1 thead button").first.focus()
    page.keyboard.press("Space")
    assert rows(page, "dataset-1-1") == sorted(SYSTEMS)
    page.locator("#dataset-1-1 tbody a").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/systems/bm25.html")


def test_enter_in_a_filter_sends_nothing_away(open_page: Open, site: Path) -> None:
    page = opened(open_page, site, "index.html#dataset-1")
    page.get_by_label("Names of systems").fill("owl")
    page.get_by_label("Names of systems").press("Enter")
    assert rows(page, "dataset-1-1") == ["owl-large"]
    assert page.url.endswith("index.html#dataset-1")


@pytest.mark.parametrize("name", [*PAGES, *OF_A_SYSTEM])
def test_a_narrow_screen_scrolls_tables_and_not_the_page(open_page: Open, site: Path, name: str) -> None:
    page = opened(open_page, site, name, viewport={"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", [*PAGES, *OF_A_SYSTEM])
def test_axe_finds_nothing(open_page: Open, site: Path, name: str, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python")
    page = opened(open_page, site, name, color_scheme=scheme)
    if name == PAGES[0]:
        page.get_by_label("Names of systems").fill("minilm")
    found: dict[str, Any] = axe.Axe().run(page).response
    told = [
        f"{one['id']}: {node['html'][:150]} {node.get('failureSummary')}"
        for one in found["violations"]
        for node in one["nodes"]
    ]
    assert len(found["passes"]) > 10
    assert told == []


@pytest.mark.parametrize("name", PAGES)
def test_script_and_markup_in_every_field_are_inert(open_page: Open, hostile: Path, name: str) -> None:
    page = opened(open_page, hostile, name)
    page.locator("#find").fill("<script>")
    page.locator("#found-list a").first.wait_for()
    assert page.locator("img, iframe, main script").count() == 0
    assert HOSTILE.strip() in page.locator("h1").inner_text()


def test_pages_of_hostile_names_open_and_are_inert(open_page: Open, hostile: Path) -> None:
    page = opened(open_page, hostile, "index.html#dataset-1")
    licences = page.get_by_label("Licence").locator("option").all_inner_texts()
    assert licences == ["any", "apache-2.0", "mit", "no model", "not stated"]
    page.locator("#dataset-1 tbody a").first.click()
    assert HOSTILE.strip() in page.locator("h1").inner_text()
    for section in ("scores", "how", "sources"):
        page.goto(page.url.partition("#")[0] + f"#{section}")
        assert page.locator("img, iframe, main script").count() == 0
    assert HOSTILE.strip()[:40] in str(page.locator("pre").first.text_content())
    page.wait_for_timeout(50)


def test_print_has_every_table_and_no_control(open_page: Open, site: Path) -> None:
    page = opened(open_page, site, "index.html#view-1")
    page.emulate_media(media="print")
    assert page.locator("nav:visible, #search:visible, #filters:visible").count() == 0
    assert page.locator("main table:visible").count() == page.locator("main table").count()
    assert page.pdf()[:5] == b"%PDF-"


def test_without_a_script_all_is_there_and_no_filter_is(open_page: Open, site: Path) -> None:
    page = opened(open_page, site, "index.html", java_script_enabled=False)
    assert page.locator("main table:visible").count() == page.locator("main table").count()
    assert not page.locator("#filters").is_visible()


def test_two_hundred_systems_on_eighteen_datasets_stay_under_five_megabytes(
    open_page: Open, tmp_path: Path
) -> None:
    systems = [f"organisation/system-{n:03}@0123abcd" for n in range(200)]
    write_site(
        drawn_site(systems, [f"dataset-{n:02}" for n in range(18)], 20, samples=100), tmp_path / "site"
    )
    assert (tmp_path / "site" / "index.html").stat().st_size < 5_000_000
    page = opened(open_page, tmp_path / "site", "index.html")
    assert count(page) == "200 of 200 systems"
    page.get_by_label("Names of systems").fill("system-07")
    assert count(page) == "10 of 200 systems"
    page.goto((tmp_path / "site" / "index.html").as_uri() + "#dataset-18")
    assert len(rows(page, "dataset-18-1")) == 10
