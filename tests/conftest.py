"""Fixtures that every room's tests share."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# A busy machine is no defect: no example has a deadline.
settings.register_profile("beirkit", deadline=None)
settings.load_profile("beirkit")

CHECKOUT = Path(__file__).parent.parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--without", action="append", default=[], help="a module that cannot be imported")


def pytest_configure(config: pytest.Config) -> None:
    for name in config.getoption("--without"):
        sys.modules[name] = None  # type: ignore[assignment] # importing it raises ModuleNotFoundError


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of handed data beside the checkout; tests that need it skip where it is absent."""
    folder = Path(os.environ.get("BEIRKIT_SHARED", CHECKOUT.parent / "shared"))
    if not (folder / "data").is_dir():
        pytest.skip(f"needs the handed data, which is not at {folder}")
    return folder


@pytest.fixture(autouse=True)
def untouched_logging() -> Iterator[None]:
    """A test that runs a command, which sets up logging, leaves it for the next test as it was."""
    logger = logging.getLogger("beirkit")
    handlers, level, propagate = logger.handlers, logger.level, logger.propagate
    yield
    logger.handlers, logger.propagate = handlers, propagate
    logger.setLevel(level)
