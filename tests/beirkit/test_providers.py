"""Two invented search tools, asked over a local server, from their raw responses to a compared table."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from beirkit.cli.main import main
from beirkit.collecting import Collected, Profile, collect, read_profile
from beirkit.configs.schema import SuiteConfig
from beirkit.corpora.errors import BeirkitError, ConfigError, DataError, UsageError
from beirkit.corpora.provider_results import is_provider_results, read_results
from beirkit.corpora.run_files import read_run
from beirkit.datasets import convert_source
from beirkit.exporting import export
from beirkit.members import find_members
from beirkit.providers import score_providers

FIXTURES = Path(__file__).parent.parent / "fixtures"
CSV = FIXTURES / "datasets" / "lexbench-simpleqa-verified" / "raw.csv"

GATE, PAINTER = "Who painted the Blue Gate?", "https://www.x.example/a_%28b%29/?utm_source=tool"

# What the server returns to either tool, by the beginning of the question.
GOOD: dict[str, Any] = {
    "Who painted": [
        {"link": "https://elsewhere.example/", "name": "Else", "description": "Nothing."},
        {"link": PAINTER, "name": "Gate", "description": "It was painted by Ann Lee."},
        {"link": "http://x.example/a_(b)", "name": "Gate", "description": "The same page."},
    ],
    "When was": [{"link": "http://en.m.wikipedia.org/wiki/blue_Gate_(Town)", "description": "24 June 1896."}],
    "Who built": [{"link": "http://x.example/mill?b=2&a=1#top", "description": "First line, second line"}],
    "How long": [{"link": "https://elsewhere.example/mill", "description": "It is 171 m long."}],
    "In which": [],
}  # fmt: skip
BAD: dict[str, Any] = {
    "Who painted": [
        {"link": "https://huggingface.co/datasets/any/simpleqa-copy", "description": "Questions."},
        {"link": "https://blog.example/", "description": f"5,{GATE},nobody"},
        {"link": "https://blog.example/2", "description": f"Q: {GATE} A: Ann Lee"},
        {"link": "https://x.example/c", "description": "On the gate."},
    ],
    "When was": "slow",
    "Who built": "broken",
    "How long": "no list",
    "In which": "slow",
}


class Server(ThreadingHTTPServer):
    """A server that does not mind clients who leave."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing."""


class Tool(BaseHTTPRequestHandler):
    """The server of both tools."""

    asked: list[str]

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        question = parse_qs(parts.query)["q"][0]
        type(self).asked.append(f"{parts.path} {question}")
        answers = {"/good": GOOD, "/bad": BAD}[parts.path]
        answer = next(value for start, value in answers.items() if question.startswith(start))
        if answer == "slow":
            threading.Event().wait(0.5)
        self.send_response(500 if answer == "broken" else 200)
        self.end_headers()
        body = {"error": "busy"} if isinstance(answer, str) else {"web": {"results": answer}}
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


