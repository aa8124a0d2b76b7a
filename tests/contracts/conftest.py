"""Sources of converters that read through a library instead of files: what the contracts try them on."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from tests.converters import local_irds


@pytest.fixture(scope="session", autouse=True)
def local_sources(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Datasets without a network, in every library that is installed."""
    if find_spec("ir_datasets"):
        local_irds.register(tmp_path_factory.mktemp("ir_datasets"))
