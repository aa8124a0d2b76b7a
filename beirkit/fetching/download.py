"""One file from a server: resumed, verified, and under its name only when it is whole.

A part is gone on with only where the server vouches that the rest is of the same content, or where the
published checksum of the whole will tell.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
from pathlib import Path

import urllib3

from beirkit.corpora.errors import WriteError
from beirkit.corpora.progress import Progress, silent
from beirkit.fetching.checksums import checksum, damage, what_it_is_instead
from beirkit.fetching.errors import ChangedError, FetchError, OfflineError, TransientError
from beirkit.fetching.place import Part, Place, RemoteFile, alone, refusals
from beirkit.fetching.web import Client

_log = logging.getLogger(__name__)

_BLOCK = 1 << 18
_START = 512  # bytes from which a file is known for what it is
_CONTENT_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+|\*)")


def download(
    file: RemoteFile,
    folder: Path,
    client: Client,
    *,
    changed: Path | None = None,
    progress: Progress = silent,
) -> Path:
    """Bring a file, or find it here.

    Args:
        file: what to bring.
        folder: where it is kept; its content should depend on the file's version.
        client: opens addresses.
        changed: where folders of other content are kept, by its hash: what has changed in place is put there.
        progress: shows how it gets on.

    Returns:
        Its path; what lies there has the published size and checksum, or the hash it first came with.

    Raises:
        OfflineError: it is not here, and the client is offline.
        ChangedError: every server that answered has other content than was published.
        FetchError: no server has it, or none sends it whole.
        WriteError: the disk is full or refuses it; what came stays for the next time.
    """
    target = folder / file.name
    here = Place(target)
    if not (problem := here.problem(file)):
        return target
    if client.offline:
        hint = "a copy of the published file may be put there" if file.checksum else ""
        raise OfflineError(f"{problem}, and offline nothing is fetched", path=target, hint=hint)
    with refusals(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        with alone(here.lock, target):
            if not (problem := here.problem(file)):  # another process has brought it meanwhile
                return target
            if target.exists():
                _log.warning("%s: %s; it is fetched again", target, problem)
                target.unlink()
            _Download(file, here, client, changed, progress).run()
    return target


class _Download:
    """The work on one file that is not here."""

    def __init__(
        self, file: RemoteFile, here: Place, client: Client, changed: Path | None, progress: Progress
    ) -> None:
        self._file, self._here, self._client = file, here, client
        self._changed, self._progress = changed, progress
        self._pieced = False  # whether the part was put together from several answers

    def run(self) -> None:
        """Try each address in its turn.

        Raises:
            FetchError: none of them gave the file; told is what each of them said.
        """
        errors: list[FetchError] = []
        for address in self._file.addresses:
            if errors:
                _log.warning("%s; going on with %s", errors[-1], address)
            try:
                return self._from(address)
            except FetchError as error:
                errors.append(error)
        changed = [error for error in errors if isinstance(error, ChangedError)]
        if changed or len(errors) == 1:
            raise (changed or errors)[0]
        raise FetchError("; ".join(error.found for error in errors), hint=errors[-1].hint)

    def _from(self, address: str) -> None:
        self._complete(address)
        problem = self._verify(address)
        if problem is not None and self._pieced:  # maybe of different contents: once more, from the start
            self._complete(address)
            problem = self._verify(address)
        if problem is not None:
            raise problem
        self._here.keep(self._file)

    def _complete(self, address: str) -> None:
        """Ask until the part is whole; tries that bring more do not count."""
        self._pieced = False
        tries, most = 0, self._here.have()
        while True:
            try:
                return self._transfer(address)
            except TransientError as error:
                grown = self._here.have() > most
                most = max(most, self._here.have())
                tries = 1 if grown else tries + 1
                if tries >= self._client.patience.attempts:
                    hint = "try again later, or name another server with --mirror"
                    if self._here.have():
                        hint = "what came is kept; the same command goes on from there"
                    raise FetchError(error.found, hint=hint) from error
                self._client.wait(tries, error)

    def _transfer(self, address: str) -> None:
        """One request, for what is missing where the rest will be of the same content."""
        here, file = self._here, self._file
        old = here.noted_part()
        vouched = old is not None and bool(old.validator) and old.address == address
        if not vouched and file.checksum is None:
            old = None  # nothing would tell that two contents were joined
        have = here.have() if old is not None else 0
        if old is not None and have == old.total:
            self._pieced = self._pieced or not vouched
            return
        headers = {}
        if old is not None and have:
            headers = {"Range": f"bytes={have}-"} | ({"If-Range": old.validator} if vouched else {})
        with self._client.open(address, headers) as answer:
            total = _length(answer)
            if answer.status == 416 or (answer.status == 206 and not _goes_on(answer, have, old)):
                here.drop_part()
                raise TransientError(f"{address}: what the server sent does not go on where it stopped")
            if answer.status == 200:
                have, vouched = 0, True
            self._require_space((total or file.size or 0) - have)
            if not vouched:
                self._pieced = True
                here.note_part(Part(address, "", total))
            self._write(address, answer, have, total)
            if total is None and file.size is None and file.checksum is None and not _is_chunked(answer):
                _log.warning("%s: the server tells no length, so a cut file would not be noticed", address)
        announced = file.size if total is None else total
        if announced is not None and (here.have() < announced or (total and here.have() > total)):
            found = f"of the {announced:,} bytes announced {here.have():,} came"
            raise TransientError(f"{address}: {found}")

    def _write(self, address: str, answer: urllib3.BaseHTTPResponse, have: int, total: int | None) -> None:
        """Add the body of an answer to the part, or begin it anew; its first bytes are looked at."""
        here = self._here
        start: bytes | None = None if have else b""
        with here.part.open("ab" if have else "wb") as out:
            if not have:
                here.note_part(Part(address, _validator(answer), total))
            with self._progress(f"fetching {self._file.name}", total or self._file.size, "B") as advance:
                advance(have)
                most = self._file.size if total is None else None  # a length that is announced is held to
                while block := answer.read1(_BLOCK, decode_content=False):  # what has come, not a block full
                    advance(len(block))
                    have += len(block)
                    if most is not None and have > most:
                        here.drop_part()
                        raise _not_the_file(address, f"more than the {most:,} bytes that were published")
                    if start is not None:
                        start += block
                        if len(start) < _START:
                            continue
                        self._require_likely(start, address)
                        block, start = start, None
                    out.write(block)
                if start:
                    self._require_likely(start, address)
                    out.write(start)
            out.flush()
            os.fsync(out.fileno())

    def _require_likely(self, start: bytes, address: str) -> None:
        if instead := what_it_is_instead(start, self._here.target.name):
            self._here.drop_part()
            raise _not_the_file(address, instead)

    def _verify(self, address: str) -> FetchError | None:
        """What speaks against the part now that it is whole; a part with something against it is gone."""
        here, file = self._here, self._file
        size, published = here.have(), file.checksum
        if not size and file.size != 0:
            here.drop_part()
            return _not_the_file(address, "nothing at all")
        same_size = file.size is None or size == file.size
        now = checksum(here.part, published.kind if published is not None else "sha256")
        if same_size and (published is None or now == published):
            if published is not None or not (broken := damage(here.part, file.name)):
                return None
            here.drop_part()
            return _not_the_file(address, f"a damaged file: {broken}")
        of = f"{size:,} bytes" if same_size else f"{size:,} bytes of {file.size:,}"
        if broken := damage(here.part, file.name):
            here.drop_part()
            return _not_the_file(address, f"a damaged file, {of}: {broken}")
        if self._pieced or self._changed is None or (published is not None and published.kind == "git"):
            here.drop_part()
            return _not_the_file(address, f"other content, {of}: {now}, not {published or 'that size'}")
        kept = self._changed / now.digest / file.name
        kept.parent.mkdir(parents=True, exist_ok=True)
        here.part.replace(kept)
        here.drop_part()
        told = str(published) if published is not None else f"of {file.size:,} bytes"
        return ChangedError(address, published=told, now=str(now), kept=kept)

    def _require_space(self, needed: int) -> None:
        free = shutil.disk_usage(self._here.target.parent).free
        if needed > free:
            found = f"{needed:,} bytes are to come and {free:,} are free on this disk"
            hint = "make room, or let BEIRKIT_HOME name a folder on a larger disk"
            raise WriteError(found, path=self._here.target.parent, hint=hint)


def _not_the_file(address: str, instead: str) -> FetchError:
    return FetchError(
        f"{address}: the server sent {instead}",
        hint="nothing of it was kept; try again later, or name another server with --mirror",
    )


def _length(answer: urllib3.BaseHTTPResponse) -> int | None:
    """Bytes of the whole file, as the server announces it."""
    if match := _CONTENT_RANGE.fullmatch(answer.headers.get("Content-Range", "").strip()):
        return None if match[3] == "*" else int(match[3])
    announced = answer.headers.get("Content-Length", "")
    return int(announced) if announced.isdecimal() and answer.status == 200 else None


def _is_chunked(answer: urllib3.BaseHTTPResponse) -> bool:
    """Whether the answer itself says where it ends."""
    return "chunked" in answer.headers.get("Transfer-Encoding", "").lower()


def _goes_on(answer: urllib3.BaseHTTPResponse, have: int, old: Part | None) -> bool:
    """Whether an answer begins where the part ends, and is of a whole of the same size."""
    match = _CONTENT_RANGE.fullmatch(answer.headers.get("Content-Range", "").strip())
    if match is None or old is None or int(match[1]) != have:
        return False
    return match[3] == "*" or old.total is None or int(match[3]) == old.total


def _validator(answer: urllib3.BaseHTTPResponse) -> str:
    """What names exactly these bytes on this server: a strong ETag, else the date of the last change."""
    tag: str = answer.headers.get("ETag", "").strip()
    return tag if tag.startswith('"') else answer.headers.get("Last-Modified", "").strip()
