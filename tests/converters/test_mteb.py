"""mteb's tasks: the same records as mteb loads, in one order, and nothing downloaded without leave."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from beirkit.conversion import convert_source
from beirkit.converters.catalog import convert
from beirkit.corpora.errors import DataError, MissingExtraError, UnknownNameError, UsageError
from beirkit.corpora.folder import open_folder
from beirkit.corpora.records import Judgment
from tests.converters import fake_mteb


class Stub(fake_mteb.Task):
    """The stand-in's task with other data."""

    def __init__(self) -> None:
        super().__init__()
        self.data: dict[str, Any] = {"test": split()}
        self.trouble: Exception | None = None

    def load_data(self) -> None:
        if self.trouble is not None:
            raise self.trouble
        self.dataset = {self.hf_subsets[0]: self.data}

    def filter_languages(self, languages: None, *, hf_subsets: list[str]) -> Stub:
        self.hf_subsets = tuple(hf_subsets)
        return self


def split(**parts: Any) -> dict[str, Any]:
    whole = {"corpus": fake_mteb.DOCUMENTS, "queries": fake_mteb.QUERIES, "relevant_docs": fake_mteb.JUDGED}
    return {**whole, "top_ranked": None, **parts}


@pytest.fixture
def task(monkeypatch: pytest.MonkeyPatch) -> Stub:
    """The only task of a stand-in for mteb."""
    stub, module = Stub(), fake_mteb.module()
    monkeypatch.setattr(module, "get_task", lambda name: stub)
    monkeypatch.setitem(sys.modules, "mteb", module)
    return stub


def test_a_task_after_a_colon_is_converted(task: Stub, tmp_path: Path) -> None:
    folder, manifest = convert_source("mteb:TideRetrieval", None, tmp_path / "tides")
    assert [document.doc_id for document in open_folder(folder).documents()] == ["t1", "t2", "t 3"]
    provenance = manifest.provenance
    assert (provenance.source, provenance.revision) == ("TideRetrieval", "0123456789" * 4)
    assert (provenance.licence, provenance.citation) == ("cc-by-4.0", "@misc{tides}")
    assert provenance.options == {"task": "TideRetrieval"}


def test_several_splits_share_a_corpus(task: Stub) -> None:
    other = [{"id": "c", "text": "spring tides"}, fake_mteb.QUERIES[1]]
    task.data = {"dev": split(), "test": split(queries=other, relevant_docs={"c": {"t2": -1, "t1": 1}})}
    collection = convert("mteb", None, {"task": "x"})
    assert [query.query_id for query in collection.queries()] == ["b", "a", "c"]
    assert list(collection.judgments("test")) == [Judgment("c", "t1", 1), Judgment("c", "t2", -1)]
    assert len(list(collection.documents())) == 3
    task.data["test"]["corpus"] = fake_mteb.DOCUMENTS[:2]
    with pytest.raises(DataError, match=r"the splits of x have several corpora .*--set split=NAME"):
        list(convert("mteb", None, {"task": "x"}).documents())


def test_a_judged_query_without_a_text_is_not_lost(task: Stub) -> None:
    task.data = {"test": split(relevant_docs={"z": {"t1": 1}, "a": {"t2": 1}})}
    found = list(convert("mteb", None, {"task": "x"}).judgments("test"))
    assert found == [Judgment("a", "t2", 1), Judgment("z", "t1", 1)]


def test_a_prompt_may_be_a_text_or_missing(task: Stub) -> None:
    for prompt, wanted in (("Find it", {"prompt": "Find it"}), (None, {}), ({"document": "x"}, {})):
        task.metadata.prompt = prompt
        queries = list(convert("mteb", None, {"task": "x"}).queries())
        assert queries[1].metadata == wanted


def test_what_is_not_on_this_disk_is_refused_with_repository_and_licence(task: Stub) -> None:
    task.trouble = ConnectionError("Couldn't reach the hub\nmore")
    with pytest.raises(UsageError) as caught:
        convert("mteb", None, {"task": "x"})
    for part in ("nothing is downloaded without leave: Couldn't reach the hub", "--set download=true",
                 f"someone/tides at revision {'0123456789' * 4}", "licence: cc-by-4.0"):  # fmt: skip
        assert part in str(caught.value)
    assert "more" not in str(caught.value)


def test_a_download_is_told_before_it_starts(task: Stub, caplog: pytest.LogCaptureFixture) -> None:
    task.trouble = ConnectionError("no route")
    with pytest.raises(DataError, match=r"mteb cannot load x, someone/tides .*: no route"):
        convert("mteb", None, {"task": "x", "download": "true"})
    assert "mteb downloads what it lacks of someone/tides" in caplog.text
    assert "licence: cc-by-4.0" in caplog.text


