"""The catalog of converters: names, entry points, and what it does not load."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import pytest

from beirkit.converters import catalog
from beirkit.converters.pystdlib import Pystdlib
from beirkit.corpora.errors import UnknownNameError, UsageError


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Entry points as if other distributions had brought them."""
    found = {
        "rivals": "beirkit.converters.pystdlib:Pystdlib",
        "odd": "pathlib:Path",
        "broken": "no_such_module_anywhere:Thing",
        "table": "beirkit.converters.pystdlib:Pystdlib",
    }
    points = EntryPoints(EntryPoint(name, value, catalog.GROUP) for name, value in found.items())

    def entry_points(**wanted: Any) -> EntryPoints:
        return points.select(**wanted)

    monkeypatch.setattr(catalog, "entry_points", entry_points)
    catalog._installed.cache_clear()
    catalog.get.cache_clear()
    yield
    monkeypatch.undo()
    catalog._installed.cache_clear()
    catalog.get.cache_clear()


def test_the_four_shipped_formats() -> None:
    assert {"beir", "pystdlib", "scifact", "table"} <= set(catalog.names())
    assert list(catalog.names()) == sorted(catalog.names())
    described = {one.name: one.needs_raw for one in catalog.describe()}
    assert described["pystdlib"] is False
    assert described["beir"] is True


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"no format is called 'scifac' \(did you mean 'scifact'"):
        catalog.get("scifac")


@pytest.mark.usefixtures("installed")
def test_third_parties_add_formats_and_take_none_over() -> None:
    assert catalog.get("rivals") is Pystdlib
    assert "rivals" in catalog.names()
    assert catalog.get("table") is not Pystdlib
    with pytest.raises(UsageError, match="'odd', is not a subclass of Converter"):
        catalog.get("odd")
    with pytest.raises(UsageError, match=r"'broken' \(no_such_module_anywhere:Thing\) cannot be loaded"):
        catalog.get("broken")


def test_describing_loads_nothing_heavy() -> None:
    code = (
        "import sys; from beirkit.converters.catalog import describe; describe();"
        "print(sorted({'numpy', 'torch', 'scipy', 'pandas', 'sentence_transformers'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.skipif(sys.platform == "win32", reason="no such pipes")
@pytest.mark.parametrize("kind", ["table", "beir", "lexbench"])
def test_a_pipe_or_a_device_is_refused_before_it_is_read(kind: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")  # nobody writes into it: who opened it would wait
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(UsageError, match="read once at most"):
            catalog.convert(kind, path)
