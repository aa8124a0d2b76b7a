"""The store keeps what was written and trusts nothing else."""

from __future__ import annotations

import json
import logging
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from beirkit.corpora.errors import DataError, WriteError
from beirkit.retrievers.store import Block, Section, Store, blocks, configuration_key, text_key

CONFIGURATION = {"model": "m", "pooling": "cls", "dim": 3}
ARRAY: npt.NDArray[np.float32] = np.arange(12, dtype=np.float32).reshape(4, 3)


@pytest.fixture
def section(tmp_path: Path) -> Section:
    return Store(tmp_path).section("embeddings", CONFIGURATION)


def test_blocks_are_consecutive_and_all_but_the_last_are_full() -> None:
    assert list(blocks(iter("abcde"), 2)) == [["a", "b"], ["c", "d"], ["e"]]
    assert list(blocks([], 2)) == []


@pytest.mark.parametrize(
    "texts",
    [["ab", "c"], ["a", "bc"], ["c", "ab"], ["abc"], ["ab", "c", ""], ["ab", "c\n"], ["AB", "c"], ["ab"]],
)
def test_text_keys_tell_lists_apart(texts: list[str]) -> None:
    others = [
        ["ab", "c"],
        ["a", "bc"],
        ["c", "ab"],
        ["abc"],
        ["ab", "c", ""],
        ["ab", "c\n"],
        ["AB", "c"],
        ["ab"],
    ]
    assert sum(text_key(texts) == text_key(other) for other in others) == 1


def test_a_text_key_takes_lone_surrogates() -> None:
    assert text_key(["\ud800"]) != text_key(["?"])


def test_configuration_keys_ignore_the_order_of_keys_only() -> None:
    assert configuration_key({"a": 1, "b": [1, 2]}) == configuration_key({"b": [1, 2], "a": 1})
    assert (
        len({configuration_key(c) for c in ({"a": 1}, {"a": "1"}, {"a": 1.5}, {"a": None}, {"b": 1}, {})})
        == 6
    )


def test_what_is_put_is_got(section: Section) -> None:
    assert section.get("k") is None
    put = section.put("k", ARRAY, {"truncated": 2})
    got = section.get("k")
    assert got is not None
    for block in (put, got):
        assert isinstance(block.array, np.memmap)
        assert block.array.dtype == np.float32
        assert block.array.tolist() == ARRAY.tolist()
        assert block.facts == {"truncated": 2}
        assert not block.array.flags.writeable


def test_an_array_that_is_not_contiguous_is_kept_as_it_reads(section: Section) -> None:
    assert section.put("k", ARRAY.T, {}).array.tolist() == ARRAY.T.tolist()


def test_an_empty_array_is_kept(section: Section) -> None:
    assert section.put("k", np.empty((0, 3), dtype=np.float32), {}).array.shape == (0, 3)


def test_blocks_are_read_into_memory_and_after_release(section: Section) -> None:
    block = section.put("k", ARRAY, {})
    block.release()
    buffer = np.empty_like(ARRAY)
    block.read_into(buffer)
    assert buffer.tolist() == block.array.tolist() == ARRAY.tolist()
    (section.folder / "k.npy").unlink()
    buffer[:] = 0
    if os.name == "posix":
        block.read_into(buffer)
        assert buffer.tolist() == ARRAY.tolist(), "the map outlives the name of the file"
    plain = Block(ARRAY, {})
    plain.release()
    plain.read_into(buffer)
    assert buffer.tolist() == ARRAY.tolist()


def test_only_finished_files_remain(section: Section) -> None:
    section.put("k", ARRAY, {})
    assert sorted(path.name for path in section.folder.iterdir()) == ["k.json", "k.npy", "manifest.json"]
    assert json.loads((section.folder / "manifest.json").read_text()) == CONFIGURATION


def test_equal_content_is_written_as_equal_bytes(tmp_path: Path) -> None:
    written = []
    for name in ("one", "other"):
        section = Store(tmp_path / name).section("embeddings", CONFIGURATION)
        section.put("k", ARRAY, {"b": 1, "a": 2})
        written.append({path.name: path.read_bytes() for path in section.folder.iterdir()})
    assert written[0] == written[1]


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


