"""Raw benchmarks in folders and zips: what is refused, what is unpacked, and that nothing stays behind."""

from __future__ import annotations

import gc
import stat
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from beirkit.converters import catalog
from beirkit.converters.reading.source import Source
from beirkit.corpora.errors import DataError
from beirkit.corpora.files import sha256_file


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which temporary folders are made."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def packed(path: Path, members: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return path


def linked(path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        info = zipfile.ZipInfo("corpus.jsonl")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/hostname")
    return path


def test_a_folder_and_its_zip_show_the_same_files(tmp_path: Path, temporary: Path) -> None:
    folder = tmp_path / "data"
    (folder / "inner").mkdir(parents=True)
    (folder / "a.txt").write_text("A")
    (folder / "inner" / "b.txt").write_text("B")
    (folder / ".DS_Store").write_text("clutter")
    archive = packed(
        tmp_path / "data.zip", {"inner/b.txt": "B", "a.txt": "A", "__MACOSX/a.txt": "", "inner/._b.txt": ""}
    )
    for source in (Source(folder), Source(archive)):
        assert source.names == ("a.txt", "inner/b.txt")
        assert source.path("inner/b.txt").read_text() == "B"
    assert Source(folder).inputs(["a.txt"]) == {"a.txt": sha256_file(folder / "a.txt")}
    assert Source(archive).inputs(["a.txt"]) == {"data.zip": sha256_file(archive)}


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("../evil.txt", "leads out of its folder"),
        ("inner/../../evil.txt", "leads out of its folder"),
        ("inner\\..\\..\\evil.txt", "leads out of its folder"),
        ("/etc/evil.txt", "has an absolute path"),
        ("\\evil.txt", "has an absolute path"),
        ("C:\\evil.txt", "has an absolute path"),
        ("c:evil.txt", "has an absolute path"),
    ],
)
def test_a_zip_with_a_hostile_member_is_refused_whole(
    tmp_path: Path, temporary: Path, name: str, problem: str
) -> None:
    archive = packed(tmp_path / "x.zip", {"corpus.jsonl": "{}", name: "evil"})
    with pytest.raises(DataError) as caught:
        Source(archive)
    assert repr(name) in str(caught.value)
    assert problem in str(caught.value)
    assert str(archive) in str(caught.value)
    assert not list(tmp_path.rglob("*evil*"))
    assert not list(temporary.iterdir())


def test_a_link_in_a_zip_is_refused(tmp_path: Path, temporary: Path) -> None:
    with pytest.raises(DataError, match=r"member 'corpus\.jsonl' of the zip is a symbolic link"):
        Source(linked(tmp_path / "x.zip"))
    assert not list(temporary.iterdir())


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_member_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("a.txt", "1")
        archive.writestr("a.txt", "2")
    with pytest.raises(DataError, match=r"'a\.txt' of the zip is there twice"):
        Source(tmp_path / "x.zip")


def test_a_truncated_zip_is_told(tmp_path: Path) -> None:
    path = packed(tmp_path / "ds.zip", {"a.txt": "word " * 1000})
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * 0.6)])
    with pytest.raises(DataError, match="truncated or damaged zip"):
        Source(path)


def test_a_zip_damaged_inside_a_member_is_told_and_leaves_no_half_file(
    tmp_path: Path, temporary: Path
) -> None:
    path = tmp_path / "ds.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("a.txt", "unspoilt")
    path.write_bytes(path.read_bytes().replace(b"unspoilt", b"unspoiLt"))
    source = Source(path)
    with pytest.raises(DataError, match=r"damaged in member 'a\.txt': Bad CRC-32"):
        source.path("a.txt")
    assert not list(temporary.rglob("a.txt"))


def test_the_private_folder_goes_with_the_last_reader(tmp_path: Path, temporary: Path) -> None:
    archive = packed(tmp_path / "x.zip", {"a.txt": "one\ntwo\n"})

    def passes() -> Iterator[str]:
        source = Source(archive)
        return source.reading(lambda: source.path("a.txt").read_text().splitlines())()

    reader = passes()
    assert next(reader) == "one"
    assert len(list(temporary.iterdir())) == 1
    gc.collect()
    assert list(reader) == ["two"]
    del reader
    gc.collect()
    assert not list(temporary.iterdir())


def test_errors_name_members_as_the_user_knows_them(tmp_path: Path, temporary: Path) -> None:
    source = Source(packed(tmp_path / "x.zip", {"in/a.txt": "?"}))
    inside = source.path("in/a.txt")
    with pytest.raises(DataError) as caught, source.named():
        raise DataError("is odd", path=inside, line=3, hint="look")
    assert str(caught.value) == f"{tmp_path / 'x.zip'}!in/a.txt:3: is odd (look)"


def test_one_file_is_a_source_and_what_it_lacks_is_said(tmp_path: Path) -> None:
    path = tmp_path / "CISI.ALL"
    path.write_text(".I 1\n", encoding="utf-8")
    source = Source(path)
    assert source.only("*.ALL", what="documents") == "CISI.ALL"
    assert source.path("CISI.ALL").read_text(encoding="utf-8") == ".I 1\n"
    with pytest.raises(
        DataError, match=r"has no file \*\.QRY, which holds queries \(it is one file; name the"
    ):
        source.only("*.QRY", what="queries")


def test_a_text_with_the_name_of_an_archive_is_none(tmp_path: Path) -> None:
    path = tmp_path / "data.zip"
    path.write_text("not found\n", encoding="utf-8")
    with pytest.raises(DataError, match="is neither a zip nor a tar"):
        Source(path)


def test_a_folder_that_holds_an_archive_alone_says_to_name_that(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "cisi.zip", "w") as archive:
        archive.writestr("CISI.ALL", ".I 1\n")
    with pytest.raises(DataError, match=f"an archive is read as it is: name {tmp_path / 'cisi.zip'}"):
        Source(tmp_path).only("*.ALL", what="documents")
    (tmp_path / "README").touch()
    with pytest.raises(DataError, match=r"found: README, cisi\.zip; leave it"):
        Source(tmp_path).only("*.ALL", what="documents", instead="leave it")


_NO_NAMES = {"huggingface", "table"}  # reads tables of any name; reads one file


@pytest.mark.parametrize(
    "name", sorted(n for n in catalog.names() if catalog.get(n).needs_raw and n not in _NO_NAMES)
)
def test_every_format_says_that_an_archive_is_read_as_it_is(name: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "release.zip", "w") as archive:
        archive.writestr("a.txt", "a")
    with pytest.raises(DataError, match=rf"an archive is read as it is: name {tmp_path / 'release.zip'}"):
        list(catalog.convert(name, tmp_path).documents())
