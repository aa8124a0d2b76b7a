"""From a name to a BEIR folder through a published form."""

from __future__ import annotations

import hashlib
import json
import logging
import socket
from pathlib import Path
from typing import Any, NoReturn

import pytest
import yaml

from beirkit.cli.main import main
from beirkit.configs.load import load_dataset, names, read_config
from beirkit.configs.schema import DatasetConfig
from beirkit.corpora.collection import Download
from beirkit.corpora.errors import UnknownNameError, UsageError
from beirkit.corpora.folder import open_folder
from beirkit.corpora.manifest import read_manifest
from beirkit.datasets import NotBuiltError, find_dataset
from beirkit.facts import config_of
from beirkit.fetching.errors import ChangedError, FetchError, OfflineError
from beirkit.fetching.fetch import fetch, plan_fetch
from beirkit.fetching.plan import Plan, downloads_folder, forms
from beirkit.home import built_folder
from tests.beirkit.fetching import server as misbehave
from tests.beirkit.fetching.conftest import PATIENCE, Archive, make_archive
from tests.beirkit.fetching.server import Content, Server
from tests.beirkit.fetching.test_hub import COMMIT, put_repository

OTHER = "f" * 40

FACTS: dict[str, Any] = {
    "name": "birds",
    "title": "Birds",
    "format": "table",
    "options": {"question": "question", "positive": "answer"},
    "task": "question answering",
    "domain": "birds",
    "language": "en",
    "family": "birds",
    "licence": "CC0, as its owner says",
    "citation": "A. Wren. Birds. 2026.",
    "expected": {"documents": 400, "queries": 1, "judgments": {"test": {1: 1}}},
}
TABLE = b"question,answer\nWhat hovers?,The kestrel.\nWhat hunts at night?,The owl.\n"
CORPUS = b'{"_id": "d1", "title": "", "text": "kestrel"}\n{"_id": "d2", "title": "", "text": "owl"}\n'
QUERIES = b'{"_id": "q1", "text": "what hovers"}\n'
TEST = b"query-id\tcorpus-id\tscore\nq1\td1\t1\n"


def write_facts(folder: Path, *published: dict[str, Any], **more: Any) -> str:
    """The YAML of a dataset of one's own, with what is published of it."""
    path = folder / "birds.yaml"
    path.write_text(yaml.safe_dump({**FACTS, "published": list(published), **more}), encoding="utf-8")
    return str(path)


def beir_form(server: Server, archive: Archive, **more: Any) -> dict[str, Any]:
    server.files.setdefault("/birds.zip", Content(archive.data))
    pinned = {"md5": archive.md5, "bytes": len(archive.data)}
    return {"kind": "beir", "url": server.url("/birds.zip"), **pinned, **more}


def get(name: str, **more: Any) -> Path:
    return fetch(name, patience=PATIENCE, **more).folder


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


