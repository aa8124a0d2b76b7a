"""The contract: every catalogued converter × every check, each on a small source of its own.

A converter brings ``tests/fixtures/<name>/``: ``raw`` (a folder or file, with any ending), ``options.json``
where it needs options, and ``beir/``, the BEIR folder that must come out byte for byte. One that needs no
raw files is tried without.
"""

from __future__ import annotations

import json
import re
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import pytest

from beirkit.converters import catalog
from beirkit.converters.base import Converter
from beirkit.corpora.check import check_folder
from beirkit.corpora.check_written import WrittenCheck
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import BeirkitError, ConfigError, UsageError
from beirkit.corpora.files import sha256_file
from beirkit.corpora.folder import open_folder, write_folder
from beirkit.corpora.manifest import content_ids

FIXTURES = Path(__file__).parent.parent / "fixtures"

# (converter, check): why the check does not hold for it.
EXCEPTIONS = {
    ("pystdlib", "golden"): "its source is the installed Python, which differs from machine to machine",
    (
        "pystdlib",
        "inputs",
    ): "hundreds of files; the Python version is the revision, content ids tell the rest",
    ("pystdlib", "raw missing"): "needs no raw files",
    ("ir_datasets", "inputs"): "the library reads its own files; its version is the revision",
    ("ir_datasets", "raw missing"): "needs no raw files",
    ("mteb", "inputs"): "the library reads its own files; the dataset has a revision",
    ("mteb", "raw missing"): "needs no raw files",
}

each = pytest.mark.parametrize("name", catalog.names())


def except_for(name: str, check: str) -> None:
    if (name, check) in EXCEPTIONS:
        pytest.skip(EXCEPTIONS[name, check])


def raw_of(name: str) -> Path | None:
    if not catalog.get(name).needs_raw:
        return None
    found = sorted((FIXTURES / name).glob("raw*"))
    assert len(found) == 1, f"tests/fixtures/{name} needs exactly one raw file or folder"
    return found[0]


def options_of(name: str) -> dict[str, Any]:
    path = FIXTURES / name / "options.json"
    return json.loads(path.read_text()) if path.exists() else {}


def opened(name: str) -> Collection:
    return catalog.convert(name, raw_of(name), options_of(name))


@cache
def opened_once(name: str) -> Collection:
    return opened(name)


def everything(collection: Collection) -> tuple[list[Any], ...]:
    judgments = [list(collection.judgments(split)) for split in collection.splits]
    return list(collection.documents()), list(collection.queries()), *judgments


def files_in(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


@each
def test_opens_with_documents_queries_and_judgments(name: str) -> None:
    collection = opened_once(name)
    assert next(collection.documents()).doc_id
    assert next(collection.queries()).text
    assert collection.splits
    for split in collection.splits:
        assert next(collection.judgments(split)).query_id
    assert collection.provenance.converter == name
    assert collection.provenance.source


@each
def test_streams_twice_with_equal_records(name: str) -> None:
    collection = opened_once(name)
    assert everything(collection) == everything(collection)


@each
def test_passes_are_independent(name: str) -> None:
    collection = opened_once(name)
    first, second = collection.documents(), collection.documents()
    started = list(islice(first, 2))
    assert list(second)[:2] == started
    assert [*started, *first] == list(collection.documents())


@each
def test_ids_are_unique_and_judged_ids_exist(name: str) -> None:
    collection = opened_once(name)
    doc_ids = [document.doc_id for document in collection.documents()]
    query_ids = [query.query_id for query in collection.queries()]
    assert len(set(doc_ids)) == len(doc_ids)
    assert len(set(query_ids)) == len(query_ids)
    for split in collection.splits:
        pairs = [(judgment.query_id, judgment.doc_id) for judgment in collection.judgments(split)]
        assert len(set(pairs)) == len(pairs)
        assert {query_id for query_id, _ in pairs} <= set(query_ids)
        assert {doc_id for _, doc_id in pairs} <= set(doc_ids)


@each
def test_a_written_folder_reads_back_equal(name: str, tmp_path: Path) -> None:
    collection = opened_once(name)
    manifest = write_folder(collection, tmp_path / "out")
    back = open_folder(tmp_path / "out")
    assert everything(back) == everything(collection)
    assert back.splits == collection.splits
    assert content_ids(back) == manifest.content_ids
    assert manifest.provenance == collection.provenance


@each
@pytest.mark.parametrize("ascii", [True, False])
def test_the_check_along_the_writing_finds_what_a_check_of_the_folder_finds(
    name: str, tmp_path: Path, ascii: bool
) -> None:
    watch = WrittenCheck()
    write_folder(opened_once(name), tmp_path / "out", ascii=ascii, gzip=ascii, watch=watch)
    assert watch.findings(tmp_path / "out") == check_folder(tmp_path / "out")


@each
def test_the_same_source_gives_the_same_bytes(name: str, tmp_path: Path) -> None:
    for place in ("one", "two"):
        write_folder(opened(name), tmp_path / place)
    assert files_in(tmp_path / "one") == files_in(tmp_path / "two")


@each
def test_gives_its_golden_folder(name: str, tmp_path: Path) -> None:
    except_for(name, "golden")
    write_folder(opened(name), tmp_path / "out")
    written = files_in(tmp_path / "out")
    del written["manifest.json"]
    assert written == files_in(FIXTURES / name / "beir")


@each
def test_inputs_are_hashed(name: str) -> None:
    except_for(name, "inputs")
    raw = raw_of(name)
    assert raw is not None
    inputs = opened(name).provenance.inputs
    assert inputs
    folder = raw if raw.is_dir() else raw.parent
    assert inputs == {file: sha256_file(folder / file) for file in inputs}


@each
def test_every_option_is_documented(name: str) -> None:
    cls = catalog.get(name)
    options = [field.name for field in msgspec.structs.fields(cls.Options)]
    documented = re.findall(r"^ {4,}(\w+): ", cls.__doc__ or "", flags=re.MULTILINE)
    assert options == documented
    assert documented or "Options: none." in (cls.__doc__ or "")


@each
def test_an_unknown_option_is_refused_with_the_nearest_name(name: str) -> None:
    options = [field.name for field in msgspec.structs.fields(catalog.get(name).Options)]
    wrong = options[0] + "x" if options else "folder"
    with pytest.raises(ConfigError) as caught:
        catalog.convert(name, raw_of(name), {**options_of(name), wrong: "1"})
    assert repr(wrong) in str(caught.value)
    assert name in str(caught.value)
    assert f"did you mean {options[0]!r}?" in str(caught.value) if options else "none are known"


@each
def test_a_source_that_is_not_there_is_named(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file or folder") as caught:
        catalog.convert(name, tmp_path / "absent", options_of(name))
    assert str(tmp_path / "absent") in str(caught.value)


@each
def test_an_empty_folder_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(BeirkitError) as caught:
        everything(catalog.convert(name, tmp_path, options_of(name)))
    assert str(tmp_path) in str(caught.value)


@each
def test_without_raw_files_the_command_is_shown(name: str) -> None:
    except_for(name, "raw missing")
    with pytest.raises(UsageError, match=f"beirkit convert {name} RAW --out FOLDER"):
        catalog.convert(name, None, options_of(name))


@each
def test_describes_itself_in_one_line(name: str) -> None:
    cls = catalog.get(name)
    assert issubclass(cls, Converter)
    assert cls.name == name
    assert 10 < len(cls.summary) <= 100
    assert "\n" not in cls.summary


def test_exceptions_name_converters_that_exist() -> None:
    assert {name for name, _ in EXCEPTIONS} <= set(catalog.names())
