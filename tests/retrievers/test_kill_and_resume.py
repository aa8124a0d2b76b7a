"""Every kind that encodes: killed and started again it ends in the bytes of an unbroken run, and encodes anew
what a change concerns and nothing else.

A kind takes part by an entry in ``CASES``.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from tests.house.tree import CHECKOUT
from tests.retrievers.dense.conftest import tiny_model as tiny_model
from tests.retrievers.late.conftest import tiny_bert as tiny_bert
from tests.retrievers.late.conftest import tiny_late as tiny_late
from tests.retrievers.resuming import BLOCK, DOCUMENTS, QUERIES, content, work
from tests.retrievers.sparse.conftest import tiny_splade as tiny_splade
from tests.retrievers.sparse.conftest import tiny_static_queries as tiny_static_queries
from tests.retrievers.tiny_bert import WORDS

Options = dict[str, Any]
Given = Callable[[str], Path]
"""The folder of a model, by the name of its fixture; ``other:NAME`` is one with other weights."""

ALL = (*DOCUMENTS, *QUERIES)
BLOCKS = [
    min(BLOCK, len(texts) - start) for texts in (DOCUMENTS, QUERIES) for start in range(0, len(texts), BLOCK)
]
STORED = ("embeddings/", "sparse/", "tokens/")
"""Where the store has what encoders gave."""
DENSE = "beirkit.retrievers.dense.sentence_transformer:SentenceTransformerEncoder.encode"
FUNCTION = "beirkit.retrievers.dense.function:FunctionEncoder.encode"
SPARSE = "beirkit.retrievers.sparse.encoder:SparseModel.encode"
LATE = "beirkit.retrievers.late.encoder:LateModel.encode"
PAIRS = "beirkit.retrievers.rerank.scorer:FunctionScorer.score"


@dataclass(frozen=True)
class Case:
    """How a kind takes part.

    Attributes:
        kind: name of it.
        options: of the retriever, given its models.
        counted: ``module:Class.method``, what is given the texts that are encoded.
        changed: options, merged into the others, that each encode anew: all documents, all queries, or both.
        kept: options that change the result and encode nothing.
        kill_at: how many blocks are stored when the process is killed; one test for each.
        needs: modules without which it is skipped.
        by_block: whether a changed text encodes its block; pairs are scored one by one.
    """

    kind: str
    options: Callable[[Given], Options]
    counted: str
    changed: Callable[[Given], list[Options]]
    kept: tuple[Options, ...] = ()
    kill_at: tuple[int, ...] = (2,)
    needs: tuple[str, ...] = ("torch", "sentence_transformers")
    by_block: bool = True


def _function(given: Given) -> Options:
    return {"model": f"{given('function')}:encode"}


def _function_changes(given: Given) -> list[Options]:
    return [
        {"model": f"{given('other:function')}:encode"},
        {"prompts": {"query": "find : "}},
        {"prompts": {"document": "passage : "}},
        {"batch_size": 3},
    ]


def _model_changes(name: str, *more: Options) -> Callable[[Given], list[Options]]:
    prompts: list[Options] = [{"prompts": {"query": "the "}}, {"prompts": {"document": "the "}}]
    return lambda given: [{"model": str(given(f"other:{name}"))}, *prompts, *more]


def _inner(given: Given) -> Options:
    return {"kind": "dense", "options": _function(given)}


CASES: dict[str, Case] = {
    "dense": Case(
        "dense",
        lambda given: {"model": str(given("tiny_model"))},
        DENSE,
        _model_changes("tiny_model", {"max_length": 8}, {"batch_size": 3}, {"template": "the {text}"}),
        kept=({"precision": "int8"}, {"truncate_dim": 8}),
        kill_at=(2, 6),  # the sixth block is of queries
    ),
    "dense, static": Case(
        "dense",
        lambda given: {"model": str(given("static"))},
        DENSE,
        _model_changes("static", {"batch_size": 3}),
    ),
    "dense, function": Case("dense", _function, FUNCTION, _function_changes, needs=()),
    "dense, smaller": Case(
        "dense",
        lambda given: {**_function(given), "precision": "binary"},
        FUNCTION,
        _function_changes,
        kept=({"precision": "float16"},),
        kill_at=(2, 7),  # the seventh block is one of the smaller vectors
        needs=(),
    ),
    "dense, faiss": Case(
        "dense",
        lambda given: {**_function(given), "index": "HNSW8"},
        FUNCTION,
        _function_changes,
        kept=({"index": "Flat"}, {"parameters": {"efSearch": 64}}),
        kill_at=(2, 5),  # then comes the index
        needs=("faiss",),
    ),
    "sparse": Case(
        "sparse",
        lambda given: {"model": str(given("tiny_splade"))},
        SPARSE,
        _model_changes(
            "tiny_splade",
            {"max_length": 8},
            {"max_active_dims": 3},
            {"batch_size": 3},
            {"template": "the {text}"},
        ),
    ),
    "sparse, static queries": Case(
        "sparse",
        lambda given: {"model": str(given("tiny_static_queries"))},
        SPARSE,
        _model_changes("tiny_static_queries"),
        kill_at=(2, 6),
    ),
    "late": Case(
        "late",
        lambda given: {"model": str(given("tiny_late"))},
        LATE,
        _model_changes("tiny_late", {"document_length": 8}, {"query_length": 8}, {"batch_size": 3}),
        kept=({"similarity": "meanmaxsim"},),
    ),
    "rerank": Case(
        "rerank",
        lambda given: {"retriever": "bm25", "model": f"{given('function')}:score", "depth": 10},
        PAIRS,
        lambda given: [
            {"model": f"{given('other:function')}:score"},
            {"batch_size": 3},
            {"template": "the {text}"},
        ],
        kept=({"depth": 5},),
        kill_at=(2, 6),  # of the first stage's run, and of pairs
        needs=(),
        by_block=False,
    ),
    "fusion": Case(
        "fusion",
        lambda given: {"members": ["bm25", _inner(given)], "method": "minmax"},
        FUNCTION,
        lambda given: [
            {"members": ["bm25", {"kind": "dense", "options": {**_function(given), **changed}}]}
            for changed in _function_changes(given)
        ],
        kept=({"method": "rrf"}, {"weights": [1, 3]}),
        kill_at=(2, 5, 10),  # of one member's run, its vectors, the other's
        needs=(),
    ),
    "nested": Case(
        "rerank",
        lambda given: {
            "retriever": {"kind": "fusion", "options": {"members": ["bm25", _inner(given)]}},
            "model": f"{given('function')}:score",
        },
        FUNCTION,
        lambda given: [],
        kept=({"depth": 5},),
        kill_at=(5, 16),
        needs=(),
    ),
    "chunked": Case(
        "chunked",
        lambda given: {"retriever": _inner(given), "size": 3, "overlap": 1},
        FUNCTION,
        lambda given: [{"size": 4}],
        kept=({"aggregation": "mean"},),
        needs=(),
        by_block=False,
    ),
}


@pytest.fixture(scope="module")
def given(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Given:
    made: dict[str, Path] = {}

    def folder(name: str) -> Path:
        if name not in made:
            base = name.removeprefix("other:")
            if base == "function":
                made[name] = _code(tmp_path_factory.mktemp("code"), "2" if base == name else "3")
            elif base != name:
                made[name] = _altered(folder(base), tmp_path_factory.mktemp("other") / "model")
            else:
                found: Path = request.getfixturevalue(name)
                made[name] = found
        return made[name]

    return folder


@pytest.fixture(scope="session")
def static(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vector for each word."""
    pytest.importorskip("sentence_transformers")
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = {word: number for number, word in enumerate(WORDS)}
    tokenizer: Any = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    table = np.random.default_rng(5).standard_normal((len(words), 16)).astype(np.float32)
    folder = tmp_path_factory.mktemp("static")
    SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_weights=table)], device="cpu").save(
        str(folder)
    )
    return folder


