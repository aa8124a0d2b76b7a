"""Zip files that come out the same from the same files, and are read with care."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from beirkit.corpora.compressed import RATIO_FREE, SUFFIXES, max_ratio
from beirkit.corpora.errors import DataError
from beirkit.corpora.files import atomic_open

_TIME = (1980, 1, 1, 0, 0, 0)  # the first that a zip can tell


def write_zip(path: Path, files: Mapping[str, bytes | Path]) -> None:
    """Write a zip of files by name, sorted, without times; what is compressed already is only stored.

    Raises:
        WriteError: the system refused the file.
    """
    with atomic_open(path, "wb") as out, zipfile.ZipFile(out, "w") as made:
        for name, content in sorted(files.items()):
            info = zipfile.ZipInfo(name, _TIME)
            info.create_system = 3  # on every system alike
            info.external_attr = 0o100644 << 16
            packed = name.endswith((*SUFFIXES, ".zip"))
            info.compress_type = zipfile.ZIP_STORED if packed else zipfile.ZIP_DEFLATED
            data = content if isinstance(content, bytes) else content.read_bytes()
            made.writestr(info, data, compresslevel=None if packed else 6)


@contextmanager
def reading_zip(path: Path) -> Iterator[zipfile.ZipFile]:
    """A zip whose names stay inside it and stand in it once, opened for reading.

    Raises:
        DataError: it is no zip, is damaged, or a name in it leads out of it, stands there twice or is secret.
    """
    try:
        with zipfile.ZipFile(path) as opened:
            seen: set[str] = set()
            for info in opened.infolist():
                name = PurePosixPath(info.filename)
                if name.is_absolute() or ".." in name.parts or "\\" in info.filename:
                    raise DataError(f"holds {info.filename!r}, a name that leads out of it", path=path)
                if info.filename in seen:
                    raise DataError(f"holds {info.filename!r} twice", path=path)
                if info.flag_bits & 1:
                    raise DataError(f"holds {info.filename!r} encrypted", path=path)
                if info.file_size > RATIO_FREE and info.file_size > max_ratio() * max(1, info.compress_size):
                    raise DataError(f"holds {info.filename!r}, which unpacks to too much", path=path)
                seen.add(info.filename)
            yield opened
    except FileNotFoundError as error:
        raise DataError("does not exist", path=path) from error
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, OSError, EOFError) as error:
        raise DataError(f"is no zip, or damaged: {error}", path=path) from error


def member(opened: zipfile.ZipFile, name: str) -> bytes:
    """The content of one file.

    Raises:
        DataError: it is not there, or damaged.
    """
    try:
        return opened.read(name)
    except KeyError as error:
        raise DataError(f"holds no {name}", path=opened.filename) from error
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError) as error:
        raise DataError(f"holds {name}, which is damaged: {error}", path=opened.filename) from error
