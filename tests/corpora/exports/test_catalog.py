"""The contract: every target that takes a folder × every check."""

from __future__ import annotations

import inspect
import re
from contextlib import contextmanager
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import pytest

from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import ConfigError, DataError, UnknownNameError, UsageError
from beirkit.corpora.exports import catalog
from beirkit.corpora.exports.base import Export, Facts, FolderExport, Records, Takes
from beirkit.corpora.exports.catalog import export_folder, read_export
from beirkit.corpora.files import sha256_file
from beirkit.corpora.manifest import content_ids
from beirkit.corpora.records import Document, Judgment
from tests.corpora.exports.samples import FACTS, collection_of

# Targets that take collections of one kind alone; each is held to the same in a file of its own.
OF_ONE_KIND = {"lexbench": "tests/corpora/exports/test_lexbench.py"}
FOLDERS = [
    name for name in catalog.names() if catalog.get(name).takes == "folder" and name not in OF_ONE_KIND
]

each = pytest.mark.parametrize("name", FOLDERS)


@pytest.fixture(autouse=True)
def needs(request: pytest.FixtureRequest) -> None:
    if "hf-dataset" in request.node.name:
        pytest.importorskip("pyarrow")


def files_in(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


@each
def test_equal_records_give_equal_bytes(name: str, weather: Collection, tmp_path: Path) -> None:
    first = export_folder(weather, name, tmp_path / "one", FACTS)
    second = export_folder(weather, name, tmp_path / "two", FACTS)
    assert first == second
    assert files_in(tmp_path / "one") == files_in(tmp_path / "two")


@each
def test_the_manifest_tells_files_and_records(name: str, weather: Collection, tmp_path: Path) -> None:
    manifest = export_folder(weather, name, tmp_path / "out", FACTS)
    assert read_export(tmp_path / "out") == manifest
    assert manifest.target == name
    assert manifest.provenance == weather.provenance
    assert manifest.content_ids == content_ids(weather)
    assert (manifest.counts.documents, manifest.counts.queries) == (4, 3)
    assert manifest.counts.splits["test"].grades == {"-1": 1, "0": 1, "2": 1}
    assert {*files_in(tmp_path / "out")} == {"export.json", *manifest.files}
    for file, facts in manifest.files.items():
        assert facts.sha256 == sha256_file(tmp_path / "out" / file)


@each
def test_replaces_an_export_only_when_asked(name: str, weather: Collection, tmp_path: Path) -> None:
    out = tmp_path / "out"
    export_folder(weather, name, out, FACTS)
    with pytest.raises(UsageError, match="is there already"):
        export_folder(weather, name, out, FACTS)
    (out / "__pycache__").mkdir()
    (out / "__pycache__" / "module.pyc").touch()
    (out / "documents.jsonl.pklz4").mkdir()
    (out / "documents.jsonl.pklz4" / "bin").touch()
    fewer = collection_of([Document("d", "", "t")], [], {})
    export_folder(fewer, name, out, FACTS, overwrite=True)
    assert read_export(out).counts.documents == 1
    assert not (out / "__pycache__").exists()


@each
def test_never_replaces_what_others_wrote(name: str, weather: Collection, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("years of work")
    with pytest.raises(UsageError, match="was not written by beirkit"):
        export_folder(weather, name, tmp_path / "out", FACTS, overwrite=True)
    export_folder(weather, name, tmp_path / "mine", FACTS)
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(UsageError, match=r"such as thesis\.txt"):
        export_folder(weather, name, tmp_path / "mine", FACTS, overwrite=True)
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "years of work"


@each
@pytest.mark.parametrize("end", [DataError("the file is cut"), KeyboardInterrupt()])
def test_leaves_nothing_when_it_is_not_finished(name: str, end: BaseException, tmp_path: Path) -> None:
    def ending() -> Any:
        yield Judgment("q", "d", 1)
        raise end

    broken = collection_of([Document("d", "", "t")], [], {"test": []})
    broken._judgments["test"] = ending
    with pytest.raises(type(end)):
        export_folder(broken, name, tmp_path / "out", FACTS)
    assert list(tmp_path.iterdir()) == []


@each
def test_an_export_that_fails_keeps_the_earlier_one(name: str, weather: Collection, tmp_path: Path) -> None:
    export_folder(weather, name, tmp_path / "out", FACTS)
    before = files_in(tmp_path / "out")
    broken = collection_of([Document("d", "", "a\ud800")], [], {})
    with pytest.raises(DataError):
        export_folder(broken, name, tmp_path / "out", FACTS, overwrite=True)
    assert files_in(tmp_path / "out") == before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@each
def test_refuses_a_split_that_leads_out_of_the_folder(name: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be a file name"):
        export_folder(collection_of([], [], {"../../test": []}), name, tmp_path / "out", FACTS)
    assert list(tmp_path.iterdir()) == []


@each
def test_holds_half_a_surrogate_pair_for_no_text(name: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="surrogate"):
        export_folder(collection_of([Document("d", "", "a\ud800")], [], {}), name, tmp_path / "out", FACTS)
    assert list(tmp_path.iterdir()) == []


@each
def test_works_without_facts_judgments_or_queries(name: str, tmp_path: Path) -> None:
    bare = collection_of([Document("d", "", "t")], [], {})
    manifest = export_folder(bare, name, tmp_path / "out", Facts(name="d"))
    assert manifest.counts.splits == {}


@each
def test_tells_progress_of_every_record(name: str, weather: Collection, tmp_path: Path) -> None:
    done: dict[str, int] = {}

    @contextmanager
    def progress(label: str, total: int | None, unit: str) -> Any:
        done[label] = 0

        def advance(more: int = 1, /) -> None:
            done[label] += more

        yield advance

    export_folder(weather, name, tmp_path / "out", FACTS, progress=progress)
    assert done == {"documents": 4, "queries": 3, "judgments of dev": 1, "judgments of test": 3}


@each
def test_every_option_is_documented(name: str) -> None:
    cls = catalog.get(name)
    options = [field.name for field in msgspec.structs.fields(cls.Options)]
    assert options == re.findall(r"^ {4}(\w+): ", inspect.cleandoc(cls.__doc__ or ""), flags=re.MULTILINE)
    assert cls.name == name
    assert 10 < len(cls.summary) <= 100


@each
def test_an_unknown_option_is_refused_with_the_nearest_name(
    name: str, weather: Collection, tmp_path: Path
) -> None:
    first = msgspec.structs.fields(catalog.get(name).Options)[0].name
    with pytest.raises(ConfigError, match=f"did you mean '{first}'") as caught:
        export_folder(weather, name, tmp_path / "out", FACTS, {f"{first}x": "1"})
    assert f"options of export {name!r}" in str(caught.value)


def test_options_are_read_as_a_command_line_has_them() -> None:
    assert catalog.check_options("jsonl", {"gzip": "true"}).gzip is True
    with pytest.raises(ConfigError, match="gzip"):
        catalog.check_options("jsonl", {"gzip": "perhaps"})


def test_an_unknown_target_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'jsonl'"):
        catalog.get("json")


class Shouting(FolderExport[Any]):
    """A third party's target. Options: none."""

    name: ClassVar[str] = "shouting"
    summary: ClassVar[str] = "texts in capitals"

    def write(self, records: Records, folder: Path, facts: Facts, options: Any) -> None:
        (folder / "texts").write_text("".join(d.text.upper() for d in records.documents()))


class Board(Export):
    """A third party's target for results."""

    name: ClassVar[str] = "board"
    summary: ClassVar[str] = "a leaderboard"
    takes: ClassVar[Takes] = "results"


def test_third_parties_add_targets(
    weather: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = __name__
    found = {
        "shouting": EntryPoint("shouting", f"{here}:Shouting", catalog.GROUP),
        "board": EntryPoint("board", f"{here}:Board", catalog.GROUP),
        "gone": EntryPoint("gone", f"{here}:Gone", catalog.GROUP),
        "no": EntryPoint("no", f"{here}:FACTS", catalog.GROUP),
    }
    monkeypatch.setattr(catalog, "_installed", lambda: found)
    catalog.get.cache_clear()
    try:
        export_folder(weather, "shouting", tmp_path / "out", FACTS)
        assert "THE MOON" in (tmp_path / "out" / "texts").read_text()
        assert catalog.get("board").takes == "results"
        with pytest.raises(UsageError, match="takes results, not a BEIR folder"):
            export_folder(weather, "board", tmp_path / "board", FACTS)
        with pytest.raises(UsageError, match="cannot be loaded"):
            catalog.get("gone")
        with pytest.raises(UsageError, match="is not a subclass of Export"):
            catalog.get("no")
    finally:
        catalog.get.cache_clear()