CLIENT = """
import urllib.parse
import urllib.request


def search(question, *, timeout, address):
    query = urllib.parse.urlencode({"q": question})
    with urllib.request.urlopen(f"{address}?{query}", timeout=timeout) as response:
        return response.read()
"""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    Tool.asked = []
    tool = Server(("127.0.0.1", 0), Tool)
    thread = threading.Thread(target=tool.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{tool.server_address[1]}"
    tool.shutdown()
    thread.join()
    tool.server_close()


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("built") / "lexbench"
    convert_source("lexbench-simpleqa-verified", CSV, folder, check=False)
    return str(folder)


@pytest.fixture
def client(tmp_path: Path) -> str:
    (tmp_path / "client.py").write_text(CLIENT, encoding="utf-8")
    return f"{tmp_path}/client.py:search"


def profile(server: str, name: str, **changes: Any) -> Profile:
    settings: dict[str, Any] = {
        "name": name, "options": {"address": f"{server}/{name}"}, "per_second": 0, "timeout": 0.2,
        "results": "web.results", "fields": {"url": "link", "title": "name", "snippet": "description"},
    }  # fmt: skip
    return Profile(**{**settings, **changes})


@pytest.fixture
def collected(server: str, dataset: str, client: str, tmp_path: Path) -> dict[str, Collected]:
    return {
        name: collect(dataset, client, profile(server, name), tmp_path / name) for name in ("good", "bad")
    }


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
    assert retried.asked == 3  # a response that cannot be read is no failure of the server


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


def figures(report: Any, provider: str, **wanted: Any) -> dict[str, float]:
    wanted = {"population": "all", "flagged": True, **wanted}
    return {
        figure.measure: figure.mean
        for figure in report.table.figures
        if figure.provider == provider and all(getattr(figure, key) == value for key, value in wanted.items())
    }


def test_the_compared_table(collected: dict[str, Collected], dataset: str, tmp_path: Path) -> None:
    report = score_providers(dataset, {name: done.path for name, done in collected.items()}, samples=200)
    good, bad = figures(report, "good"), figures(report, "bad")
    assert good["Reference Hit@1"] == pytest.approx(2 / 5)
    assert good["Reference Hit@5"] == pytest.approx(3 / 5)
    assert good["Reference MRR@5"] == pytest.approx((1 / 2 + 1 + 1) / 5)  # the tool's own ranks
    assert good["Answer Match@5"] == pytest.approx(4 / 5)
    assert bad["Reference MRR@5"] == pytest.approx((1 / 4) / 5)
    assert bad["Answer Match@5"] == pytest.approx(1 / 5)
    clean = figures(report, "bad", flagged=False)
    assert clean["Reference MRR@5"] == bad["Reference MRR@5"]  # what is left keeps its rank
    assert clean["Answer Match@5"] == 0.0
    both = figures(report, "good", population="answered by all")
    assert both["Reference MRR@5"] == 0.5  # of the one question that both answered
    coverage = {row.provider: row for row in report.table.coverage}
    assert coverage["bad"].flagged_results == {
        "data-set host": 1, "question and answer": 1, "question and row number": 1,
    }  # fmt: skip
    assert coverage["good"].flagged_queries == 0
    assert coverage["good"].cues == {"date": 1, "range": 1, "text": 2}
    outcome = report.judged[0].outcomes["sqv-5"]
    assert outcome.page is not None
    assert (outcome.page.url, outcome.page.reference) == (PAINTER, "https://x.example/a_(b)")
    assert report.about["url_policy"]["sha256"]
    assert {figure.slice for figure in report.table.slices} >= {"topic=Art", "answer_type=Date"}
    difference = next(d for d in report.table.differences if d.measure == "Reference MRR@10")
    assert difference.difference == pytest.approx((0.25 - 2.5) / 5)
    report.write(tmp_path / "scores")
    run = read_run(tmp_path / "scores" / "runs" / "good.trec.gz").to_dict()
    assert run["sqv-5"] == {"elsewhere.example/": 1.0, "x.example/a_(b)": 0.5}  # each document once
    stored = json.loads((tmp_path / "scores" / "providers.json").read_bytes())
    assert len(stored["caveats"]) == 5
    lines = (tmp_path / "scores" / "outcomes" / "bad.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 5
    assert json.loads(lines[0])["evidence"] == "responses/sqv-5.raw"


def written(path: Path, *rows: Any) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def row(**changes: Any) -> dict[str, Any]:
    return {"query_id": "sqv-5", "rank": 1, "url": "https://x.example/c", **changes}


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (row(), "has rank 1 twice"),
        (row(rank=0), "ranks count from 1"),
        (row(rank="2"), "Expected `int | null`"),
        (row(rank=2, url=None), "without url or rank"),
        ({"query_id": "sqv-5"}, "without url or rank"),
        ({"query_id": "sqv-5", "status": "timeout"}, "is told both 'ok' and 'timeout'"),
        (row(query_id="sqv-31", status="empty"), "has a result, and its status is 'empty'"),
        ({"query_id": "sqv-31", "status": "lost"}, "Invalid enum value 'lost'"),
        ({"rank": 1}, "missing required field `query_id`"),
        ([1], "Expected `object`"),
    ],
)
def test_a_wrong_line_is_told(second: Any, message: str, tmp_path: Path) -> None:
    path = written(tmp_path / "tool.jsonl", row(), second)
    with pytest.raises(DataError) as caught:
        read_results(path)
    assert f"{path}:2: " in str(caught.value)
    assert message in str(caught.value)


