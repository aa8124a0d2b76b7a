"""A site as files: whole or not at all, the same bytes, nothing from elsewhere."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from beirkit.corpora.errors import UsageError
from beirkit.evaluate.site.data import data_csv
from beirkit.evaluate.site.files import write_site
from beirkit.evaluate.site.model import Site
from tests.house.site_data import drawn_site

HOSTILE = "</script><script>alert(1)</script>\"'<img src=x>"


@pytest.fixture(scope="module")
def site() -> Site:
    return drawn_site(["bm25", "minilm", "Heron/1"], ["lake", "reeds"], 20, stated=["owl"])


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_the_same_site_is_the_same_bytes(site: Site, tmp_path: Path) -> None:
    sizes = write_site(site, tmp_path / "one")
    write_site(site, tmp_path / "two")
    found = bytes_of(tmp_path / "one")
    assert found == bytes_of(tmp_path / "two")
    assert sizes == {name: len(data) for name, data in found.items()}
    assert set(found) >= {"index.html", "data.json", "data.csv", "systems/bm25.html", "systems/owl.html"}


def test_every_link_leads_to_a_file_or_a_section(site: Site, tmp_path: Path) -> None:
    write_site(site, tmp_path / "site")
    for page in (tmp_path / "site").rglob("*.html"):
        links = re.findall(r'href="([^"]*)"', page.read_text("utf-8"))
        assert links
        for link in links:
            name, _, section = link.partition("#")
            target = (page.parent / name).resolve() if name else page
            assert target.is_file(), (page, link)
            assert not section or f'id="{section}"' in target.read_text("utf-8"), (page, link)


def test_no_page_names_another_place_or_runs_another_script(tmp_path: Path) -> None:
    write_site(drawn_site(["bm25", "minilm"], ["lake"], 5, field=HOSTILE), tmp_path / "site")
    for page in (tmp_path / "site").rglob("*.html"):
        text = page.read_text("utf-8")
        assert "default-src 'none'" in html.unescape(text)
        assert text.count("<script>") == 1
        assert "<img" not in text
        assert not re.search(r'(src|href)="(https?:|//)', text)


def test_a_site_is_replaced_only_when_asked_and_nothing_else_is(site: Site, tmp_path: Path) -> None:
    out = tmp_path / "site"
    write_site(site, out)
    before = bytes_of(out)
    with pytest.raises(UsageError, match="is there already"):
        write_site(site, out)
    smaller = replace(site, systems=site.systems[:1])
    with pytest.raises(KeyError):  # a page whose system is not known: nothing is written
        write_site(smaller, out, overwrite=True)
    assert bytes_of(out) == before
    write_site(drawn_site(["bm25"], ["lake"], 5), out, overwrite=True)
    assert "systems/minilm.html" not in bytes_of(out)
    (out / "own.txt").write_text("mine")
    with pytest.raises(UsageError, match=r"own\.txt"):
        write_site(site, out, overwrite=True)
    other = tmp_path / "other"
    other.mkdir()
    (other / "photo.jpg").write_bytes(b"x")
    with pytest.raises(UsageError, match="was not written by beirkit"):
        write_site(site, other, overwrite=True)
    assert not [p for p in tmp_path.iterdir() if p.name.startswith(".")]


def test_the_data_say_what_the_pages_say(site: Site, tmp_path: Path) -> None:
    write_site(site, tmp_path / "site")
    facts = json.loads((tmp_path / "site" / "data.json").read_text("utf-8"))
    assert facts["format"] == "beirkit leaderboard 1"
    assert [one["name"] for one in facts["systems"]] == sorted(one["name"] for one in facts["systems"])
    assert set(facts["files"]) == set(bytes_of(tmp_path / "site"))
    tested, stated = facts["suites"]
    assert tested["incomplete"] == {"Heron/1": "incomplete: 1 of 2, missing reeds"}
    assert (stated["tested"], stated["places"][0]["interval"]) == (False, None)
    [lake] = [one for one in facts["boards"] if one["board"] == "lake@test"]
    means = [place["mean"] for place in lake["places"]]
    assert means == sorted(means, reverse=True)
    assert all(low <= place["mean"] <= high for place in lake["places"] for low, high in [place["interval"]])
    rows = list(csv.DictReader(io.StringIO((tmp_path / "site" / "data.csv").read_text("utf-8"))))
    assert len(rows) == sum(len(one["results"]) for one in facts["systems"])
    assert {row["tested"] for row in rows if row["system"] == "owl"} == {"no"}


def test_a_shared_rank_is_marked_on_the_pages_of_those_who_share_it(tmp_path: Path) -> None:
    alike = drawn_site(["bm25", "minilm"], ["lake"], 5)
    write_site(alike, tmp_path / "site")
    [board] = alike.boards
    assert [place.rank for place in board.places] == [1, 1]  # five queries separate nothing
    for name in ("bm25", "minilm"):
        page = (tmp_path / "site" / "systems" / f"{name}.html").read_text("utf-8")
        assert ">1= of 2<" in page


def test_no_cell_of_the_csv_is_a_formula() -> None:
    rows = list(csv.reader(io.StringIO(data_csv(drawn_site(["=1+1", "@x", "bm25"], ["-lake"], 5)))))
    cells = [cell for row in rows[1:] for cell in row if not re.fullmatch(r"-?[\d.e-]+", cell)]
    assert cells
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
