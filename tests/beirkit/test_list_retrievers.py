"""``beirkit list retrievers``: what each needs, and whether it is here."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from beirkit.cli.main import main


def test_needs_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BEIRKIT_HOME", str(tmp_path))
    monkeypatch.delenv("BEIRKIT_CROSS_ENCODER", raising=False)
    heavy = {name for name in ("torch", "sentence_transformers") if name in sys.modules}
    assert main(["list", "retrievers", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["bm25"]["ready"]
    assert rows["bm25"]["extras"] == []
    assert rows["minilm"]["extras"] == rows["bm25-minilm-rrf"]["extras"] == ["dense"]
    assert not rows["bm25-cross-encoder"]["ready"]
    assert "BEIRKIT_CROSS_ENCODER: the variable is not set" in rows["bm25-cross-encoder"]["needs"]
    assert rows["run:PATH"]["kind"] == "run"
    assert heavy == {name for name in ("torch", "sentence_transformers") if name in sys.modules}