def _code(folder: Path, factor: str) -> Path:
    """Vectors and scores that are counts of letters; another factor is other code."""
    file = folder / "mine.py"
    file.write_text(
        "import numpy as np\n"
        "def encode(texts, role):\n"
        f"    rows = [[1 + {factor} * text.count(letter) for letter in 'abeghiklnorstv'] for text in texts]\n"
        "    return np.array(rows, dtype=np.float32)\n"
        "def score(query, texts):\n"
        f"    return [float({factor} * sum(query.count(word) for word in text.split())) for text in texts]\n",
        encoding="utf-8",
    )
    return file


def _altered(folder: Path, target: Path) -> Path:
    """A copy of a model with one of its arrays doubled."""
    from safetensors.numpy import load_file, save_file

    shutil.copytree(folder, target)
    path = sorted(target.rglob("model.safetensors"))[0]
    arrays = load_file(path)
    name = max(arrays, key=lambda one: arrays[one].size)
    save_file({**arrays, name: arrays[name] * 2}, path, {"format": "pt"})
    return target


@pytest.fixture(params=[pytest.param(name, id=name) for name in CASES])
def case(request: pytest.FixtureRequest) -> Case:
    found = CASES[request.param]
    for module in found.needs:
        pytest.importorskip(module)
    return found


