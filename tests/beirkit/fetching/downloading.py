"""What tests of one download share: the file that is published, and what lies in a folder."""

from __future__ import annotations

from pathlib import Path

from beirkit.fetching.checksums import Checksum
from beirkit.fetching.place import RemoteFile
from tests.beirkit.fetching.conftest import Archive
from tests.beirkit.fetching.server import Content, Server

PATH = "/data/birds.zip"


def published(server: Server, archive: Archive, *, pinned: bool = True) -> RemoteFile:
    """The archive, put on the server."""
    server.files.setdefault(PATH, Content(archive.data))
    known = Checksum("md5", archive.md5) if pinned else None
    return RemoteFile("birds.zip", (server.url(PATH),), len(archive.data) if pinned else None, known)


def visible(folder: Path) -> list[str]:
    """Names that nobody hides; what a person or a converter takes for data."""
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))


def leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if ".part" in path.name)
