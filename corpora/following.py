"""The hash and the content id of a large corpus, counted by a second process while the first writes it."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Self

import msgspec

from beirkit.corpora.errors import DataError
from beirkit.corpora.manifest import ContentId, FileFacts
from beirkit.corpora.processors import Idleness
from beirkit.corpora.records import Document

_STEP = 1 << 18  # bytes that are read at a time
_FEW = 1 << 16  # documents between two looks whether another process is worth its start
_OFTEN = 1 << 22  # bytes between two words to it
_documents = msgspec.json.Decoder(Document)
_CHILD = "from beirkit.corpora.following import main; main()"


class Counted(msgspec.Struct, frozen=True):
    """What was counted.

    Attributes:
        documents: how many stand behind the place where counting began.
        content: their content id, as 64 hexadecimal digits.
        sha256: of the whole file.
    """

    documents: int
    content: str
    sha256: str


class CorpusCount:
    """Content id and, where it comes for nothing, the hash of a corpus while it is written.

    Args:
        out: where it is written; told to a second process when the corpus is large.
        follow: whether ``out`` is a plain file that another process can read.
    """

    def __init__(self, out: BinaryIO, *, follow: bool) -> None:
        self.documents = 0
        self._out = out
        self._content = ContentId()
        self._idleness = Idleness() if follow and sys.executable else None
        self._looked = 0
        self._follower: Follower | None = None
        self._start = self._told = 0
        self._before = 0  # documents that stand before the second process's start

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._follower is not None:
            self._follower.end()

    def add(self, documents: Sequence[Document]) -> None:
        """Count documents that were just written."""
        self.documents += len(documents)
        if self._follower is None:
            self._content.add_documents(documents)
            if self._is_worthwhile():
                self._out.flush()
                self._start = self._told = self._out.tell()
                self._before = self.documents
                self._follower = Follower(Path(self._out.name), self._start)
        elif self._out.tell() - self._told >= _OFTEN:
            self._tell()

    def facts(self) -> tuple[str, FileFacts | None]:
        """The content id of all documents, and size and hash of the file where they were counted too.

        Raises:
            DataError: the file cannot be read as it was written.
        """
        if self._follower is None:
            return self._content.hexdigest(), None
        self._tell()
        counted = self._follower.counted()
        if counted is None or counted.documents != self.documents - self._before:  # whatever became of it
            try:
                counted = count(Path(self._out.name), self._start, [self._told])
            except (OSError, ValueError, RecursionError) as error:
                raise DataError(f"the corpus cannot be read back: {error}") from error
        self._content.merge(counted.content)
        return self._content.hexdigest(), FileFacts(self._told, counted.sha256)

    def _is_worthwhile(self) -> bool:
        """Whether there are many documents, and a processor for them."""
        if self._idleness is None or self.documents - self._looked < _FEW:
            return False
        self._looked = self.documents
        return self._idleness.is_spare()

    def _tell(self) -> None:
        self._out.flush()
        self._told = self._out.tell()
        if self._follower is not None:
            self._follower.tell(self._told)


class Follower:
    """A process that reads a file behind the one that writes it.

    It is a help and no more: where it cannot be started or dies, :meth:`counted` gives None, and whoever
    asked counts the file by itself.

    Args:
        path: the file, as it is called while it is written.
        start: where in it to begin counting documents, in bytes.
    """

    def __init__(self, path: Path, start: int) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        with suppress(OSError):
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _CHILD, str(path), str(start)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )

    def tell(self, size: int) -> None:
        """Say how many bytes of the file can be read by now; whole lines."""
        if self._process is not None and self._process.stdin is not None:
            try:
                self._process.stdin.write(b"%d\n" % size)
                self._process.stdin.flush()
            except OSError:
                self._process.stdin = None  # it is gone; its pipe with it

    def counted(self) -> Counted | None:
        """Wait for the end of the count: of all that was told, or None."""
        if self._process is None:
            return None
        try:
            told, _ = self._process.communicate()
            return None if self._process.returncode else msgspec.json.decode(told, type=Counted)
        except (OSError, ValueError):
            return None

    def end(self) -> None:
        """Stop it, wherever it is."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            with suppress(OSError, ValueError):
                self._process.communicate()


def main() -> None:
    """The second process: path and start as arguments, sizes on standard input, the count to the output."""
    path, start = Path(sys.argv[1]), int(sys.argv[2])
    sizes = (int(line) for line in sys.stdin.buffer)
    sys.stdout.buffer.write(msgspec.json.encode(count(path, start, sizes)))


def count(path: Path, start: int, sizes: Iterable[int]) -> Counted:
    """Count a corpus that grows and that beirkit writes: one record a line, in the shape of a document.

    Args:
        path: the file.
        start: where to begin counting documents, in bytes; a line starts there.
        sizes: how long the file is, in bytes, time and again; a line ends there.

    Raises:
        ValueError: something else stands in the file.
    """
    content, digest = ContentId(), hashlib.sha256()
    documents = 0
    with path.open("rb") as file:
        for place in range(0, start, _STEP):
            digest.update(file.read(min(_STEP, start - place)))
        rest, place = b"", start
        for size in sizes:
            while place < size:
                part = file.read(min(_STEP, size - place))
                if not part:
                    raise ValueError("the file is shorter than was told")
                place += len(part)
                digest.update(part)
                end = part.rfind(b"\n") + 1
                found = _documents.decode_lines(rest + part[:end]) if end else []
                rest = part[end:] if end else rest + part
                content.add_documents(found)
                documents += len(found)
    if rest:
        raise ValueError("the file does not end with a line")
    return Counted(documents, content.hexdigest(), digest.hexdigest())