def test_a_name_that_leads_elsewhere_is_refused(dataset: str, tmp_path: Path) -> None:
    path = written(tmp_path / "tool.jsonl", row())
    with pytest.raises(UsageError, match="cannot name a file"):
        score_providers(dataset, {"../tool": path})


def test_ranks_with_gaps_and_out_of_order_are_the_tools_own(dataset: str, tmp_path: Path) -> None:
    path = written(tmp_path / "tool.jsonl", row(rank=7), row(rank=3, url="https://www.x.example/c/"))
    report = score_providers(dataset, [path], samples=50)
    assert figures(report, "tool")["Reference MRR@10"] == pytest.approx((1 / 3) / 5)
    assert figures(report, "tool")["Reference Hit@1"] == 0.0
    assert report.table.coverage[0].statuses == {"absent": 4, "ok": 1}


def test_an_archived_form_is_told_apart(dataset: str, tmp_path: Path) -> None:
    url = "https://web.archive.org/web/2020/https://x.example/c"
    report = score_providers(dataset, [written(tmp_path / "tool.jsonl", row(url=url))], samples=50)
    values = figures(report, "tool")
    assert (values["Reference Hit@1"], values["Archived Hit@1"]) == (0.0, 0.2)


def test_files_of_other_questions_are_refused(dataset: str, tmp_path: Path) -> None:
    path = written(tmp_path / "tool.jsonl", row(query_id="7"))
    with pytest.raises(UsageError, match="'7' there, and 'sqv-5' in the dataset"):
        score_providers(dataset, [path])
    assert is_provider_results(path)
    assert not is_provider_results(written(tmp_path / "run.jsonl", {"query_id": "q1", "doc_id": "d1"}))
    assert not is_provider_results(tmp_path)


def test_the_commands(
    server: str, dataset: str, client: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "good.yaml").write_text(
        f"name: good\noptions: {{address: '{server}/good'}}\nper_second: 0\nresults: web.results\n"
        "fields: {url: link, title: name, snippet: description}\n",
        encoding="utf-8",
    )
    out = tmp_path / "good"
    words = ["collect", dataset, "--provider", client, "--profile", str(tmp_path / "good.yaml")]
    assert main([*words, "--out", str(out), "--quiet"]) == 0
    assert "5 asked now, 0 were there; empty 1, ok 4" in capsys.readouterr().out
    assert main(["providers", dataset, str(out / "results.jsonl"), "--samples", "50", "--json"]) == 0
    printed = capsys.readouterr()
    told = json.loads(printed.out)
    assert told["about"]["judgment_kind"] == "reference-url"
    assert told["coverage"][0]["provider"] == "good"  # the folder's name: every collection has results.jsonl
    assert "equality with another harness is not claimed" in printed.err
    assert main(["score", str(out / "results.jsonl"), dataset, "--quiet"]) == 0
    assert "Reference Hit@5" in capsys.readouterr().out
    assert main(["compare", str(out / "results.jsonl"), "--qrels", dataset]) == 2
    assert "compare tools with: beirkit providers" in capsys.readouterr().err
    assert main(["score", str(out / "results.jsonl"), dataset, "-m", "nDCG@10"]) == 2
    assert "measures of their own" in capsys.readouterr().err


