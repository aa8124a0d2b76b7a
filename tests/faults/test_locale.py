"""K11 beyond its examples: no result depends on the locale, no work is lost for a letter it lacks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.cases import open_case

FILES = {
    "corpus.jsonl": '{"_id": "d\u00e9", "text": "gr\u00fcner Baum"}\n{"_id": "\u6728", "text": "Haus"}\n',
    "queries.jsonl": '{"_id": "q\u00e9", "text": "gr\u00fcner Baum"}\n',
    "qrels/test.tsv": "q\u00e9\td\u00e9\t1\nq\u00e9\t\u6728\t0\n",
}
PLAIN_C = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
WINDOWS = {**PLAIN_C, "PYTHONIOENCODING": "cp1252:strict"}
UTF_8 = {"PYTHONUTF8": "1"}


def beirkit(folder: Path, setting: dict[str, str], *words: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command in its own process."""
    return subprocess.run(
        [sys.executable, "-P", "-m", "beirkit", *words],
        cwd=folder,
        env={**os.environ, **setting},
        capture_output=True,
        check=False,
    )


@pytest.mark.parametrize("setting", [PLAIN_C, WINDOWS], ids=["ascii", "cp1252"])
def test_files_and_figures_are_the_same_in_every_locale(tmp_path: Path, setting: dict[str, str]) -> None:
    written: list[dict[str, bytes]] = []
    printed: list[object] = []
    for name, locale in (("utf-8", UTF_8), ("other", setting)):
        folder = tmp_path / name
        open_case({"input": {"files": FILES}}, folder / "trees")
        done = beirkit(folder, locale, "run", "-d", "trees", "-r", "bm25", "-m", "nDCG@10", "--json")
        assert done.returncode == 0, done.stderr
        (run,) = folder.glob("results/*/*/run.trec.gz")
        rows = ["--per-query", "--json", "-m", "RR"]
        scored = beirkit(folder, locale, "score", str(run.relative_to(folder)), "trees", *rows)
        assert scored.returncode == 0, scored.stderr
        printed.append(json.loads(scored.stdout))
        assert beirkit(folder, locale, "convert", "beir", "trees", "--out", "out").returncode == 0
        kept = [p for p in folder.rglob("*") if p.is_file() and p.name != "timings.json"]
        written.append({p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(kept)})
    assert printed[0] == printed[1]
    assert printed[0]["per_query"] == {"q\u00e9": {"RR": 1.0}}  # type: ignore[index]  # it is JSON
    assert written[0] == written[1]


@pytest.mark.parametrize("setting", [PLAIN_C, WINDOWS], ids=["ascii", "cp1252"])
def test_what_cannot_be_shown_is_escaped(tmp_path: Path, setting: dict[str, str]) -> None:
    open_case({"input": {"files": FILES}}, tmp_path / "trees")
    with (tmp_path / "trees" / "qrels" / "test.tsv").open("a", encoding="utf-8") as file:
        file.write("\u9ce5\t\u9f8d\t1\n")
    done = beirkit(tmp_path, setting, "check", "trees")
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    assert b"'\\u9ce5'" in done.stdout
    (tmp_path / "run.trec").write_text("\u9ce5 Q0 \u9f8d 1 2.0 x\n", encoding="utf-8")
    done = beirkit(tmp_path, setting, "score", "run.trec", "trees/qrels/test.tsv", "--per-query", "-m", "RR")
    assert done.returncode == 0, done.stderr
    assert b"\\u9ce5" in done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="only there are file names any bytes")
def test_a_name_that_is_no_text_is_refused(tmp_path: Path) -> None:
    name = os.fsdecode(b"b\xe4ume")
    open_case({"input": {"files": FILES}}, tmp_path / name)
    done = beirkit(tmp_path, UTF_8, "run", "-d", name, "-r", "bm25")
    assert done.returncode == 2
    assert b"is no text in the encoding utf-8 of this system" in done.stderr
    assert not (tmp_path / "results").exists()