@pytest.mark.parametrize("name", [n for n in names("datasets") if load_dataset(n).published])
def test_shipped_forms_can_be_planned_and_are_pinned(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    for form, published in forms(load_dataset(name)).items():
        if published[0].kind == "huggingface":
            assert "/" in form
            with pytest.raises(OfflineError, match=published[0].repository):
                plan_fetch(name, form=form, offline=True)
        else:
            plan = plan_fetch(name, form=form, offline=True)
            files = [file for bundle in plan.bundles for file in bundle.files]
            assert all(file.addresses[0].startswith("https://") for file in files)
            assert published[0].kind == "raw" or all(file.checksum is not None for file in files)


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


def test_one_folder_of_many_is_chosen_by_the_form(server: Server, archive: Archive, tmp_path: Path) -> None:
    facts = write_facts(tmp_path, beir_form(server, archive, options={"folder": "birds"}))
    assert read_manifest(get(facts)).provenance.options == {"folder": "birds"}
    facts = write_facts(tmp_path, beir_form(server, archive, options={"folder": "fish"}))
    with pytest.raises(UnknownNameError, match="has no BEIR folder 'fish'"):
        get(facts, out=tmp_path / "out")


def test_raw_files_are_read_by_the_datasets_own_format(server: Server, tmp_path: Path) -> None:
    server.files["/birds.csv"] = Content(TABLE)
    sha256 = hashlib.sha256(TABLE).hexdigest()
    facts = write_facts(
        tmp_path, {"kind": "raw", "url": server.url("/birds.csv"), "sha256": sha256}, expected=None
    )
    told = read_manifest(get(facts)).provenance
    assert (told.converter, told.options["question"]) == ("table", "question")
    assert told.fetched == [Download(address=server.url("/birds.csv"), revision=f"sha256:{sha256}")]


def test_several_raw_files_lie_in_one_folder(server: Server, tmp_path: Path) -> None:
    parts = {"corpus.jsonl": CORPUS, "queries.jsonl": QUERIES, "test.tsv": TEST}
    published = []
    for name, data in parts.items():
        server.files[f"/v1/{name}"] = Content(data)
        md5 = hashlib.md5(data, usedforsecurity=False).hexdigest()
        published.append({"kind": "raw", "url": server.url(f"/v1/{name}"), "md5": md5})
    facts = write_facts(tmp_path, *published, format="huggingface", options={}, expected=None)
    plan = plan_fetch(facts)
    assert plan.form == "raw"
    assert {bundle.folder for bundle in plan.bundles} == {plan.raw}
    assert [file.name for bundle in plan.bundles for file in bundle.files] == list(parts)
    with pytest.raises(UsageError, match="let --mirror name their folder"):
        plan_fetch(facts, mirrors=[server.url("/x.zip")])
    told = read_manifest(get(facts, mirrors=[server.url("/v1/")])).provenance
    assert [one.address for one in told.fetched] == [one["url"] for one in published]
    other = write_facts(tmp_path, *published[:2], format="huggingface", options={}, expected=None)
    assert plan_fetch(other).raw != plan.raw


REPOSITORY_FILES = {"README.md": b"# Birds\n", "corpus.jsonl": CORPUS, "queries.jsonl": QUERIES}


@pytest.fixture
def hub(server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    """The hub, with the benchmark in both layouts."""
    monkeypatch.setenv("HF_ENDPOINT", server.address)
    put_repository(server, {**REPOSITORY_FILES, "qrels/test.tsv": TEST}, repository="mteb/birds")
    put_repository(server, REPOSITORY_FILES, repository="BeIR/birds", commit=OTHER)
    put_repository(server, {"test.tsv": TEST}, repository="BeIR/birds-qrels", commit="e" * 40)
    return server


def hub_facts(folder: Path, *published: dict[str, Any]) -> str:
    counts = {"documents": 2, "queries": 1, "judgments": {"test": {1: 1}}}
    return write_facts(folder, *published, expected=counts)


def test_a_repository_at_a_commit_becomes_a_folder(hub: Server, tmp_path: Path) -> None:
    facts = hub_facts(tmp_path, {"kind": "huggingface", "repository": "mteb/birds", "revision": COMMIT})
    folder = get(facts)
    assert (folder / "corpus.jsonl").read_bytes().count(b"\n") == 2
    told = read_manifest(folder).provenance
    assert (told.source, told.converter, told.revision) == ("birds", "huggingface", COMMIT)
    address = "https://huggingface.co/datasets/mteb/birds"
    assert told.fetched == [Download(address=address, revision=COMMIT)]
    assert not any("revision/main" in one.path for one in hub.asked)
    assert (downloads_folder() / COMMIT / "qrels" / "test.tsv").read_bytes() == TEST


def test_judgments_of_another_repository_are_brought_too(hub: Server, tmp_path: Path) -> None:
    form = {"kind": "huggingface", "repository": "BeIR/birds", "qrels": "BeIR/birds-qrels"}
    told = read_manifest(get(hub_facts(tmp_path, form))).provenance
    assert [one.revision for one in told.fetched] == [OTHER, "e" * 40]
    assert told.fetched[1].address.endswith("BeIR/birds-qrels")


def test_a_repository_without_a_pinned_commit_keeps_the_one_that_came_first(
    hub: Server, tmp_path: Path
) -> None:
    facts = hub_facts(tmp_path, {"kind": "huggingface", "repository": "mteb/birds"})
    get(facts)
    assert fetch(facts, patience=PATIENCE).was_there
    assert fetch(facts, offline=True, overwrite=True).manifest.provenance.revision == COMMIT
    put_repository(
        hub,
        {**REPOSITORY_FILES, "qrels/test.tsv": TEST + b"q1\td2\t0\n"},
        repository="mteb/birds",
        commit=OTHER,
    )
    with pytest.raises(UsageError, match=rf"made from .*mteb/birds \({COMMIT}\)"):
        get(facts)
    assert read_manifest(get(facts, overwrite=True)).provenance.revision == OTHER
    assert {COMMIT, OTHER} <= {path.name for path in downloads_folder().iterdir()}


def test_another_commit_than_the_published_one_is_another_dataset(hub: Server, tmp_path: Path) -> None:
    facts = hub_facts(tmp_path, {"kind": "huggingface", "repository": "mteb/birds", "revision": OTHER})
    folder = get(facts, revision=COMMIT)
    assert folder == built_folder(f"birds@{COMMIT[:8]}")
    assert read_manifest(folder).provenance.source == f"birds@{COMMIT[:8]}"


def test_the_hubs_own_word_for_offline_is_honoured_for_the_hub_alone(
    hub: Server, archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    repository = {"kind": "huggingface", "repository": "mteb/birds", "revision": COMMIT}
    facts = write_facts(tmp_path, repository, beir_form(hub, archive))
    for form in (None, "huggingface", "mteb/birds"):
        with pytest.raises(OfflineError, match="mteb/birds"):
            get(facts, form=form)
    assert hub.asked == []
    assert fetch(facts, form="beir", patience=PATIENCE).manifest.counts.documents == 400


def test_a_file_of_a_commit_that_is_damaged_on_the_way_is_no_change(hub: Server, tmp_path: Path) -> None:
    hub.files[f"/datasets/mteb/birds/resolve/{COMMIT}/corpus.jsonl"] = Content(CORPUS.replace(b"owl", b"0wl"))
    facts = hub_facts(tmp_path, {"kind": "huggingface", "repository": "mteb/birds", "revision": COMMIT})
    with pytest.raises(FetchError, match="the server sent other content") as refusal:
        get(facts)
    assert not isinstance(refusal.value, ChangedError)
    assert not built_folder("birds").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"form": "raw"}, "published in no form 'raw'"),
        ({"form": "mteb/bird"}, "did you mean 'mteb/birds'"),
        ({"revision": "main", "form": "mteb/birds"}, "is no full commit"),
        ({"revision": COMMIT}, "is none"),
        ({"form": "mteb/birds", "accept_changed": "0" * 32}, "--revision COMMIT takes another version"),
    ],
)
def test_options_of_another_kind_of_form_are_refused(
    server: Server, archive: Archive, tmp_path: Path, options: dict[str, str], message: str
) -> None:
    repository = {"kind": "huggingface", "repository": "mteb/birds"}
    facts = write_facts(tmp_path, beir_form(server, archive), repository)
    with pytest.raises(UsageError, match=message):
        get(facts, **options)
    assert server.asked == []


