"""Reranking: nothing is added, nothing lost, the order below the depth stays, and no pair is scored twice."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from beirkit.configs.schema import RetrieverConfig
from beirkit.corpora.errors import ConfigError, DataError, UsageError
from beirkit.corpora.records import Document, Query
from beirkit.corpora.run import Run
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.catalog import create
from beirkit.retrievers.rerank.retriever import RerankRetriever, below

CHECKOUT = Path(__file__).parents[3]
WORDS = ["owl", "vole", "kite", "wren", "lark"]
DOCUMENTS = [
    Document(f"d{i}", "", " ".join(WORDS[: 1 + i % 5] * (1 + i // 5)) + " bird" * (i % 3)) for i in range(30)
]
QUERIES = [Query("q1", "owl bird"), Query("q2", "kite"), Query("none", "zyxwv")]

LENGTH = """
import os, sys
from pathlib import Path

def score(query, texts):
    log = Path(__file__).with_name("calls.txt")
    with log.open("a") as out:
        out.writelines(f"{query}\\t{text}\\n" for text in texts)
    if os.environ.get("STOP_AT") == query:
        os._exit(9)
    return [float(-len(text)) for text in texts]
"""


@pytest.fixture
def scorer(tmp_path: Path) -> Path:
    path = tmp_path / "length.py"
    path.write_text(LENGTH, encoding="utf-8")
    return path


def made(scorer: Path, cache: Path | None = None, **options: object) -> RerankRetriever:
    given = {"retriever": "bm25", "model": f"{scorer}:score", **options}
    retriever = create(RetrieverConfig(name="r", kind="rerank", options=given), Workplace(cache=cache))
    assert isinstance(retriever, RerankRetriever)
    return retriever


def searched(retriever: RerankRetriever, k: int = 20) -> Run:
    retriever.index(iter(DOCUMENTS))
    return retriever.search(QUERIES, k)


def orders(run: Run) -> dict[str, list[str]]:
    return {query: [doc for doc, _ in row] for query, row in run.lists()}


def first_stage(k: int = 20) -> dict[str, list[str]]:
    bm25 = create(RetrieverConfig(name="bm25", kind="bm25-lucene"))
    bm25.index(DOCUMENTS)
    return orders(bm25.search(QUERIES, k))


def calls(scorer: Path) -> list[str]:
    return scorer.with_name("calls.txt").read_text(encoding="utf-8").splitlines()


def test_a_depth_of_1_changes_nothing(scorer: Path) -> None:
    run = searched(made(scorer, depth=1))
    assert orders(run) == first_stage()
    assert list(run.ordered().lists()) == list(run.lists())


@pytest.mark.parametrize("depth", [2, 7, 20, 1000])
def test_documents_stay_and_so_does_the_order_below_the_depth(scorer: Path, depth: int) -> None:
    before, run = first_stage(), searched(made(scorer, depth=depth))
    lengths = {document.doc_id: len(document.text) for document in DOCUMENTS}
    whole = first_stage(max(20, depth))
    for query, docs in orders(run).items():
        assert docs[depth:] == before[query][depth:]
        assert set(docs[:depth]) <= set(whole[query][:depth])
        if depth <= 20:
            assert set(docs[:depth]) == set(before[query][:depth])
        assert docs[:depth] == sorted(docs[:depth], key=lambda doc: (-lengths[doc], doc), reverse=True)
    assert list(run.ordered().lists()) == list(run.lists())


def test_candidates_are_frozen_and_the_depth_is_told(scorer: Path, tmp_path: Path) -> None:
    one, other = made(scorer, depth=5), made(scorer, depth=5, template="{text} {title}")
    searched(one)
    searched(other)
    assert one.report()["candidates_sha256"] == other.report()["candidates_sha256"]
    assert (one.report()["depth"], one.report()["candidates"]) == (5, 10)
    deeper = made(scorer, depth=6)
    searched(deeper)
    assert deeper.report()["candidates_sha256"] != one.report()["candidates_sha256"]


def test_no_pair_is_scored_twice(scorer: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    fresh = made(scorer, cache, depth=5)
    first = searched(fresh)
    assert len(calls(scorer)) == len(set(calls(scorer))) == 10
    again = made(scorer, cache, depth=5)
    assert list(searched(again).lists()) == list(first.lists())
    assert json.dumps(again.report()) == json.dumps(fresh.report())
    assert again.costs()["pairs"] == {"computed": 0, "from_store": 10}
    assert again.costs()["retriever"]["from_store"]
    deeper = made(scorer, cache, depth=8, retriever="bm25:k1=0.8")
    searched(deeper)
    assert len(calls(scorer)) == len(set(calls(scorer))) == 10 + deeper.costs()["pairs"]["computed"]
    scorer.write_text(LENGTH.replace("-len", "len"), encoding="utf-8")
    changed = made(scorer, cache, depth=5)
    assert orders(searched(changed)) != orders(first)
    assert changed.costs()["pairs"]["from_store"] == 0


KILLED = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from tests.retrievers.rerank.test_rerank import made, searched
searched(made(Path(sys.argv[1]), Path(sys.argv[2]), depth=5))
"""


