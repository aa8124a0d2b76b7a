"""Every kind of other tools' results: recognised, read, and refused where it is damaged."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from beirkit.corpora.errors import DataError, UnknownNameError
from beirkit.evaluate.exports.zips import write_zip
from beirkit.evaluate.imports.base import Lists, Means
from beirkit.evaluate.imports.catalog import get, importer_for, names
from beirkit.evaluate.measures import Measure
from tests.evaluate.exports.small_results import LISTS

TASK = {
    "dataset_revision": "a" * 40,
    "task_name": "SciFact",
    "mteb_version": "2.20.0",
    "scores": {
        "test": [
            {
                "ndcg_at_10": 0.64508,
                "map_at_10": 0.6,
                "mrr_at_10": 0.61,
                "hit_rate_at_10": 0.8,
                "nauc_ndcg_at_10_max": float("nan"),
                "main_score": 0.64508,
                "hf_subset": "default",
                "languages": ["eng-Latn"],
            }
        ]
    },
    "evaluation_time": 12.5,
}
COIR = {
    "metrics": {
        "NDCG": {"NDCG@1": 0.5, "NDCG@10": 0.6},
        "MAP": {"MAP@1": 0.5, "MAP@10": 0.4},
        "Recall": {"Recall@1": 0.3, "Recall@10": 0.9},
        "Precision": {"P@1": 0.5, "P@10": 0.2},
    }
}
VIDORE = {
    "metadata": {"timestamp": "2026-11-30T00:00:00", "vidore_benchmark_version": "5.0"},
    "metrics": {"docvqa": {"ndcg_at_1": 0.5, "recall_at_5": 0.25}, "arxivqa": {"ndcg_at_1": 0.75}},
}
BRIGHT = {"NDCG@1": 0.1, "NDCG@10": 0.2, "MRR": 0.3}
RUN = "q1 Q0 d1 1 3.5 mine\nq1 Q0 d2 2 1.25 mine\n"


def dumped(folder: Path, name: str, data: Any) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return path


def mteb(folder: Path) -> Path:
    model = folder / "ann__tiny" / ("0" * 40)
    dumped(model, "model_meta.json", {"name": "ann/tiny", "revision": "0" * 40, "max_tokens": float("inf")})
    return dumped(model, "SciFact.json", TASK)


def predictions(folder: Path) -> Path:
    meta = {"model_name": "ann/tiny", "revision": "0" * 40}
    return dumped(folder, "SciFact_predictions.json", {"mteb_model_meta": meta, "default": {"test": LISTS}})


def sentence_transformers(folder: Path) -> Path:
    rows = [
        {"query_id": q, "query": "x", "results": [{"corpus_id": d, "score": s} for d, s in row.items()]}
        for q, row in LISTS.items()
    ]
    return dumped(folder, "tiny_cosine.jsonl", "".join(json.dumps(row) + "\n" for row in rows))


def air_bench(folder: Path) -> Path:
    queries = {f"q{n}": {"d1": 1.0} for n in range(249)}
    data = {
        "model_name": "tiny",
        "reranker_name": "NoReranker",
        "benchmark_version": "AIR-Bench_24.05",
        "task_type": "long-doc",
        "domain": "arxiv",
        "language": "en",
        "dataset_name": "gemini",
        "split": "test",
        "search_results": queries,
    }
    return dumped(folder, "tiny/NoReranker/long-doc/arxiv/en_gemini_test.json", data)


def air_bench_zip(folder: Path) -> Path:
    data = air_bench(folder / "tree").read_bytes()
    write_zip(folder / "tiny_NoReranker.zip", {"long-doc/arxiv/en_gemini_test.json": data})
    return folder / "tiny_NoReranker.zip"


def lz4(folder: Path) -> Path:
    cbor2, frame = pytest.importorskip("cbor2"), pytest.importorskip("lz4.frame")
    path = folder / "mine.lz4"
    path.write_bytes(frame.compress(frame.compress(cbor2.dumps(LISTS))))
    return path


def parquet(folder: Path) -> Path:
    arrow, files = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rows = [(q, d, s) for q, row in LISTS.items() for d, s in row.items()]
    columns = dict(zip(("q_id", "doc_id", "score"), map(list, zip(*rows, strict=True)), strict=True))
    files.write_table(arrow.table(columns), folder / "mine.parquet")
    return folder / "mine.parquet"


# kind, how its file is made, systems and datasets that are found
FILES: list[tuple[str, Callable[[Path], Path], list[tuple[str, str]]]] = [
    ("mteb", mteb, [("ann/tiny@00000000", "scifact")]),
    ("mteb-predictions", predictions, [("ann/tiny", "scifact")]),
    ("sentence-transformers", sentence_transformers, [("tiny_cosine", "")]),
    ("air-bench", air_bench, [("tiny", "long-doc-arxiv-en_gemini")]),
    ("air-bench", air_bench_zip, [("tiny", "long-doc-arxiv-en_gemini")]),
    ("coir", lambda folder: dumped(folder, "tiny/cosqa.json", COIR), [("tiny", "cosqa")]),
    (
        "vidore",
        lambda folder: dumped(folder, "colpali_metrics.json", VIDORE),
        [("colpali", "docvqa"), ("colpali", "arxivqa")],
    ),
    ("bright", lambda folder: dumped(folder, "bm25/score.json", LISTS), [("bm25", "")]),
    ("bright", lambda folder: dumped(folder, "bm25/results.json", BRIGHT), [("bm25", "")]),
    (
        "bright",
        lambda folder: dumped(folder, "theoremqa_theorems_inst-l_long_False/score.json", LISTS),
        [("inst-l", "")],
    ),
    (
        "bright",
        lambda folder: dumped(folder, "pony_my_model_long_True/results.json", BRIGHT),
        [("my_model", "pony-long")],
    ),
    ("ranx", lambda folder: dumped(folder, "mine.json", LISTS), [("mine", "")]),
    ("ranx", lz4, [("mine", "")]),
    ("ranx", parquet, [("mine", "")]),
    ("trec", lambda folder: dumped(folder, "run.txt", RUN), [("mine", "")]),
    ("trec", lambda folder: dumped(folder, "bm25.trec", RUN.replace(" mine", " None")), [("bm25", "")]),
]


@pytest.mark.parametrize(
    ("kind", "make", "found"), FILES, ids=[f"{kind}-{n}" for n, (kind, _, _) in enumerate(FILES)]
)
def test_a_file_is_known_and_read(
    kind: str, make: Callable[[Path], Path], found: list[tuple[str, str]], tmp_path: Path
) -> None:
    path = make(tmp_path)
    importer = importer_for(path)
    assert importer.name == kind
    assert [(one.system, one.dataset) for one in importer.read(path)] == found


def test_lists_come_out_as_they_went_in(tmp_path: Path) -> None:
    for make in (predictions, sentence_transformers, parquet, lz4, lambda f: dumped(f, "mine.json", LISTS)):
        path = make(tmp_path)
        (one,) = importer_for(path).read(path)
        assert isinstance(one, Lists)
        assert one.run.to_dict() == LISTS


def test_means_of_mteb(tmp_path: Path) -> None:
    path = mteb(tmp_path)
    (one,) = importer_for(path).read(path)
    assert isinstance(one, Means)
    assert one.means == {
        Measure.parse("nDCG@10"): 0.64508,
        Measure.parse("AP@10"): 0.6,
        Measure.parse("RR@10"): 0.61,
        Measure.parse("Success@10"): 0.8,
    }
    assert one.split == "test"
    assert [*one.kept] == [f"ann__tiny/{'0' * 40}/SciFact.json", f"ann__tiny/{'0' * 40}/model_meta.json"]
    assert one.facts["subset"] == "default"


def test_a_folder_of_mteb_is_read_whole(tmp_path: Path) -> None:
    path = mteb(tmp_path)
    french = {**TASK["scores"]["test"][0], "hf_subset": "fr"}  # type: ignore[index]  # a list of objects
    dumped(path.parent, "Other.json", {**TASK, "task_name": "Other", "scores": {"dev": [french]}})
    dumped(path.parent, "notes.json", {"nothing": "of MTEB"})
    found = [*importer_for(tmp_path).read(tmp_path)]
    assert sorted((one.dataset, one.split) for one in found) == [("Other-fr", "dev"), ("scifact", "test")]


def test_a_folder_of_coir_is_one_system(tmp_path: Path) -> None:
    dumped(tmp_path, "tiny/cosqa.json", COIR)
    dumped(tmp_path, "tiny/apps.json", COIR)
    found = [*importer_for(tmp_path / "tiny").read(tmp_path / "tiny")]
    assert [(one.system, one.dataset) for one in found] == [("tiny", "apps"), ("tiny", "cosqa")]
    assert isinstance(found[0], Means)
    assert found[0].means[Measure.parse("P@10")] == 0.2


@pytest.mark.parametrize(
    ("kind", "data", "said"),
    [
        ("mteb", [], "has no task_name"),
        ("mteb", {"mteb_dataset_name": "SciFact"}, "is of an mteb before 1.11"),
        ("mteb", {**TASK, "scores": []}, "scores is no object of splits"),
        ("mteb", {**TASK, "scores": {"test": {}}}, r"scores\.test is no list"),
        ("mteb", {**TASK, "scores": {"test": [[]]}}, r"scores\.test\[0\] is no object"),
        ("mteb", {**TASK, "scores": {"test": [{"ndcg_at_10": 64.5}]}}, r"test\[0\]\.ndcg_at_10 is 64\.5"),
        ("mteb", {**TASK, "scores": {"test": [{"map_at_1": "1"}]}}, r"scores\.test\[0\]\.map_at_1 is '1'"),
        ("mteb-predictions", {"default": []}, "default is no object of splits"),
        ("mteb-predictions", {"default": {"test": []}}, r"default\.test is no object of queries"),
        ("mteb-predictions", {"default": {"test": {"q1": {"d1": "x"}}}}, "the score of q1/d1"),
        ("coir", {"metrics": {"NDCG": {}, "MAP": {}, "Recall": {}}}, r"metrics\.Precision is missing"),
        (
            "coir",
            {"metrics": {**COIR["metrics"], "MAP": {"MAP@5": 0.1}}},
            r"metrics\.MAP has the cut-offs \[5\], and NDCG \[1, 10\]",
        ),
        ("vidore", {"metrics": {"docvqa": []}}, r"metrics\.docvqa is no object"),
        ("vidore", {"metrics": {"docvqa": {"pages": 50}}}, r"metrics\.docvqa holds no figure of a known"),
        ("vidore", {"metrics": {"docvqa": {"ndcg_at_1": 50}}}, r"docvqa\.ndcg_at_1 is 50, outside"),
        ("air-bench", {"search_results": {}}, "found"),
        ("ranx", {"q1": {"d1": "x"}}, "the score of q1/d1"),
        ("bright", {"q1": []}, "q1"),
    ],
)  # fmt: skip
def test_what_is_damaged_names_its_key(kind: str, data: Any, said: str, tmp_path: Path) -> None:
    path = dumped(tmp_path, "SciFact.json", data)
    with pytest.raises(DataError, match=said):
        list(get(kind)().read(path))


def test_what_nobody_knows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"of no tool whose results are known \(say which with --as: mteb, "):
        importer_for(dumped(tmp_path, "notes.txt", "hello\n"))
    (tmp_path / "capsule.zip").write_bytes(b"PK\x03\x04 words between the blanks of zips\n")
    with pytest.raises(DataError, match="of no tool whose results are known"):
        importer_for(tmp_path / "capsule.zip")
    with pytest.raises(DataError, match="is not there"):
        importer_for(tmp_path / "nothing.json")
    with pytest.raises(UnknownNameError, match="did you mean 'mteb'"):
        importer_for(tmp_path / "notes.txt", "metb")
    with pytest.raises(DataError, match=r"d1.*stands? twice|twice in one object"):
        list(get("ranx")().read(dumped(tmp_path, "twice.json", '{"q1": {"d1": 1, "d1": 2}}')))
    (tmp_path / "no.lz4").write_bytes(b"none")
    pytest.importorskip("cbor2")
    with pytest.raises(DataError, match="is not LZ4"):
        list(get("ranx")().read(tmp_path / "no.lz4"))


def test_every_kind_says_what_it_is() -> None:
    assert all(get(name).name == name and get(name).summary for name in names())
