"""What an embedding service is paid: told before, counted, limited, and never twice for one text."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from beirkit.caching import entries
from beirkit.configs.schema import RetrieverConfig
from beirkit.corpora.errors import UsageError
from beirkit.corpora.progress import Advance
from beirkit.corpora.records import Document, Query
from beirkit.encoding import encode
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.catalog import create
from tests.retrievers.dense.local_embeddings import LocalEmbeddings
from tests.retrievers.dense.over_service import DOCUMENTS, QUERIES, made, run


def test_what_it_took_is_in_the_report(service: LocalEmbeddings, tmp_path: Path) -> None:
    service.faults = [503, None, 429]
    first = made(service, tmp_path, price=0.5)
    run(first)
    bill = {
        "requests": 6, "retries": 2, "tokens": 206, "tokens_counted_by": "service", "price_of_a_million": 0.5,
        "cost": 0.000103, "answered_by": ["words-0001"],
    }  # fmt: skip
    assert first.report()["service"] == bill
    assert first.costs()["service"] == {"requests": 8, "repeated": 2, "tokens": 206, "cost": 0.000103}
    again = made(service, tmp_path, price=0.5)
    run(again)
    assert again.report()["service"] == bill
    assert again.costs()["service"] == {"requests": 0, "repeated": 0, "tokens": 0, "cost": 0.0}


@pytest.mark.parametrize("told", [None, "206", True, -1, float("nan"), float("inf"), [], {}])
def test_tokens_that_nobody_counts_are_estimated(service: LocalEmbeddings, told: Any) -> None:
    service.change = lambda answer: {**answer, "usage": {"total_tokens": told}}
    retriever = made(service)
    run(retriever)
    size = sum(len(d.text) for d in DOCUMENTS) + sum(len(q.text) for q in QUERIES)
    bill = retriever.report()["service"]
    assert bill["tokens_counted_by"] == "estimate"
    assert bill["tokens"] == pytest.approx(size / 4, abs=3)


def test_an_estimate_is_told_before_anything_is_asked(
    service: LocalEmbeddings, caplog: pytest.LogCaptureFixture
) -> None:
    service.before_answer = lambda: told.append(caplog.text)
    told: list[str] = []
    run(made(service, price=2.0))
    assert "40 document texts lack a vector of words, about 178 tokens, cost 0.000356" in told[0]
    assert "3 query texts lack a vector of words" in told[-1]


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        (
            {"price": 1000.0, "max_cost": 0.1},
            r"it would cost about 0\.178 for 178 tokens, and max_cost is 0\.1",
        ),
        ({"max_tokens": 150}, "it would take about 178 tokens, and max_tokens is 150"),
    ],
)
def test_what_would_be_too_dear_is_refused(
    service: LocalEmbeddings, limit: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        run(made(service, **limit))
    assert service.asked == []


def test_work_that_comes_to_be_too_dear_is_stopped(service: LocalEmbeddings, tmp_path: Path) -> None:
    def expensive(answer: dict[str, Any]) -> dict[str, Any]:
        return {**answer, "usage": {"total_tokens": 1000}}

    service.change = expensive
    with pytest.raises(UsageError, match="it would take 2,000 tokens, and max_tokens is 1,500"):
        run(made(service, tmp_path, max_tokens=1500))
    assert len(service.asked) == 2
    run(made(service, tmp_path, max_tokens=100_000))
    assert len(service.asked) == 6  # the two answers were kept


def test_offline_nothing_is_asked(
    service: LocalEmbeddings, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(
        UsageError, match=r"40 document texts lack a vector of words.*offline nothing is asked"
    ):
        run(made(service, tmp_path, offline=True))
    assert service.asked == []
    first = run(made(service, tmp_path))
    service.asked.clear()
    with caplog.at_level(logging.INFO):
        assert run(made(service, tmp_path, offline=True)) == first
    assert "nothing is asked, every document has its vector in the store" in caplog.text
    assert service.asked == []


def test_every_search_is_on_the_bill(service: LocalEmbeddings, tmp_path: Path) -> None:
    retriever = made(service, tmp_path)
    run(retriever)
    retriever.search([Query("q4", "a kestrel")], 3)
    assert retriever.report()["service"]["tokens"] == 208
    retriever.index([Document("d", "", "owl")])
    assert retriever.report()["service"]["tokens"] == 1


def test_tokens_are_shown_while_they_are_counted(service: LocalEmbeddings) -> None:
    shown: dict[str, int] = {}

    @contextmanager
    def progress(label: str, total: int | None, unit: str) -> Iterator[Advance]:
        def advance(done: int = 1, /) -> None:
            shown[f"{label} {unit}"] = shown.get(f"{label} {unit}", 0) + done

        yield advance

    config = RetrieverConfig(
        name="web", kind="dense", options={"model": "service:words", "service": {"url": service.url}}
    )
    run(create(config, Workplace(progress=progress)))
    assert shown["words: document tokens"] == 200
    assert shown["words: query tokens"] == 6
    assert shown["index documents"] == 40
    assert shown["search queries"] == 3


def test_the_store_shows_answers(service: LocalEmbeddings, tmp_path: Path) -> None:
    run(made(service, tmp_path))
    found = {entry.kind: entry.what for entry in entries(tmp_path)}
    assert set(found) == {"embeddings", "responses"}
    assert "words" in found["responses"]
    assert service.url in found["responses"]


def owls(service: LocalEmbeddings, folder: Path) -> tuple[Path, Path]:
    """A BEIR folder of the documents, and a file that names the service."""
    data = folder / "owls"
    (data / "qrels").mkdir(parents=True)
    rows = [{"_id": d.doc_id, "title": "", "text": d.text} for d in DOCUMENTS]
    (data / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (data / "queries.jsonl").write_text('{"_id": "q1", "text": "owl 7"}\n', encoding="utf-8")
    (data / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td07\t1\n", encoding="utf-8")
    asked = {"url": service.url, "concurrency": 1, "backoff": 0}
    options = {"model": "service:words", "batch_size": 4, "service": asked}
    config = {"name": "w", "kind": "dense", "options": options}
    file = folder / "w.yaml"
    file.write_text(json.dumps(config), encoding="utf-8")
    return data, file


def test_vectors_are_bought_as_files_too(
    service: LocalEmbeddings, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    data, config = owls(service, tmp_path)
    place = Workplace(cache=tmp_path / "cache")
    first = encode(str(data), str(config), tmp_path / "vectors", workplace=place)
    assert "40 document texts lack a vector of words, about 178 tokens" in caplog.text
    assert (first.manifest["document"]["texts"], first.manifest["query"]["texts"]) == (40, 1)
    asked = len(service.asked)
    again = encode(str(data), str(config), tmp_path / "again", workplace=place)
    assert again.manifest == first.manifest
    assert len(service.asked) == asked


_RUN = """
import json, sys
from beirkit.cli.main import main
sys.exit(main(["run", "-d", sys.argv[1], "-r", sys.argv[2], "--out", sys.argv[3], "-k", "3", "--quiet"]))
"""


@pytest.mark.skipif(os.name != "posix", reason="a process is killed")
def test_a_killed_run_pays_for_nothing_twice(service: LocalEmbeddings, tmp_path: Path) -> None:
    data, config = owls(service, tmp_path)
    command = [
        sys.executable,
        "-P",
        "-c",
        _RUN,
        str(data),
        str(config),
        str(tmp_path / "results"),
    ]
    env = {**os.environ, "BEIRKIT_HOME": str(tmp_path / "home")}
    process = subprocess.Popen(command, env=env)

    def kill() -> None:
        if len(service.asked) == 6:  # the fifth answer is on the disk, or the sixth would not be asked for
            process.send_signal(signal.SIGKILL)
            process.wait()

    service.before_answer = kill
    assert process.wait() == -signal.SIGKILL
    service.before_answer = None
    assert len(service.asked) == 6
    assert len(list((tmp_path / "home").rglob("responses/*/*.npy"))) == 5
    subprocess.run(command, env=env, check=True)
    assert len(service.asked) == 6 + 5 + 1  # what is left of ten batches, and the query
    assert sorted({text for text in service.texts if service.texts.count(text) > 1}) == sorted(
        service.asked[5]["input"]
    )
    manifest = json.loads(next((tmp_path / "results").rglob("manifest.json")).read_bytes())
    assert manifest["report"]["service"]["requests"] == 11