def test_the_libraries_of_the_hub_are_offline_while_a_task_loads(
    task: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:
    datasets = pytest.importorskip("datasets", reason="needs the part 'mteb'")
    from huggingface_hub import constants

    seen: list[tuple[bool, bool]] = []
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", False)
    load = task.load_data

    def watched() -> None:
        seen.append((constants.HF_HUB_OFFLINE, datasets.config.HF_HUB_OFFLINE))
        load()

    monkeypatch.setattr(task, "load_data", watched)
    convert("mteb", None, {"task": "x"})
    convert("mteb", None, {"task": "x", "download": "true"})
    assert seen == [(True, True), (False, False)]
    assert (constants.HF_HUB_OFFLINE, datasets.config.HF_HUB_OFFLINE) == (False, False)


def test_what_is_no_retrieval_task_is_told(task: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    task.hf_subsets = ("de", "hebrew")
    with pytest.raises(UsageError, match=r"has 2 subsets: de, hebrew .*--set subset=de"):
        convert("mteb", None, {"task": "x"})
    with pytest.raises(UnknownNameError, match=r"has no subset 'hebrev' .*'hebrew'"):
        convert("mteb", None, {"task": "x", "subset": "hebrev"})
    assert convert("mteb", None, {"task": "x", "subset": "hebrew"}).splits == ("test",)
    with pytest.raises(UnknownNameError, match=r"has no split 'tset' .*'test'"):
        convert("mteb", None, {"task": "x", "subset": "hebrew", "split": "tset"})
    monkeypatch.delattr(fake_mteb.Task, "ignore_identical_ids")
    with pytest.raises(UsageError, match="only retrieval and reranking tasks"):
        convert("mteb", None, {"task": "x"})
    task.is_aggregate, task.tasks = True, [fake_mteb.Task(), fake_mteb.Task()]  # type: ignore[attr-defined]
    with pytest.raises(
        UsageError, match=r"mean of 2 tasks .*convert each of them: TideRetrieval, TideRetrieval"
    ):
        convert("mteb", None, {"task": "x"})


def test_unknown_names_and_a_missing_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mteb", fake_mteb.module())
    with pytest.raises(UnknownNameError, match=r"mteb 2.0 has no task 'Tide' .'Tide' not found"):
        convert("mteb", None, {"task": "Tide"})
    with pytest.raises(UsageError, match="name one: mteb:TASK"):
        convert("mteb", None, {})
    monkeypatch.setitem(sys.modules, "mteb", None)
    with pytest.raises(MissingExtraError, match=r"beirkit\[mteb\]"):
        convert("mteb", None, {"task": "x"})


def repository(folder: Path) -> Path:
    """A small repository that mteb's own loader reads, in two languages."""
    lines = ["configs:"]
    tables: dict[str, list[dict[str, Any]]] = {
        "corpus": [
            {"_id": "1", "title": "Ropes", "text": "Hemp."},
            {"_id": "2", "title": "", "text": "Knots."},
        ],
        "queries": [
            {"_id": "q2", "text": "knots"},
            {"_id": "q1", "text": "fibres"},
            {"_id": "q0", "text": "nobody"},
        ],
        "qrels": [
            {"query-id": "q1", "corpus-id": "2", "score": 0},
            {"query-id": "q1", "corpus-id": "1", "score": 2},
            {"query-id": "q2", "corpus-id": "2", "score": 1},
        ],
        "top_ranked": [{"query-id": "q1", "corpus-ids": ["2", "1"]}, {"query-id": "q2", "corpus-ids": ["1"]}],
        "instruction": [{"query-id": f"q{n}", "instruction": f"As {n}."} for n in range(3)],
    }
    for language in ("de", "en"):
        for name, rows in tables.items():
            path = folder / f"{language}-{name}" / "test.jsonl"
            path.parent.mkdir(parents=True)
            path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
            entry = f"{{split: test, path: {language}-{name}/test.jsonl}}"
            lines.append(f"- {{config_name: {language}-{name}, data_files: [{entry}]}}")
    (folder / "README.md").write_text("---\n" + "\n".join(lines) + "\n---\n", encoding="utf-8")
    return folder


def test_a_task_of_the_real_mteb_gives_what_the_repository_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mteb = pytest.importorskip("mteb", reason="needs the part 'mteb'")
    import datasets
    from mteb.abstasks.retrieval import AbsTaskRetrieval

    get_tasks = sys.modules["mteb.get_tasks"]
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", str(tmp_path / "cache"))
    folder = repository(tmp_path / "ropes")

    class Ropes(AbsTaskRetrieval):  # type: ignore[misc]  # mteb may be absent
        metadata = mteb.TaskMetadata(
            name="RopeRetrieval", description="Ropes.", reference="https://example.org", type="Retrieval",
            dataset={"path": str(folder), "revision": "1"}, category="t2t", modalities=["text"],
            eval_splits=["test"], eval_langs={"de": ["deu-Latn"], "en": ["eng-Latn"]},
            main_score="ndcg_at_10",
            prompt="Find ropes", date=None, domains=None, task_subtypes=None, license="cc0-1.0",
            annotations_creators=None, dialect=None, sample_creation=None, bibtex_citation="",
        )  # fmt: skip

    monkeypatch.setitem(get_tasks._TASKS_REGISTRY, "RopeRetrieval", Ropes)
    with pytest.raises(UsageError, match="has 2 subsets: de, en"):
        convert("mteb", None, {"task": "RopeRetrieval"})
    loaded = convert("mteb", None, {"task": "RopeRetrieval", "subset": "de"})
    read = convert("huggingface", folder, {"subset": "de"})
    assert list(loaded.documents()) == list(read.documents())
    assert [query.query_id for query in loaded.queries()] == ["q2", "q1"]  # mteb keeps judged ones only
    theirs = {query.query_id: query for query in read.queries()}
    for query in loaded.queries():
        assert query.metadata == {**theirs[query.query_id].metadata, "prompt": "Find ropes"}
    assert loaded.qrels("test") == read.qrels("test")
    assert [j.doc_id for j in loaded.judgments("test")] == ["2", "1", "2"]


def test_a_real_task_that_is_not_on_this_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mteb", reason="needs the part 'mteb'")
    import datasets
    from huggingface_hub import constants

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    with pytest.raises(UsageError, match=r"mteb has NanoSciFactRetrieval not on this disk.*cc-by-4.0"):
        convert("mteb", None, {"task": "NanoSciFactRetrieval"})
    with pytest.raises(UsageError, match="CQADupstackRetrieval is the mean of 12 tasks"):
        convert("mteb", None, {"task": "CQADupstackRetrieval"})
