"""Repositories of the hub: every layout gives the same records; what is missing is told."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from beirkit.converters.catalog import convert
from beirkit.converters.reading.hub_repository import Repository
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.folder import open_folder
from beirkit.corpora.records import Document, Judgment, Query

CORPUS: list[dict[str, Any]] = [
    {"_id": "d1", "title": "Ropes", "text": "Hemp and sisal."},
    {"_id": "d2", "title": None, "text": "A knot – and a hitch."},
]
QUERIES: list[dict[str, Any]] = [{"_id": "q1", "text": "natural fibres"}, {"_id": "q2", "text": "hitches"}]
QRELS: list[dict[str, Any]] = [
    {"query-id": "q1", "corpus-id": "d1", "score": 2.0},
    {"query-id": "q2", "corpus-id": "d2", "score": 1.0},
    {"query-id": "q2", "corpus-id": "d1", "score": 0.0},
]
DOCUMENTS = [Document("d1", "Ropes", "Hemp and sisal."), Document("d2", "", "A knot – and a hitch.")]
ASKED = [Query("q1", "natural fibres"), Query("q2", "hitches")]
JUDGED = [Judgment("q1", "d1", 2), Judgment("q2", "d2", 1), Judgment("q2", "d1", 0)]


def jsonl(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)


def parquet(path: Path, rows: list[dict[str, Any]], group: int = 1000) -> None:
    arrow = pytest.importorskip("pyarrow", reason="needs the part 'parquet'")
    import pyarrow.parquet

    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(arrow.Table.from_pylist(rows), path, row_group_size=group)


def everything(collection: Collection) -> tuple[list[Any], ...]:
    judged = [list(collection.judgments(split)) for split in collection.splits]
    return list(collection.documents()), list(collection.queries()), *judged


def card(folder: Path, text: str) -> None:
    (folder / "README.md").write_text(f"---\n{text}\n---\n# A card\n", encoding="utf-8")


def renamed(rows: list[dict[str, Any]], **names: str) -> list[dict[str, Any]]:
    """The rows with other names of columns; an empty name takes the column out."""
    new = {old.replace("_", "-") if old != "_id" else old: name for old, name in names.items()}
    return [{new.get(key, key): value for key, value in row.items() if new.get(key, key)} for row in rows]


def test_one_repository_with_parquet_shards_without_a_card(tmp_path: Path) -> None:
    parquet(tmp_path / "corpus" / "test-00000-of-00002.parquet", CORPUS[:1])
    parquet(tmp_path / "corpus" / "test-00001-of-00002.parquet", CORPUS[1:])
    parquet(tmp_path / "queries" / "test-00000-of-00001-0123456789abcdef.parquet", QUERIES)
    parquet(tmp_path / "data" / "test-00000-of-00001.parquet", QRELS)
    collection = convert("huggingface", tmp_path)
    assert collection.splits == ("test",)
    assert everything(collection) == (DOCUMENTS, ASKED, JUDGED)


def test_two_repositories_as_beir_has_them(tmp_path: Path) -> None:
    jsonl(tmp_path / "ropes" / "corpus.jsonl.gz", CORPUS)
    jsonl(tmp_path / "ropes" / "queries.jsonl.gz", QUERIES)
    (tmp_path / "ropes" / "ropes.py").write_text("raise SystemExit('a loading script was run')\n")
    for split in ("test", "validation"):
        path = tmp_path / "ropes-qrels" / f"{split}.tsv"
        path.parent.mkdir(exist_ok=True)
        path.write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n", encoding="utf-8")
    options: dict[str, Any] = {"qrels": "ropes-qrels"}
    kept = convert("huggingface", tmp_path / "ropes", {**options, "splits": {"validation": "validation"}})
    assert kept.splits == ("test", "validation")
    collection = convert("huggingface", tmp_path / "ropes", options)
    assert collection.splits == ("dev", "test")
    assert everything(collection) == (DOCUMENTS, ASKED, *[[Judgment("q1", "d1", 1)]] * 2)
    assert set(collection.provenance.inputs) == {
        "corpus.jsonl.gz", "queries.jsonl.gz", "test.tsv", "validation.tsv"
    }  # fmt: skip


def test_nanobeir_has_no_score_and_its_split_is_train(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for name, rows in (("corpus", renamed(CORPUS, title="")), ("queries", QUERIES)):
        parquet(tmp_path / name / "train-00000-of-00001.parquet", rows)
    parquet(tmp_path / "qrels" / "train-00000-of-00001.parquet", renamed(QRELS[:2], score=""))
    collection = convert("huggingface", tmp_path, {"splits": {"train": "test"}})
    documents, _, judged = everything(collection)
    assert [document.title for document in documents] == ["", ""]
    assert collection.splits == ("test",)
    assert judged == [Judgment("q1", "d1", 1), Judgment("q2", "d2", 1)]
    assert caplog.text.count("there is no column for the score: every pair has grade 1") == 1


def test_coir_has_corpus_and_queries_as_splits_and_underscores(tmp_path: Path) -> None:
    parquet(tmp_path / "t-queries-corpus" / "data" / "corpus-00000-of-00001.parquet", CORPUS)
    parquet(tmp_path / "t-queries-corpus" / "data" / "queries-00000-of-00001.parquet", QUERIES)
    rows = [{"query_id": row["query-id"], "corpus_id": row["corpus-id"], "score": 1} for row in QRELS[:1]]
    parquet(tmp_path / "t-qrels" / "data" / "test-00000-of-00001.parquet", rows)
    collection = convert("huggingface", tmp_path / "t-queries-corpus", {"qrels": "t-qrels"})
    assert everything(collection) == (DOCUMENTS, ASKED, [Judgment("q1", "d1", 1)])


def test_a_subset_of_several_and_what_to_say_without_one(tmp_path: Path) -> None:
    for subset, corpus in (("de", CORPUS), ("he", CORPUS[:1])):
        jsonl(tmp_path / f"{subset}-corpus" / "test.jsonl", corpus)
        jsonl(tmp_path / f"{subset}-queries" / "test.jsonl", QUERIES)
        jsonl(tmp_path / f"{subset}-qrels" / "test.jsonl", QRELS[:1])
    with pytest.raises(DataError, match="it has the subsets de, he: --set subset=de"):
        convert("huggingface", tmp_path)
    with pytest.raises(DataError, match="it has the subsets de, he"):
        convert("huggingface", tmp_path, {"subset": "fr"})
    documents, _, judged = everything(convert("huggingface", tmp_path, {"subset": "he"}))
    assert (documents, judged) == (DOCUMENTS[:1], [Judgment("q1", "d1", 2)])


def test_a_card_with_folders_of_its_own_and_the_configuration_query(tmp_path: Path) -> None:
    jsonl(tmp_path / "a" / "deep" / "x.jsonl", CORPUS)
    jsonl(tmp_path / "b" / "q.jsonl", QUERIES)
    jsonl(tmp_path / "c" / "r.jsonl", QRELS)
    jsonl(tmp_path / "corpus" / "old.jsonl", [{"broken": 1}])
    card(
        tmp_path,
        "configs:\n"
        "- {config_name: corpus, data_files: 'a/**/*.jsonl'}\n"
        "- {config_name: query, data_dir: b}\n"
        "- {config_name: qrels, data_files: [{split: test, path: [c/r.jsonl]}]}",
    )
    assert everything(convert("huggingface", tmp_path)) == (DOCUMENTS, ASKED, JUDGED)


def test_a_card_that_names_a_file_that_is_not_there(tmp_path: Path) -> None:
    jsonl(tmp_path / "queries.jsonl", QUERIES)
    card(tmp_path, "configs:\n- {config_name: corpus, data_files: 'corpus/*.parquet'}")
    with pytest.raises(
        DataError, match=r"README.md: names corpus/\*.parquet for .* 'corpus', and there is no"
    ):
        convert("huggingface", tmp_path)


def test_a_card_whose_head_is_not_yaml(tmp_path: Path) -> None:
    card(tmp_path, "configs: [")
    with pytest.raises(DataError, match=r"README.md: has a head that is not YAML"):
        convert("huggingface", tmp_path)


def test_a_card_without_configurations_leaves_it_to_the_names(tmp_path: Path) -> None:
    jsonl(tmp_path / "corpus.jsonl", CORPUS)
    jsonl(tmp_path / "queries.jsonl", QUERIES)
    jsonl(tmp_path / "qrels" / "test.jsonl", QRELS)
    jsonl(tmp_path / "dataset_infos.json", [{}])
    card(tmp_path, "license: mit")
    assert everything(convert("huggingface", tmp_path)) == (DOCUMENTS, ASKED, JUDGED)
    assert set(Repository(tmp_path).configs) == {"corpus", "queries", "qrels"}


def test_a_table_with_one_split_of_another_name_is_taken_and_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    jsonl(tmp_path / "corpus" / "dev.jsonl", CORPUS)
    jsonl(tmp_path / "queries" / "queries.jsonl", QUERIES)
    jsonl(tmp_path / "qrels" / "train.jsonl", QRELS)
    collection = convert("huggingface", tmp_path, {"split": "test"})
    assert collection.splits == ("train",)
    assert "the judgments have no split 'test'; the only one, 'train', is taken" in caplog.text
    assert "the corpus has no split 'test'; the only one, 'dev', is taken" in caplog.text


def test_several_splits_of_a_corpus_need_a_choice(tmp_path: Path) -> None:
    for split in ("dev", "test"):
        jsonl(tmp_path / "corpus" / f"{split}.jsonl", CORPUS if split == "test" else CORPUS[:1])
        jsonl(tmp_path / "queries" / f"{split}.jsonl", QUERIES if split == "test" else QUERIES[:1])
        jsonl(tmp_path / "qrels" / f"{split}.jsonl", QRELS)
    with pytest.raises(DataError, match=r"the corpus has the splits dev, test .*--set split=dev"):
        convert("huggingface", tmp_path)
    with pytest.raises(DataError, match=r"the judgments have the splits dev, test and no 'tset' .*'test'"):
        convert("huggingface", tmp_path, {"split": "tset"})
    assert everything(convert("huggingface", tmp_path, {"split": "test"})) == (DOCUMENTS, ASKED, JUDGED)


def test_a_query_of_several_splits_is_taken_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    jsonl(tmp_path / "corpus.jsonl", CORPUS)
    jsonl(tmp_path / "queries" / "dev.jsonl", QUERIES)
    jsonl(tmp_path / "queries" / "test.jsonl", QUERIES[1:])
    for split in ("dev", "test"):
        jsonl(tmp_path / "qrels" / f"{split}.jsonl", QRELS)
    assert list(convert("huggingface", tmp_path).queries()) == ASKED
    assert "1 rows of queries repeat one before them" in caplog.text
    jsonl(tmp_path / "queries" / "test.jsonl", [{"_id": "q2", "text": "other"}])
    with pytest.raises(DataError, match=r"test.jsonl:1: query 'q2' has another text than before"):
        list(convert("huggingface", tmp_path).queries())


@pytest.mark.parametrize(
    ("splits", "problem"),
    [({"tset": "x"}, "did you mean 'test'"), ({"dev": "test"}, "gives two splits one name")],
)
def test_new_names_of_splits_are_checked(tmp_path: Path, splits: dict[str, str], problem: str) -> None:
    jsonl(tmp_path / "corpus.jsonl", CORPUS)
    jsonl(tmp_path / "queries.jsonl", QUERIES)
    for split in ("dev", "test"):
        jsonl(tmp_path / "qrels" / f"{split}.jsonl", QRELS)
    with pytest.raises(UsageError, match=problem):
        convert("huggingface", tmp_path, {"splits": splits})


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (
            {"query-id": "q1", "corpus-id": "d1", "score": 0.5},
            "test.jsonl:2: the grade is '0.5', not a whole",
        ),
        ({"query-id": "q1", "corpus-id": "d1", "score": None}, "test.jsonl:2: the grade is missing"),
        ({"query-id": "q1", "doc": "d1", "score": True}, "test.jsonl:2: the grade is 'True', no number"),
        ({"query-id": 1.5, "corpus-id": "d1", "score": 1}, "test.jsonl:2: .* neither text nor an integer"),
        ({"query": "q1", "score": 1}, "test.jsonl:2: has no column corpus-id"),
    ],
)
def test_a_damaged_judgment_is_named(tmp_path: Path, row: dict[str, Any], problem: str) -> None:
    jsonl(tmp_path / "corpus.jsonl", CORPUS)
    jsonl(tmp_path / "queries.jsonl", QUERIES)
    jsonl(tmp_path / "qrels" / "test.jsonl", [QRELS[0], row])
    with pytest.raises(DataError, match=problem):
        list(convert("huggingface", tmp_path).judgments("test"))


def test_a_damaged_document_is_named(tmp_path: Path) -> None:
    jsonl(tmp_path / "corpus.jsonl", [CORPUS[0], {"docid": "d2", "text": "x"}])
    jsonl(tmp_path / "queries.jsonl", QUERIES)
    jsonl(tmp_path / "qrels" / "test.jsonl", QRELS)
    with pytest.raises(DataError, match=r"corpus.jsonl:2: has no column _id or id"):
        list(convert("huggingface", tmp_path).documents())


def test_a_pointer_in_place_of_a_file_and_what_is_no_parquet(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="needs the part 'parquet'")
    jsonl(tmp_path / "queries.jsonl", QUERIES)
    jsonl(tmp_path / "qrels" / "test.jsonl", QRELS)
    corpus = tmp_path / "corpus.parquet"
    corpus.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n")
    with pytest.raises(DataError, match=r"corpus.parquet: is a pointer of Git LFS.*git lfs pull"):
        list(convert("huggingface", tmp_path).documents())
    corpus.write_text("PAR1 and no more")
    with pytest.raises(DataError, match=r"corpus.parquet.* is not Parquet, or damaged"):
        list(convert("huggingface", tmp_path).documents())


def test_judgments_that_are_nowhere(tmp_path: Path) -> None:
    jsonl(tmp_path / "corpus.jsonl", CORPUS)
    jsonl(tmp_path / "queries.jsonl", QUERIES)
    with pytest.raises(DataError, match=r"has no configuration 'default' or 'qrels' .*--set qrels=FOLDER"):
        convert("huggingface", tmp_path)


def test_a_snapshot_of_a_hub_cache_gives_its_commit(tmp_path: Path) -> None:
    cache = tmp_path / "datasets--someone--ropes"
    snapshot = cache / "snapshots" / ("0123456789" * 4)
    jsonl(cache / "blobs" / "aa", CORPUS)
    jsonl(snapshot / "queries.jsonl", QUERIES)
    jsonl(snapshot / "qrels" / "test.jsonl", QRELS)
    (snapshot / "corpus.jsonl").symlink_to(cache / "blobs" / "aa")
    collection = convert("huggingface", cache)
    assert everything(collection) == (DOCUMENTS, ASKED, JUDGED)
    assert collection.provenance.revision == "0123456789" * 4
    (cache / "snapshots" / "another").mkdir()
    with pytest.raises(DataError, match="has 2 snapshots"):
        convert("huggingface", cache)


def test_metadata_is_the_same_from_parquet_and_json_lines(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rows: list[dict[str, Any]] = [
        {
            "id": "d1",
            "text": "x",
            "metadata": {"url": "u", "year": None},
            "tags": ["a"],
            "image": {"bytes": b"\0"},
        },
        {
            "id": "d2",
            "text": "y",
            "metadata": {"url": None, "year": 3},
            "tags": None,
            "image": {"bytes": b"\1"},
        },
    ]
    parquet(tmp_path / "corpus.parquet", rows)
    jsonl(tmp_path / "queries.jsonl", QUERIES)
    jsonl(tmp_path / "qrels" / "test.jsonl", QRELS)
    found = [document.metadata for document in convert("huggingface", tmp_path).documents()]
    assert found == [{"url": "u", "tags": ["a"]}, {"year": 3}]
    jsonl(tmp_path / "corpus.jsonl", [{k: v for k, v in row.items() if k != "image"} for row in rows])
    (tmp_path / "corpus.parquet").unlink()
    assert [document.metadata for document in convert("huggingface", tmp_path).documents()] == found
    assert "column 'image' holds bytes, such as images, and is left out" in caplog.text


def test_a_batch_of_parquet_at_a_time(tmp_path: Path) -> None:
    rows = [{"_id": f"d{n}", "text": f"text {n}"} for n in range(3000)]
    parquet(tmp_path / "corpus.parquet", rows, group=2000)
    jsonl(tmp_path / "queries.jsonl", QUERIES)
    jsonl(tmp_path / "qrels" / "test.jsonl", QRELS)
    found = list(convert("huggingface", tmp_path).documents())
    assert [(document.doc_id, document.text) for document in found] == [(r["_id"], r["text"]) for r in rows]


def test_a_repository_is_what_mteb_itself_loads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """mteb's own loader is the reference for its layout."""
    pytest.importorskip("mteb", reason="needs the part 'mteb'")
    import datasets
    from mteb.abstasks.retrieval_dataset_loaders import RetrievalDatasetLoader

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "ropes"
    for name, rows in (
        ("corpus/corpus", renamed(CORPUS, _id="id")),
        ("queries/queries", QUERIES),
        ("qrels/test", QRELS),
        ("instruction/test", [{"query-id": q["_id"], "instruction": f"of {q['_id']}"} for q in QUERIES]),
        ("top_ranked/test", [{"query-id": q["_id"], "corpus-ids": ["d2", "d1"]} for q in QUERIES]),
    ):
        parquet(folder / f"{name}.parquet", rows)
    lines = ["configs:"]
    for name, config in (("corpus", "corpus"), ("queries", "queries"), ("qrels", "default")):
        lines.append(f"- {{config_name: {config}, data_files: [{{split: test, path: {name}/*.parquet}}]}}")
    for name in ("instruction", "top_ranked"):
        lines.append(f"- {{config_name: {name}, data_files: [{{split: test, path: {name}/test.parquet}}]}}")
    card(folder, "\n".join(lines))

    loaded = RetrievalDatasetLoader(hf_repo=str(folder), revision="", split="test").load()
    found = convert("huggingface", folder)
    assert found.qrels("test") == loaded["relevant_docs"]
    assert [(d.doc_id, d.title, d.text) for d in found.documents()] == [
        (row["id"], row["title"] or "", row["text"]) for row in loaded["corpus"]
    ]
    assert [(q.query_id, q.text, q.metadata["instruction"]) for q in found.queries()] == [
        (row["id"], row["text"], row["instruction"]) for row in loaded["queries"]
    ]
    ranked = {query.query_id: query.metadata["top_ranked"] for query in found.queries()}
    assert ranked == loaded["top_ranked"]


def test_scifact_in_parquet_gives_the_folder_it_was_made_of(shared: Path, tmp_path: Path) -> None:
    published = open_folder(shared / "data" / "scifact" / "beir")
    corpus = [{"_id": d.doc_id, "title": d.title, "text": d.text} for d in published.documents()]
    parquet(tmp_path / "corpus" / "corpus-00000-of-00001.parquet", corpus)
    parquet(
        tmp_path / "queries" / "queries-00000-of-00001.parquet",
        [
            {"_id": q.query_id, "text": q.text, "metadata": json.dumps(q.metadata)}
            for q in published.queries()
        ],
    )
    for split in published.splits:
        rows = [
            {"query-id": int(j.query_id), "corpus-id": j.doc_id, "score": float(j.relevance)}
            for j in published.judgments(split)
        ]
        parquet(tmp_path / "data" / f"{split}-00000-of-00001.parquet", rows)
    found = convert("huggingface", tmp_path)
    assert list(found.documents()) == list(published.documents())
    assert [(q.query_id, q.text) for q in found.queries()] == [
        (q.query_id, q.text) for q in published.queries()
    ]
    for split in ("train", "test"):
        assert list(found.judgments(split)) == list(published.judgments(split))
