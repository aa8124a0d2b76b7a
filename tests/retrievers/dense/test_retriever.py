"""The dense retriever over encoders made by hand: the mistakes that dense retrieval is known for."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from beirkit.corpora.errors import DataError, MissingExtraError, UsageError
from beirkit.corpora.progress import Advance
from beirkit.corpora.records import Document, Query
from beirkit.corpora.run import Run
from beirkit.retrievers.base import Facts, Workplace
from beirkit.retrievers.dense.encoder import Role, Similarity, Vectors
from beirkit.retrievers.dense.retriever import DenseOptions, DenseRetriever
from beirkit.retrievers.store import blocks


class Stub:
    """Looks vectors up by text; counts white-space words for truncation."""

    def __init__(
        self,
        vectors: Mapping[str, Sequence[float]] | None = None,
        *,
        similarity: Similarity = "cosine",
        prompts: Mapping[Role, str] | None = None,
        max_length: int = 1000,
        dtype: str = "float32",
        **facts: Any,
    ) -> None:
        self.vectors = vectors
        self.given_similarity: Similarity = similarity
        self.prompts = {"query": "", "document": "", **(prompts or {})}
        self.max_length = max_length
        self.dtype = dtype
        self.facts = facts
        self.inputs: list[tuple[Role, str]] = []
        self.calls = 0

    def identity(self) -> Facts:
        return {"model": "stub", "prompts": self.prompts, "max_length": self.max_length, **self.facts}

    @property
    def similarity(self) -> Similarity:
        return self.given_similarity

    def encode(self, texts: Sequence[str], role: Role, advance: Advance | None = None) -> Vectors:
        self.calls += 1
        self.inputs += [(role, self.prompts[role] + text) for text in texts]
        if advance is not None:
            advance(len(texts))
        rows = [self.vector(text, role) for text in texts]
        return np.array(rows, dtype=np.float32)

    def vector(self, text: str, role: Role) -> Sequence[float]:
        return [len(text), 1.0] if self.vectors is None else self.vectors[text]

    def count_truncated(self, texts: Sequence[str], role: Role) -> int:
        return sum(len((self.prompts[role] + text).split()) > self.max_length for text in texts)


def _documents(*names: str) -> list[Document]:
    return [Document(name, "", name) for name in names]


def _ranked(run: Run) -> dict[str, list[str]]:
    return {query_id: [doc_id for doc_id, _ in row] for query_id, row in run.lists()}


def _search(encoder: Stub, documents: Sequence[Document], queries: Mapping[str, str], k: int) -> Run:
    retriever = DenseRetriever.over(encoder)
    retriever.index(documents)
    return retriever.search([Query(query_id, text) for query_id, text in queries.items()], k)


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("beirkit.retrievers.dense.retriever.blocks", lambda items: blocks(items, 3))


@pytest.mark.parametrize(
    ("similarity", "expected"),
    [("cosine", [("d2", 0.995037), ("d1", 0.707107)]), ("dot", [("d1", 2.0), ("d2", 1.0)])],
)
def test_cosine_and_dot_rank_differently(similarity: Similarity, expected: list[tuple[str, float]]) -> None:
    encoder = Stub({"q": [1, 0], "d1": [2, 2], "d2": [1, 0.1]}, similarity=similarity)
    retriever = DenseRetriever.over(encoder)
    retriever.index(_documents("d1", "d2"))
    row = dict(retriever.search([Query("q", "q")], 2).lists())["q"]
    assert [doc_id for doc_id, _ in row] == [doc_id for doc_id, _ in expected]
    assert [score for _, score in row] == pytest.approx([score for _, score in expected], abs=1e-6)
    assert retriever.identity()["similarity"] == similarity


def test_rows_are_mapped_to_ids_in_the_order_they_were_encoded() -> None:
    lengths = {1: [1, 0, 0], 3: [0, 1, 0], 5: [0, 0, 1]}
    texts = {"d1": "a", "d2": "ccccc", "d3": "bbb"}
    queries = {"q1": "x", "q2": "yyyyy"}
    encoder = Stub({text: lengths[len(text)] for text in (*texts.values(), *queries.values())})
    documents = [Document(doc_id, "", text) for doc_id, text in texts.items()]
    assert _ranked(_search(encoder, documents, queries, 1)) == {"q1": ["d1"], "q2": ["d2"]}


def test_close_cosines_are_not_tied() -> None:
    encoder = Stub({"q": [1, 0], "a": [1, 0.02], "b": [1, 0.021]})
    assert _ranked(_search(encoder, _documents("a", "b"), {"q": "q"}, 2)) == {"q": ["a", "b"]}


def test_vectors_in_half_precision_are_scored_in_float32() -> None:
    class Half(Stub):
        def encode(self, texts: Sequence[str], role: Role, advance: Advance | None = None) -> Vectors:
            half: Any = super().encode(texts, role, advance).astype(np.float16)
            return half  # type: ignore[no-any-return]  # an encoder that breaks its promise

    encoder = Half({"q": [1, 0], "a": [1, 0.02], "b": [1, 0.021]})
    run = _search(encoder, _documents("a", "b"), {"q": "q"}, 2)
    assert _ranked(run) == {"q": ["a", "b"]}
    assert run.scores.dtype == np.float32


def test_the_cosine_with_a_zero_vector_is_zero(caplog: pytest.LogCaptureFixture) -> None:
    encoder = Stub({"q": [1, 0], "z": [0, 0], "a": [0.2, 0.9], "b": [-1, 0]})
    retriever = DenseRetriever.over(encoder)
    with caplog.at_level(logging.WARNING):
        retriever.index(_documents("z", "a", "b"))
    row = dict(retriever.search([Query("q", "q")], 3).lists())["q"]
    assert [doc_id for doc_id, _ in row] == ["a", "z", "b"]
    assert [score for _, score in row] == pytest.approx([0.21693, 0.0, -1.0], abs=1e-5)
    assert retriever.report()["document"]["zero_vectors"] == 1
    assert caplog.messages == ["1 zero vector among 3 documents: similarity 0 with everything"]


@pytest.mark.usefixtures("small_blocks")
def test_the_best_k_are_kept_over_all_blocks() -> None:
    vectors: dict[str, Sequence[float]] = {f"d{i}": [7 * i % 10 / 10] for i in range(10)}
    encoder = Stub({**vectors, "q": [1]}, similarity="dot")
    run = _search(encoder, _documents(*vectors), {"q": "q"}, 2)
    assert _ranked(run) == {"q": ["d7", "d4"]}
    assert encoder.calls == 5, "four blocks of documents and one of queries"


@pytest.mark.usefixtures("small_blocks")
def test_more_blocks_than_ten_stay_in_order() -> None:
    names = [f"d{i}" for i in range(40)]
    one_hot = np.eye(40).tolist()
    encoder = Stub({**dict(zip(names, one_hot, strict=True)), "ten": one_hot[10], "two": one_hot[2]})
    run = _search(encoder, _documents(*names), {"q10": "ten", "q2": "two"}, 1)
    assert _ranked(run) == {"q10": ["d10"], "q2": ["d2"]}


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("k", [5, 7, 3000])
def test_k_beyond_the_corpus_pads_with_nothing(k: int) -> None:
    encoder = Stub({**{f"d{i}": [i] for i in range(5)}, "q": [1]}, similarity="dot")
    run = _search(encoder, _documents(*(f"d{i}" for i in range(5))), {"q": "q"}, k)
    assert _ranked(run) == {"q": ["d4", "d3", "d2", "d1", "d0"]}


def test_each_role_gets_its_own_prompt() -> None:
    encoder = Stub(prompts={"query": "query: ", "document": "passage: "})
    retriever = DenseRetriever.over(encoder)
    retriever.index([Document("d", "", "bar")])
    retriever.search([Query("q", "foo")], 1)
    assert encoder.inputs == [("document", "passage: bar"), ("query", "query: foo")]
    assert retriever.identity()["encoder"]["prompts"] == {"query": "query: ", "document": "passage: "}


def test_truncated_texts_are_counted_by_role_and_told(
    caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    for turn in ("fresh", "stored"):
        caplog.clear()
        retriever = DenseRetriever.over(Stub(max_length=4), Workplace(cache=tmp_path))
        with caplog.at_level(logging.WARNING):
            retriever.index([Document("d1", "", "a b c d e")])
            retriever.search([Query("q1", "a b c"), Query("q2", "a b c d e f")], 1)
        report = retriever.report()
        assert report["document"] == {"texts": 1, "truncated": 1, "truncated_share": 1.0, "zero_vectors": 0}
        assert report["query"] == {
            "texts": 2, "truncated": 1, "truncated_share": 0.5, "zero_vectors": 0, "truncated_ids": ["q2"],
        }  # fmt: skip
        assert retriever.identity()["encoder"]["max_length"] == 4
        assert caplog.messages == [
            "1 of 1 documents are longer than the 4 tokens the model reads; their ends are not seen",
            "1 of 2 queries are longer than the 4 tokens the model reads; their ends are not seen",
        ], turn


def test_costs_tell_the_index_and_what_was_not_encoded_anew(tmp_path: Path) -> None:
    for stored in (0, 3):
        retriever = DenseRetriever.over(Stub(), Workplace(cache=tmp_path))
        retriever.index(_documents("a", "bb", "ccc"))
        retriever.search([Query("q1", "a" * (stored + 1))], 1)  # another text each time
        assert retriever.costs() == {
            "index_bytes": 3 * 2 * 4, "from_store": {"document": stored, "query": 0},
        }  # fmt: skip


def test_an_encoder_of_another_kind_is_refused() -> None:
    with pytest.raises(UsageError, match="of the kind 'sparse' \\(it needs the sparse retriever\\)"):
        DenseRetriever.over(Stub(kind="sparse")).index(_documents("d"))


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ([{"owl": 0.5}], "gave list for 1 texts.*sparse retriever"),
        (np.zeros(3, dtype=np.float32), r"gave float32 \(3,\) for 1 texts"),
        (np.zeros((2, 3), dtype=np.float32), r"gave float32 \(2, 3\) for 1 texts"),
    ],
)
def test_output_of_another_shape_is_refused(output: Any, message: str) -> None:
    encoder = Stub()
    encoder.encode = lambda texts, role, advance=None: output  # type: ignore[method-assign]  # a bad encoder
    with pytest.raises(UsageError, match=message):
        DenseRetriever.over(encoder).index(_documents("d"))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_vectors_that_are_not_finite_are_refused_with_the_id(bad: float) -> None:
    encoder = Stub({"d1": [0, 1], "d2": [0, bad], "q": [bad, 0]})
    with pytest.raises(DataError, match=r"NaN or infinity for 1 of 2 texts \(document 'd2'\).*float32"):
        DenseRetriever.over(encoder).index(_documents("d1", "d2"))
    retriever = DenseRetriever.over(encoder)
    retriever.index(_documents("d1"))
    with pytest.raises(DataError, match=r"\(query 'q'\)"):
        retriever.search([Query("q", "q")], 1)


def test_a_failing_encoder_is_heard() -> None:
    class Fails(Stub):
        def vector(self, text: str, role: Role) -> Sequence[float]:
            if text == "bad":
                raise RuntimeError("no vector for 'bad'")
            return [1.0]

    with pytest.raises(RuntimeError, match="'bad'"):
        DenseRetriever.over(Fails()).index(_documents("ok", "bad", "ok2"))


@pytest.mark.parametrize("absent", ["torch", "sentence_transformers", "faiss"])
def test_a_library_that_is_missing_comes_with_its_command(
    absent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, absent, None)
    tiny = Path(__file__).parents[2] / "fixtures" / "models" / "tiny"
    encoder = Stub() if absent == "faiss" else None
    options = DenseOptions(model=str(tiny), index="Flat" if absent == "faiss" else None)
    retriever = DenseRetriever(options, Workplace(device="cpu"), encoder=encoder)

    def work() -> None:
        retriever.index(_documents("d"))
        retriever.search([Query("q", "q")], 1)

    with pytest.raises(MissingExtraError, match=r"pip install 'beirkit\[dense\]'"):
        work()


def test_an_id_that_occurs_twice_is_refused() -> None:
    with pytest.raises(DataError, match="1 document ids occur twice, the first 'd'"):
        DenseRetriever.over(Stub()).index(_documents("d", "e", "d"))


def test_queries_and_documents_of_two_models_are_refused() -> None:
    encoder = Stub({"d": [1, 0], "q": [1]})
    with pytest.raises(UsageError, match="queries have 1 dimensions, documents 2"):
        _search(encoder, _documents("d"), {"q": "q"}, 1)


# --- the cache


@pytest.mark.usefixtures("small_blocks")
def test_a_second_start_encodes_nothing(tmp_path: Path) -> None:
    runs = []
    for calls in (4, 0):
        encoder = Stub()
        retriever = DenseRetriever.over(encoder, Workplace(cache=tmp_path))
        retriever.index(_documents("a", "bb", "ccc", "dddd", "eeeee", "ffffff", "g"))
        runs.append(list(retriever.search([Query("q", "hh")], 3).lists()))
        assert encoder.calls == calls
    assert runs[0] == runs[1]


@pytest.mark.usefixtures("small_blocks")
def test_a_corpus_that_grows_encodes_only_what_is_new(tmp_path: Path) -> None:
    names = ["a", "bb", "ccc", "dddd", "eeeee", "ffffff", "ggggggg"]
    for texts, fresh in ((names[:6], names[:6]), (names, names[6:])):
        encoder = Stub()
        DenseRetriever.over(encoder, Workplace(cache=tmp_path)).index(_documents(*texts))
        assert [text for _, text in encoder.inputs] == fresh


CHANGES: dict[str, dict[str, Any]] = {
    "model": {"model": "another"},
    "prompt": {"prompts": {"document": "passage: "}},
    "max_length": {"max_length": 7},
    "similarity": {"similarity": "dot"},
    "any other fact": {"pooling": "mean"},
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_encoder_never_meets_an_old_vector(change: str, tmp_path: Path) -> None:
    for options in ({}, CHANGES[change]):
        encoder = Stub(**options)
        DenseRetriever.over(encoder, Workplace(cache=tmp_path)).index(_documents("a", "bb"))
        assert encoder.calls == 1


@pytest.mark.parametrize(
    "changed",
    [
        [Document("1", "t", "a"), Document("2", "", "c")],
        [Document("1", "u", "a"), Document("2", "", "b")],
        [Document("2", "", "b"), Document("1", "t", "a")],
        [Document("1", "t", "a"), Document("2", "", "b"), Document("3", "", "c")],
        [Document("1", "t", "a")],
    ],
)
def test_a_changed_text_never_meets_an_old_vector(changed: list[Document], tmp_path: Path) -> None:
    for documents in ([Document("1", "t", "a"), Document("2", "", "b")], changed):
        encoder = Stub()
        DenseRetriever.over(encoder, Workplace(cache=tmp_path)).index(documents)
        assert encoder.calls == 1


def test_a_changed_id_alone_needs_no_new_vector(tmp_path: Path) -> None:
    for ids, calls in ((("1", "2"), 1), (("x", "y"), 0)):
        encoder = Stub()
        retriever = DenseRetriever.over(encoder, Workplace(cache=tmp_path))
        retriever.index([Document(ids[0], "", "a"), Document(ids[1], "", "bb")])
        assert encoder.calls == calls
        assert set(_ranked(retriever.search([Query("q", "a")], 2))["q"]) == set(ids)


def test_a_changed_template_never_meets_an_old_vector(tmp_path: Path) -> None:
    for template in ("{title} {text}", "{text}"):
        encoder = Stub()
        retriever = DenseRetriever.over(encoder, Workplace(cache=tmp_path), template=template)
        retriever.index([Document("1", "t", "a")])
        assert encoder.calls == 1


def test_one_text_has_two_vectors_in_two_roles(tmp_path: Path) -> None:
    class ByRole(Stub):
        def vector(self, text: str, role: Role) -> Sequence[float]:
            return [1, 0] if role == "query" else [0, 1]

    retriever = DenseRetriever.over(ByRole(), Workplace(cache=tmp_path))
    retriever.index([Document("d", "", "same text")])
    assert dict(retriever.search([Query("q", "same text")], 1).lists()) == {"q": [("d", 0.0)]}


def test_a_changed_query_prompt_leaves_documents_alone(tmp_path: Path) -> None:
    for prompt, roles in (("", ["document", "query"]), ("query: ", ["query"])):
        encoder = Stub(prompts={"query": prompt})
        retriever = DenseRetriever.over(encoder, Workplace(cache=tmp_path))
        retriever.index(_documents("a"))
        retriever.search([Query("q", "b")], 1)
        assert [role for role, _ in encoder.inputs] == roles


@pytest.mark.usefixtures("small_blocks")
def test_an_interruption_keeps_what_is_finished(tmp_path: Path) -> None:
    class Interrupted(Stub):
        def encode(self, texts: Sequence[str], role: Role, advance: Advance | None = None) -> Vectors:
            if self.calls == 2:
                raise KeyboardInterrupt
            return super().encode(texts, role, advance)

    names = [letter * n for n, letter in enumerate("abcdefghij", 1)]
    with pytest.raises(KeyboardInterrupt):
        DenseRetriever.over(Interrupted(), Workplace(cache=tmp_path)).index(_documents(*names))
    assert not list(tmp_path.rglob(".*"))
    encoder = Stub()
    DenseRetriever.over(encoder, Workplace(cache=tmp_path)).index(_documents(*names))
    assert [text for _, text in encoder.inputs] == names[6:]


@pytest.mark.usefixtures("small_blocks")
def test_progress_reaches_the_number_of_documents_fresh_or_stored(tmp_path: Path) -> None:
    done: list[int] = []

    @contextmanager
    def progress(label: str, total: int | None, unit: str) -> Any:
        assert (label, total, unit) == ("index", 5, "documents")
        yield done.append

    for _ in range(2):
        done.clear()
        retriever = DenseRetriever.over(Stub(), Workplace(cache=tmp_path, progress=progress))
        retriever.index(_documents("a", "bb", "ccc", "dddd", "eeeee"))
        assert sum(done) == 5


_KILLED = """
import sys, time
from pathlib import Path
import numpy as np
from beirkit.corpora.records import Document, Query
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.dense.retriever import DenseOptions, DenseRetriever
from beirkit.retrievers.store import blocks

