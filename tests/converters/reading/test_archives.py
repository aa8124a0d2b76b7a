"""Archives that would do harm, are damaged or never end: refused, with nothing written and nothing left."""

from __future__ import annotations

import bz2
import errno
import gc
import gzip
import io
import random
import stat
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from beirkit.converters.catalog import convert
from beirkit.converters.reading import archives
from beirkit.converters.reading.archives import Limits, bare_archive_name, open_archive
from beirkit.converters.reading.source import Source
from beirkit.corpora.errors import BeirkitError, DataError, UsageError, WriteError
from beirkit.corpora.files import sha256_file

zstandard = pytest.importorskip("zstandard")

PACK: dict[str, Callable[[bytes], bytes]] = {
    ".tar": bytes, ".tar.gz": gzip.compress, ".tar.bz2": bz2.compress, ".tar.zst": zstandard.compress,
}  # fmt: skip
every_tar = pytest.mark.parametrize("suffix", PACK)
Members = dict[str, bytes]
SOUND: Members = {"data/corpus.jsonl": b'{"_id": "d"}\n', "data/inner/b.txt": b"B" * 3000, "data/empty": b""}


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which private folders are made."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def tarred(members: Members, *odd: tarfile.TarInfo, form: int = tarfile.PAX_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        for info in odd:
            archive.addfile(info)
    return out.getvalue()


def zipped(members: Members, *odd: tuple[zipfile.ZipInfo, str], stored: bool = False) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
        for info, text in odd:
            archive.writestr(info, text)
    return out.getvalue()


def put(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def member(name: str, kind: bytes = tarfile.REGTYPE, **facts: Any) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type = kind
    for fact, value in facts.items():
        setattr(info, fact, value)
    return info


def read_all(path: Path) -> Members:
    source = Source(path)
    return {name: source.path(name).read_bytes() for name in source.names}


@every_tar
@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT])
def test_members_come_back_and_the_private_folder_goes(
    tmp_path: Path, temporary: Path, suffix: str, form: int
) -> None:
    members = {**SOUND, f"long/{'n' * 90}/é.txt": b"long", "._clutter": b"", "__MACOSX/a": b""}
    for name in (f"a{suffix}", "no_suffix"):
        path = put(tmp_path / name, PACK[suffix](tarred(members, member("data", tarfile.DIRTYPE), form=form)))
        wanted = {name: content for name, content in members.items() if not name.startswith(("._", "__"))}
        assert read_all(path) == wanted
        source = Source(path)
        assert source.folder("data", list(SOUND)) / "empty" == source.path("data/empty")
        assert source.inputs([]) == {path.name: sha256_file(path)}
        assert source.shown(source.path("data/empty")) == f"{path}!data/empty"
    del source
    gc.collect()
    assert not list(temporary.iterdir())


def test_names_are_compared_in_one_form(tmp_path: Path) -> None:
    assert Source(put(tmp_path / "a.tar", tarred({"./a//b.txt": b""}))).names == ("a/b.txt",)
    for twice in (tarred({"./a": b"", "a": b""}), zipped({"./a": b"", "a": b""})):
        with pytest.raises(DataError, match=r"member '(\./)?a' of the (zip|tar) is there twice"):
            Source(put(tmp_path / "a", twice))


BAD_NAMES = {
    "../evil": "leads out of its folder",
    "in/../../evil": "leads out of its folder",
    "in\\..\\..\\evil": "leads out of its folder",
    "/etc/evil": "has an absolute path",
    "\\evil": "has an absolute path",
    "C:\\evil": "has an absolute path",
}
HARMFUL = {
    "symlink": (member("evil", tarfile.SYMTYPE, linkname="/etc/passwd"), "is a symbolic link"),
    "inner symlink": (member("evil", tarfile.SYMTYPE, linkname="data"), "is a symbolic link"),
    "hard link": (member("evil", tarfile.LNKTYPE, linkname="data/empty"), "is a hard link"),
    "character device": (member("evil", tarfile.CHRTYPE, devmajor=1, devminor=3), "is a device"),
    "block device": (member("evil", tarfile.BLKTYPE, devmajor=8), "is a device"),
    "pipe": (member("evil", tarfile.FIFOTYPE), "is a pipe"),
    "folder outside": (member("../evil", tarfile.DIRTYPE), "leads out of its folder"),
    "file as folder": (member("data/empty/evil"), "is both a file and the folder of 'data/empty/evil'"),
    **{name: (member(name), problem) for name, problem in BAD_NAMES.items()},
}


@every_tar
@pytest.mark.parametrize("case", HARMFUL)
def test_a_tar_with_a_harmful_member_is_refused_whole(
    tmp_path: Path, temporary: Path, suffix: str, case: str
) -> None:
    odd, problem = HARMFUL[case]
    path = put(tmp_path / f"x{suffix}", PACK[suffix](tarred(SOUND, odd)))
    with pytest.raises(DataError) as caught:
        Source(path)
    assert str(caught.value).startswith(f"{path}: member ")
    assert f"of the tar {problem}" in str(caught.value)
    assert not list(tmp_path.rglob("*evil*"))
    assert not list(temporary.iterdir())


