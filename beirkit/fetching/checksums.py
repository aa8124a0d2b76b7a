"""What a publisher says of a file's bytes, and whether a file on this disk has them."""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from beirkit.converters.reading.archives import SUFFIXES, open_archive
from beirkit.corpora.errors import BeirkitError
from beirkit.corpora.files import open_bytes

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
    text = start.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if text.startswith(_PAGES) and suffix not in (".html", ".htm", ".xml"):
        return f"an HTML page{_title(text)}"
    wanted = _STARTS.get(suffix)
    if wanted is not None and not start.startswith(wanted):
        shown = start[:40].decode("ascii", "backslashreplace") if start else ""
        return f"no {suffix[1:]} file: it begins with {shown!r}" if start else "nothing at all"
    return ""


def damage(path: Path, name: str) -> str:
    """What is wrong with an archive or compressed file, read to its end; empty: nothing, or it is neither.

    Args:
        path: the file.
        name: what it will be called.
    """
    try:
        if name.lower().endswith(".zip"):
            open_archive(path)
            with zipfile.ZipFile(path) as archive:
                broken = archive.testzip()
            return f"its member {broken!r} is damaged" if broken else ""
        if name.lower().endswith((*SUFFIXES, ".gz", ".bz2", ".zst")):
            with open_bytes(path) as stream:
                while stream.read(_BLOCK):
                    pass
    except BeirkitError as error:
        return error.found
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError) as error:
        return str(error)
    return ""


def _title(page: bytes) -> str:
    """What a page calls itself."""
    _, opening, rest = page.partition(b"<title>")
    title = rest.partition(b"</title>")[0].decode("utf-8", "replace").strip() if opening else ""
    return f" ({' '.join(title.split())[:80]})" if title else ""
