"""From a name to a BEIR folder through a published archive."""

from __future__ import annotations

import hashlib
import json
import logging
import socket
from pathlib import Path
from typing import Any, NoReturn

import pytest

from beirkit.cli.main import main
from beirkit.configs.load import load_dataset
from beirkit.corpora.collection import Download
from beirkit.corpora.errors import UnknownNameError, UsageError
from beirkit.corpora.folder import open_folder
from beirkit.corpora.manifest import read_manifest
from beirkit.datasets import NotBuiltError, find_dataset
from beirkit.facts import config_of
from beirkit.fetching.errors import ChangedError, OfflineError
from beirkit.fetching.fetch import fetch
from beirkit.fetching.plan import Plan, downloads_folder
from beirkit.home import built_folder
from tests.beirkit.fetching import server as misbehave
from tests.beirkit.fetching.birds import FACTS, TABLE, beir_form, get, write_facts
from tests.beirkit.fetching.conftest import PATIENCE, Archive, make_archive
from tests.beirkit.fetching.server import Content, Server


def test_an_archive_becomes_a_folder_that_says_where_it_came_from(
    server: Server, archive: Archive, tmp_path: Path, home: Path
) -> None:
    facts = write_facts(tmp_path, beir_form(server, archive))
    brought = fetch(facts, patience=PATIENCE)
    assert brought.folder == home / "corpora" / "built" / "birds"
    assert not brought.was_there
    assert brought.manifest.counts.documents == 400
    told = brought.manifest.provenance
    assert (told.source, told.converter, told.revision) == ("birds", "beir", f"md5:{archive.md5}")
    assert told.fetched == [Download(address=server.url("/birds.zip"), revision=f"md5:{archive.md5}")]
    assert told.inputs == {"birds.zip": hashlib.sha256(archive.data).hexdigest()}
    assert (told.licence, told.citation) == (FACTS["licence"], FACTS["citation"])
    assert (downloads_folder() / archive.md5 / "birds.zip").read_bytes() == archive.data


def test_the_second_time_nothing_is_asked_and_nothing_is_done(
    server: Server, archive: Archive, tmp_path: Path
) -> None:
    facts = write_facts(tmp_path, beir_form(server, archive))
    folder = get(facts)
    before = (folder / "manifest.json").stat().st_mtime_ns
    again = fetch(facts, patience=PATIENCE, offline=True)
    assert again.was_there
    assert (folder / "manifest.json").stat().st_mtime_ns == before
    assert len(server.asked) == 1
    assert not fetch(facts, patience=PATIENCE, offline=True, overwrite=True).was_there  # from what was kept
    assert len(server.asked) == 1


def test_equal_fetches_give_equal_bytes_whichever_server_answered(
    server: Server, archive: Archive, tmp_path: Path
) -> None:
    server.files["/mirror/birds.zip"] = Content(archive.data)
    form = beir_form(server, archive)
    first = get(write_facts(tmp_path, form), out=tmp_path / "a")
    (downloads_folder() / archive.md5 / "birds.zip").unlink()
    server.always["/birds.zip"] = misbehave.status(404)
    second = get(write_facts(tmp_path, form), out=tmp_path / "b", mirrors=[server.url("/mirror/")])
    assert server.asked[-1].path == "/mirror/birds.zip"
    for path in ("manifest.json", "corpus.jsonl", "queries.jsonl", "qrels/test.tsv"):
        assert (first / path).read_bytes() == (second / path).read_bytes()


