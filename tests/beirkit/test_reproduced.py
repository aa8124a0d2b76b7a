"""The page of figures that were tried: written from data, and the data from results."""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest

from beirkit.configs.references import references
from beirkit.verification import Check
from tests.house.tree import CHECKOUT

DOCS = CHECKOUT / "docs"


@cache
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("reproduced", DOCS / "reproduced.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rows() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = msgspec.json.decode((DOCS / "reproduced.json").read_bytes())
    return found


def test_the_page_is_what_the_data_make() -> None:
    assert (DOCS / "reproduced.md").read_text(encoding="utf-8") == script().page(rows()), "run: make docs"


def test_every_row_is_of_a_figure_as_it_is_published() -> None:
    known = {
        (one.key, one.figure.system, one.figure.dataset, one.figure.split, one.figure.measure): one.printed
        for one in references()
        if not one.figure.variant
    }
    for row in rows():
        key = tuple(row[name] for name in ("source", "system", "dataset", "split", "measure"))
        assert known[key] == row["published"]


def test_every_row_has_the_status_that_its_numbers_give() -> None:
    for row in rows():
        apart = abs(row["ours"] - float(row["published"]))
        rounding = 0.5 * 10.0 ** -(len(row["published"]) - 2)
        status = "OK" if apart <= rounding + 1e-6 else "near" if apart <= row["tolerance"] + 1e-6 else "FAIL"
        assert row["status"] == status, row


def check(status: str, ours: float, folder: Path, **more: Any) -> Check:
    facts = {
        "status": status, "dataset": "scifact", "split": "test", "retriever": "bm25:k1=1.5,b=0.75",
        "system": "bm25s-mteb", "measure": "nDCG@10", "published": "0.68736", "ours": ours, "rounding": 5e-6,
        "tolerance": 0.005, "why": "other words", "protocol": "mteb", "source": "mteb", "title": "",
        "url": "", "evidence": "source", "note": "", "folder": str(folder), **more,
    }  # fmt: skip
    return msgspec.convert(facts, Check)


def test_a_figure_tried_again_has_its_newest_row(tmp_path: Path) -> None:
    old = script().rows_of([check("FAIL", 0.5, tmp_path)], "2026-01-01")
    new = script().rows_of([check("near", 0.6863, tmp_path)], "2026-02-02")
    [row] = script().merged(old, new)
    assert (row["status"], row["ours"], row["date"]) == ("near", 0.6863, "2026-02-02")
    assert row["command"] == "beirkit run -d scifact -r bm25:k1=1.5,b=0.75"


def test_what_failed_is_told_first(tmp_path: Path) -> None:
    told = script().page(script().rows_of([check("FAIL", 0.5, tmp_path)], "2026-01-01"))
    assert "0 OK, 0 near, 1 FAIL" in told
    assert (
        "- nDCG@10 of `bm25s-mteb` on scifact: 0.68736 published, 0.50000 here. Known to differ: other words."
        in told
    )


@pytest.mark.parametrize("name", ["a run.gz", "run.gz"])
def test_a_run_file_has_the_command_that_holds_it(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_bytes(b"")
    [row] = script().rows_of([check("OK", 0.68736, file)], "2026-01-01")
    assert row["command"] == f"beirkit verify {name if ' ' not in name else repr(name)} --qrels QRELS"
