"""What a table of dense results tells below itself: recall where not exact, and missing prompts."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from beirkit.cli.main import main

TINY = Path(__file__).parents[1] / "fixtures" / "models" / "tiny"
FUNCTION = """
import numpy as np

def encode(texts, role):
    return np.array([[text.count(letter) for letter in "aeiouthr"] for text in texts], dtype=np.float32)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A collection of 40 documents, and an encoder beside it."""
    pytest.importorskip("faiss")
    made = tmp_path / "birds"
    (made / "qrels").mkdir(parents=True)
    words = ["owl", "heron", "kestrel", "the", "vole", "night", "air", "tree"]
    lines = [
        json.dumps({"_id": f"d{n}", "text": " ".join(words[(n * k) % 8] for k in range(2, 7))})
        for n in range(40)
    ]
    (made / "corpus.jsonl").write_text("\n".join(lines) + "\n")
    (made / "queries.jsonl").write_text('{"_id": "q1", "text": "owl at night"}\n')
    (made / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    (tmp_path / "mine.py").write_text(FUNCTION)
    return made


def _run(folder: Path, yaml: str, capsys: pytest.CaptureFixture[str]) -> str:
    file = folder.parent / "r.yaml"
    file.write_text(yaml)
    assert main(["run", "-d", str(folder), "-r", str(file), "--out", str(folder.parent / "out")]) == 0
    told = capsys.readouterr()
    return told.out + told.err


def test_recall_is_printed_when_searched_and_when_found_again(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    yaml = "name: r\nkind: dense\noptions: {model: 'mine.py:encode', index: BFlat}\n"
    for _ in range(2):
        assert "r on birds: recall against exact search 0." in " ".join(_run(folder, yaml, capsys).split())
    (path,) = (folder.parent / "out").glob("*/*/manifest.json")
    shares = json.loads(path.read_text())["report"]["recall_against_exact"]
    assert set(shares) == {"10", "40"}
    assert 0 < shares["10"] < 1


def test_a_missing_prompt_is_printed_with_the_scores(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import numpy as np

    from beirkit.retrievers.dense.sentence_transformer import SentenceTransformerEncoder

    monkeypatch.setattr(
        SentenceTransformerEncoder, "encode", lambda self, texts, *_: np.ones((len(texts), 2), np.float32)
    )
    monkeypatch.setattr(SentenceTransformerEncoder, "count_truncated", lambda *_: 0)
    shutil.copytree(TINY, folder.parent / "e5-small")
    (folder.parent / "e5-small" / "config_sentence_transformers.json").write_text("{}")
    yaml = "name: r\nkind: dense\noptions: {model: ./e5-small, prompts: {query: ''}}\n"
    told = " ".join(_run(folder, yaml, capsys).split())
    assert "r on birds: MISSING PROMPT: models of the family e5 want 'query: ' before every query" in told
    assert "warning: MISSING PROMPT" in told
