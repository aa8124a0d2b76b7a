"""Compressed files: whatever the form, read to the end or refused, and never trusted beyond reason."""

from __future__ import annotations

import bz2
import gzip
import random
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from beirkit.corpora import compressed
from beirkit.corpora.compressed import bare_name
from beirkit.corpora.errors import DataError, MissingExtraError, UsageError
from beirkit.corpora.files import atomic_open, open_bytes
from beirkit.corpora.folder import open_folder
from beirkit.corpora.qrels import read_qrels
from beirkit.corpora.run_files import read_run

zstandard = pytest.importorskip("zstandard")

FORMS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress, ".bz2": bz2.compress, ".zst": zstandard.compress,
}  # fmt: skip
NAMES = {".gz": "gzip", ".bz2": "bzip2", ".zst": "zstd"}
every_form = pytest.mark.parametrize("suffix", FORMS)


def content(path: Path) -> bytes:
    with open_bytes(path) as stream:
        return stream.read()


def stored(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@every_form
@pytest.mark.parametrize("size", [0, 1, 70_000, 3_000_000])
def test_content_comes_back_whatever_the_name(tmp_path: Path, suffix: str, size: int) -> None:
    data = random.Random(size).randbytes(size // 2) + b"word " * (size // 10)
    for name in (f"a.txt{suffix}", "a.txt"):
        assert content(stored(tmp_path / name, FORMS[suffix](data))) == data


@every_form
def test_streams_that_follow_each_other_are_one_content(tmp_path: Path, suffix: str) -> None:
    pack = FORMS[suffix]
    path = stored(tmp_path / f"a{suffix}", pack(b"one\n") + pack(b"") + pack(b"two\n"))
    assert content(path) == b"one\ntwo\n"


def test_padding_and_skippable_frames_are_no_content(tmp_path: Path) -> None:
    assert content(stored(tmp_path / "a.gz", gzip.compress(b"a") + b"\0" * 600)) == b"a"
    note = b"\x50\x2a\x4d\x18\x04\0\0\0note"
    assert content(stored(tmp_path / "a.zst", note + zstandard.compress(b"a") + note)) == b"a"


@every_form
def test_a_file_cut_anywhere_is_told(tmp_path: Path, suffix: str) -> None:
    whole = FORMS[suffix](random.Random(1).randbytes(300))
    for length in range(len(whole)):
        path = stored(tmp_path / f"a{suffix}", whole[:length])
        with pytest.raises(DataError) as caught:
            content(path)
        assert str(caught.value).startswith(f"{path}: truncated {NAMES[suffix]}: "), length


@every_form
def test_what_follows_the_last_stream_is_damage(tmp_path: Path, suffix: str) -> None:
    path = stored(tmp_path / f"a{suffix}", FORMS[suffix](b"content") + b"no stream at all")
    with pytest.raises(DataError, match=f"damaged {NAMES[suffix]}: "):
        content(path)


@every_form
def test_a_changed_byte_never_gives_other_content(tmp_path: Path, suffix: str) -> None:
    data = random.Random(2).randbytes(200)
    pack = FORMS[suffix] if suffix != ".zst" else zstandard.ZstdCompressor(write_checksum=True).compress
    whole = pack(data)
    for place in range(10 if suffix == ".gz" else 4, len(whole)):  # gzip's head holds a time and a system
        changed = bytearray(whole)
        changed[place] ^= 0x10
        with suppress(DataError):
            assert content(stored(tmp_path / f"a{suffix}", bytes(changed))) == data


@every_form
def test_a_name_that_says_more_than_the_file_holds(tmp_path: Path, suffix: str) -> None:
    path = stored(tmp_path / f"a{suffix}", b"<html>not found</html>")
    with pytest.raises(DataError, match=f"is not {NAMES[suffix]}, although its name says so"):
        open_bytes(path)


def test_text_that_only_looks_like_bzip2_is_text(tmp_path: Path) -> None:
    assert content(stored(tmp_path / "a.txt", b"BZh9 is how bzip2 starts")) == b"BZh9 is how bzip2 starts"


@every_form
def test_a_bomb_is_refused_before_it_fills_the_memory(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compressed, "RATIO_FREE", 1 << 20)
    path = stored(tmp_path / f"a{suffix}", FORMS[suffix](bytes(3 << 20)))
    with pytest.raises(DataError, match="unpacks to more than 200 times its size") as caught:
        content(path)
    assert "BEIRKIT_MAX_RATIO" in str(caught.value)
    monkeypatch.setenv("BEIRKIT_MAX_RATIO", "1e9")
    assert content(path) == bytes(3 << 20)


@pytest.mark.parametrize("value", ["many", "0", "-1", "nan"])
def test_a_limit_that_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("BEIRKIT_MAX_RATIO", value)
    with pytest.raises(UsageError, match=f"BEIRKIT_MAX_RATIO is '{value}', not a number above 0"):
        content(stored(tmp_path / "a.gz", gzip.compress(b"")))


def test_without_zstandard_the_command_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = stored(tmp_path / "a.zst", zstandard.compress(b"a"))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'beirkit\[zstd\]'"):
        open_bytes(path)


@every_form
def test_readers_take_every_form(tmp_path: Path, suffix: str) -> None:
    def put(name: str, text: str) -> Path:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        return stored(tmp_path / f"{name}{suffix}", FORMS[suffix](text.encode()))

    put("corpus.jsonl", '{"_id": "d", "title": "", "text": "a"}\n')
    put("queries.jsonl", '{"_id": "q", "text": "b"}\n')
    put("qrels/test.tsv", "query-id\tcorpus-id\tscore\nq\td\t1\n")
    documents, queries, judgments = open_folder(tmp_path).to_dicts("test")
    assert (list(documents), queries, judgments) == (["d"], {"q": "b"}, {"q": {"d": 1}})
    assert read_qrels(put("q.json", '{"q": {"d": 2}}')) == {"q": {"d": 2}}
    found = {"q": {"d": 0.5}}
    assert read_run(put("r.trec", "q Q0 d 1 0.5 t\n")).to_dict() == found
    assert read_run(put("r.jsonl", '{"query_id": "q", "results": [["d", 0.5]]}\n')).to_dict() == found
    assert read_run(put("r.json", '{"q": {"d": 0.5}}')).to_dict() == found


def test_two_forms_of_one_file_are_refused(tmp_path: Path) -> None:
    for name in ("corpus.jsonl", "corpus.jsonl.bz2", "queries.jsonl"):
        (tmp_path / name).write_bytes(b"")
    with pytest.raises(DataError, match=r"holds both corpus\.jsonl and corpus\.jsonl\.bz2"):
        open_folder(tmp_path)


@pytest.mark.parametrize("suffix", NAMES)
def test_what_is_written_is_compressed_as_its_name_says(tmp_path: Path, suffix: str) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        with atomic_open(tmp_path / f"{name}{suffix}") as out:
            out.writelines("a line\n" for _ in range(1000))
    data = (tmp_path / f"a.jsonl{suffix}").read_bytes()
    assert data == (tmp_path / f"b.jsonl{suffix}").read_bytes()
    assert len(data) < 500
    with open_bytes(tmp_path / f"a.jsonl{suffix}") as stream:
        assert stream.read() == b"a line\n" * 1000


def test_bare_names() -> None:
    names = ["a.tsv", "a.tsv.gz", "a.tsv.bz2", "a.tsv.zst", "a.gz.tsv"]
    assert list(map(bare_name, names)) == ["a.tsv"] * 4 + ["a.gz.tsv"]


@pytest.mark.parametrize(("start", "form"), [(b"\x04\x22\x4d\x18", "lz4"), (b"\xfd7zXZ\x00", "xz")])
def test_other_forms_are_named(tmp_path: Path, start: bytes, form: str) -> None:
    path = tmp_path / "run.trec"
    path.write_bytes(start + b"rest")
    with pytest.raises(DataError, match=rf"is compressed by {form}, which is not read .*with {form} -d"):
        open_bytes(path)
