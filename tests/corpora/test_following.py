"""A second process that counts a corpus gives what one process gives, and nothing depends on it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from beirkit.corpora import following
from beirkit.corpora.collection import Collection, Provenance
from beirkit.corpora.errors import DataError
from beirkit.corpora.folder import write_folder
from beirkit.corpora.following import Counted, Follower, count
from beirkit.corpora.manifest import Manifest, verify_manifest
from beirkit.corpora.processors import Idleness
from beirkit.corpora.records import Document

COUNT = 9_000


def documents() -> Iterator[Document]:
    for number in range(COUNT):
        yield Document(
            f"d{number}\u2028" if number == 7_000 else f"d{number}", "Ö", "text\n" * 40, {"n": number}
        )


def written(folder: Path, *, ascii: bool = False, gzip: bool = False) -> Manifest:
    source = Collection(documents=documents, queries=list, judgments={}, provenance=Provenance(source="made"))
    return write_folder(source, folder, ascii=ascii, gzip=gzip)


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> list[Counted | None]:
    """What second processes counted, which begin early."""
    found: list[Counted | None] = []
    wait = Follower.counted

    def waited(self: Follower) -> Counted | None:
        found.append(wait(self))
        return found[-1]

    monkeypatch.setattr(following, "_FEW", 100)
    monkeypatch.setattr(following, "_OFTEN", 100)
    monkeypatch.setattr(Idleness, "is_spare", lambda _: True)
    monkeypatch.setattr(Follower, "counted", waited)
    return found


@pytest.mark.parametrize("ascii", [True, False])
def test_two_processes_write_the_manifest_of_one(
    tmp_path: Path, counts: list[Counted | None], monkeypatch: pytest.MonkeyPatch, ascii: bool
) -> None:
    two = written(tmp_path / "two", ascii=ascii)
    monkeypatch.setattr(Idleness, "is_spare", lambda _: False)
    one = written(tmp_path / "one", ascii=ascii)
    (counted,) = counts
    assert counted is not None
    assert 0 < counted.documents < COUNT
    assert two == one
    assert verify_manifest(tmp_path / "two") == []


@pytest.mark.parametrize("child", ["raise SystemExit(1)", "print('{}')", "import os; os.abort()", "input()"])
def test_a_process_that_fails_changes_nothing(
    tmp_path: Path, counts: list[Counted | None], monkeypatch: pytest.MonkeyPatch, child: str
) -> None:
    monkeypatch.setattr(following, "_CHILD", child)
    two = written(tmp_path / "two")
    assert counts == [None]
    monkeypatch.setattr(Idleness, "is_spare", lambda _: False)
    assert two == written(tmp_path / "one")


def test_a_count_that_ended_early_is_not_believed(
    tmp_path: Path, counts: list[Counted | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    short = '{"documents": 1, "content": "' + 64 * "0" + '", "sha256": "' + 64 * "0" + '"}'
    monkeypatch.setattr(following, "_CHILD", f"import sys; sys.stdin.read(); print({short!r})")
    two = written(tmp_path / "two")
    assert [counted and counted.documents for counted in counts] == [1]
    monkeypatch.setattr(Idleness, "is_spare", lambda _: False)
    assert two == written(tmp_path / "one")


def test_a_process_that_cannot_be_started_changes_nothing(
    tmp_path: Path, counts: list[Counted | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "none"))
    two = written(tmp_path / "two")
    assert counts == [None]
    monkeypatch.setattr(Idleness, "is_spare", lambda _: False)
    assert two == written(tmp_path / "one")


def test_compressed_and_small_files_are_counted_here(tmp_path: Path, counts: list[Counted | None]) -> None:
    written(tmp_path / "packed", gzip=True)
    assert counts == []


def test_an_error_ends_the_other_process(
    tmp_path: Path, counts: list[Counted | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Follower] = []
    start = Follower.__init__

    def told(self: Follower, path: Path, begin: int) -> None:
        start(self, path, begin)
        started.append(self)

    def broken() -> Iterator[Document]:
        yield from documents()
        raise DataError("damaged")

    monkeypatch.setattr(Follower, "__init__", told)
    source = Collection(documents=broken, queries=list, judgments={}, provenance=Provenance(source="made"))
    with pytest.raises(DataError, match="damaged"):
        write_folder(source, tmp_path / "out")
    (follower,) = started
    assert follower._process is not None
    assert follower._process.poll() is not None
    assert counts == []


def test_a_count_needs_whole_lines_of_documents(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    line = b'{"_id": "d", "title": "", "text": "x"}\n'
    path.write_bytes(line * 3)
    assert count(path, len(line), [len(line), 2 * len(line), 3 * len(line)]).documents == 2
    with pytest.raises(ValueError, match="shorter"):
        count(path, 0, [1000])
    with pytest.raises(ValueError, match="end with a line"):
        count(path, 0, [len(line) + 5])
    path.write_bytes(b'{"_id": "d"\n')
    with pytest.raises(ValueError, match=r"truncated"):
        count(path, 0, [12])
