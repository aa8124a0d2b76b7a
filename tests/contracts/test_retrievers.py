"""Every kind of retriever in the catalog must pass every check here.

A kind takes part by an entry in ``CONTRACTS`` of ``retriever_contracts.py``. A check that a kind cannot pass
is listed in ``EXCEPTIONS`` there with the reason; there is no other way round one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, cast

import msgspec
import numpy as np
import pytest

from beirkit.configs.schema import RetrieverConfig
from beirkit.corpora.errors import ConfigError, DataError, UsageError
from beirkit.corpora.records import Document, Query
from beirkit.corpora.run import Run
from beirkit.retrievers.base import Retriever, Workplace
from beirkit.retrievers.catalog import create, get, kinds
from beirkit.retrievers.dense.sentence_transformer import SentenceTransformerEncoder
from beirkit.retrievers.late.encoder import LateModel
from beirkit.retrievers.sparse.encoder import SparseModel
from tests.contracts.retriever_contracts import AWAITED, CONTRACTS, EXCEPTIONS
from tests.contracts.retriever_sources import DOCUMENTS, QUERIES, Options
from tests.contracts.stand_ins import bag_of_words, word_vectors, word_weights
from tests.retrievers.lexical import fake_java


@pytest.fixture(autouse=True)
def _without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SentenceTransformerEncoder, "encode", bag_of_words)
    monkeypatch.setattr(SentenceTransformerEncoder, "count_truncated", lambda *_: 0)
    monkeypatch.setattr(LateModel, "encode", word_vectors)
    monkeypatch.setattr(SparseModel, "encode", word_weights)
    monkeypatch.setattr(SparseModel, "count_truncated", lambda *_: 0)


@pytest.fixture(scope="session")
def _stand_in_for_anserini(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return fake_java.install(tmp_path_factory.mktemp("java"))


@pytest.fixture(autouse=True)
def _without_java(monkeypatch: pytest.MonkeyPatch, _stand_in_for_anserini: dict[str, str]) -> None:
    for name, value in _stand_in_for_anserini.items():
        monkeypatch.setenv(name, value)


HEAVY = (
    "torch", "sentence_transformers", "transformers", "faiss", "scipy", "pandas", "pytrec_eval", "rank_bm25",
    "Stemmer", "beir", "onnxruntime", "openvino",
)  # fmt: skip


@pytest.fixture(params=[pytest.param(kind, marks=contract.marks) for kind, contract in CONTRACTS.items()])
def kind(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    reason = EXCEPTIONS.get((name, request.function.__name__))
    if reason:
        pytest.skip(reason)
    return name


@pytest.fixture(scope="session")
def options(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Options]:
    made: dict[str, Options] = {}

    def of(kind: str) -> Options:
        if kind not in made:
            made[kind] = CONTRACTS[kind].options(tmp_path_factory.mktemp(kind))
        return made[kind]

    return of


@pytest.fixture
def make(kind: str, options: Callable[[str], Options]) -> Callable[..., Retriever[Any]]:
    def made(changed: Mapping[str, Any] | None = None, **workplace: Any) -> Retriever[Any]:
        config = RetrieverConfig(name=f"tiny-{kind}", kind=kind, options={**options(kind), **(changed or {})})
        return create(config, Workplace(device="cpu", offline=True, **workplace))

    return made


Make = Callable[..., Retriever[Any]]


def _run(
    retriever: Retriever[Any], documents: Iterable[Document], queries: Iterable[Query], k: int = 100
) -> Run:
    retriever.index(iter(documents))
    return retriever.search(iter(queries), k)


def _rankings(run: Run) -> dict[str, list[str]]:
    return {query_id: [doc_id for doc_id, _ in pairs] for query_id, pairs in run.lists()}


def test_every_catalogued_kind_has_a_contract() -> None:
    assert {*CONTRACTS, *AWAITED} == set(kinds()), "a kind is named in tests/contracts/retriever_contracts.py"
    assert not set(CONTRACTS) & set(AWAITED)


def test_exceptions_name_kinds_and_checks_that_exist() -> None:
    assert all(kind in CONTRACTS and check in globals() for kind, check in EXCEPTIONS)


def test_the_class_says_what_it_is(kind: str) -> None:
    assert get(kind).kind == kind
    assert get(kind).summary
    assert "\n" not in get(kind).summary
    assert get(kind).Options.__doc__
    assert get(kind).stage >= 1


def test_documents_come_first(make: Make) -> None:
    with pytest.raises(UsageError, match="index"):
        make().search(QUERIES, 10)


def test_an_empty_corpus_is_refused(make: Make) -> None:
    with pytest.raises(DataError, match="empty"):
        make().index(iter([]))


def test_every_query_is_in_the_run_in_order(make: Make) -> None:
    run = _run(make(), DOCUMENTS, QUERIES)
    assert list(run.query_ids) == ["q2", "q10", "q1", "é"]
    assert {"d10", "z"} & set(_rankings(run)["q2"][:2])
    assert _rankings(run)["q10"][0] == "d2"


def test_no_queries_no_lists(make: Make) -> None:
    run = _run(make(), DOCUMENTS, [])
    assert len(run) == run.n_results == 0


def test_documents_that_share_nothing_are_not_returned(make: Make) -> None:
    rankings = _rankings(_run(make(), DOCUMENTS, QUERIES))
    assert rankings["q1"] == []
    assert set(rankings["q2"]) == {"d10", "d1", "z"}


def test_k_larger_than_the_corpus(make: Make) -> None:
    retriever = make()
    retriever.index(DOCUMENTS)
    assert list(retriever.search(QUERIES, 10_000).lists()) == list(retriever.search(QUERIES, 6).lists())


def test_a_smaller_k_gives_the_head_of_the_list(make: Make) -> None:
    retriever = make()
    retriever.index(DOCUMENTS)
    whole = dict(retriever.search(QUERIES, 100).lists())
    for k in (1, 2, 3):
        assert dict(retriever.search(QUERIES, k).lists()) == {key: row[:k] for key, row in whole.items()}


def test_one_document(make: Make) -> None:
    run = _run(make(), [Document("only", "", "An owl hunts.")], [Query("q", "owl")])
    assert _rankings(run) == {"q": ["only"]}


def test_an_empty_query(make: Make) -> None:
    run = _run(make(), DOCUMENTS, [Query("empty", ""), Query("blank", " \n"), Query("q", "voles")])
    assert list(run.query_ids) == ["empty", "blank", "q"]
    assert "z" in _rankings(run)["q"]


def test_a_query_of_stop_words(make: Make) -> None:
    run = _run(make(), DOCUMENTS, [Query("stop", "the of and to"), Query("q", "voles")])
    assert list(run.query_ids) == ["stop", "q"]
    assert "z" in _rankings(run)["q"]


def test_titles_that_are_empty_or_null(make: Make) -> None:
    documents = [
        Document("null", cast("Any", None), "An owl hunts voles."),
        Document("empty", "", "An owl hunts voles."),
        Document("blank", " ", "An owl hunts voles."),
    ]
    run = _run(make(), documents, [Query("q", "owl"), Query("none", "None")])
    pairs = dict(run.lists())["q"]
    assert [doc_id for doc_id, _ in pairs] == ["null", "empty", "blank"]
    assert len({score for _, score in pairs}) == 1, "a missing title is not spelled out"


def test_ties_go_by_id_descending_in_utf8(make: Make) -> None:
    ids = ["a", "b", "Z", "10", "9", "é", "\uff61", "\U0001f989", "_", "a b"]
    run = _run(make(), [Document(doc_id, "", "An owl hunts.") for doc_id in ids], [Query("q", "owl")])
    descending = sorted(ids, key=str.encode, reverse=True)
    assert _rankings(run)["q"] == descending
    retriever = make()
    assert _rankings(
        _run(retriever, [Document(i, "", "An owl hunts.") for i in ids], [Query("q", "owl")], 3)
    ) == {"q": descending[:3]}


def test_scores_are_finite_float32_in_order(make: Make) -> None:
    run = _run(make(), DOCUMENTS, QUERIES)
    assert run.scores.dtype == np.float32
    assert run.docs.dtype == np.int32
    assert np.isfinite(run.scores).all()
    assert list(run.ordered().lists()) == list(run.lists())
    assert all(len({doc for doc, _ in row}) == len(row) for _, row in run.lists())


def test_the_order_of_documents_changes_no_ranking(make: Make) -> None:
    expected = _rankings(_run(make(), DOCUMENTS, QUERIES))
    assert _rankings(_run(make(), DOCUMENTS[::-1], QUERIES)) == expected
    assert _rankings(_run(make(), DOCUMENTS[3:] + DOCUMENTS[:3], QUERIES)) == expected


def test_the_order_of_documents_changes_no_bit(make: Make) -> None:
    expected = list(_run(make(), DOCUMENTS, QUERIES).lists())
    assert list(_run(make(), DOCUMENTS[::-1], QUERIES).lists()) == expected
    assert list(_run(make(), DOCUMENTS[3:] + DOCUMENTS[:3], QUERIES).lists()) == expected


def test_the_order_of_queries_changes_no_ranking(make: Make) -> None:
    retriever = make()
    retriever.index(DOCUMENTS)
    forward, backward = retriever.search(QUERIES, 100), retriever.search(QUERIES[::-1], 100)
    assert list(backward.query_ids) == ["é", "q1", "q10", "q2"]
    assert _rankings(backward) == _rankings(forward)


def test_the_order_of_queries_changes_no_bit(make: Make) -> None:
    retriever = make()
    retriever.index(DOCUMENTS)
    forward, backward = retriever.search(QUERIES, 100), retriever.search(QUERIES[::-1], 100)
    assert dict(backward.lists()) == dict(forward.lists())


def test_a_second_corpus_replaces_the_first(make: Make) -> None:
    retriever = make()
    retriever.index(DOCUMENTS)
    retriever.search(QUERIES, 100)
    run = _run(retriever, [Document("new", "", "Owls again.")], QUERIES)
    assert {doc_id for row in _rankings(run).values() for doc_id in row} == {"new"}


def test_two_retrievers_of_one_identity_give_one_run(make: Make, tmp_path: Path) -> None:
    one, other, kept = make(), make(), make(cache=tmp_path)
    assert one.identity() == other.identity() == kept.identity()
    expected = list(_run(one, DOCUMENTS, QUERIES).lists())
    assert list(_run(other, DOCUMENTS, QUERIES).lists()) == expected
    assert list(_run(kept, DOCUMENTS, QUERIES).lists()) == expected
    assert list(_run(make(cache=tmp_path), DOCUMENTS, QUERIES).lists()) == expected


def test_the_report_is_json(make: Make) -> None:
    retriever = make()
    _run(retriever, DOCUMENTS, QUERIES)
    report = retriever.report()
    assert json.loads(json.dumps(report, allow_nan=False)) == report


def test_identity_is_json_and_known_before_any_work(make: Make) -> None:
    retriever = make()
    identity = retriever.identity()
    assert identity["kind"] == type(retriever).kind
    assert identity["stage"] == type(retriever).stage
    assert json.loads(json.dumps(identity, allow_nan=False)) == identity
    _run(retriever, DOCUMENTS, QUERIES)
    assert retriever.identity() == identity


_ASK = """
import json, sys
from beirkit.configs.schema import RetrieverConfig
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.catalog import create
config = RetrieverConfig(name="tiny", kind=sys.argv[1], options=json.loads(sys.argv[2]))
identity = create(config, Workplace(device="cpu", offline=True)).identity()
print(json.dumps([identity, sorted(set(sys.modules) & set(json.loads(sys.argv[3])))]))
"""


def test_identity_is_stable_and_loads_nothing_heavy(
    kind: str, make: Make, options: Callable[[str], Options]
) -> None:
    expected = make().identity()
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-P", "-c", _ASK, kind, json.dumps(options(kind)), json.dumps(HEAVY)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        identity, loaded = json.loads(done.stdout)
        assert loaded == []
        assert identity == expected


def test_identity_changes_with_every_option(kind: str, make: Make) -> None:
    changed = CONTRACTS[kind].changed
    known = {item.encode_name for item in msgspec.structs.fields(get(kind).Options)}
    neutral = CONTRACTS[kind].neutral
    named = {name for option in (*changed, *neutral) for name in option}
    assert named == known, f"tests/contracts/retriever_contracts.py is to try each option of {kind!r}"
    identities = [json.dumps(make(option).identity(), sort_keys=True) for option in ({}, *changed)]
    assert len(set(identities)) == len(identities)
    assert all(make(option).identity() == make().identity() for option in neutral)


def test_an_unknown_option_is_refused_with_the_nearest_name(kind: str, make: Make) -> None:
    name = msgspec.structs.fields(get(kind).Options)[0].encode_name
    with pytest.raises(ConfigError) as error:
        make({f"{name}x": 1})
    assert str(error.value).startswith(f"retriever tiny-{kind}, options: ")
    assert f"did you mean {name!r}?" in str(error.value)


def test_progress_counts_every_document_and_query(make: Make) -> None:
    from contextlib import contextmanager

    done: dict[str, int] = {}

    @contextmanager
    def progress(label: str, total: int | None, unit: str) -> Any:
        assert total is None or total >= 0

        def advance(n: int = 1, /) -> None:
            done[unit] = done.get(unit, 0) + n

        yield advance

    _run(make(progress=progress), DOCUMENTS, QUERIES)
    assert done["documents"] == len(DOCUMENTS)
    assert done["queries"] == len(QUERIES)


def test_progress_has_a_total_where_the_documents_can_be_counted(make: Make) -> None:
    from contextlib import contextmanager

    totals: list[tuple[str, int | None]] = []

    @contextmanager
    def progress(label: str, total: int | None, unit: str) -> Any:
        totals.append((unit, total))
        yield lambda n=1: None

    for documents in (DOCUMENTS, iter(DOCUMENTS)):
        make(progress=progress).index(documents)
    assert [total for unit, total in totals if unit == "documents"] == [len(DOCUMENTS), None]
