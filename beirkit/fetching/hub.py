"""What a dataset repository of the Hugging Face hub holds, asked of its web interface.

The address of the hub is ``HF_ENDPOINT``, else https://huggingface.co; ``HF_TOKEN`` is sent to it, to nobody
else, and is kept nowhere.
"""

from __future__ import annotations

import logging
import os
import re
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote, urljoin

import msgspec

from beirkit.corpora.compressed import bare_name
from beirkit.corpora.errors import UsageError
from beirkit.corpora.files import atomic_open
from beirkit.fetching.checksums import Checksum
from beirkit.fetching.errors import FetchError, OfflineError, TransientError
from beirkit.fetching.place import RemoteFile
from beirkit.fetching.web import Client, origin

_ENDINGS = (".parquet", ".jsonl", ".ndjson", ".json", ".tsv", ".csv", ".txt", ".zip", ".tar", ".tgz")
_CARD = "README.md"
_MOST_PAGES = 1000
_LONGEST = 1 << 26  # bytes of one answer
_NEXT = re.compile(r'<([^>]*)>\s*;\s*rel="?next"?')

_log = logging.getLogger(__name__)

T = TypeVar("T")


class _Pointer(msgspec.Struct, frozen=True):
    """How the hub tells of a large file: by its SHA-256."""

    oid: str
    size: int


class _Entry(msgspec.Struct, frozen=True):
    type: str
    path: str
    oid: str = ""
    size: int = 0
    lfs: _Pointer | None = None


class _Commit(msgspec.Struct, frozen=True):
    sha: str


class Listed(msgspec.Struct, frozen=True):
    """A file of a repository at one commit: its path, size, and checksum by kind."""

    path: str
    size: int
    kind: str
    digest: str


def endpoint() -> str:
    """The address of the hub."""
    return (os.environ.get("HF_ENDPOINT", "").strip() or "https://huggingface.co").rstrip("/")


def tokens() -> dict[str, str]:
    """The token of the environment, for the hub alone."""
    token = os.environ.get("HF_TOKEN", "").strip()
    return {origin(endpoint()): token} if token else {}


def page(repository: str, revision: str) -> str:
    """The address under which a person finds a repository."""
    return f"{endpoint()}/datasets/{repository}" + (f"/tree/{revision}" if revision else "")


def require_commit(revision: str, repository: str) -> None:
    """Refuse a revision that may name other content tomorrow.

    Raises:
        UsageError: it is a branch, a tag or a part of a commit.
    """
    if not re.fullmatch(r"[0-9a-f]{40}", revision):
        raise UsageError(
            f"revision {revision!r} of {repository} is no full commit",
            hint="give all of its 40 hexadecimal digits",
        )


def newest(client: Client, repository: str, kept: Path) -> str:
    """The commit that a repository is at today; offline, the one it was at when it was last asked.

    Args:
        client: opens addresses.
        repository: ``OWNER/NAME``.
        kept: where the answer is kept.
    """
    if client.offline:
        try:
            commit = msgspec.json.decode(kept.read_bytes(), type=_Commit)
        except (OSError, msgspec.DecodeError):
            raise OfflineError(
                f"{page(repository, '')}: which commit is its newest cannot be asked while offline",
                hint="say which one is meant with --revision",
            ) from None
        _log.warning("%s: taken is the commit that was its newest when it was last asked", repository)
    else:
        commit, _ = _ask(client, f"{endpoint()}/api/datasets/{repository}/revision/main", _Commit)
    require_commit(commit.sha, repository)
    with atomic_open(kept, "wb") as out:
        out.write(msgspec.json.encode(commit))
    return commit.sha


def listing(client: Client, repository: str, revision: str, folder: Path) -> list[Listed]:
    """The data files and the card of a repository at a commit.

    A commit never changes, so its list is kept and asked for once.

    Args:
        client: opens addresses.
        repository: ``OWNER/NAME``.
        revision: the full commit.
        folder: where the list is kept.

    Raises:
        OfflineError: it is not kept here, and nothing may be asked.
        FetchError: the hub does not answer so, or lists a file that would be written elsewhere.
    """
    kept = folder / f".listing-{revision}.json"
    if kept.exists():
        try:
            return msgspec.json.decode(kept.read_bytes(), type=list[Listed])
        except msgspec.DecodeError:
            kept.unlink()  # damaged; it is asked for again
    if client.offline:
        raise OfflineError(
            f"{page(repository, revision)}: not here, and offline not fetched",
            hint="to fetch it, leave out --offline, BEIRKIT_OFFLINE and HF_HUB_OFFLINE",
        )
    address: str | None = f"{endpoint()}/api/datasets/{repository}/tree/{revision}?recursive=true"
    found: list[Listed] = []
    for _ in range(_MOST_PAGES):
        if address is None:
            break
        entries, address = _ask(client, address, list[_Entry])
        found += [_listed(entry, repository) for entry in entries if _is_data(entry)]
    if address is not None:
        raise FetchError(f"{page(repository, revision)}: its list of files does not end")
    found.sort(key=lambda one: one.path)
    if not any(one.path != _CARD for one in found):
        raise FetchError(
            f"{page(repository, revision)}: holds no data files", hint=f"known are: {', '.join(_ENDINGS)}"
        )
    with atomic_open(kept, "wb") as out:
        out.write(msgspec.json.encode(found))
    return found


def remote_files(found: list[Listed], repository: str, revision: str) -> tuple[RemoteFile, ...]:
    """What to fetch of a repository."""
    base = f"{endpoint()}/datasets/{repository}/resolve/{revision}"
    return tuple(
        RemoteFile(
            name=one.path,
            addresses=(f"{base}/{quote(one.path)}",),
            size=one.size,
            checksum=Checksum("sha256" if one.kind == "sha256" else "git", one.digest),
        )
        for one in found
    )


def _is_data(entry: _Entry) -> bool:
    if entry.type != "file" or any(re.match(r"\.(?!\.?$)", part) for part in entry.path.split("/")):
        return False  # folders too: the hidden ones are no part of the data
    return entry.path == _CARD or bare_name(entry.path).lower().endswith(_ENDINGS)


def _listed(entry: _Entry, repository: str) -> Listed:
    if any(part in ("", ".", "..") for part in entry.path.split("/")) or "\\" in entry.path:
        raise FetchError(f"{repository}: lists a file {entry.path!r}, which would be written elsewhere")
    if entry.lfs is not None:
        return Listed(entry.path, entry.lfs.size, "sha256", entry.lfs.oid.removeprefix("sha256:").lower())
    return Listed(entry.path, entry.size, "git", entry.oid.lower())


def _ask(client: Client, address: str, shape: type[T]) -> tuple[T, str | None]:
    """The answer of the hub, and where its next page is."""
    tries = 0
    while True:
        try:
            with client.open(address) as answer:
                data = answer.read(_LONGEST)
                link = _NEXT.search(answer.headers.get("Link", ""))
            break
        except TransientError as error:
            tries += 1
            if tries >= client.patience.attempts:
                raise FetchError(error.found, hint="try again later") from error
            client.wait(tries, error)
    try:
        return msgspec.json.decode(data, type=shape), urljoin(address, link[1]) if link else None
    except msgspec.DecodeError as error:
        raise FetchError(
            f"{address}: answers otherwise than the hub does", hint="HF_ENDPOINT names the hub"
        ) from error
