"""The dense retriever and its store: what is encoded once, and what never meets an old vector."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from beirkit.corpora.progress import Advance
from beirkit.corpora.records import Document, Query
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.dense.encoder import Role, Vectors
from beirkit.retrievers.dense.retriever import DenseRetriever
from tests.retrievers.dense.stub import Stub, named, ranked


@pytest.mark.usefixtures("small_blocks")
def test_a_second_start_encodes_nothing(tmp_path: Path) -> None:
    runs = []
    for calls in (4, 0):
        encoder = Stub()
        retriever = DenseRetriever.over(encoder, Workplace(cache=tmp_path))
        retriever.index(named("a", "bb", "ccc", "dddd", "eeeee", "ffffff", "g"))
        runs.append(list(retriever.search([Query("q", "hh")], 3).lists()))
        assert encoder.calls == calls
    assert runs[0] == runs[1]


@pytest.mark.usefixtures("small_blocks")
def test_a_corpus_that_grows_encodes_only_what_is_new(tmp_path: Path) -> None:
    names = ["a", "bb", "ccc", "dddd", "eeeee", "ffffff", "ggggggg"]
    for texts, fresh in ((names[:6], names[:6]), (names, names[6:])):
        encoder = Stub()
        DenseRetriever.over(encoder, Workplace(cache=tmp_path)).index(named(*texts))
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
        DenseRetriever.over(encoder, Workplace(cache=tmp_path)).index(named("a", "bb"))
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
        assert set(ranked(retriever.search([Query("q", "a")], 2))["q"]) == set(ids)


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
        retriever.index(named("a"))
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
        DenseRetriever.over(Interrupted(), Workplace(cache=tmp_path)).index(named(*names))
    assert not list(tmp_path.rglob(".*"))
    encoder = Stub()
    DenseRetriever.over(encoder, Workplace(cache=tmp_path)).index(named(*names))
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
        retriever.index(named("a", "bb", "ccc", "dddd", "eeeee"))
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
