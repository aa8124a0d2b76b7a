"""Search tools scored by what they returned."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from beirkit.cli.main import main
from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.provider_results import is_provider_results, read_results
from beirkit.corpora.run_files import read_run
from beirkit.datasets import convert_source
from beirkit.search_tools.collecting import Collected
from beirkit.search_tools.providers import files_of, score_providers
from tests.beirkit.providers.search_tools import (
    CSV,
    PAINTER,
    figures,
    row,
    written,
)


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


def test_the_printed_comparison(
    collected: dict[str, Collected], dataset: str, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    files = [str(done.path) for done in collected.values()]
    assert main(["providers", dataset, *files, "--by", "topic", "--samples", "200"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    # answered, empty, timed out, failed, absent, contaminated, by a copy
    assert ["good", "4", "1", "0", "0", "0", "0", "0"] in rows
    assert ["bad", "1", "0", "2", "2", "0", "1", "0"] in rows
    shown = [" ".join(row) for row in rows]
    for start in ("bad all counted", "bad all left out", "bad answered by all", "bad - good all left out"):
        assert any(row.startswith(start) for row in shown), start


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
        (
            {"query_id": "sqv-31", "status": "lost"},
            "Invalid enum value 'lost' - at `$.status` (status is one of ok, ",
        ),
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


def test_no_file_of_a_tool_that_is_not_asked_about_stays(
    dataset: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = written(tmp_path / "tool.jsonl", row()), tmp_path / "scores"
    words = ["providers", dataset, "--samples", "50", "--out", str(out), "--quiet"]
    assert main([*words, f"first={path}", f"second={path}"]) == 0
    assert main([*words, f"second={path}", f"third={path}"]) == 0
    files = {file.relative_to(out).as_posix() for file in out.rglob("*") if file.is_file()}
    assert files == files_of(out)
    assert {file for file in files if "first" in file} == set()
    assert {"outcomes/third.jsonl", "runs/second.trec.gz", "providers.json"} <= files
    before = {file: (out / file).read_bytes() for file in files}
    (out / "mine.txt").write_text("notes", encoding="utf-8")
    capsys.readouterr()
    assert main([*words, f"first={path}"]) == 2
    assert "files that beirkit did not write, such as mine.txt" in capsys.readouterr().err
    assert {file: (out / file).read_bytes() for file in files} == before
    assert main([*words[:-2], str(tmp_path), "--quiet", f"first={path}"]) == 2
    assert "was not written by beirkit" in capsys.readouterr().err


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
    for option in (["-m", "nDCG@10"], ["--ndcg-on-references"]):
        assert main(["score", str(out / "results.jsonl"), dataset, *option]) == 2
        told = capsys.readouterr().err
        assert "measures of their own" in told
        assert f"leave {option[0]} out" in told


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
