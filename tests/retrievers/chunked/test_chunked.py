"""Documents scored by their passages: equal to the definition, to any depth, in one search or in many."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from beirkit.corpora.errors import ConfigError, DataError, UsageError
from beirkit.corpora.passages import PassageRules, passages_of
from beirkit.corpora.records import Document, Query
from beirkit.corpora.run import Run
from beirkit.corpora.run_files import write_run
from beirkit.retrievers.chunked import retriever as module
from beirkit.retrievers.chunked.retriever import ChunkedRetriever
from tests.retrievers.chunked.pieces import by_definition, chunked, corpus, encoder

CHECKOUT = Path(__file__).parents[3]

INNER = ["bm25", "dense"]
METHODS = ["maxp", "firstp", "mean", "topk-mean"]


def inside(name: str, folder: Path) -> Any:
    return encoder(folder) if name == "dense" else name


def searched(
    retriever: ChunkedRetriever, documents: list[Document], queries: list[Query], k: int
) -> dict[str, list[tuple[str, float]]]:
    retriever.index(iter(documents))
    return dict(retriever.search(iter(queries), k).lists())


@pytest.mark.parametrize("inner", INNER)
@pytest.mark.parametrize("aggregation", METHODS)
@pytest.mark.parametrize("seed", range(6))
def test_it_is_the_definition_to_any_depth(inner: str, aggregation: str, seed: int, tmp_path: Path) -> None:
    documents, queries = corpus(seed)
    rules = PassageRules(size=3 + seed % 3, overlap=seed % 3, unit="words")
    spec = inside(inner, tmp_path)
    options: dict[str, Any] = {"size": rules.size, "overlap": rules.overlap, "aggregation": aggregation}
    expected = by_definition(spec, documents, queries, rules, aggregation)
    retriever = chunked(spec, **options)
    retriever.index(iter(documents))
    for k in (1, 2, 5, 20, len(documents), 10_000):
        found = dict(retriever.search(queries, k).lists())
        assert found == {query_id: row[:k] for query_id, row in expected.items()}


@pytest.mark.parametrize("inner", INNER)
@pytest.mark.parametrize("aggregation", METHODS)
def test_the_number_of_queries_searched_at_once_changes_nothing(
    inner: str, aggregation: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents, queries = corpus(11)
    spec = inside(inner, tmp_path)
    one, many = (chunked(spec, aggregation=aggregation) for _ in range(2))
    whole = searched(one, documents, queries, 4)
    report = one.report()
    for pairs in (1, 20):
        monkeypatch.setattr(module, "PAIRS", pairs)
        assert searched(many, documents, queries, 4) == whole
        assert many.costs()["searches"] > one.costs()["searches"]
        told = many.report()
        assert told["retriever"]["report"].pop("searches") > 1
        assert told == report, "what is told of the queries is put together"
        assert many.best.tolist() == one.best.tolist()


@pytest.mark.parametrize("top", [1, 2, 50])
@pytest.mark.parametrize("inner", INNER)
def test_the_mean_of_the_best_few(inner: str, top: int, tmp_path: Path) -> None:
    documents, queries = corpus(3)
    spec, rules = inside(inner, tmp_path), PassageRules(size=5, unit="words")
    expected = by_definition(spec, documents, queries, rules, "topk-mean", top)
    assert searched(chunked(spec, aggregation="topk-mean", top=top), documents, queries, 99) == expected


def test_one_of_the_best_is_the_best_and_all_of_the_best_are_all() -> None:
    documents, queries = corpus(4)
    of = {
        (method, top): searched(chunked("bm25", aggregation=method, top=top), documents, queries, 99)
        for method, top in [("maxp", None), ("topk-mean", 1), ("mean", None), ("topk-mean", 100)]
    }
    assert of["topk-mean", 1] == of["maxp", None]
    assert of["topk-mean", 100] == of["mean", None]


@pytest.mark.parametrize("inner", INNER)
@pytest.mark.parametrize("aggregation", METHODS)
def test_documents_no_longer_than_a_passage_are_ranked_as_they_are(
    inner: str, aggregation: str, tmp_path: Path
) -> None:
    documents, queries = corpus(5)
    spec = inside(inner, tmp_path)
    plain = by_definition(spec, documents, queries, PassageRules(size=100_000), "maxp")
    assert searched(chunked(spec, size=1000, aggregation=aggregation), documents, queries, 99) == plain


def test_many_ties_are_seen_to_their_end() -> None:
    documents = [Document(f"d{n}{mark}", "", "owl vole " * 5) for n in range(40) for mark in ("", "!")]
    found = searched(chunked("bm25", size=2), documents, [Query("q", "owl")], 3)["q"]
    descending = sorted((document.doc_id for document in documents), key=str.encode, reverse=True)
    assert [doc_id for doc_id, _ in found] == descending[:3]


def test_few_long_documents_in_front_hide_no_other() -> None:
    documents = [Document(f"long{n}", "", "owl " * 300) for n in range(3)]
    documents += [Document(f"s{n:03}", "", "owl vole wren") for n in range(200)]
    retriever = chunked("bm25", size=3)
    found = searched(retriever, documents, [Query("q", "owl")], 10)["q"]
    assert [doc_id for doc_id, _ in found] == [
        "long2",
        "long1",
        "long0",
        *(f"s{n}" for n in range(199, 192, -1)),
    ]
    assert retriever.costs()["searches"] > 1
    assert retriever.costs()["passages_per_query"] > 300


def test_only_as_many_passages_are_asked_for_as_it_takes(tmp_path: Path) -> None:
    documents, queries = corpus(6, count=200)
    for aggregation, all_of_them in (("maxp", False), ("mean", True)):
        retriever = chunked(encoder(tmp_path), aggregation=aggregation)
        searched(retriever, documents, queries, 3)
        asked = retriever.costs()["passages_per_query"]
        assert (asked == retriever.report()["passages"]) is all_of_them


def test_a_depth_of_ones_own_is_an_approximation_and_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    documents, queries = corpus(7)
    retriever = chunked(encoder(tmp_path), passages_per_query=4, aggregation="mean")
    with caplog.at_level(logging.WARNING):
        found = searched(retriever, documents, queries, 99)
    assert all(1 <= len(row) <= 4 for row in found.values())
    assert retriever.costs()["searches"] == 1
    assert retriever.report()["queries_cut"] == len(queries)
    assert "8 of 8 queries have more passages than the 4 that are looked at" in caplog.text
    caplog.clear()
    enough = chunked(encoder(tmp_path), passages_per_query=10_000, aggregation="mean")
    assert searched(enough, documents, queries, 99) == searched(
        chunked(encoder(tmp_path), aggregation="mean"), documents, queries, 99
    )
    assert enough.report()["queries_cut"] == 0
    assert "passages_per_query" not in caplog.text
    best = chunked(encoder(tmp_path), passages_per_query=12)
    searched(best, documents, queries, 1)
    assert best.report()["queries_cut"] == 0, "the first document is decided by fewer"


def test_scores_below_0_beside_passages_that_were_not_found_are_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    documents = [Document("a", "", "owl vole"), Document("b", "", "kite wren")]
    run = {"q": {"a#0": -1.0, "a#1": -3.0, "b#0": -4.0}}
    write_run(Run.from_dict(run), tmp_path / "run.jsonl")
    inner = {"kind": "run", "options": {"path": str(tmp_path / "run.jsonl")}}
    query = [Query("q", "owl")]
    with caplog.at_level(logging.WARNING):
        assert searched(chunked(inner, size=1), documents, query, 9) == {"q": [("a", -1.0), ("b", -4.0)]}
        assert caplog.text == ""
        mean = searched(chunked(inner, size=1, aggregation="mean"), documents, query, 9)
        one = searched(chunked(inner, size=1, aggregation="topk-mean", top=1), documents, query, 9)
    assert mean == {"q": [("b", -2.0), ("a", -2.0)]}
    assert one == {"q": [("b", 0.0), ("a", -1.0)]}, "the passage that was not found stands for 0"
    assert "1 of 1 queries have passages with scores below 0" in caplog.text


def test_a_run_over_other_passages_is_refused(tmp_path: Path) -> None:
    documents = [Document("a", "", "owl vole")]
    for passage in ("a#2", "a", "b#0", "a#x", "a#\u0661", "#0"):
        write_run(Run.from_dict({"q": {passage: 1.0}}), tmp_path / "run.jsonl")
        inner = {"kind": "run", "options": {"path": str(tmp_path / "run.jsonl"), "unknown": "keep"}}
        with pytest.raises(DataError, match="1 results are no passages of these documents, such as"):
            searched(chunked(inner, size=1), documents, [Query("q", "owl")], 9)


def test_the_best_passage_of_each_result(tmp_path: Path) -> None:
    documents, queries = corpus(8)
    rules = PassageRules(size=4, overlap=1, unit="words")
    for spec in ("bm25", encoder(tmp_path)):
        retriever = chunked(spec, size=4, overlap=1)
        retriever.index(documents)
        run = retriever.search(queries, 10)
        assert len(retriever.best) == run.n_results
        passages = [passage for document in documents for passage in passages_of(document, rules)]
        texts = {passage.doc_id: passage for passage in passages}
        alone = chunked(spec, size=4, overlap=1)._inner.retriever
        alone.index(passages)
        scores = alone.search(queries, len(passages)).to_dict()
        for at, (doc, value, group) in enumerate(zip(run.docs, run.scores, run.groups, strict=True)):
            passage = f"{run.doc_ids[doc]}#{retriever.best[at]}"
            assert passage in texts
            assert scores[run.query_ids[group]][passage] == value


def test_titles_with_every_passage_or_with_none() -> None:
    documents = [
        Document("t", "kite", "owl " * 8),
        Document("only", "kite", " "),
        Document("plain", "", "owl"),
    ]
    with_titles = searched(chunked("bm25", size=4), documents, [Query("q", "kite")], 9)["q"]
    without = searched(chunked("bm25", size=4, title=False), documents, [Query("q", "kite")], 9)["q"]
    assert [doc_id for doc_id, _ in with_titles] == ["only", "t"]
    assert [doc_id for doc_id, _ in without] == ["only"], "a document without text is its title"


def test_an_empty_document_is_one_passage(tmp_path: Path) -> None:
    documents = [Document("empty", "", ""), Document("blank", "", "  \n"), Document("owl", "", "owl " * 9)]
    retriever = chunked(encoder(tmp_path), size=4)
    found = searched(retriever, documents, [Query("q", "owl")], 9)["q"]
    assert found[0][0] == "owl"
    assert found[1:] == [("empty", 0.0), ("blank", 0.0)]
    assert retriever.report()["passages"] == 5


def test_what_is_told() -> None:
    documents = [Document("a", "", "owl " * 10), Document("b", "", "vole"), Document("c", "", "")]
    retriever = chunked("bm25", size=4)
    searched(retriever, documents, [Query("q", "owl")], 2)
    report = retriever.report()
    assert report["documents"] == 3
    assert report["passages"] == 5
    assert report["passages_per_document"] == {"mean": 1.667, "most": 3}
    assert report["documents_of_one_passage"] == 2
    assert report["retriever"]["name"] == "bm25"
    assert report["retriever"]["report"]["documents"] == 5
    first = chunked("bm25", size=4, aggregation="firstp")
    searched(first, documents, [Query("q", "owl")], 2)
    assert first.report()["passages"] == first.report()["retriever"]["report"]["documents"] == 3


def test_a_stream_is_read_once_and_as_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The retriever inside takes passages in blocks; documents are not collected before."""
    ahead: list[int] = []
    retriever = chunked(encoder(tmp_path), size=1)
    inner = retriever._inner.retriever
    index = inner.index

    def slowly(passages: Any) -> None:
        def counted() -> Iterator[Document]:
            for taken, passage in enumerate(passages):
                ahead.append(given - taken // 10)
                yield passage

        index(counted())

    given = 0

    def stream() -> Iterator[Document]:
        nonlocal given
        for number in range(50):
            given += 1
            yield Document(f"d{number}", "", "owl " * 10)

    monkeypatch.setattr(inner, "index", slowly)
    retriever.index(stream())
    assert given == 50
    assert max(ahead) == 1


def test_a_repeated_id_is_named() -> None:
    documents = [Document("a", "", "owl"), Document("a", "", "vole")]
    with pytest.raises(DataError, match="document id 'a' occurs twice"):
        chunked("bm25").index(documents)


def read(folder: Path) -> list[str]:
    log = folder / "encoder.py.log"
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    log.unlink(missing_ok=True)
    return [line.removeprefix("document ") for line in lines if line.startswith("document ")]


def test_another_aggregation_encodes_nothing_and_another_size_what_is_new(tmp_path: Path) -> None:
    documents, queries = corpus(9)
    cache, spec = tmp_path / "cache", encoder(tmp_path)
    first = searched(chunked(spec, cache), documents, queries, 9)
    assert read(tmp_path)
    assert searched(chunked(spec, cache), documents, queries, 9) == first
    searched(chunked(spec, cache, aggregation="mean"), documents, queries, 9)
    searched(chunked(spec, cache, aggregation="topk-mean"), documents, queries, 9)
    assert read(tmp_path) == []
    assert searched(chunked(spec, cache, size=7), documents, queries, 9) != first
    assert read(tmp_path)
    searched(chunked(spec, cache, size=1000), documents, queries, 9)
    read(tmp_path)
    searched(chunked(spec, cache, size=2000), documents, queries, 9)
    assert read(tmp_path) == [], "no document is longer than either, and equal texts are the same entry"


KILLED = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from beirkit.corpora.records import Document
from beirkit.retrievers import store
from beirkit.retrievers.dense import retriever as dense
store.BLOCK = 20
dense.blocks.__defaults__ = (20,)
from tests.retrievers.chunked.pieces import chunked, corpus, encoder
folder = Path(sys.argv[1])
documents, queries = corpus(10)

def stream():
    for number, document in enumerate(documents):
        if number == int(sys.argv[3]):
            os._exit(9)
        yield document

retriever = chunked(encoder(folder), folder / "cache")
retriever.index(stream())
print(retriever.search(queries, 9).to_dict())
"""


def test_a_killed_run_goes_on_with_the_block_it_was_at(tmp_path: Path) -> None:
    def run(stop: int) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-P", "-c", KILLED, str(tmp_path), str(CHECKOUT), str(stop)]
        return subprocess.run(command, check=False, capture_output=True, text=True, env=dict(os.environ))

    assert run(15).returncode == 9
    before = set(read(tmp_path))
    assert before
    done = run(1000)
    assert done.returncode == 0, done.stderr
    rest = read(tmp_path)
    again = run(1000)
    assert again.stdout == done.stdout
    assert read(tmp_path) == []
    documents, _ = corpus(10)
    passages = [p for d in documents for p in passages_of(d, PassageRules(size=5, unit="words"))]
    assert len(rest) < len({f"{p.title} {p.text}".strip() for p in passages})


def test_any_retriever_may_be_inside(tmp_path: Path) -> None:
    documents, queries = corpus(12)
    fusion = {"kind": "fusion", "options": {"members": ["bm25", encoder(tmp_path)], "depth": 10_000}}
    for spec in (fusion, {"kind": "bm25f", "options": {}}):
        expected = by_definition(spec, documents, queries, PassageRules(size=5, unit="words"), "maxp")
        assert searched(chunked(spec), documents, queries, 6) == {q: row[:6] for q, row in expected.items()}
    outer = {"kind": "chunked", "options": {"retriever": "bm25", "size": 2}}
    inside_out = searched(chunked(outer, size=4), documents, queries, 99)
    assert inside_out == searched(chunked("bm25", size=2), documents, queries, 99), "4 words are twice 2"


def test_the_size_is_all_that_differs_between_identities() -> None:
    small, large = chunked("bm25", size=128).identity(), chunked("bm25", size=256).identity()
    assert small["chunk"].pop("size") == 128
    assert large["chunk"].pop("size") == 256
    assert small == large


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"size": 0}, "size is 0: a passage has at least 1 of words"),
        ({"size": 4, "overlap": 4}, "overlap is 4"),
        ({"unit": "tokens"}, "unit"),
        ({"aggregation": "sum"}, "aggregation"),
        ({"top": 2}, "top means nothing for maxp"),
        ({"aggregation": "topk-mean", "top": 0}, "top is 0"),
        ({"passages_per_query": 0}, "passages_per_query is 0"),
        ({"retriever": 3}, "retriever: 3 is no retriever"),
    ],
)
def test_impossible_options_are_refused(options: dict[str, Any], found: str) -> None:
    with pytest.raises(ConfigError, match=found):
        chunked(options.pop("retriever", "bm25"), **options)


def test_no_k_below_1() -> None:
    retriever = chunked("bm25")
    retriever.index([Document("a", "", "owl")])
    with pytest.raises(UsageError, match="k is 0"):
        retriever.search([], 0)
    assert retriever.search([], 3).n_results == 0
    assert json.loads(json.dumps(retriever.report())) == retriever.report()
    assert np.array_equal(retriever.best, np.empty(0))
