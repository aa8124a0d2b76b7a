"""K16 and K17-03: what was kept on disk is used again only where it is the same work, and whole."""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from beirkit.cli.main import main
from beirkit.corpora.records import Document
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.dense.retriever import DenseRetriever
from beirkit.retrievers.store import BLOCK
from tests.faults.cases import QRELS, Case, case, open_case
from tests.faults.stubs import Stub, ids, lists, over_vectors

pytest.importorskip("faiss")
CHECKOUT = Path(__file__).parents[2]


@case("K16-01")
def test_one_text_in_two_roles_has_two_vectors(case: Case, tmp_path: Path) -> None:
    calls = case["input"]["calls"]
    assert [role for role, _ in calls] == ["query", "document"]
    expected = case["expected"]["values"]["vectors"]
    table = {role: vector for (role, _), vector in zip(calls, expected, strict=True)}
    for again in (False, True):
        encoder = Stub(lambda text, role: table[role], similarity="dot")
        retriever = DenseRetriever.over(encoder, Workplace(cache=tmp_path))
        retriever.index([Document("d", text=calls[1][1])])
        found = lists(retriever, {"q": calls[0][1]}, 1)
        assert found == {"q": [("d", 0.0)]}  # [1, 0] times [0, 1]; with one shared vector it would be 1
        assert encoder.seen == ({"query": [], "document": []} if again else {r: [t] for r, t in calls})


@case("K16-03")
def test_a_changed_setting_is_run_anew(case: Case, tmp_path: Path) -> None:
    given = case["input"]
    files = {
        "corpus.jsonl": '{"_id": "d1", "text": "red red ash"}\n{"_id": "d2", "text": "red oak"}\n',
        "queries.jsonl": '{"_id": "q1", "text": "red"}\n',
        "qrels/test.tsv": f"{QRELS}q1\td1\t1\n",
    }
    open_case({"input": {"files": files}}, tmp_path / "birds")
    out = tmp_path / given["out"]
    command = ["run", "-d", str(tmp_path / "birds"), "--out", str(out)]
    for settings in (given["first"], given["second"]):
        assert main([*command, "-r", f"bm25:k1={settings['k1']}"]) == 0
    manifests = [json.loads(path.read_text(encoding="utf-8")) for path in out.glob("*/*/manifest.json")]
    assert sorted(manifest["retriever"]["k1"] for manifest in manifests) == [0.9, 1.2]
    runs = {(path.parent / "run.trec.gz").read_bytes() for path in out.glob("*/*/manifest.json")}
    assert len(runs) == 2
    before = {path: path.stat().st_mtime_ns for path in out.rglob("run.*")}
    assert main([*command, "-r", "bm25:k1=0.9"]) == 0
    assert {path: path.stat().st_mtime_ns for path in out.rglob("run.*")} == before


def test_a_changed_text_is_run_anew(tmp_path: Path) -> None:
    """The settings are the same and one letter of the corpus is not."""
    for word in ("ash", "asp"):
        files = {
            "corpus.jsonl": f'{{"_id": "d1", "text": "{word}"}}\n',
            "queries.jsonl": '{"_id": "q1", "text": "ash"}\n',
            "qrels/test.tsv": f"{QRELS}q1\td1\t1\n",
        }
        open_case({"input": {"files": files}}, tmp_path / "birds")
        assert main(["run", "-d", str(tmp_path / "birds"), "-r", "bm25", "--out", str(tmp_path / "out")]) == 0
    assert len(list((tmp_path / "out").glob("*/*/manifest.json"))) == 2


KILLED = """
import os, sys
from pathlib import Path
from beirkit.corpora.records import Document
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.dense.retriever import DenseRetriever
from beirkit.retrievers.store import BLOCK
from tests.faults.stubs import Stub

calls = []

def vector(text, role):
    if len(calls) == BLOCK + 7:
        os._exit(9)
    calls.append(text)
    return [float(text), 1.0]

retriever = DenseRetriever.over(Stub(vector), Workplace(cache=Path(sys.argv[1])))
retriever.index(Document(f"d{i}", text=str(i)) for i in range(2 * BLOCK + 10))
"""


@case("K16-05")
def test_a_killed_run_goes_on_with_what_is_whole(case: Case, tmp_path: Path) -> None:
    assert "during shard 2 of 3" in case["input"]["setup"]
    command = [sys.executable, "-P", "-c", KILLED, str(tmp_path / "a")]
    killed = subprocess.run(command, check=False, env={**os.environ, "PYTHONPATH": str(CHECKOUT)})
    assert killed.returncode == 9
    (folder,) = (tmp_path / "a" / "embeddings").iterdir()
    assert len(list(folder.glob("*.npy"))) == 1

    documents = [Document(f"d{i}", text=str(i)) for i in range(2 * BLOCK + 10)]
    found = {}
    for name in ("a", "b"):
        encoder = Stub(lambda text, role: [float(text), 1.0])
        retriever = DenseRetriever.over(encoder, Workplace(cache=tmp_path / name))
        retriever.index(documents)
        # the killed run's first block is taken as it is; its second, and the third, are made
        assert len(encoder.seen["document"]) == len(documents) - (BLOCK if name == "a" else 0)
        (folder,) = (tmp_path / name / "embeddings").iterdir()
        found[name] = {path.name: path.read_bytes() for path in folder.glob("*.npy")}
    assert found["a"] == found["b"]
    assert len(found["a"]) == 3


def test_a_shard_that_was_cut_is_made_again(tmp_path: Path) -> None:
    documents = [Document("a", text="1"), Document("b", text="2")]
    for cut in (False, True):
        encoder = Stub(lambda text, role: [float(text), 1.0])
        DenseRetriever.over(encoder, Workplace(cache=tmp_path)).index(documents)
        assert encoder.seen["document"] == ["1", "2"]
        (shard,) = tmp_path.glob("embeddings/*/*.npy")
        if not cut:
            shard.write_bytes(shard.read_bytes()[:-3])


@case("K16-06")
def test_shards_keep_the_order_of_their_documents(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twelve blocks of one document each, found again by content and not by a name that could be sorted."""
    from beirkit.retrievers import store

    names = [doc_id for shard in case["input"]["shards"].values() for doc_id in shard]
    assert names[10] == "d10"
    original = store.blocks
    monkeypatch.setattr("beirkit.retrievers.dense.retriever.blocks", lambda items: original(items, 1))
    hot = dict(zip(names, np.eye(len(names)).tolist(), strict=True))
    retriever = over_vectors(hot, {"q10": hot["d10"], "q2": hot["d2"]}, similarity="dot")
    assert ids(lists(retriever, ["q10", "q2"], 1)) == {"q10": ["d10"], "q2": ["d2"]}


@case("K17-03")
def test_an_encoder_that_fails_ends_the_work_at_once(case: Case, tmp_path: Path) -> None:
    # docs/decisions/0009: no worker processes are started, so there is nobody to wait for.
    def vector(text: str, role: str) -> list[float]:
        if text == "bad":
            raise RuntimeError(f"cannot encode {text!r}")
        return [1.0]

    retriever = DenseRetriever.over(Stub(vector), Workplace(cache=tmp_path))
    with pytest.raises(RuntimeError, match="cannot encode 'bad'"):
        retriever.index([Document(str(i), text=text) for i, text in enumerate(case["input"]["texts"])])
    assert multiprocessing.active_children() == []
    assert not list(tmp_path.rglob("*.npy"))
