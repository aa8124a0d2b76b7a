"""A real browser: Debian's Chromium, driven by playwright. Without one these tests are skipped."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from beirkit.evaluate.report.whole import render_report
from tests.house.report_data import drawn_report

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Open = Callable[..., "Page"]

HOSTILE = ' </script><script>window.hit=1</script><img src=x onerror="window.hit=1">\'"/#?%&`{{7*7}}'


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    api = pytest.importorskip("playwright.sync_api", reason="needs playwright (the extra dev)")
    names = ("chromium", "chromium-browser", "google-chrome")
    found = os.environ.get("BEIRKIT_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if found is None:
        pytest.skip("needs chromium: apt-get install chromium")
    with api.sync_playwright() as driver:
        # without a sandbox, since tests may run as root; the pages are our own
        yield (launched := driver.chromium.launch(executable_path=found, args=["--no-sandbox"]))
        launched.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Open]:
    """Opens a file; at the end nothing may have been said on the console, requested or run."""
    contexts, said = [], []

    def opened(path: Path, address: str = "", **settings: Any) -> Page:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **settings})
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda one: None if one.url.startswith("file:") else said.append(one.url))
        page.goto(path.as_uri() + address)
        return page

    yield opened
    ran = [page.evaluate("window.hit") for context in contexts for page in context.pages]
    for context in contexts:
        context.close()
    assert said == []
    assert set(ran) <= {None}


@pytest.fixture(scope="module")
def report_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six systems on two datasets with a dozen queries."""
    names = ["bm25", "minilm", "heron", "owl-large", "reed", "kestrel"]
    return _written(tmp_path_factory, drawn_report(names, ["reeds", "lake"], 12))


@pytest.fixture(scope="module")
def hostile_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, with script and markup in every field."""
    names = [f"{name}{HOSTILE}" for name in ("bm25", "minilm", "heron")]
    return _written(
        tmp_path_factory, drawn_report(names, [f"reeds{HOSTILE}", f"lake{HOSTILE}"], 4, field=HOSTILE)
    )


def _written(places: pytest.TempPathFactory, report: Any) -> Path:
    text, _ = render_report(report)
    path = places.mktemp("report") / "report.html"
    path.write_text(text, encoding="utf-8")
    return path
