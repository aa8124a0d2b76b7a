"""What results cost, as their folders tell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from beirkit.cli.main import main
from beirkit.costs import Cost, read_cost, without_model

HOST = {"machine": "x86_64", "system": "Linux", "cpus": 2}


WEIGHTS = {"model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"}
DENSE = {"kind": "dense", "encoder": {"kind": "dense", "weights_sha256": WEIGHTS}}


def kept(folder: Path, timings: Any, **manifest: Any) -> Path:
    """A result folder with as much as is looked at."""
    folder.mkdir(parents=True)
    facts = {
        "k": 10,
        "queries": 100,
        "self_match": {"query_ids": []},
        "name": "own",
        "report": {},
        **manifest,
    }
    (folder / "manifest.json").write_text(json.dumps(facts), encoding="utf-8")
    (folder / "timings.json").write_text(json.dumps(timings), encoding="utf-8")
    return folder


def test_everything_that_is_told(tmp_path: Path) -> None:
    timings = {
        "seconds": {"index": 4.0, "search": 2.0},
        "peak_memory_mib": 300,
        "host": HOST,
        "index_bytes": 4096,
        "latency_ms": {"p50": 1.5, "p95": 9.0, "queries": 100},
        "from_store": {"document": 0, "query": 0},
    }
    report = {"document": {"texts": 1000}, "dimensions": 384}
    folder = kept(tmp_path / "a", timings, name="minilm", report=report, retriever=DENSE)
    assert read_cost(folder) == Cost(
        documents_per_second=250,
        queries_per_second=50,
        latency_p50=1.5,
        latency_p95=9,
        index_bytes=4096,
        dimensions=384,
        parameters=22713216,
        licence="Apache-2.0",
        peak_memory_mib=300,
        machine=json.dumps(HOST, sort_keys=True),
    )


@pytest.mark.parametrize(
    ("stored", "documents", "queries"),
    [
        ({"document": 0, "query": 0}, 250, 50),
        ({"document": 900, "query": 0}, None, 50),
        ({"document": 1000, "query": 3}, None, None),
        (None, None, None),  # of an older version, which did not say
    ],
)
def test_vectors_from_the_store_are_no_speed(
    tmp_path: Path, stored: Any, documents: float | None, queries: float | None
) -> None:
    timings = {"seconds": {"index": 4.0, "search": 2.0}} | ({} if stored is None else {"from_store": stored})
    folder = kept(
        tmp_path / "a",
        timings,
        report={"document": {"texts": 1000}},
        retriever=DENSE,
    )
    cost = read_cost(folder)
    assert (cost.documents_per_second, cost.queries_per_second) == (documents, queries)


def test_what_is_not_recorded_is_open(tmp_path: Path) -> None:
    assert read_cost(kept(tmp_path / "a", {})) == Cost()
    damaged = kept(tmp_path / "b", {"seconds": "soon", "latency_ms": [1], "index_bytes": None})
    assert read_cost(damaged) == Cost()
    (damaged / "timings.json").write_text("{", encoding="utf-8")
    assert read_cost(damaged) == Cost()
    bare = tmp_path / "run.trec"
    bare.write_text("q1 Q0 d1 1 1.0 t\n", encoding="utf-8")
    assert read_cost(bare) == Cost()


@pytest.mark.parametrize("name", ["minilm", "minilm:model=other", "mine", "bm25"])
def test_another_model_has_no_licence_of_ours(tmp_path: Path, name: str) -> None:
    other = {"encoder": {"kind": "dense", "weights_sha256": {"model.safetensors": "00" * 32}}}
    cost = read_cost(kept(tmp_path / "a", {}, name=name, retriever=other))
    assert (cost.licence, cost.parameters) == ("", None)


def test_a_run_records_what_it_costs(birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "-d", str(birds), "-r", "bm25", "--out", str(tmp_path / "out"), "--json"]) == 0
    [item] = json.loads(capsys.readouterr().out)["results"]
    timings = json.loads((Path(item["path"]) / "timings.json").read_text(encoding="utf-8"))
    assert timings["latency_ms"]["queries"] == 4
    cost = read_cost(Path(item["path"]))
    assert cost.index_bytes == timings["index_bytes"] > 0
    assert cost.latency_p50 == timings["latency_ms"]["p50"]
    assert (cost.licence, cost.parameters, cost.dimensions) == ("", None, None)
    assert read_cost(Path(item["path"]) / "run.trec.gz") == cost


BM25 = {"kind": "bm25-lucene"}
LATE = {"kind": "late", "encoder": {"kind": "late", "model_sha256": "0123"}}
REVISION = "1110a243fdf4706b3f48f1d95db1a4f5529b4d41"


@pytest.mark.parametrize(
    ("name", "retriever", "report", "stated"),
    [
        ("minilm-maxp", {"kind": "chunked", "retriever": DENSE}, {}, ("Apache-2.0", 22713216)),
        ("bm25-minilm-rrf", {"kind": "fusion", "members": [BM25, DENSE]}, {}, ("Apache-2.0", 22713216)),
        ("minilm-tokens", LATE, {"revision": REVISION}, ("Apache-2.0", 22713216)),
        # another model than the shipped one, which a file of one's own may have under its name
        ("minilm-tokens", LATE, {"revision": "abcd"}, ("", None)),
        ("minilm-maxp", {"kind": "chunked", "retriever": LATE}, {}, ("", None)),
        ("bm25-minilm-rrf", {"kind": "fusion", "members": [BM25, DENSE, LATE]}, {}, ("", None)),
        # nobody states the licence of what reorders
        ("bm25-cross-encoder", {"kind": "rerank", "scorer": {}, "retriever": BM25}, {}, ("", None)),
        ("bm25-maxp", {"kind": "chunked", "retriever": BM25}, {}, ("", None)),
    ],
)
def test_models_inside_another_retriever_are_its_own(
    tmp_path: Path, name: str, retriever: Any, report: Any, stated: tuple[str, int | None]
) -> None:
    cost = read_cost(kept(tmp_path / "a", {}, name=name, retriever=retriever, report=report))
    assert (cost.licence, cost.parameters) == stated


def test_several_models_count_together(tmp_path: Path) -> None:
    own = tmp_path / "two.yaml"
    own.write_text("name: two\nkind: fusion\noptions: {members: [minilm, minilm-tokens, bm25]}\n", "utf-8")
    retriever = {"kind": "fusion", "members": [DENSE, LATE, BM25]}
    cost = read_cost(
        kept(tmp_path / "a", {}, name=f"{own}", retriever=retriever, report={"revision": REVISION})
    )
    assert (cost.licence, cost.parameters) == ("Apache-2.0", 2 * 22713216)


@pytest.mark.parametrize(
    ("retriever", "none"),
    [
        (BM25, True),
        ({"kind": "chunked", "retriever": BM25}, True),
        ({"kind": "fusion", "members": [BM25, {"kind": "chunked", "retriever": BM25}]}, True),
        ({"kind": "fusion", "members": [BM25, DENSE]}, False),
        ({"kind": "rerank", "retriever": BM25}, False),
        ({"kind": "fusion", "members": []}, False),
        ({}, False),
    ],
)
def test_what_has_no_model_inside_has_none(retriever: Any, none: bool) -> None:
    assert without_model(retriever) == none


def test_indexes_inside_count_together_and_vectors_from_the_store_are_no_speed_there_either(
    tmp_path: Path,
) -> None:
    members: list[dict[str, Any]] = [
        {"from_store": False, "index_bytes": 40},
        {"from_store": {"document": 9, "query": 0}, "index_bytes": 60},
    ]
    timings = {"seconds": {"index": 4.0, "search": 2.0}, "members": members}
    retriever = {"kind": "fusion", "members": [BM25, DENSE]}
    cost = read_cost(kept(tmp_path / "a", timings, retriever=retriever, report={"documents": 9}))
    assert (cost.index_bytes, cost.documents_per_second, cost.queries_per_second) == (100, None, 50)
    del members[0]["index_bytes"]
    assert read_cost(kept(tmp_path / "b", timings, retriever=retriever)).index_bytes is None
