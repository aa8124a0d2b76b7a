"""Raw responses of a local server: stored first, asked for once, read as a profile says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from beirkit.corpora.errors import ConfigError, DataError, UsageError
from beirkit.corpora.provider_results import read_results
from beirkit.search_tools.collecting import Collected, collect
from beirkit.search_tools.responses import Profile, read_profile
from tests.beirkit.providers.search_tools import (
    Tool,
    profile,
)


def test_what_a_server_does_not_answer_is_stored_apart(collected: dict[str, Collected]) -> None:
    assert collected["good"].statuses == {"empty": 1, "ok": 4}
    # the 500, and the two whose response has no list where the profile says
    assert collected["bad"].statuses == {"error": 2, "ok": 1, "timeout": 2}
    results = read_results(collected["bad"].path, "bad")
    response = results.responses["sqv-5"]
    assert [result.rank for result in response.results] == [1, 2, 3, 4]
    assert response.time
    assert response.seconds is not None
    raw = collected["bad"].path.parent / response.evidence
    assert json.loads(raw.read_bytes())["web"]["results"][3]["link"] == "https://x.example/c"


def test_a_collection_goes_on_and_asks_again_only_what_failed(
    collected: dict[str, Collected], server: str, dataset: str, client: str
) -> None:
    path = collected["bad"].path
    before, asked = path.read_bytes(), len(Tool.asked)
    again = collect(dataset, client, profile(server, "bad"), path.parent)
    assert (again.asked, again.kept) == (0, 5)
    assert len(Tool.asked) == asked
    assert path.read_bytes() == before
    (path.parent / "responses" / "sqv-5.json").unlink()  # as where it was killed
    assert collect(dataset, client, profile(server, "bad"), path.parent).asked == 1
    retried = collect(dataset, client, profile(server, "bad"), path.parent, retry=True)
    assert retried.asked == 4  # the answer without a list too, since the profile reads another


def test_a_profile_that_reads_otherwise_needs_no_question(
    collected: dict[str, Collected], server: str, dataset: str, client: str
) -> None:
    path = collected["good"].path
    changed = profile(server, "good", fields={"url": "link", "text": "description"})
    assert collect(dataset, client, changed, path.parent).asked == 0
    first = read_results(path).responses["sqv-40"].results[0]
    assert (first.text, first.snippet) == ("24 June 1896.", "")


def test_another_collection_does_not_go_into_the_same_folder(
    collected: dict[str, Collected], server: str, dataset: str, client: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="another collection: request differ"):
        collect(dataset, client, profile(server, "bad"), collected["good"].path.parent)
    with pytest.raises(UsageError, match="other things"):
        collect(dataset, client, profile(server, "bad"), tmp_path)
    raw = collected["good"].path.parent / "responses" / "sqv-5.raw"
    raw.write_bytes(b"{}")
    with pytest.raises(DataError, match="not what the tool returned"):
        collect(dataset, client, profile(server, "good"), raw.parent.parent)


def test_a_key_among_the_options_stands_in_no_file(dataset: str, tmp_path: Path) -> None:
    code = "def search(question, *, timeout, key):\n    raise ValueError(f'the key {key} is wrong')\n"
    (tmp_path / "keyed.py").write_text(code, encoding="utf-8")
    settings = Profile(name="keyed", options={"key": "hunter2"}, per_second=0)
    done = collect(dataset, f"{tmp_path}/keyed.py:search", settings, tmp_path / "out")
    assert done.statuses == {"error": 5}
    files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert len(files) == 12  # lock, results, and two for each question
    assert not any(b"hunter2" in path.read_bytes() for path in files)
    stored = json.loads((tmp_path / "out" / "responses" / "sqv-5.json").read_bytes())
    assert stored["problem"] == "ValueError"
    other = Profile(name="keyed", options={"key": "another"}, per_second=0)
    with pytest.raises(UsageError, match="request differ"):
        collect(dataset, f"{tmp_path}/keyed.py:search", other, tmp_path / "out")


def test_what_is_no_raw_response_is_an_error(dataset: str, tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text("def search(question, *, timeout):\n    return {}\n", encoding="utf-8")
    settings = Profile(name="wrong", per_second=0)
    done = collect(dataset, f"{tmp_path}/wrong.py:search", settings, tmp_path / "out")
    assert done.statuses == {"error": 5}


def test_failures_are_told_once_with_the_commonest_cause(
    dataset: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    code = """
