"""Written vectors: the same bytes each time, every float32 again, and the forms that impact indexes read."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beirkit.corpora.errors import DataError
from beirkit.retrievers.sparse.rows import Rows
from beirkit.retrievers.sparse.vector_files import read_vectors
from beirkit.retrievers.sparse.vector_writer import VectorWriter

NAMES = ["owl", "vole", "##s", 'a "quoted" term', "ключ"]


def names(numbers: object) -> list[str]:
    return [NAMES[number] for number in numbers]  # type: ignore[attr-defined]  # numbers of these names


def rows(*texts: dict[int, float]) -> Rows:
    return Rows(
        np.array([len(text) for text in texts], dtype=np.int64),
        np.array([term for text in texts for term in text], dtype=np.int32),
        np.array([weight for text in texts for weight in text.values()], dtype=np.float32),
    )


def test_one_object_a_line(tmp_path: Path) -> None:
    path = tmp_path / "v.jsonl"
    active = VectorWriter(names).write_json_lines(
        path, [(["d1", "é"], rows({0: 3.1, 2: 1e-5}, {})), (["d3"], rows({3: 2.0, 4: 0.5}))]
    )
    assert path.read_text(encoding="utf-8") == (
        '{"id": "d1", "contents": "", "vector": {"owl": 3.1, "##s": 1e-05}}\n'
        '{"id": "é", "contents": "", "vector": {}}\n'
        '{"id": "d3", "contents": "", "vector": {"a \\"quoted\\" term": 2.0, "ключ": 0.5}}\n'
    )
    assert active.report() == {"texts": 3, "active_dims": 1.333, "empty": 1}
    assert [json.loads(line)["id"] for line in path.read_text(encoding="utf-8").splitlines()] == [
        "d1",
        "é",
        "d3",
    ]


@settings(max_examples=300)
@given(
    st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False).filter(bool), min_size=1, max_size=5)
)
def test_every_float32_comes_back(tmp_path_factory: pytest.TempPathFactory, weights: list[float]) -> None:
    path = tmp_path_factory.mktemp("v") / "v.jsonl"
    text = dict(enumerate(weights))
    VectorWriter(names).write_json_lines(path, [(["d"], rows(text))])
    (vector,) = read_vectors(path, "document")
    assert list(vector.weights) == NAMES[: len(weights)]
    found = np.array(list(vector.weights.values())).astype(np.float32)
    assert found.tobytes() == np.array(weights, dtype=np.float32).tobytes()


def test_random_bits_come_back(tmp_path: Path) -> None:
    """Through a double, as every reader of JSON goes, decimals of float32 are rounded twice."""
    bits = np.random.default_rng(1).integers(0, 2**32, 20_000, dtype=np.uint32).view(np.float32)
    weights = bits[np.isfinite(bits) & (bits != 0)]
    text = Rows(np.ones(len(weights), dtype=np.int64), np.zeros(len(weights), dtype=np.int32), weights)
    path = tmp_path / "v.jsonl"
    VectorWriter(names).write_json_lines(path, [([str(i) for i in range(len(weights))], text)])
    found = np.array([v.weights["owl"] for v in read_vectors(path, "document")]).astype(np.float32)
    assert found.tobytes() == weights.tobytes()


def test_impacts_are_rounded_and_those_of_0_left_out(tmp_path: Path) -> None:
    path = tmp_path / "v.jsonl"
    writer = VectorWriter(names, 100)
    active = writer.write_json_lines(path, [(["d", "e"], rows({0: 1.237, 1: 0.004, 2: 0.006}, {1: 0.001}))])
    assert {v.key: dict(v.weights) for v in read_vectors(path, "document")} == {
        "d": {"owl": 124, "##s": 1},
        "e": {},
    }
    assert '"owl": 124,' in path.read_text(encoding="utf-8")
    assert active.report() == {"texts": 2, "active_dims": 1.0, "empty": 1}


def test_pseudo_text_says_a_term_as_often_as_it_weighs(tmp_path: Path) -> None:
    path = tmp_path / "q.tsv"
    VectorWriter(names, 2).write_pseudo_texts(path, [(["q1", "q2"], rows({1: 1.6, 0: 0.5}, {}))])
    assert path.read_text(encoding="utf-8") == "q1\tvole vole vole owl\nq2\t\n"
    assert {v.key: dict(v.weights) for v in read_vectors(path, "query")} == {
        "q1": {"vole": 3, "owl": 1},
        "q2": {},
    }


def test_what_the_forms_cannot_hold_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    path = tmp_path / "v.tsv"
    with pytest.raises(DataError, match=r"a weight is -0\.5: an impact cannot be negative"):
        VectorWriter(names, 100).write_json_lines(path, [(["d"], rows({0: -0.5}))])
    with pytest.raises(DataError, match=r"the term 'a \"quoted\" term' has white space in it"):
        VectorWriter(names, 1).write_pseudo_texts(path, [(["d"], rows({3: 1.0}))])
    with pytest.raises(DataError, match="two terms are called 'same': 0 and 1"):
        VectorWriter(lambda numbers: ["same"] * len(numbers)).write_json_lines(
            path, [(["d"], rows({0: 1, 1: 1}))]
        )
    assert list(tmp_path.iterdir()) == []


def test_negative_weights_are_written_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "v.jsonl"
    VectorWriter(names).write_json_lines(path, [(["d"], rows({0: -0.25}))])
    assert '{"owl": -0.25}' in path.read_text(encoding="utf-8")
