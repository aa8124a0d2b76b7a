"""The script behind every ``make`` target: what it installs when, and what it never waits for."""

from __future__ import annotations

import http.server
import importlib.util
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.house.tree import CHECKOUT


@pytest.fixture
def setup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script, working on a checkout of its own under a temporary folder."""
    spec = importlib.util.spec_from_file_location("install", CHECKOUT / ".ci" / "install.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    venv = tmp_path / ".venv"
    monkeypatch.setattr(module, "CHECKOUT", tmp_path)
    monkeypatch.setattr(module, "VENV", venv)
    monkeypatch.setattr(module, "PYTHON", venv / "bin" / "python")
    monkeypatch.setattr(module, "READY", venv / "ready.json")
    monkeypatch.setattr(module, "UNFINISHED", venv / "unfinished")
    (tmp_path / "constraints").mkdir()
    (tmp_path / "constraints" / "cpu.txt").write_text("torch==2.13.0\n")
    (tmp_path / "pyproject.toml").write_text('requires-python = ">=3.11,<3.14"\n')
    return module


class Steps:
    """Stands in for venv and pip, and keeps what they were asked to do."""

    def __init__(self, module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
        self.done: list[str] = []
        self.pip_result: int | BaseException = 0
        self._module = module
        monkeypatch.setattr(module.subprocess, "run", self._venv)
        monkeypatch.setattr(module, "install", self._pip)

    def _venv(self, command: list[str], **options: object) -> subprocess.CompletedProcess[bytes]:
        self.done.append("venv --clear" if "--clear" in command else "venv")
        self._module.PYTHON.parent.mkdir(parents=True, exist_ok=True)
        self._module.PYTHON.touch()
        return subprocess.CompletedProcess(command, 0)

    def _pip(self, parts: str) -> int:
        self.done.append(f"pip {parts}")
        if isinstance(self.pip_result, BaseException):
            raise self.pip_result
        return self.pip_result

    def run(self, parts: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        """What one call does."""
        self.done = []
        monkeypatch.setattr(sys, "argv", ["install.py", parts])
        self._module.main()
        return self.done


@pytest.fixture
def steps(setup: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Steps:
    return Steps(setup, monkeypatch)


def test_the_second_time_takes_no_work(steps: Steps, monkeypatch: pytest.MonkeyPatch) -> None:
    assert steps.run("all", monkeypatch) == ["venv --clear", "pip all"]
    assert steps.run("all", monkeypatch) == []


def test_more_parts_are_added_and_fewer_take_no_work(steps: Steps, monkeypatch: pytest.MonkeyPatch) -> None:
    steps.run("all", monkeypatch)
    assert steps.run("all,dev", monkeypatch) == ["pip all,dev"]
    assert steps.run("all", monkeypatch) == []


@pytest.mark.parametrize("name", ["pyproject.toml", "constraints/cpu.txt"])
def test_changed_requirements_are_installed(
    name: str, steps: Steps, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps.run("all", monkeypatch)
    with (tmp_path / name).open("a") as file:
        file.write("# changed\n")
    assert steps.run("all", monkeypatch) == ["pip all"]


def test_a_moved_checkout_is_installed_anew(
    steps: Steps, setup: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps.run("all", monkeypatch)
    ready = setup.READY.read_text()
    setup.READY.write_text(ready.replace(str(setup.CHECKOUT), "/some/other/place"))
    assert steps.run("all", monkeypatch) == ["pip all"]


def test_a_killed_installation_starts_from_nothing(steps: Steps, monkeypatch: pytest.MonkeyPatch) -> None:
    steps.pip_result = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        steps.run("all", monkeypatch)
    steps.pip_result = 0
    assert steps.run("all", monkeypatch) == ["venv --clear", "pip all"]
    assert steps.run("all", monkeypatch) == []


def test_a_failed_installation_is_tried_again_in_place(steps: Steps, monkeypatch: pytest.MonkeyPatch) -> None:
    steps.pip_result = 1
    steps.run("all", monkeypatch)
    assert steps.run("all", monkeypatch) == ["pip all"]


def test_an_environment_whose_python_is_gone_is_made_anew(
    steps: Steps, setup: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps.run("all", monkeypatch)
    setup.PYTHON.unlink()
    assert steps.run("all", monkeypatch) == ["venv --clear", "pip all"]


@pytest.mark.parametrize(
    ("version", "fits"), [((3, 10), False), ((3, 11), True), ((3, 13), True), ((3, 14), False)]
)
def test_an_unsuitable_python_is_named(
    version: tuple[int, int], fits: bool, setup: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(setup.sys, "version_info", (*version, 0))
    if fits:
        setup.refuse_unsuitable_python()
    else:
        with pytest.raises(SystemExit, match=rf"3\.11 to 3\.13, and .* is 3\.{version[1]}") as end:
            setup.refuse_unsuitable_python()
        assert "make PYTHON=python3.11" in str(end.value)


@pytest.fixture
def server() -> Iterator[str]:
    """The address of a web server that has nothing."""

    class Empty(http.server.BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.send_error(404)

        def log_message(self, *arguments: Any) -> None:
            """Stay quiet."""

    with http.server.HTTPServer(("127.0.0.1", 0), Empty) as listening:
        threading.Thread(target=listening.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{listening.server_port}"
        listening.shutdown()


def test_a_server_that_answers_is_used(
    server: str, setup: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("TORCH_INDEX", server)
    assert setup.torch_index() == ["--extra-index-url", server]


def test_a_server_that_refuses_is_passed_over(setup: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("TORCH_INDEX", f"http://127.0.0.1:{port}")
    assert setup.torch_index() == []


def test_a_server_that_never_answers_is_not_waited_for(
    setup: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(setup, "PROBE_LIMIT_SECONDS", 0.5)
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        monkeypatch.setenv("TORCH_INDEX", f"http://127.0.0.1:{mute.getsockname()[1]}")
        assert setup.torch_index() == []


def test_no_index_is_asked_where_none_is_named(setup: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCH_INDEX", "")
    monkeypatch.setattr(subprocess, "run", None)
    assert setup.torch_index() == []