@pytest.mark.parametrize(
    ("mode", "problem"),
    [
        (stat.S_IFLNK, "is a symbolic link"),
        (stat.S_IFCHR, "is no regular file"),
        (stat.S_IFIFO, "is no regular"),
    ],
)
def test_a_zip_with_a_harmful_member_is_refused_whole(
    tmp_path: Path, temporary: Path, mode: int, problem: str
) -> None:
    info = zipfile.ZipInfo("evil")
    info.external_attr = (mode | 0o777) << 16
    with pytest.raises(DataError, match=f"member 'evil' of the zip {problem}"):
        Source(put(tmp_path / "x.zip", zipped(SOUND, (info, "/etc/passwd"))))
    with pytest.raises(DataError, match="is both a file and the folder of 'a/evil'"):
        Source(put(tmp_path / "x.zip", zipped({"a": b"", "a/evil": b""})))
    assert not list(temporary.iterdir())


@pytest.mark.parametrize("suffix", [*PACK, ".zip"])
def test_an_archive_cut_anywhere_is_refused(tmp_path: Path, temporary: Path, suffix: str) -> None:
    content = {"a.txt": random.Random(3).randbytes(700), "b/c.txt": b"c" * 512}
    whole = zipped(content) if suffix == ".zip" else PACK[suffix](tarred(content))
    end = len(whole)
    if suffix == ".tar":  # the end mark is a block of zeros; what follows it is padding
        end = len(whole.rstrip(b"\0")) + 512 & ~511
    for length in {*range(0, end, 7), *range(0, end, 512), end - 1}:
        path = put(tmp_path / f"x{suffix}", whole[:length])
        with pytest.raises(DataError) as caught:
            Source(path)
        assert str(caught.value).startswith(f"{path}: "), length
    assert not list(temporary.iterdir())


@pytest.mark.parametrize("suffix", [*PACK, ".zip"])
def test_a_changed_byte_gives_an_error_of_ours_or_none(tmp_path: Path, temporary: Path, suffix: str) -> None:
    draw = random.Random(4)
    whole = zipped(SOUND) if suffix == ".zip" else PACK[suffix](tarred(SOUND))
    for _ in range(300):
        changed = bytearray(whole)
        changed[draw.randrange(len(whole))] = draw.randrange(256)
        try:
            read_all(put(tmp_path / f"x{suffix}", bytes(changed)))
        except BeirkitError:
            continue
    gc.collect()
    assert not list(temporary.iterdir())
    assert {path.name for path in tmp_path.iterdir()} == {"temporary", f"x{suffix}"}


def test_a_wrong_checksum_names_the_member(tmp_path: Path, temporary: Path) -> None:
    content = {"good.txt": b"fine", "a.txt": b"unspoilt"}
    source = Source(put(tmp_path / "x.zip", zipped(content, stored=True).replace(b"unspoilt", b"unspoiLt")))
    with pytest.raises(DataError, match=r"the zip is damaged in member 'a\.txt': Bad CRC-32"):
        source.folder("", source.names)
    assert [path.name for path in temporary.rglob("*") if path.is_file()] in ([], ["good.txt"])
    packed = bytearray(gzip.compress(tarred(content)))
    packed[-6] ^= 1
    path = put(tmp_path / "x.tgz", bytes(packed))
    with pytest.raises(DataError, match="damaged gzip: "):
        Source(path)


def test_a_zip_cut_behind_a_zip_inside_it_is_not_taken_for_it(tmp_path: Path) -> None:
    inner = zipped({"inner.txt": b"inner"})
    whole = zipped({"inner.zip": inner, "rest": b"rest"}, stored=True)
    cut = whole[: whole.index(inner) + len(inner)]
    assert zipfile.ZipFile(io.BytesIO(cut)).namelist() == ["inner.txt"]  # what Python makes of it
    for content in (cut, inner + b"more"):
        with pytest.raises(DataError, match="is a truncated or damaged zip"):
            Source(put(tmp_path / "x.zip", content))


def test_a_tar_whose_next_header_is_wrong_does_not_end_there(tmp_path: Path) -> None:
    whole = bytearray(tarred({"a": b"", "b": b""}, form=tarfile.USTAR_FORMAT))
    whole[512] ^= 0xFF
    with tarfile.open(fileobj=io.BytesIO(whole)) as archive:
        assert archive.getnames() == ["a"]  # what Python makes of it
    with pytest.raises(DataError, match=r"truncated or damaged tar after member 'a': "):
        Source(put(tmp_path / "x.tar", bytes(whole)))


