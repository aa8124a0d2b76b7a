"""``beirkit cache``: what the store keeps, and what may go."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import numpy as np
import pytest

from beirkit.caching import entries, remove
from beirkit.cli.main import main
from beirkit.retrievers.store import Store

DAY = 86400


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of three entries, unused for 40, 2 and 0 days."""
    monkeypatch.setenv("BEIRKIT_HOME", str(tmp_path))
    root = tmp_path / "cache"
    for kind, name, size, days in (
        ("embeddings", "old", 1000, 40), ("embeddings", "new", 10, 2), ("runs", "busy", 100, 0),
    ):  # fmt: skip
        section = Store(root).section(kind, {"model": name})
        section.put("block", np.zeros(size, dtype=np.float32), {})
        touch(section.folder, days)
    return root


def touch(folder: Path, days: float) -> None:
    for path in folder.iterdir():
        os.utime(path, (time.time() - days * DAY,) * 2)


def listed(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, list[str]]:
    assert main(["cache", "--json", *words]) == 0
    told = json.loads(capsys.readouterr().out)
    removed = [Path(path).name for path in told["removed"]]
    names = {Path(entry["path"]).name: entry["what"] for entry in told["entries"]}
    return {"entries": list(names.values()), "removed": [names[name] for name in removed]}


def test_entries_are_listed_with_their_sizes(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert [(entry.kind, entry.what, entry.files) for entry in entries(root)] == [
        ("embeddings", "old", 3), ("embeddings", "new", 3), ("runs", "busy", 3),
    ]  # fmt: skip
    sizes = [sum(p.stat().st_size for p in entry.path.iterdir()) for entry in entries(root)]
    assert [entry.size for entry in entries(root)] == sizes
    assert sizes[0] > 4000
    assert main(["cache"]) == 0
    captured = capsys.readouterr()
    assert "40 d" in captured.out
    assert "in use" in captured.out
    assert "3 entries" in captured.err
    assert listed(capsys, "--older-than", "30d") == {"entries": ["old"], "removed": []}


def test_an_empty_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BEIRKIT_HOME", str(tmp_path))
    assert main(["cache"]) == 0
    assert "0 entries" in capsys.readouterr().err


def test_a_dry_run_removes_nothing(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(root.rglob("*"))
    assert listed(capsys, "--prune", "--dry-run", "--older-than", "1d")["entries"] == ["old", "new"]
    assert sorted(root.rglob("*")) == before


def test_what_is_old_is_removed(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert listed(capsys, "--prune", "--older-than", "30d")["removed"] == ["old"]
    assert [entry.what for entry in entries(root)] == ["new", "busy"]


def test_what_is_being_written_stays(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert listed(capsys, "--prune", "--all")["removed"] == ["old", "new"]
    assert [entry.what for entry in entries(root)] == ["busy"]
    touch(entries(root)[0].path, 1)
    (entries(root)[0].path / ".block.npy.0a1b2c3d.part").write_bytes(b"half")
    assert listed(capsys, "--prune", "--all")["removed"] == []
    os.utime(entries(root)[0].path / ".block.npy.0a1b2c3d.part", (time.time() - DAY,) * 2)
    assert listed(capsys, "--prune", "--all")["removed"] == ["busy"]


def test_what_was_written_since_it_was_looked_at_stays(root: Path) -> None:
    old = entries(root)[0]
    (old.path / "another.npy").write_bytes(b"new")
    assert not remove(old)
    assert old.path.is_dir()


def test_one_kind_is_chosen(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert listed(capsys, "--kind", "runs")["entries"] == ["busy"]
    assert listed(capsys, "--prune", "--kind", "embeddings")["removed"] == ["old", "new"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--prune"], "--prune does not say what"),
        (["--older-than", "soon"], "'soon' is no time"),
        (["--kind", "embedings"], "did you mean 'embeddings'?"),
        (["--dry-run"], "go with --prune"),
    ],
)
def test_wrong_use_is_told(
    root: Path, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["cache", *words]) == 2
    assert message in capsys.readouterr().err


def test_a_store_that_was_pruned_is_filled_again(root: Path) -> None:
    section = Store(root).section("embeddings", {"model": "old"})
    touch(section.folder, 40)
    assert remove(next(entry for entry in entries(root) if entry.what == "old"))
    assert section.get("block") is None
    section.put("block", np.ones(3, dtype=np.float32), {})
    again = Store(root).section("embeddings", {"model": "old"}).get("block")
    assert again is not None
    assert again.array.tolist() == [1, 1, 1]
