"""What stands under the table of `beirkit run`: which retrievers these were."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from beirkit.cli.main import main

ENCODER = """
import numpy

def encode(texts, role):
    return numpy.array([[len(text), 1.0] for text in texts])

"""
SCORER = "def score(query, texts):\n    return [len(text) for text in texts]\n"
RUN = "q1 Q0 d1 1 2.5 theirs\nq2 Q0 d2 1 1.5 theirs\n"


@pytest.fixture
def mine(tmp_path: Path) -> str:
    """A file of functions; pipelines written in YAML name it."""
    (tmp_path / "mine.py").write_text(ENCODER + SCORER, encoding="utf-8")
    return "mine.py"


def _told(capsys: pytest.CaptureFixture[str], birds: Path, *retrievers: str) -> dict[str, str]:
    """By its name, what is said of each retriever."""
    assert main(["run", "-d", str(birds), "-r", *retrievers]) == 0
    lines = re.findall(r"^(\S+): ((?:model|kind)=.*)$", capsys.readouterr().err, flags=re.MULTILINE)
    return dict(lines)


def test_a_kind_is_told_once_and_a_model_without_a_name_by_its_hash(
    birds: Path, mine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(f"{{name: own, kind: dense, options: {{model: '{mine}:encode'}}}}\n", encoding="utf-8")
    line = _told(capsys, birds, "own.yaml")["own"]
    assert line.count("kind=") == 1
    assert re.search(r"function=mine\.py:encode, files=1, sha256=[0-9a-f]{8},", line)


def test_a_retriever_inside_another_is_set_apart(
    birds: Path, mine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    inner = "{kind: chunked, options: {retriever: bm25, size: 3, overlap: 1}}"
    options = f"{{retriever: {inner}, model: '{mine}:score', depth: 2}}"
    (tmp_path / "two.yaml").write_text(f"{{name: two, kind: rerank, options: {options}}}\n", encoding="utf-8")
    line = _told(capsys, birds, "two.yaml")["two"]
    outside, _, rest = line.partition("retriever=[")
    assert outside.count("kind=") == 1
    assert "kind=rerank" in outside
    assert rest.startswith("kind=chunked, size=3, overlap=1,")
    assert "retriever=[kind=bm25-lucene, " in rest
    assert rest.endswith("]]")


def test_two_of_one_name_are_told_apart(
    birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bm25.trec").write_text(RUN, encoding="utf-8")
    words = ["run", "-d", str(birds), "-r", "bm25", "run:bm25.trec", "--json"]
    assert main(words) == 0
    said = capsys.readouterr()
    found = json.loads(said.out)["results"]
    assert [(item["retriever"], item["training"]) for item in found] == [
        ("bm25", "zero-shot"),
        ("run:bm25.trec", "unknown"),
    ]
    assert re.search(
        r"^run:bm25\.trec: kind=run, sha256=[0-9a-f]{8}, unknown=refuse$", said.err, re.MULTILINE
    )
    assert main(["report", *(item["path"] for item in found), "--out", "page.html"]) == 0
    page = Path("page.html").read_text(encoding="utf-8")
    assert "training unknown" in re.sub(r"<[^>]+>|\s+", " ", page).replace("  ", " ")


def test_a_run_file_is_not_taken_for_the_retriever_of_its_name(
    birds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from beirkit.reporting import training_status
    from beirkit.stored import read_result

    (tmp_path / "bm25.trec").write_text(RUN, encoding="utf-8")
    for words, status in (("run:bm25.trec", ""), ("bm25", "zero-shot")):
        assert main(["run", "-d", str(birds), "-r", words, "--json"]) == 0
        [item] = json.loads(capsys.readouterr().out)["results"]
        assert item["retriever"] == "bm25"
        assert training_status(read_result(Path(item["path"]))) == status
