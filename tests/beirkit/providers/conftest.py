"""What every test of search tools stands on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from beirkit.datasets import convert_source
from beirkit.search_tools.collecting import Collected, collect
from tests.beirkit.providers.search_tools import (
    CLIENT,
    CSV,
    Server,
    Tool,
    profile,
    written,
)


@pytest.fixture(scope="package")
def server() -> Iterator[str]:
    Tool.asked = []
    tool = Server(("127.0.0.1", 0), Tool)
    thread = threading.Thread(target=tool.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{tool.server_address[1]}"
    tool.shutdown()
    thread.join()
    tool.server_close()


@pytest.fixture(scope="package")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("built") / "lexbench"
    convert_source("lexbench-simpleqa-verified", CSV, folder, check=False)
    return str(folder)


@pytest.fixture
def client(tmp_path: Path) -> str:
    (tmp_path / "client.py").write_text(CLIENT, encoding="utf-8")
    return f"{tmp_path}/client.py:search"


@pytest.fixture
def collected(server: str, dataset: str, client: str, tmp_path: Path) -> dict[str, Collected]:
    return {
        name: collect(dataset, client, profile(server, name), tmp_path / name) for name in ("good", "bad")
    }


@pytest.fixture
def with_pages(tmp_path: Path) -> str:
    pages = written(tmp_path / "pages.jsonl", {"url": "https://x.example/c", "text": "Who painted the gate?"})
    folder = tmp_path / "pages"
    convert_source("lexbench-simpleqa-verified", CSV, folder, {"pages": str(pages)}, check=False)
    return str(folder)
