"""The contract of exports, for the target that takes supporting pages alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from beirkit.converters import catalog
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.exports.catalog import export_folder, read_export
from beirkit.corpora.files import sha256_file
from beirkit.corpora.manifest import content_ids
from tests.corpora.exports.samples import FACTS

FIXTURE = Path(__file__).parents[2] / "fixtures" / "lexbench"


def pages() -> Collection:
    [raw] = FIXTURE.glob("raw*")
    return catalog.convert("lexbench", raw, {})


def files_in(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def test_equal_records_give_equal_bytes_and_an_export_is_replaced_only_when_asked(tmp_path: Path) -> None:
    first = export_folder(pages(), "lexbench", tmp_path / "one", FACTS)
    assert export_folder(pages(), "lexbench", tmp_path / "two", FACTS) == first
    assert files_in(tmp_path / "one") == files_in(tmp_path / "two")
    with pytest.raises(UsageError, match="is there already"):
        export_folder(pages(), "lexbench", tmp_path / "one", FACTS)
    assert export_folder(pages(), "lexbench", tmp_path / "one", FACTS, overwrite=True) == first


def test_the_manifest_tells_files_and_records(tmp_path: Path) -> None:
    collection = pages()
    manifest = export_folder(collection, "lexbench", tmp_path / "out", FACTS)
    assert read_export(tmp_path / "out") == manifest
    assert manifest.content_ids == content_ids(collection)
    assert {*files_in(tmp_path / "out")} == {"export.json", *manifest.files}
    for file, facts in manifest.files.items():
        assert facts.sha256 == sha256_file(tmp_path / "out" / file)


def test_other_collections_are_refused_and_nothing_is_left(weather: Collection, tmp_path: Path) -> None:
    message = "is no question with supporting pages.*convert it with the format lexbench"
    with pytest.raises(DataError, match=message):
        export_folder(weather, "lexbench", tmp_path / "out", FACTS)
    assert list(tmp_path.iterdir()) == []
