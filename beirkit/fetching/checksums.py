"""What a publisher says of a file's bytes, and whether a file on this disk has them."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import re
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from beirkit.converters.reading.archives import open_archive
from beirkit.corpora.errors import DataError

Kind = Literal["md5", "sha256", "git"]

_BLOCK = 1 << 20
_PAGES = (b"<!doctype html", b"<html", b"<head", b"<body")
_STARTS = {
    ".zip": (b"PK",),
    ".gz": (b"\x1f\x8b",),
    ".tgz": (b"\x1f\x8b",),
    ".bz2": (b"BZh",),
    ".zst": (b"\x28\xb5\x2f\xfd",),
    ".parquet": (b"PAR1",),
}
_COMPRESSED: dict[str, type[gzip.GzipFile] | type[bz2.BZ2File]] = {
    ".gz": gzip.GzipFile,
    ".tgz": gzip.GzipFile,
    ".bz2": bz2.BZ2File,
    ".tbz2": bz2.BZ2File,
}


@dataclass(frozen=True)
class Checksum:
    """A hash of a file's bytes.

    Attributes:
        kind: ``git`` is the SHA-1 that git names a file by: over its size, then its bytes.
        digest: in lower-case hexadecimal.
    """

    kind: Kind
    digest: str

    def __str__(self) -> str:
        """The kind, a colon, the digest."""
        return f"{self.kind}:{self.digest}"


def checksum(path: Path, kind: Kind) -> Checksum:
    """The hash of a file."""
    digest = hashlib.new("sha1" if kind == "git" else kind, usedforsecurity=False)
    if kind == "git":
        digest.update(b"blob %d\0" % path.stat().st_size)
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return Checksum(kind, digest.hexdigest())


def what_it_is_instead(start: bytes, name: str) -> str:
    """What a file is whose first bytes cannot be those of a file of this name; empty: they can.

    Args:
        start: the first bytes, some hundred at least where there are so many.
        name: of the file.
    """
    suffix = Path(name).suffix.lower()
    text = start.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text.lower().startswith(_PAGES) and suffix not in (".html", ".htm", ".xml"):
        return f"an HTML page{_title(text)}"
    wanted = _STARTS.get(suffix)
    if wanted is None or start.startswith(wanted):
        return ""
    return f"no {suffix[1:]} file: it begins with {repr(start[:24])[1:]}"


def damage(path: Path, name: str) -> str:
    """What is wrong with a zip, gzip or bzip2 file, read to its end; empty: nothing, or it is none.

    Args:
        path: the file.
        name: what it will be called.
    """
    ending = Path(name).suffix.lower()
    try:
        if ending == ".zip":
            open_archive(path)  # what a conversion would refuse is no use here
            with zipfile.ZipFile(path) as archive:
                broken = archive.testzip()
            return f"its member {broken!r} is damaged" if broken else ""
        if ending in _COMPRESSED:
            with _COMPRESSED[ending](path) as stream:
                while stream.read(_BLOCK):
                    pass
    except EOFError:
        return f"truncated {ending[1:]}"
    except DataError as error:
        return error.found
    except zipfile.BadZipFile as error:
        return f"truncated or damaged zip: {error}"
    except (OSError, zlib.error, RuntimeError, NotImplementedError) as error:
        return str(error)
    return ""


def _title(page: bytes) -> str:
    """What a page calls itself."""
    match = re.search(rb"<title[^>]*>(.*?)</title>", page, re.IGNORECASE | re.DOTALL)
    title = " ".join(match[1].decode("utf-8", "replace").split()) if match else ""
    return f" ({title[:80]})" if title else ""