def test_copies_are_found_among_captured_pages(
    dataset: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["equivalents", dataset, "--quiet"]) == 0
    printed = dict(line.split("\t")[::-1] for line in capsys.readouterr().out.splitlines())
    mirror = "https://wikiroulette.co/?p=Blue_Gate_(Town)"
    reference = "https://en.wikipedia.org/wiki/Blue_Gate_%28Town%29"
    assert printed[mirror] == "https://en.m.wikipedia.org/wiki/Blue_Gate_(Town)#History"  # the last spelling
    lead = " ".join(f"word{number}" for number in range(100))
    same = {"title": "Blue Gate", "text": lead, "observed": "2026-01-31"}
    pages = [
        {"url": reference, **same},
        {"url": mirror, **same},
        {"url": "https://y.example", "status": "404"},
    ]
    path, copies = written(tmp_path / "pages.jsonl", *pages), tmp_path / "copies.jsonl"
    assert main(["equivalents", dataset, str(path), "--out", str(copies), "--quiet"]) == 0
    found = [json.loads(line) for line in copies.read_text(encoding="utf-8").splitlines()]
    assert {row["reference_url"] for row in found} == {reference, printed[mirror]}
    assert {row["url"] for row in found} == {mirror}
    folder = tmp_path / "with-copies"
    convert_source("lexbench-simpleqa-verified", CSV, folder, {"equivalents": str(copies)}, check=False)
    tool = written(tmp_path / "tool.jsonl", row(query_id="sqv-40", url=mirror))
    before = score_providers(dataset, [tool], samples=50)
    after = score_providers(str(folder), [tool], samples=50)
    assert figures(before, "tool")["Reference Hit@1"] == 0.0
    assert figures(after, "tool")["Reference Hit@1"] == 0.2
    assert after.table.coverage[0].copies == 1
    written(path, {"url": mirror, "title": "Blue Gate", "text": lead})
    assert main(["equivalents", dataset, str(path), "--out", str(copies)]) == 2
    assert "pages.jsonl:1: has no day" in capsys.readouterr().err
    assert main(["equivalents", dataset, str(path), "--out", str(copies), "--set", "share=much"]) == 2


def test_addresses_alone_are_not_searched(
    dataset: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "-d", dataset, "-r", "bm25", "--out", str(tmp_path)]) == 2
    assert "by their addresses alone; there is no text to search" in capsys.readouterr().err


@pytest.fixture
def with_pages(tmp_path: Path) -> str:
    pages = written(tmp_path / "pages.jsonl", {"url": "https://x.example/c", "text": "Who painted the gate?"})
    folder = tmp_path / "pages"
    convert_source("lexbench-simpleqa-verified", CSV, folder, {"pages": str(pages)}, check=False)
    return str(folder)


def test_ndcg_over_references_needs_its_switch(
    with_pages: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["run", "-d", with_pages, "-r", "bm25", "--out", str(tmp_path / "results"), "--json"]
    assert main(words) == 0
    printed = capsys.readouterr()
    assert "nDCG" not in printed.out
    assert "references are not every relevant page" in printed.err
    assert main([*words, "-m", "nDCG@10"]) == 2
    assert "needs graded relevance" in capsys.readouterr().err
    assert main([*words, "-m", "nDCG@10", "--ndcg-on-references"]) == 0
    run = next((tmp_path / "results").rglob("run.trec.gz"))
    capsys.readouterr()
    assert main(["score", str(run), with_pages]) == 0
    assert "nDCG" not in capsys.readouterr().out
    assert main(["score", str(run), with_pages, "-m", "nDCG@10"]) == 2
    assert main(["score", str(run), with_pages, "-m", "nDCG@10", "--ndcg-on-references"]) == 0


def test_captured_texts_are_exported_only_with_leave(with_pages: str, dataset: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"texts of captured pages \(pages\)"):
        export(with_pages, "jsonl", tmp_path / "out")
    export(with_pages, "jsonl", tmp_path / "allowed", pages_are_licensed=True)
    export(dataset, "jsonl", tmp_path / "addresses")
    export(with_pages, "lexbench", tmp_path / "release")
    texts = (path.read_bytes() for path in (tmp_path / "release").rglob("*.json*"))
    assert not any(b"Who painted the gate?" in text for text in texts)


def test_references_share_no_mean_with_grades(dataset: str) -> None:
    suite = SuiteConfig(name="mixed", datasets=["lexbench-simpleqa-verified", "scifact"])
    with pytest.raises(BeirkitError, match=r"mixes kinds of judgments: scifact \(graded\), lexbench"):
        find_members(suite)
    folder = SuiteConfig(name="mixed", datasets=[dataset, "pystdlib"])
    with pytest.raises(BeirkitError, match="mixes kinds of judgments"):
        find_members(folder)
