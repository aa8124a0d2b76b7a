"""A search service as a retriever: what is asked, how patiently, and what is told of failures."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from beirkit.configs.schema import RetrieverConfig
from beirkit.configs.spec import parse_retriever
from beirkit.corpora.errors import ConfigError, DataError, UsageError
from beirkit.corpora.records import Document, Query
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.catalog import create
from beirkit.retrievers.outside.service import ServiceRetriever
from tests.retrievers.outside.local_service import LocalService

DOCUMENTS = [Document(f"d{i:02}", "", " ".join(["owl"] * (i % 7) + ["vole"] * (i % 3))) for i in range(25)]
QUERIES = [Query("q1", "owl"), Query("q2", "vole & owl?"), Query("q3", "zyxwv")]


@pytest.fixture
def service() -> Iterator[LocalService]:
    made = LocalService(DOCUMENTS)
    yield made
    made.close()


def options(service: LocalService, **changed: Any) -> dict[str, Any]:
    return {
        "url": f"{service.url}?query={{query}}&k={{k}}", "results": "found.items", "id": "doc.id",
        "backoff": 0, "timeout": 5, **changed,
    }  # fmt: skip


def made(service: LocalService, cache: Path | None = None, **changed: Any) -> ServiceRetriever:
    config = RetrieverConfig(name="web", kind="http", options=options(service, **changed))
    retriever = create(config, Workplace(cache=cache))
    assert isinstance(retriever, ServiceRetriever)
    retriever.index(iter(DOCUMENTS))
    return retriever


def test_answers_become_lists(service: LocalService) -> None:
    run = made(service).search(QUERIES, 4).to_dict()
    assert run["q1"] == {"d20": 6.0, "d13": 6.0, "d06": 6.0, "d19": 5.0}
    assert list(run) == ["q1", "q2", "q3"]
    assert run["q3"] == {}
    assert service.asked[1][0] == "/search?query=vole%20%26%20owl%3F&k=4"


def test_a_body_is_filled_and_secrets_come_from_the_environment(
    service: LocalService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = {"query": "{query}", "k": "{k}", "filter": {"note": "for {query}", "keep": [True, 3]}}
    changed: dict[str, Any] = {
        "url": service.url, "method": "POST", "body": body,
        "headers": {"Authorization": "Bearer env:WEB_KEY"},
    }  # fmt: skip
    with pytest.raises(UsageError, match="the variable WEB_KEY is not set"):
        made(service, **changed).search(QUERIES, 3)
    monkeypatch.setenv("WEB_KEY", "sesame-7351")
    retriever = made(service, tmp_path, **changed)
    assert len(retriever.search(QUERIES, 3).to_dict()["q1"]) == 3
    _, headers, sent = service.asked[0]
    assert sent == {"query": "owl", "k": 3, "filter": {"note": "for owl", "keep": [True, 3]}}
    assert headers["authorization"] == "Bearer sesame-7351"
    assert "sesame" not in json.dumps(retriever.identity())
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and b"sesame" in path.read_bytes()]


@pytest.mark.parametrize("most", [None, 3])
def test_pages_are_asked_for_until_there_are_enough(service: LocalService, most: int | None) -> None:
    whole = made(service).search(QUERIES, 20).to_dict()
    service.asked.clear()
    url = f"{service.url}?query={{query}}&k={{k}}&offset={{offset}}"
    found = made(service, url=url, page_size=6).search(QUERIES[:1], 20).to_dict()
    assert found == {"q1": whole["q1"]}
    assert [asked[0].rpartition("=")[2] for asked in service.asked] == ["0", "6", "12", "18"]


@pytest.mark.parametrize("fault", [503, 429, "cut", "slow"])
def test_what_may_pass_is_tried_again(service: LocalService, fault: int | str) -> None:
    service.faults = [fault, fault]
    retriever = made(service, timeout=0.3)
    assert len(retriever.search(QUERIES, 4).to_dict()["q1"]) == 4
    assert retriever.costs() == {"requests": 5, "repeated": 2, "from_store": 0}


def test_queries_without_an_answer_are_told_one_by_one(
    service: LocalService, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    service.refused = {"owl"}
    with pytest.raises(
        UsageError, match=r"1 of 3 queries got no answer, the first 'q1': HTTP 400: no such luck"
    ):
        made(service, tmp_path).search(QUERIES, 4)
    lenient = made(service, tmp_path, on_error="record")
    run = lenient.search(QUERIES, 4).to_dict()
    assert run["q1"] == {}
    assert len(run["q2"]) == 4
    assert lenient.report()["errors"] == {"q1": "HTTP 400: no such luck"}
    assert "1 of 3 queries got no answer" in caplog.text
    assert lenient.costs()["from_store"] == 2  # the first run kept what it got
    service.refused = set()
    assert len(made(service, tmp_path).search(QUERIES, 4).to_dict()["q1"]) == 4


def test_a_service_that_stays_away_is_one_message(service: LocalService) -> None:
    service.close()
    with pytest.raises(UsageError, match=r"3 of 3 queries got no answer.*\(sent 2 times\)"):
        made(service, retries=1).search(QUERIES, 4)


def test_what_was_answered_is_not_asked_again(service: LocalService, tmp_path: Path) -> None:
    expected = list(made(service, tmp_path).search(QUERIES, 4).lists())
    again = made(service, tmp_path)
    assert list(again.search(QUERIES, 4).lists()) == expected
    assert again.costs() == {"requests": 0, "repeated": 0, "from_store": 3}
    assert made(service, tmp_path, version="2").search(QUERIES, 4).to_dict() == {
        query: dict(row) for query, row in expected
    }
    assert len(service.asked) == 6


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"results": "found.hits"}, r"the answer has no 'found.hits' \(its keys: items\)"),
        ({"results": "found"}, "is no list but dict"),
        ({"id": "docid"}, r"a result has no 'docid' \(its keys: doc, score\)"),
        ({"score": "doc.id"}, "no number"),
    ],
)
def test_a_path_that_leads_nowhere_is_told(
    service: LocalService, changed: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        made(service, **changed).search(QUERIES, 4)


def test_an_answer_that_is_no_json_is_told(service: LocalService) -> None:
    service.faults = ["text"] * 4
    with pytest.raises(UsageError, match=r"the answer is no JSON: '<html>' \(sent 4 times\)"):
        made(service).search(QUERIES, 4)


def test_without_scores_places_count(service: LocalService) -> None:
    run = made(service, score="").search(QUERIES[:1], 3).to_dict()
    assert run["q1"] == {"d20": -1.0, "d13": -2.0, "d06": -3.0}


def test_results_that_the_corpus_lacks_are_refused_or_dropped(service: LocalService) -> None:
    service.documents.append(("ghost", ["owl"] * 9))
    with pytest.raises(DataError, match=r"1 results are documents that the corpus lacks, such as 'ghost'"):
        made(service).search(QUERIES, 4)
    retriever = made(service, unknown="drop")
    assert list(retriever.search(QUERIES, 4).to_dict()["q1"]) == ["d20", "d13", "d06"]
    assert retriever.report()["results_not_in_corpus"] == 1


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"url": "ftp://x?{query}"}, "http://"),
        ({"url": "http://x/?q=query"}, r"neither url nor body has \{query\}"),
        ({"page_size": 5}, r"page_size needs \{offset\} or \{page\}"),
        ({"timeout": 0}, "timeout is greater than 0"),
        ({"rate": 0}, "rate is 0"),
        ({"headers": {"X-Api-Key": "sesame"}}, "the header X-Api-Key holds a secret as it is"),
        ({"url": "http://ann:sesame@x/?{query}"}, "a user before the host"),
        ({"url": "http://x/?{query}&api_key=sesame"}, "the parameter 'api_key', a secret"),
    ],
)
def test_impossible_options_are_refused(service: LocalService, changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        made(service, **changed)


def test_a_file_of_options_is_named_on_the_command_line(service: LocalService, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(json.dumps(options(service)), encoding="utf-8")
    config = parse_retriever(f"http:{file}")
    assert (config.name, config.kind) == ("mine", "http")
    retriever = create(config)
    retriever.index(DOCUMENTS)
    assert len(retriever.search(QUERIES, 4).to_dict()["q1"]) == 4
    with pytest.raises(ConfigError, match=r"http:FILE\.yaml"):
        parse_retriever(service.url)