@pytest.mark.slow
def test_a_killed_run_goes_on_and_ends_in_the_same_bytes(case: Case, given: Given, tmp_path: Path) -> None:
    options = case.options(given)
    expected, all_texts = work(case.kind, options, tmp_path / "whole", case.counted)
    assert len(set(all_texts)) > BLOCK
    for kill_at in case.kill_at:
        cache = tmp_path / f"killed-{kill_at}"
        _kill(case, options, cache, kill_at)
        left = content(cache)
        arrays = [name for name in left if name.endswith(".npy")]
        assert len(arrays) == kill_at
        whole = content(tmp_path / "whole")
        assert all(whole[name] == data for name, data in left.items())

        found, encoded = work(case.kind, options, cache, case.counted)
        assert found == expected
        assert content(cache) == whole
        skipped = len(all_texts) - len(encoded)
        assert encoded == all_texts[skipped:], "what was stored is first in order, and is not encoded again"
        if case.by_block:
            blocks = sum(_is_encoded(name, left) for name in arrays)
            assert skipped == sum(BLOCKS[:blocks])
        assert work(case.kind, options, cache, case.counted) == (expected, [])


def _is_encoded(array: str, store: dict[str, bytes]) -> bool:
    """Whether an array of a store holds what an encoder gave, and not what was made from that."""
    folder = array.rpartition("/")[0]
    return array.startswith(STORED) and "form" not in json.loads(store[f"{folder}/manifest.json"])


def _kill(case: Case, options: Options, cache: Path, kill_at: int) -> None:
    asked = {"kind": case.kind, "options": options, "cache": str(cache), "counted": case.counted}
    command = [
        sys.executable,
        "-P",
        "-m",
        "tests.retrievers.resuming",
        json.dumps({**asked, "kill_at": kill_at}),
    ]
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr


@pytest.mark.slow
def test_a_change_encodes_anew_what_it_concerns(case: Case, given: Given, tmp_path: Path) -> None:
    options = case.options(given)
    expected, all_texts = work(case.kind, options, tmp_path, case.counted)
    for changed in case.changed(given):
        _, encoded = work(case.kind, {**options, **changed}, tmp_path, case.counted)
        assert len(encoded) in _concerned(changed, len(all_texts)), changed
    for kept in case.kept:
        assert work(case.kind, {**options, **kept}, tmp_path, case.counted)[1] == [], kept
    assert work(case.kind, options, tmp_path, case.counted) == (expected, [])


def _concerned(changed: Options, count: int) -> range:
    """How many texts must be encoded after a change of options."""
    by_role: dict[str, int] = {"query": len(QUERIES), "document": len(DOCUMENTS)}
    ((name, value),) = changed.items()
    if name == "prompts":
        wanted = sum(by_role[role] for role in value)
    elif name in ("query_length", "document_length"):
        wanted = by_role[name.removesuffix("_length")]
    elif name == "template":
        wanted = min(count, by_role["document"]) if count == len(ALL) else count
    elif name in ("members", "size"):
        return range(1, 10 * count)
    else:
        wanted = count
    return range(wanted, wanted + 1)


@pytest.mark.slow
def test_a_changed_text_encodes_its_block_alone(case: Case, given: Given, tmp_path: Path) -> None:
    options, place = case.options(given), 10
    _, all_texts = work(case.kind, options, tmp_path, case.counted)
    text = "owl barn hunt voles night kestrel"
    assert text not in all_texts
    documents = [
        *DOCUMENTS[:place],
        msgspec.structs.replace(DOCUMENTS[place], text=text),
        *DOCUMENTS[place + 1 :],
    ]
    _, encoded = work(case.kind, options, tmp_path, case.counted, documents)
    assert any(text.startswith(part) for part in encoded)
    if case.by_block:
        block = documents[BLOCK * (place // BLOCK) :][:BLOCK]
        assert encoded == [document.text for document in block]
    else:
        assert len(encoded) < len(all_texts)
