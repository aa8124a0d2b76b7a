"""Code of a user is told by its files, code of others by its version."""

from __future__ import annotations

import importlib.metadata
import platform
import sys
from pathlib import Path

import pytest

from beirkit.corpora.errors import UsageError
from beirkit.retrievers import user_code
from beirkit.retrievers.user_code import describe_file, describe_module, sources


def _write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / (name.replace("__", "/") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_modules_beside_a_file_are_found_through_each_other(tmp_path: Path) -> None:
    _write(
        tmp_path,
        main="import json, bk_one\ndef f():\n    from bk_pack.deep import x\n",
        bk_one="import bk_two.part\nimport bk_one\n",
        bk_two__part="",
        bk_pack__deep="",
        bk_pack__other="",
        unrelated="",
        json__x="",
    )
    (tmp_path / "bk_pack" / "__init__.py").write_text("")
    (tmp_path / "bk_pack" / "notes.txt").write_text("")
    assert list(sources([tmp_path / "main.py"])) == [
        "bk_one.py", "bk_pack/__init__.py", "bk_pack/deep.py", "bk_pack/other.py", "bk_two/part.py",
        "main.py",
    ]  # fmt: skip


def test_a_file_has_the_same_description_wherever_it_is(tmp_path: Path) -> None:
    for folder in (tmp_path / "a", tmp_path / "b"):
        _write(folder, main="import bk_one", bk_one="")
    first = describe_file(tmp_path / "a" / "main.py")
    assert describe_file(tmp_path / "b" / "main.py") == first
    _write(tmp_path / "b", bk_one="x = 1")
    assert describe_file(tmp_path / "b" / "main.py") != first


def test_a_file_that_is_no_python_is_hashed_all_the_same(tmp_path: Path) -> None:
    _write(tmp_path, main="def (:")
    assert describe_file(tmp_path / "main.py")["files"] == 1


def test_a_package_is_all_its_files_and_is_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    _write(tmp_path, bk_pack__search="import bk_beside", bk_beside="", bk_pack__other="")
    (tmp_path / "bk_pack" / "__init__.py").write_text("raise RuntimeError('this must not be run')")
    first = describe_module("bk_pack.search")
    assert first["files"] == 4
    assert describe_module("bk_pack.search") == first
    _write(tmp_path, bk_pack__other="x = 1")
    assert describe_module("bk_pack.search") != first
    assert "bk_pack" not in sys.modules


def test_installed_code_is_told_by_version() -> None:
    assert describe_module("yaml") == {"installed": [f"PyYAML {importlib.metadata.version('PyYAML')}"]}
    assert describe_module("collections.abc") == {"python": platform.python_version()}
    assert describe_module("itertools") == {"python": platform.python_version()}


def test_a_module_that_is_nowhere(tmp_path: Path) -> None:
    with pytest.raises(ModuleNotFoundError, match="No module named 'bk_absent'"):
        describe_module("bk_absent.x")
    with pytest.raises(UsageError, match=r"main\.py: there is no such file"):
        describe_file(tmp_path / "main.py")


def test_a_package_beyond_reason_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_code, "MAX_FILES", 2)
    _write(tmp_path, main="import bk_one", bk_one="import bk_two", bk_two="")
    with pytest.raises(UsageError, match="more than 2 files of code"):
        describe_file(tmp_path / "main.py")