def test_a_killed_run_goes_on(scorer: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    command = [sys.executable, "-P", "-c", KILLED, str(scorer), str(cache), str(CHECKOUT)]
    done = subprocess.run(command, check=False, env={**os.environ, "STOP_AT": "kite"})
    assert done.returncode == 9
    assert len(calls(scorer)) == 10  # those of the second query were lost
    resumed = made(scorer, cache, depth=5)
    run = searched(resumed)
    assert resumed.costs()["pairs"] == {"computed": 5, "from_store": 5}
    assert list(run.lists()) == list(searched(made(scorer, tmp_path / "other", depth=5)).lists())


def test_a_damaged_score_is_computed_again(scorer: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    expected = list(searched(made(scorer, cache, depth=5)).lists())
    for path in cache.glob("rerank/*/*.npy"):
        path.write_bytes(path.read_bytes()[:-2])
    again = made(scorer, cache, depth=5)
    assert list(searched(again).lists()) == expected
    assert again.costs()["pairs"] == {"computed": 10, "from_store": 0}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("[1.0]", "for 5 texts"),
        ("['x'] * len(texts)", "give one number for each"),
        ("[float('nan')] * len(texts)", "are not finite"),
    ],
)
def test_scores_that_are_none_are_refused(tmp_path: Path, body: str, message: str) -> None:
    path = tmp_path / "bad.py"
    path.write_text(f"def score(query, texts):\n    return {body}\n", encoding="utf-8")
    with pytest.raises(DataError, match=message):
        searched(made(path, depth=5))


def test_a_function_that_fails_is_one_message(tmp_path: Path) -> None:
    path = tmp_path / "bad.py"
    path.write_text("def score(query, texts):\n    raise KeyError(texts[0])\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"score failed: KeyError"):
        searched(made(path))


def test_impossible_options_are_refused(scorer: Path) -> None:
    with pytest.raises(ConfigError, match="depth is 0"):
        made(scorer, depth=0)
    with pytest.raises(ConfigError, match="max_length means nothing for a function"):
        made(scorer, max_length=5)


def test_scores_below_fall_however_large_they_are() -> None:
    for low in (0.5, -3e9, -1e30):
        made_below = below(np.array([2.0, low], dtype=np.float32), 50)
        assert made_below[0] < np.float32(low)
        assert (np.diff(made_below) < 0).all()
    assert len(below(np.empty(0, dtype=np.float32), 3)) == 3


@pytest.mark.dense
def test_a_cross_encoder_gives_what_sentence_transformers_gives(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    from sentence_transformers import CrossEncoder

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, "bird"]
    (tmp_path / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    config = transformers.BertConfig(
        vocab_size=len(words), hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=64, num_labels=1,
    )  # fmt: skip
    torch.manual_seed(3)
    folder = tmp_path / "cross"
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    transformers.BertTokenizerFast(
        vocab_file=str(tmp_path / "vocab.txt"), model_max_length=64
    ).save_pretrained(folder)

    retriever = made(folder, model=str(folder), depth=6)
    found = searched(retriever).to_dict()
    theirs = CrossEncoder(str(folder), device="cpu", activation_fn=torch.nn.Identity())
    texts = {document.doc_id: document.text for document in DOCUMENTS}
    candidates = first_stage()["q1"][:6]
    expected = theirs.predict([("owl bird", texts[doc]) for doc in candidates])
    assert len(set(np.round(expected, 6))) > 1
    for doc, score in zip(candidates, expected, strict=True):
        assert found["q1"][doc] == pytest.approx(float(score), abs=1e-5)
    with pytest.raises(UsageError, match="not 0000"):
        made(folder, model=str(folder), weights_sha256="0000").identity()


def test_a_dense_model_is_no_cross_encoder() -> None:
    tiny = CHECKOUT / "tests" / "fixtures" / "models" / "tiny"
    with pytest.raises(UsageError, match="no cross-encoder"):
        made(tiny, model=str(tiny)).identity()