@pytest.mark.parametrize("suffix", [".tar.gz", ".tar.bz2", ".tar.zst", ".zip"])
def test_a_bomb_is_refused(
    tmp_path: Path, temporary: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "RATIO_FREE", 1 << 20)
    content = {f"{n}.txt": bytes(1 << 20) for n in range(3)}
    path = put(
        tmp_path / f"x{suffix}", zipped(content) if suffix == ".zip" else PACK[suffix](tarred(content))
    )
    with pytest.raises(DataError, match="unpacks to more than 200 times its size") as caught:
        Source(path)
    assert "BEIRKIT_MAX_RATIO" in str(caught.value)
    monkeypatch.setenv("BEIRKIT_MAX_RATIO", "1e6")
    assert read_all(path) == content
    monkeypatch.setenv("BEIRKIT_MAX_UNPACKED_GIB", str(2.5 / 1024))
    with pytest.raises(DataError, match=r"unpacks to more than 0\.0024\d+ GiB .*BEIRKIT_MAX_UNPACKED_GIB"):
        Source(path)
    assert Source(path, Limits(1 << 30, 1e6)).names == tuple(content)
    monkeypatch.setenv("BEIRKIT_MAX_UNPACKED_GIB", "all")
    with pytest.raises(UsageError, match="BEIRKIT_MAX_UNPACKED_GIB is 'all', not a number"):
        Source(path)
    gc.collect()
    assert not list(temporary.iterdir())


def test_members_that_share_their_bytes_are_counted_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "RATIO_FREE", 1000)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("0", bytes(100_000))
        kernel = archive.infolist()[0]
        for n in range(1, 50):  # fifty names for one piece of data
            copy = zipfile.ZipInfo(str(n))
            for fact in ("header_offset", "CRC", "compress_size", "file_size", "compress_type"):
                setattr(copy, fact, getattr(kernel, fact))
            archive.filelist.append(copy)
            archive.NameToInfo[copy.filename] = copy
    with pytest.raises(DataError, match="times its size"):
        Source(put(tmp_path / "x.zip", out.getvalue()))


def test_a_header_that_claims_gigabytes_is_not_read(tmp_path: Path) -> None:
    info = member("long", tarfile.XHDTYPE, size=8 << 30)
    head = info.tobuf(tarfile.GNU_FORMAT)
    with pytest.raises(DataError, match="a header of 8589934592 bytes"):
        Source(put(tmp_path / "x.tar", head + bytes(1 << 16)))


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"<!DOCTYPE html><title>503</title>", "is an HTML page, not an archive"),
        (b"", "is an empty file, not an archive (delete it and get it again)"),
        (
            gzip.compress(b"text", mtime=0),
            "is one compressed file, not an archive (name the folder it is in)",
        ),
        (b"\xfd7zXZ\0rest", "is compressed by xz, which is not read (unpack it first, with xz -d)"),
        (b"7z\xbc\xafrest", "is an archive of a kind that is not read (unpack it and name the folder)"),
        (b"query-id\tcorpus-id", "is neither a zip nor a tar (name a folder, a zip or a tar)"),
    ],
)
def test_what_is_no_archive_is_told_by_its_content(tmp_path: Path, content: bytes, found: str) -> None:
    path = put(tmp_path / "data", content)
    with pytest.raises(DataError) as caught:
        open_archive(path)
    assert str(caught.value).startswith(f"{path}: {found}")


def test_a_full_disk_while_unpacking_is_told(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Source(put(tmp_path / "x.tar", tarred({"a.txt": b"A"})))

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(WriteError, match=r"'a\.txt' cannot be unpacked into .*: No space left.*TMPDIR"):
        source.path("a.txt")
    assert not [path for path in temporary.rglob("*") if path.is_file()]


@pytest.mark.parametrize("suffix", [*PACK, ".zip"])
@pytest.mark.parametrize("top", ["", "set/", "some/set/"])
def test_a_beir_folder_in_any_archive_is_converted(tmp_path: Path, suffix: str, top: str) -> None:
    files: Members = {
        "corpus.jsonl.bz2": bz2.compress(b'{"_id": "d", "text": "a"}\n'),
        "queries.jsonl": b'{"_id": "q", "text": "b"}\n',
        "qrels/test.tsv": b"query-id\tcorpus-id\tscore\nq\td\t1\n",
    }
    inside = {top + name: content for name, content in files.items()}
    path = put(
        tmp_path / f"set{suffix}", zipped(inside) if suffix == ".zip" else PACK[suffix](tarred(inside))
    )
    collection = convert("beir", path, {})
    assert [document.doc_id for document in collection.documents()] == ["d"]
    assert [judgment.doc_id for judgment in collection.judgments("test")] == ["d"]
    assert collection.provenance.source == "set"
    assert list(collection.provenance.inputs) == [path.name]


def test_bare_names() -> None:
    names = ["a.zip", "a.tar", "a.tar.gz", "a.tgz", "a.tar.bz2", "a.tar.zst", "a.TGZ"]
    assert {bare_archive_name(name) for name in names} == {"a"}
    assert bare_archive_name("v1.0") == "v1.0"
