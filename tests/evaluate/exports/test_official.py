"""What we write, held to the checks and loaders of those who take it.

They run in the environment of :mod:`tests.house.peers`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from beirkit.configs.boards import air_bench
from beirkit.corpora.run import Run
from beirkit.evaluate.exports.air_bench import AirBenchOptions, AirBenchResults
from beirkit.evaluate.exports.tira import Tira, TiraOptions
from beirkit.evaluate.exports.trec import TrecOptions, TrecRuns
from beirkit.evaluate.imports.base import Lists
from beirkit.evaluate.imports.catalog import importer_for
from tests.evaluate.exports.small_results import LISTS, make_entry
from tests.house.peers import asked

pytestmark = pytest.mark.full

_TIRA = """
from pathlib import Path
from tira.check_format import RunFormat, RunWithIrMetadata, check_format
found = [check_format(Path(place), ["run.txt"])[0].name]
for kind in (RunFormat, RunWithIrMetadata):
    one = kind()
    one.apply_configuration_and_throw_if_invalid({})
    found.append(one.check_format(Path(place))[0].name)
print(json.dumps(found))
"""

_RANX_READS = """
from ranx import Qrels, Run, evaluate
run, qrels = Run.from_file(place + "/run.trec"), Qrels.from_file(place + "/test.qrels", kind="trec")
print(json.dumps(evaluate(qrels, run, ["ndcg@10", "mrr"])))
"""

_RANX_WRITES = """
from ranx import Run
run = Run(json.load(open(place + "/lists.json")), name="mine")
for kind, end in (("json", "json"), ("trec", "trec"), ("lz4", "lz4"), ("parquet", "parquet")):
    run.save(place + "/mine." + end, kind=kind)
print(json.dumps([]))
"""

_AIR_BENCH = """
from air_benchmark.tasks import BenchmarkTable, check_domains, check_languages, check_splits, check_task_types
data = json.load(open(place))
check_task_types([data["task_type"]])
check_domains([data["domain"]])
check_languages([data["language"]])
check_splits([data["split"]])
print(json.dumps({
    f"{task}/{domain}/{language}_{name}": facts["size"]["queries"]
    for task, domains in BenchmarkTable[data["benchmark_version"]].items()
    for domain, languages in domains.items()
    for language, sets in languages.items()
    for name, facts in sets.items()
}))
"""


def test_tira_takes_run_and_metadata(tmp_path: Path) -> None:
    options = TiraOptions(team="ann", repository="https://example.org/ann/code")
    Tira().write([make_entry(tmp_path)], tmp_path / "out", options)
    assert asked(_TIRA, tmp_path / "out") == ["OK", "OK", "OK"]


def test_ranx_scores_what_we_write_alike(tmp_path: Path) -> None:
    entry, out = make_entry(tmp_path), tmp_path / "out"
    TrecRuns().write([entry], out, TrecOptions())
    (out / "runs" / "birds@test" / "bm25.trec").rename(tmp_path / "run.trec")
    (out / "qrels" / "birds@test.qrels").rename(tmp_path / "test.qrels")
    found = asked(_RANX_READS, tmp_path)
    assert found["ndcg@10"] == pytest.approx(0.8167448055966119, abs=1e-9)
    assert found["mrr"] == pytest.approx(7 / 9, abs=1e-9)


def test_we_read_all_that_ranx_writes(tmp_path: Path) -> None:
    (tmp_path / "lists.json").write_text(json.dumps(LISTS), encoding="utf-8")
    asked(_RANX_WRITES, tmp_path)
    ours = Run.from_dict(LISTS).to_dict()
    for end in ("json", "trec", "lz4", "parquet"):
        path = tmp_path / f"mine.{end}"
        (one,) = importer_for(path).read(path)
        assert isinstance(one, Lists)
        assert one.run.to_dict() == ours, end


def test_air_benchmark_knows_our_places(tmp_path: Path) -> None:
    qrels = {f"q{n}": {"d1": 1} for n in range(249)}
    lists = {query_id: {"d1": 1.0} for query_id in qrels}
    entry = make_entry(tmp_path, lists=lists, qrels=qrels)
    options = AirBenchOptions(places={"birds": "long-doc/arxiv/en_gemini"})
    AirBenchResults().write([entry], tmp_path / "out", options)
    file = "bm25/NoReranker/long-doc/arxiv/en_gemini_test.json"
    assert asked(_AIR_BENCH, tmp_path / "out" / file) == air_bench().queries