class Slow:
    similarity = "cosine"
    def identity(self):
        return {"model": "slow"}
    def encode(self, texts, role, advance=None):
        print("block", role, len(texts), flush=True)
        time.sleep(float(sys.argv[2]))
        seeds = [sum(map(ord, text)) * 31 + len(text) for text in texts]
        return np.array([np.random.default_rng(s).standard_normal(8) for s in seeds], dtype=np.float32)
    def count_truncated(self, texts, role):
        return 0

retriever = DenseRetriever.over(Slow(), Workplace(cache=Path(sys.argv[1])))
retriever.index(Document(str(i), "", f"text {i}") for i in range(3 * 4096 + 10))
run = retriever.search([Query("q", "text 1"), Query("r", "other")], 50)
Path(sys.argv[3]).write_bytes(run.docs.tobytes() + run.scores.tobytes())
"""


@pytest.mark.slow
def test_a_killed_run_loses_one_block_and_ends_in_the_same_bytes(tmp_path: Path) -> None:
    def start(cache: str, seconds: float, out: str) -> subprocess.Popen[str]:
        arguments = [str(tmp_path / cache), str(seconds), str(tmp_path / out)]
        command = [sys.executable, "-P", "-c", _KILLED, *arguments]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def content(cache: str) -> dict[str, bytes]:
        root = tmp_path / cache
        return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}

    killed = start("killed", 0.5, "never")
    assert killed.stdout is not None
    seen = [killed.stdout.readline() for _ in range(3)]
    killed.kill()  # SIGKILL, while the third block is encoded
    killed.wait()
    killed.stdout.close()
    assert seen == ["block document 4096\n"] * 3
    assert not (tmp_path / "never").exists()
    assert len(list((tmp_path / "killed").rglob("*.npy"))) == 2

    resumed = start("killed", 0.0, "resumed").communicate()[0].splitlines()
    assert resumed == ["block document 4096", "block document 10", "block query 2"]
    whole = start("whole", 0.0, "whole-run").communicate()[0].splitlines()
    assert len(whole) == 5
    assert (tmp_path / "resumed").read_bytes() == (tmp_path / "whole-run").read_bytes()
    assert content("killed") == content("whole")