def test_names_are_answered_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'scifact'"):
        get("scifakt")
    with pytest.raises(UsageError, match=r"no form of 'pystdlib' is published.*beirkit convert pystdlib\)"):
        get("pystdlib")
    with pytest.raises(UsageError, match="no form of 'birds' is published"):
        get(write_facts(tmp_path))


def test_files_of_one_name_cannot_lie_in_one_folder(tmp_path: Path) -> None:
    published = [
        {"kind": "raw", "url": f"https://data.example/{part}/data.tsv"} for part in ("train", "test")
    ]
    with pytest.raises(UsageError, match=r"several files called 'data\.tsv'"):
        plan_fetch(write_facts(tmp_path, *published), offline=True)


def test_two_forms_of_one_kind_have_two_names(server: Server, archive: Archive, tmp_path: Path) -> None:
    other = make_archive("words")
    server.files["/other.zip"] = Content(other.data)
    second = {"kind": "beir", "url": server.url("/other.zip"), "md5": other.md5}
    facts = write_facts(tmp_path, beir_form(server, archive), second)
    assert get(facts, form="beir-2", out=tmp_path / "b")
    with pytest.raises(UnknownNameError):
        get(facts, form="beir-3")
    names = [{"kind": "huggingface", "repository": f"o/{name}"} for name in ("b-x", "b", "b", "b")]
    found = forms(read_config(Path(write_facts(tmp_path, *names)), DatasetConfig))
    assert list(found) == ["o/b-x", "o/b", "o/b-2", "o/b-3"]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"url": "https://data.example/"}, "names no file"),
        ({"url": "https://data.example/.."}, "names no file"),
        ({"url": "https://data.example/a%2F..%2Fb.zip"}, "names no file"),
        ({}, "names no file"),
        (
            {"url": "https://data.example/a.zip", "md5": "abc"},
            r"birds.yaml: `md5` is 'abc', not 32 .* at `published\[0\]`",
        ),
        ({"kind": "huggingface"}, "'' is no repository"),
        ({"kind": "huggingface", "repository": "../x"}, "'../x' is no repository"),
    ],
)
def test_a_form_that_cannot_be_meant_is_refused(tmp_path: Path, wrong: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        plan_fetch(write_facts(tmp_path, {"kind": "beir", **wrong}), offline=True)


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
