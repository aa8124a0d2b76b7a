"""Sources of converters that read through a library instead of files: what the contracts try them on."""

from __future__ import annotations

import sys
from importlib.util import find_spec

import pytest

from tests.converters import fake_mteb, local_irds


@pytest.fixture(scope="session", autouse=True)
def local_irds_datasets(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Datasets without a network, where ir_datasets is installed."""
    if find_spec("ir_datasets"):
        local_irds.register(tmp_path_factory.mktemp("ir_datasets"))


@pytest.fixture(autouse=True)
def mteb_with_one_task(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in, whether mteb is installed or not."""
    monkeypatch.setitem(sys.modules, "mteb", fake_mteb.module())


@pytest.fixture(autouse=True)
def only_what_is_installed(request: pytest.FixtureRequest) -> None:
    """The contract of a converter that stands on an optional part needs that part."""
    params = getattr(getattr(request.node, "callspec", None), "params", {})
    if params.get("name") == "ir_datasets" and not find_spec("ir_datasets"):
        pytest.skip("needs the part 'irds'")