def test_the_licence_comes_before_the_first_byte(
    server: Server, archive: Archive, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said: list[str] = []

    def watched(handler: misbehave.Handler, content: Content) -> None:
        said.append(capsys.readouterr().err)
        misbehave.sound(handler, content)

    facts = write_facts(tmp_path, beir_form(server, archive, note="An old release."))
    server.next["/birds.zip"] = [watched]
    assert main(["fetch", facts]) == 0
    (told,) = said
    size = f"{len(archive.data) / 1000:.1f} kB in 1 file, 0 here already"
    for words in (
        "CC0, as its owner says",
        "A. Wren",
        server.url("/birds.zip"),
        size,
        archive.md5,
        "old release",
    ):
        assert words in told
    assert "400 documents, 1 queries; judgments: test 1" in capsys.readouterr().out


def test_a_dry_run_shows_and_brings_nothing(
    server: Server, archive: Archive, tmp_path: Path, capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    facts = write_facts(
        tmp_path, beir_form(server, archive), {"kind": "huggingface", "repository": "o/birds"}
    )
    assert main(["fetch", facts, "--dry-run"]) == 0
    assert "beir (this), o/birds" in capsys.readouterr().out
    assert main(["fetch", facts, "--dry-run", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["licence"] == FACTS["licence"]
    assert shown["bytes"] == len(archive.data)
    (file,) = shown["files"]
    assert file["addresses"] == [server.url("/birds.zip")]
    assert (file["checksum"], file["here"]) == (f"md5:{archive.md5}", False)
    assert server.asked == []
    assert not home.exists()


def test_machines_get_the_manifest(
    server: Server, archive: Archive, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fetch", write_facts(tmp_path, beir_form(server, archive)), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["path"] == str(built_folder("birds"))
    assert shown["provenance"]["fetched"][0]["revision"] == f"md5:{archive.md5}"


@pytest.mark.parametrize("way", ["option", "variable"])
def test_offline_says_what_would_come_and_opens_no_socket(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, archive: Archive, way: str
) -> None:
    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise AssertionError("a socket was opened")

    for name in ("socket", "create_connection", "getaddrinfo"):
        monkeypatch.setattr(socket, name, refuse)
    if way == "variable":
        monkeypatch.setenv("BEIRKIT_OFFLINE", "1")
    url = "https://data.example/birds.zip"
    facts = write_facts(tmp_path, {"kind": "beir", "url": url, "md5": archive.md5, "bytes": 12345})
    with pytest.raises(OfflineError) as refusal:
        fetch(facts, offline=way == "option")
    where = downloads_folder() / archive.md5 / "birds.zip"
    for words in (url, "12,345 bytes", "offline not fetched", "--offline", f"put a copy at {where}"):
        assert words in str(refusal.value)
    where.parent.mkdir(parents=True)
    where.write_bytes(archive.data)
    facts = write_facts(tmp_path, {"kind": "beir", "url": url, "md5": archive.md5})
    assert fetch(facts, offline=way == "option").manifest.counts.documents == 400


def test_what_differs_from_the_known_counts_is_told(
    server: Server, archive: Archive, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    form = beir_form(server, archive)
    with caplog.at_level(logging.WARNING, logger="beirkit"):
        get(write_facts(tmp_path, form, differences=["The rule gives one document more."]))
    assert "differs" not in caplog.text
    assert "The rule gives" not in caplog.text  # of the conversion from raw files
    with caplog.at_level(logging.WARNING, logger="beirkit"):
        get(write_facts(tmp_path, form, expected={"documents": 399}), overwrite=True)
    assert "birds differs from what is expected of it" in caplog.text
    assert "399" in caplog.text


def test_content_that_changed_is_refused_then_taken_under_another_name(
    server: Server, archive: Archive, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = make_archive("words")
    form = beir_form(server, archive)
    server.files["/birds.zip"] = Content(new.data)
    facts = write_facts(tmp_path, form)
    with pytest.raises(ChangedError) as refusal:
        get(facts)
    assert archive.md5 in str(refusal.value)
    assert f"--accept-changed {new.md5}" in str(refusal.value)
    assert not built_folder("birds").exists()
    asked = len(server.asked)
    assert main(["fetch", facts, "--accept-changed", new.md5]) == 0
    assert len(server.asked) == asked  # what came is used
    name = f"birds@{new.md5[:8]}"
    folder = built_folder(name)
    told = read_manifest(folder).provenance
    assert (told.source, told.revision) == (name, f"md5:{new.md5}")
    assert next(open_folder(folder).documents()).text.startswith("words ")
    assert not built_folder("birds").exists()
    assert f"next: beirkit run -d {name} -r bm25" in capsys.readouterr().err
    assert find_dataset(name).folder == folder
    assert sorted(path.name for path in downloads_folder().iterdir()) == sorted([archive.md5, new.md5])
    server.files["/birds.zip"] = Content(archive.data)
    assert get(facts) == built_folder("birds")  # the published content is another dataset beside it


def test_a_hash_that_is_none_is_refused(server: Server, archive: Archive, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="neither an MD5 nor a SHA-256"):
        get(write_facts(tmp_path, beir_form(server, archive)), accept_changed="yes")


def test_another_version_of_a_shipped_dataset_has_its_facts_and_its_own_name(
    archive: Archive,
) -> None:
    where = downloads_folder() / archive.md5
    where.mkdir(parents=True)
    (where / "scifact.zip").write_bytes(archive.data)
    folder = get("scifact", accept_changed=archive.md5, offline=True)
    name = f"scifact@{archive.md5[:8]}"
    found = find_dataset(name)
    assert (found.name, found.folder) == (name, folder)
    assert found.config == load_dataset("scifact") == config_of(folder)
    assert find_dataset(str(folder)).name == name
    with pytest.raises(NotBuiltError):
        find_dataset("scifact")
    with pytest.raises(UnknownNameError):
        find_dataset("scifact@0000")


def test_a_dataset_that_is_not_built_names_both_ways() -> None:
    with pytest.raises(NotBuiltError) as refusal:
        find_dataset("scifact")
    assert "beirkit fetch scifact" in str(refusal.value)
    assert "beirkit convert scifact RAW" in str(refusal.value)


def test_a_folder_of_another_origin_is_never_replaced_unasked(
    server: Server, archive: Archive, tmp_path: Path
) -> None:
    facts = write_facts(tmp_path, beir_form(server, archive))
    (tmp_path / "birds.csv").write_bytes(TABLE)
    assert main(["convert", facts, str(tmp_path / "birds.csv"), "-q"]) == 0
    with pytest.raises(UsageError, match="is there already, made from table") as refusal:
        get(facts)
    assert "--overwrite" in str(refusal.value)
    assert server.asked == []
    assert fetch(facts, patience=PATIENCE, overwrite=True).manifest.counts.documents == 400


def test_a_folder_that_is_somebody_elses_is_told_before_anything_comes(
    server: Server, archive: Archive, tmp_path: Path
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine", encoding="utf-8")
    facts = write_facts(tmp_path, beir_form(server, archive))
    with pytest.raises(UsageError, match="was not written by beirkit"):
        get(facts, out=tmp_path / "mine")
    assert server.asked == []
    assert (tmp_path / "mine" / "notes.txt").read_text(encoding="utf-8") == "mine"


def test_without_a_published_checksum_what_came_first_is_meant(
    server: Server, archive: Archive, tmp_path: Path
) -> None:
    server.files["/birds.zip"] = Content(archive.data)
    facts = write_facts(tmp_path, {"kind": "beir", "url": server.url("/birds.zip")})
    told = read_manifest(get(facts)).provenance
    sha256 = f"sha256:{hashlib.sha256(archive.data).hexdigest()}"
    assert told.revision == sha256
    assert told.fetched == [Download(address=server.url("/birds.zip"), revision=sha256)]
    server.files["/birds.zip"] = Content(make_archive("words").data, etag='"v2"')
    assert fetch(facts, patience=PATIENCE).was_there
    again = get(facts, out=tmp_path / "again")
    assert next(open_folder(again).documents()).text.startswith("text ")
    assert len(server.asked) == 1


def test_the_next_command_is_one_that_works(
    server: Server, archive: Archive, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the YAML file, which holds the facts about a dataset of one's own; its name does from now on."""
    facts = write_facts(tmp_path, beir_form(server, archive))
    assert main(["fetch", facts]) == 0
    assert f"next: beirkit run -d {facts} -r bm25" in capsys.readouterr().err
    assert find_dataset("birds").config == find_dataset(facts).config
    assert main(["stats", facts]) == main(["stats", "birds"]) == 0


def test_a_library_can_be_told_of_the_plan(server: Server, archive: Archive, tmp_path: Path) -> None:
    plans: list[Plan] = []
    get(write_facts(tmp_path, beir_form(server, archive)), announce=plans.append)
    assert [plan.size for plan in plans] == [len(archive.data)]


def test_a_longer_file_is_not_here_and_not_what_was_published(
    server: Server, archive: Archive, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    facts = write_facts(tmp_path, beir_form(server, archive))
    kept = downloads_folder() / archive.md5 / "birds.zip"
    kept.parent.mkdir(parents=True)
    kept.write_bytes(archive.data + b"more")
    assert main(["fetch", facts, "--offline"]) == 2
    told = capsys.readouterr().err
    size = len(archive.data)
    assert "in 1 file, 0 here already" in told
    assert f"is not what was published: it has {size + 4:,} bytes, not {size:,}" in told
    assert server.asked == []


def test_where_nothing_came_nothing_is_said_to_be_kept(
    server: Server, archive: Archive, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    facts = write_facts(tmp_path, beir_form(server, archive))
    downloads_folder().mkdir(parents=True)
    (downloads_folder() / archive.md5).write_bytes(b"")  # a file where the folder should be
    assert main(["fetch", facts]) == 2
    told = capsys.readouterr().err
    assert "cannot be written" in told
    assert "is kept" not in told