def search(question, *, timeout):
    raise (KeyError if question.startswith("Who") else ValueError)("no")
"""
    (tmp_path / "failing.py").write_text(code, encoding="utf-8")
    collect(dataset, f"{tmp_path}/failing.py:search", Profile(name="x", per_second=0), tmp_path / "out")
    told = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert len(told) == 1
    assert "5 of 5 questions were not answered, most often by ValueError (3); --retry" in told[0]


def test_a_wrong_path_in_the_profile_is_told_once_and_asks_nothing_again(
    server: str, dataset: str, client: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    wrong = profile(server, "good", results="results")
    for retry in (False, True):
        caplog.clear()
        done = collect(dataset, client, wrong, tmp_path / "out", retry=retry)
        told = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
        assert len(told) == 1
        assert "5 answers cannot be read" in told[0]
        assert "one has no 'results', where the results should be (5, first " in told[0]
        assert "correct `results` or `fields`" in told[0]
        assert done.asked == (0 if retry else 5)
    right = collect(dataset, client, profile(server, "good"), tmp_path / "out")
    assert (right.asked, right.statuses) == (0, {"empty": 1, "ok": 4})


def test_an_answer_that_is_no_json_is_asked_for_again(
    dataset: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "page.py").write_text(
        'import pathlib\n\n\ndef search(question, *, timeout):\n'
        '    return pathlib.Path(__file__).with_name("answer").read_bytes()\n',
        encoding="utf-8",
    )  # fmt: skip
    (tmp_path / "answer").write_bytes(b'{"\xff": 1}')
    words = (dataset, f"{tmp_path}/page.py:search", Profile(name="x", per_second=0), tmp_path / "out")
    assert collect(*words).statuses == {"error": 5}
    assert "one is not JSON (5, first " in caplog.text
    assert "--retry asks them again" in caplog.text
    (tmp_path / "answer").write_bytes(b'{"results": []}')
    assert collect(*words).asked == 0
    again = collect(*words, retry=True)
    assert (again.asked, again.statuses) == (5, {"empty": 5})


def test_a_stored_answer_that_is_gone_is_told_with_what_to_delete(
    collected: dict[str, Collected], server: str, dataset: str, client: str
) -> None:
    raw = collected["good"].path.parent / "responses" / "sqv-5.raw"
    raw.unlink()
    with pytest.raises(DataError, match=r"is not there \(delete .*sqv-5\.json to ask again"):
        collect(dataset, client, profile(server, "good"), raw.parent.parent)


def test_the_rate_is_held(server: str, dataset: str, client: str, tmp_path: Path) -> None:
    now, waits = [0.0], list[float]()

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        now[0] += seconds

    settings = profile(server, "good", per_second=4.0)
    collect(dataset, client, settings, tmp_path / "slow", clock=lambda: now[0], sleep=sleep)
    assert waits == [0.25] * 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: x\nrate: 1\n", "unknown field `rate`"),
        ("name: x\nfields: {address: a}\n", "`fields` has 'address'"),
        ("name: x\ntimeout: 0\n", "more than 0"),
        ("name: [\n", "is not YAML"),
    ],
)
def test_a_wrong_profile_is_told(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        read_profile(tmp_path / "p.yaml")
    assert message in str(caught.value)
    assert str(tmp_path / "p.yaml") in str(caught.value)
