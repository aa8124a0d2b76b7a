"""`beirkit score` and `beirkit compare` on result folders: depth, self-matches, samples as they were run."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from beirkit.cli.main import main
from beirkit.corpora.errors import DataError
from beirkit.runs import find_run, result_folder


def _json(capsys: pytest.CaptureFixture[str], *words: str | Path) -> Any:
    assert main([*map(str, words), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def _search(capsys: pytest.CaptureFixture[str], folder: Path, *words: str) -> tuple[Any, Path]:
    [item] = _json(capsys, "run", "-d", folder, "-r", "bm25", *words)["results"]
    return item, Path(item["path"])


@pytest.fixture
def owls(tmp_path: Path) -> Path:
    """A BEIR folder in which every query stands in the corpus and finds itself first."""
    folder = tmp_path / "owls"
    (folder / "qrels").mkdir(parents=True)
    texts = {"a": "owl owl owl", "b": "owl owl vole", "c": "owl heron stork"}
    rows = [f'{{"_id": "{i}", "text": "{text}"}}\n' for i, text in texts.items()]
    (folder / "corpus.jsonl").write_text("".join(rows), encoding="utf-8")
    (folder / "queries.jsonl").write_text("".join(rows[:2]), encoding="utf-8")
    (folder / "qrels" / "test.tsv").write_text(
        "query-id\tcorpus-id\tscore\na\tc\t1\nb\tc\t1\n", encoding="utf-8"
    )
    return folder


def test_a_result_counts_as_many_results_as_it_was_asked_for(
    owls: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    item, path = _search(capsys, owls, "-k", "1", "-m", "RR", "NumRet", "--protocol", "trec_eval")
    assert item["measures"] == {"RR": 0, "NumRet": 2}
    words = ("-m", "RR", "NumRet", "--protocol", "trec_eval")
    for name in (path, path / "run.trec.gz"):
        found = _json(capsys, "score", name, owls / "qrels" / "test.tsv", *words)
        assert (found["measures"], found["depth"], found["sample"]) == (item["measures"], 1, None)
    bare = tmp_path / "bare.trec.gz"
    shutil.copy(path / "run.trec.gz", bare)
    found = _json(capsys, "score", bare, owls, *words)
    assert (found["measures"]["NumRet"], found["depth"]) == (4, None)  # one more, in case of a self-match
    assert _json(capsys, "score", bare, owls, *words, "--depth", "1")["measures"] == item["measures"]


def test_self_matches_are_those_of_the_search(
    owls: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    item, path = _search(capsys, owls, "-m", "RR")
    qrels = owls / "qrels" / "test.tsv"
    found = _json(capsys, "score", path, qrels, "-m", "RR")
    assert found["measures"] == item["measures"]
    assert found["queries"]["self_matches_removed"] == 2
    [table] = _json(capsys, "compare", path, "--qrels", qrels, "-m", "RR")["tables"]
    assert table["standings"][0]["mean"] == item["measures"]["RR"]
    # a folder of judgments knows its corpus, and wins: here no document has a query's text
    other = tmp_path / "other"
    shutil.copytree(owls, other)
    texts = (other / "corpus.jsonl").read_text(encoding="utf-8").replace("owl", "bird")
    (other / "corpus.jsonl").write_text(texts, encoding="utf-8")
    assert _json(capsys, "score", path, other, "-m", "RR")["queries"]["self_matches_kept"] == 2


def test_no_result_is_looked_at_deeper_than_it_goes(birds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, path = _search(capsys, birds, "-k", "2")
    assert main(["score", str(path), str(birds), "--depth", "3"]) == 2
    assert f"{path} holds 2 results per query, not 3 (--depth 2, or run it again)" in capsys.readouterr().err
    assert main(["score", str(path), str(birds), "--depth", "0"]) == 2
    assert "the depth must be a whole number from 1, not 0" in capsys.readouterr().err
    assert main(["score", str(path), str(birds), "--depth", "1"]) == 0
    assert "Depth: 1 results per query count" in capsys.readouterr().err


def test_runs_are_compared_at_one_depth(
    owls: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, path = _search(capsys, owls, "-k", "1")
    bare = tmp_path / "bare.trec"
    bare.write_text("a Q0 b 1 3 t\na Q0 c 2 2 t\nb Q0 c 1 3 t\n", encoding="utf-8")
    [table] = _json(capsys, "compare", bare, path, "--qrels", owls, "-m", "RR")["tables"]
    assert (table["depth"], table["rows"][0]["mean"], table["standings"][0]["mean"]) == (1, 0.0, 0.5)
    [table] = _json(capsys, "compare", bare, "--qrels", owls, "-m", "RR")["tables"]
    assert (table["depth"], table["standings"][0]["mean"]) == (None, 0.75)
    _, deeper = _search(capsys, owls, "-k", "2")
    words = ["compare", str(deeper / "run.trec.gz"), str(path / "run.trec.gz"), "--qrels", str(owls)]
    assert main(words) == 2
    assert "not comparable: k is 2 in" in capsys.readouterr().err
    assert [table["depth"] for table in _json(capsys, *words, "--force")["tables"]] == [1]


def test_a_sample_is_marked_and_never_compared_with_the_whole(
    birds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, whole = _search(capsys, birds)
    item, part = _search(capsys, birds, "--sample", "queries=2", "-m", "RR")
    _, other = _search(capsys, birds, "--sample", "queries=2,seed=2")
    assert main(["score", str(part), str(birds), "-m", "RR"]) == 0
    shown = capsys.readouterr()
    assert "(SAMPLE)" in shown.out
    found = _json(capsys, "score", part, birds / "qrels" / "test.tsv", "-m", "RR")
    assert (found["measures"], found["queries"]["judged"]) == (item["measures"], 2)  # only what was searched
    assert found["sample"] == {"queries": 2, "docs": None, "seed": 1}
    for first, second in ((whole, part), (part, other)):
        words = ["compare", str(first), str(second), "--qrels", str(birds), "-m", "RR"]
        assert main(words) == 2
        assert "not comparable: " in (said := capsys.readouterr().err)
        assert "dataset is birds" in said
        [table] = _json(capsys, *words, "--force")["tables"]
        assert table["queries"] == 2  # both samples drew the same two
        assert table["sample"] == {"queries": 2, "docs": None, "seed": 1}
    assert main([*words, "--force"]) == 0
    assert "(SAMPLE)" in capsys.readouterr().out


def test_judgments_of_queries_that_were_not_searched_are_told(
    birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, path = _search(capsys, birds)
    more = tmp_path / "more.tsv"
    more.write_text((birds / "qrels" / "test.tsv").read_text(encoding="utf-8") + "q5\td1\t1\n")
    assert _json(capsys, "score", path, more, "-m", "RR")["queries"]["judged"] == 5
    assert main(["score", str(path), str(more)]) == 0
    assert "4 queries were searched and 5 are judged; the others count as missing" in capsys.readouterr().err


def test_the_number_of_queries_in_each_mean_is_told(
    birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "r.trec"
    run.write_text("q1 Q0 d1 1 1.0 t\nq2 Q0 d2 1 1.0 t\n", encoding="utf-8")
    found = _json(capsys, "score", run, birds, "--protocol", "beir", "-m", "P@1", "RR")
    assert found["n"] == {"P@1": 2, "RR": 4}
    assert (found["queries"]["judged"], found["queries"]["missing"]) == (4, 2)


def test_what_is_no_result_stands_for_itself_or_is_refused(birds: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"birds: is a folder, but no result of beirkit run"):
        find_run(birds)
    odd = tmp_path / "odd"
    odd.mkdir()
    (odd / "manifest.json").write_text('{"counts": {}}', encoding="utf-8")
    with pytest.raises(DataError, match=r"manifest\.json: is no manifest of a result"):
        find_run(odd)
    run = odd / "run.trec.gz"
    run.write_bytes(gzip.compress(b"q1 Q0 d1 1 1.0 t\n"))
    assert result_folder(run) is None
    assert find_run(run).depth is None
    (odd / "manifest.json").write_text('{"k": 3, "queries": 1, "self_match": {"query_ids": []}}')
    assert find_run(run).depth == find_run(odd).depth == 3
    run.unlink()
    with pytest.raises(DataError, match=r"odd: holds no run"):
        find_run(odd)
