"""From a name to a BEIR folder through a repository of the hub."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from beirkit.corpora.collection import Download
from beirkit.corpora.errors import UsageError
from beirkit.corpora.manifest import read_manifest
from beirkit.fetching.errors import ChangedError, FetchError, OfflineError
from beirkit.fetching.fetch import fetch
from beirkit.fetching.plan import downloads_folder
from beirkit.home import built_folder
from tests.beirkit.fetching.birds import CORPUS, QUERIES, TEST, beir_form, get, write_facts
from tests.beirkit.fetching.conftest import PATIENCE, Archive
from tests.beirkit.fetching.server import Content, Server
from tests.beirkit.fetching.test_hub import COMMIT, put_repository

OTHER = "f" * 40

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