DAMAGE: dict[str, Callable[[Path], object]] = {
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:-5]),
    "truncated in the header": lambda path: path.write_bytes(path.read_bytes()[:20]),
    "empty": lambda path: path.write_bytes(b""),
    "another format": lambda path: path.write_bytes(b"PK\x03\x04" + bytes(200)),
    "a bit flipped": _flip,
    "zeros": lambda path: path.write_bytes(path.read_bytes()[:128] + bytes(48)),
    "another shape": lambda path: np.save(path, ARRAY[:2]),
    "another type": lambda path: np.save(path, ARRAY.astype(np.int32)),
    "objects": lambda path: np.save(path, np.array([{}], dtype=object)),
    "note truncated": lambda path: path.with_suffix(".json").write_bytes(b'{"shape": [4'),
    "note of another array": lambda path: path.with_suffix(".json").write_bytes(
        path.with_suffix(".json").read_bytes().replace(b'crc32":', b'crc32":1')
    ),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_block_is_not_trusted(
    damage: str, section: Section, caplog: pytest.LogCaptureFixture
) -> None:
    section.put("k", ARRAY, {})
    DAMAGE[damage](section.folder / "k.npy")
    with caplog.at_level(logging.WARNING):
        assert section.get("k") is None
    assert [
        f"{section.folder / 'k.npy'} is damaged and will be made again: " in m for m in caplog.messages
    ] == [True]
    assert section.put("k", ARRAY, {}).array.tolist() == ARRAY.tolist()


def test_an_array_without_its_note_is_not_there(section: Section) -> None:
    section.put("k", ARRAY, {})
    (section.folder / "k.json").unlink()
    assert section.get("k") is None


def test_another_configuration_has_another_folder(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.section("embeddings", CONFIGURATION).put("k", ARRAY, {})
    assert store.section("embeddings", {**CONFIGURATION, "pooling": "mean"}).get("k") is None
    assert store.section("indexes", CONFIGURATION).get("k") is None


def test_a_folder_moved_under_another_configuration_is_refused(tmp_path: Path) -> None:
    section = Store(tmp_path).section("embeddings", CONFIGURATION)
    other = {**CONFIGURATION, "pooling": "mean"}
    section.folder.rename(section.folder.with_name(configuration_key(other)))
    with pytest.raises(DataError, match="pooling is 'cls' there and 'mean' here") as error:
        Store(tmp_path).section("embeddings", other)
    assert error.value.path is not None
    assert error.value.path.endswith("manifest.json")


def test_without_a_root_nothing_remains() -> None:
    store = Store(None)
    section = store.section("embeddings", CONFIGURATION)
    assert section.put("k", ARRAY, {}).array.tolist() == ARRAY.tolist()
    folder = section.folder
    del store
    assert section.get("k") is not None, "the section keeps its store"
    del section
    assert not folder.exists()


def test_leftovers_of_the_dead_are_removed_and_those_of_the_living_are_not(tmp_path: Path) -> None:
    folder = Store(tmp_path).section("embeddings", CONFIGURATION).folder
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    long_ago = time.time() - 3600
    made = {}
    for name, process, touched in (
        ("dead", ended.pid, long_ago), ("just now", ended.pid, time.time()), ("alive", os.getpid(), long_ago),
    ):  # fmt: skip
        made[name] = folder / f".{name}.npy.{process}.part"
        made[name].write_bytes(b"half")
        os.utime(made[name], (touched, touched))
    Store(tmp_path).section("embeddings", CONFIGURATION)
    assert {name for name, path in made.items() if path.exists()} == {"just now", "alive"}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the limits of POSIX")
def test_a_full_disk_is_one_error_and_leaves_nothing(section: Section) -> None:
    big = np.zeros((64, 1024), dtype=np.float32)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    try:
        with pytest.raises(WriteError, match=r"k\.npy: cannot be written"):
            section.put("k", big, {})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    assert section.get("k") is None
    assert not list(section.folder.glob("*.npy"))
    assert not list(section.folder.glob(".*"))


_WRITE = """
import sys
import numpy as np
from pathlib import Path
from beirkit.retrievers.store import Store
section = Store(Path(sys.argv[1])).section("embeddings", {"a": 1})
for turn in range(150):
    section.put("k", np.full((50, 300), 7, dtype=np.float32), {"turn": 0})
    block = section.get("k")
    assert block is not None and (block.array == 7).all()
"""


def test_processes_that_write_one_block_at_once_do_no_harm(tmp_path: Path) -> None:
    command = [sys.executable, "-P", "-c", _WRITE, str(tmp_path)]
    running = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    assert [process.communicate()[1] for process in running] == ["", "", ""]
    block = Store(tmp_path).section("embeddings", {"a": 1}).get("k")
    assert block is not None
    assert (block.array == 7).all()
