"""Files that the Unix program ``compress`` wrote, as those of the TREC disks (``.Z``, ``.z``)."""

from __future__ import annotations

import io
from pathlib import Path
from typing import BinaryIO

from beirkit.corpora.errors import DataError, MissingExtraError
from beirkit.corpora.files import open_bytes

_MAGIC = b"\x1f\x9d"
_LARGEST = 64 << 20  # bytes; such a file is unpacked in memory, and those of the TREC disks are below 2 MiB


def open_packed(path: Path) -> BinaryIO:
    """Open a file for reading, unpacked where it is compressed: as ``open_bytes``, and by ``compress``.

    Raises:
        DataError: it cannot be read, or is damaged.
        MissingExtraError: it is written by ``compress``, and the package for that is not installed.
    """
    with path.open("rb") as file:
        if file.read(2) != _MAGIC:
            return open_bytes(path)
    if path.stat().st_size > _LARGEST:
        raise DataError("is too large to be unpacked in memory", path=path, hint="unpack it with: gzip -d")
    try:
        from unlzw3 import unlzw
    except ImportError as error:
        raise MissingExtraError(f"reading {path.name}, which is written by compress,", "trec") from error
    try:
        return io.BytesIO(unlzw(path.read_bytes()))
    except (ValueError, IndexError) as error:
        found = f"is a damaged file of compress: {error}"
        raise DataError(found, path=path, hint="get it again, or unpack it with: gzip -d") from error
