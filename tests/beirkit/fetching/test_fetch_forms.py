"""The forms in which a dataset is published: how one is chosen, planned, and refused."""

from __future__ import annotations

import hashlib
import socket
from pathlib import Path
from typing import Any, NoReturn

import pytest

from beirkit.configs.load import load_dataset, names, read_config
from beirkit.configs.schema import DatasetConfig
from beirkit.corpora.collection import Download
from beirkit.corpora.errors import UnknownNameError, UsageError
from beirkit.corpora.manifest import read_manifest
from beirkit.fetching.errors import OfflineError
from beirkit.fetching.fetch import plan_fetch
from beirkit.fetching.plan import forms
from tests.beirkit.fetching.birds import CORPUS, QUERIES, TABLE, TEST, beir_form, get, write_facts
from tests.beirkit.fetching.conftest import Archive, make_archive
from tests.beirkit.fetching.server import Content, Server
from tests.beirkit.fetching.test_hub import COMMIT


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
