"""Models that mteb implements; its random baseline needs no files."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from beirkit.corpora.errors import ConfigError, MissingExtraError, UnknownNameError, UsageError
from beirkit.corpora.records import Document, Query
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.dense.retriever import DenseOptions, DenseRetriever

pytestmark = pytest.mark.dense
mteb = pytest.importorskip("mteb", reason="needs the extra 'mteb'")

RANDOM = "mteb:mteb/baseline-random-encoder"


def _retriever(model: str = RANDOM, **options: Any) -> DenseRetriever:
    return DenseRetriever(DenseOptions(model=model, **options), Workplace(device="cpu", offline=True))


def test_a_model_of_mteb_retrieves() -> None:
    retriever = _retriever()
    identity = retriever.identity()["encoder"]
    assert (identity["encoder"], identity["model"]) == ("mteb", "mteb/baseline-random-encoder")
    assert identity["revision"] == mteb.get_model_meta("mteb/baseline-random-encoder").revision
    assert identity["mteb"] == mteb.__version__
    retriever.index([Document("d1", text="owls"), Document("d2", text="voles"), Document("d3", text="owls")])
    found = dict(retriever.search([Query("q", "owls")], 3).lists())["q"]
    assert [doc for doc, _ in found] == ["d3", "d1", "d2"], "equal texts have equal vectors"
    assert found[0][1] == pytest.approx(1)
    assert retriever.report()["mteb_prompts"] == {}


def test_unknown_names_come_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'mteb/baseline-random-encoder'"):
        _retriever("mteb:mteb/baseline-random-encode").identity()
    with pytest.raises(UnknownNameError, match="write mteb:OWNER/NAME"):
        _retriever("mteb:random").identity()


def test_a_model_of_another_kind_is_refused() -> None:
    with pytest.raises(UsageError, match="is a model of the kind cross-encoder, not dense"):
        _retriever("mteb:mteb/baseline-random-cross-encoder").identity()


@pytest.mark.parametrize("option", [{"prompts": {"query": "q"}}, {"max_length": 9}, {"dtype": "float16"}])
def test_what_mteb_decides_is_not_ours_to_set(option: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=f"{next(iter(option))} means nothing for a model of mteb"):
        _retriever(**option)


def test_a_missing_library_comes_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mteb", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'beirkit\[mteb\]'"):
        _retriever().identity()


_ENCODE = """
import json, sys
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.dense.retriever import DenseOptions, DenseRetriever
place = Workplace(device="cpu", offline=True)
encoder = DenseRetriever(DenseOptions(model="mteb:intfloat/multilingual-e5-small"), place).encoder
vectors = [encoder.encode(["owls hunt", "the kestrel"], role).tolist() for role in ("query", "document")]
print(json.dumps([vectors, encoder.report(), encoder.similarity]))
"""


def test_prompts_and_files_are_mtebs(tiny_model: Path, tmp_path: Path) -> None:
    """The small model lies in the hub's cache under the name and revision that mteb knows."""
    from sentence_transformers import SentenceTransformer

    name = "intfloat/multilingual-e5-small"
    folder = tmp_path / "hub" / f"models--{name.replace('/', '--')}"
    revision = mteb.get_model_meta(name, fetch_from_hf=False).revision
    shutil.copytree(tiny_model, folder / "snapshots" / revision)
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text(revision)
    done = subprocess.run(
        [sys.executable, "-P", "-c", _ENCODE], capture_output=True, text=True, check=True,
        env={**os.environ, "HF_HUB_CACHE": str(tmp_path / "hub")},
    )  # fmt: skip
    vectors, report, similarity = json.loads(done.stdout.splitlines()[-1])
    assert report == {"mteb_prompts": {"query": "query: ", "document": "passage: "}}
    assert similarity == "cosine"
    plain = SentenceTransformer(str(tiny_model), device="cpu")
    for found, prompt in zip(vectors, ("query: ", "passage: "), strict=True):
        expected = plain.encode([prompt + "owls hunt", prompt + "the kestrel"], prompt="")
        np.testing.assert_allclose(found, expected, atol=2e-6)
