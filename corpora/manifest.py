"""What a BEIR folder holds: counts, file hashes, provenance, and content ids that survive re-encoding."""

from __future__ import annotations

import importlib.metadata
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256 as _sha256
from pathlib import Path
from typing import TypeVar

import msgspec

from beirkit.corpora.blocks import counted
from beirkit.corpora.collection import Collection, Provenance
from beirkit.corpora.errors import DataError
from beirkit.corpora.files import atomic_open, sha256_file
from beirkit.corpora.layout import MANIFEST, Layout, find_layout
from beirkit.corpora.records import Document, Judgment, Query

_MODULUS = 1 << 256

_Shape = TypeVar("_Shape")


class ContentId:
    """What a set of records says, whatever their order, escaping or file format.

    The sum modulo 2^256 of one SHA-256 per record, over a tag for the kind of record and each field behind
    its length. Documents count with id, title and text, queries with id and text, judgments with both ids and
    the grade. Metadata does not count: no score depends on it (docs/decisions/0002-content-id.md).
    """

    __slots__ = ("_sum",)

    def __init__(self) -> None:
        self._sum = 0

    def add_document(self, document: Document) -> None:
        """Count a document."""
        self._add(b"document", document.doc_id, document.title, document.text)

    def add_documents(self, documents: Sequence[Document]) -> None:
        """Count documents, in two thirds of the time that they take one by one."""
        digests = []
        for document in documents:
            doc_id, title, text = document.doc_id, document.title, document.text
            said = f"document {len(doc_id)}:{doc_id} {len(title)}:{title} {len(text)}:{text}"
            if said.isascii():  # a character is a byte
                digests.append(_sha256(said.encode()).digest())
            else:
                digests.append(_digest(b"document", doc_id, title, text))
        self._sum += _sum(digests)

    def add_query(self, query: Query) -> None:
        """Count a query."""
        self._add(b"query", query.query_id, query.text)

    def add_judgment(self, judgment: Judgment) -> None:
        """Count a judgment."""
        self._add(b"judgment", judgment.query_id, judgment.doc_id, str(judgment.relevance))

    def merge(self, content_id: str) -> None:
        """Count what another one counted, given as its hexadecimal digits."""
        self._sum += int(content_id, 16)

    def hexdigest(self) -> str:
        """The id so far: 64 hexadecimal digits."""
        return f"{self._sum % _MODULUS:064x}"

    def _add(self, tag: bytes, *fields: str) -> None:
        self._sum += int.from_bytes(_digest(tag, *fields), "big")


def _digest(tag: bytes, *fields: str) -> bytes:
    parts = [tag]
    for field in fields:
        try:
            data = field.encode("utf-8")
        except UnicodeEncodeError as error:
            raise DataError(f"{tag.decode()} {fields[0]!r} holds half of a surrogate pair") from error
        parts += (b" %d:" % len(data), data)
    return _sha256(b"".join(parts)).digest()


def _sum(digests: Sequence[bytes]) -> int:
    """The sum of digests as numbers."""
    return sum([int.from_bytes(digest, "big") for digest in digests])


class FileFacts(msgspec.Struct, frozen=True):
    """Size in bytes and SHA-256 of one file as it lies on disk."""

    bytes: int
    sha256: str


class SplitCounts(msgspec.Struct, frozen=True):
    """How much one split judges.

    Attributes:
        judgments: pairs.
        queries: queries with at least one judgment.
        grades: pairs by grade; keys are the grades in decimal, ascending.
    """

    judgments: int
    queries: int
    grades: dict[str, int]


class Counts(msgspec.Struct, frozen=True):
    """How much a folder holds."""

    documents: int
    queries: int
    splits: dict[str, SplitCounts]


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What ``manifest.json`` says about its folder; it holds no time, so equal work gives equal bytes.

    Attributes:
        beirkit: version that wrote the folder.
        provenance: where the records came from.
        counts: how much there is.
        content_ids: :class:`ContentId` of ``corpus``, ``queries`` and each ``qrels/<split>``.
        files: by name relative to the folder.
    """

    beirkit: str
    provenance: Provenance
    counts: Counts
    content_ids: dict[str, str]
    files: dict[str, FileFacts]


class SplitTally:
    """Counts one split while its judgments pass by."""

    def __init__(self) -> None:
        self.content = ContentId()
        self.queries: set[str] = set()
        self.grades: Counter[int] = Counter()

    def add(self, judgment: Judgment) -> None:
        """Count a judgment."""
        self.content.add_judgment(judgment)
        self.queries.add(judgment.query_id)
        self.grades[judgment.relevance] += 1

    def counts(self) -> SplitCounts:
        """What was counted."""
        grades = {str(grade): count for grade, count in sorted(self.grades.items())}
        return SplitCounts(sum(grades.values()), len(self.queries), grades)


def content_ids(collection: Collection) -> dict[str, str]:
    """The content ids of a collection, by one pass over everything.

    Returns:
        keys ``corpus``, ``queries`` and ``qrels/<split>``.
    """
    corpus, queries = ContentId(), ContentId()
    for batch in counted(collection.documents()):
        corpus.add_documents(batch.records)
    for query in collection.queries():
        queries.add_query(query)
    ids = {"corpus": corpus.hexdigest(), "queries": queries.hexdigest()}
    for split in collection.splits:
        judged = ContentId()
        for judgment in collection.judgments(split):
            judged.add_judgment(judgment)
        ids[f"qrels/{split}"] = judged.hexdigest()
    return ids


def has_manifest(folder: Path | str) -> bool:
    """Whether a folder holds a manifest, beirkit's or not."""
    return (Path(folder) / MANIFEST).is_file()


def read_manifest(folder: Path | str) -> Manifest:
    """The manifest of a folder.

    Raises:
        DataError: there is none, or it is not one that beirkit writes.
    """
    return read_facts(Path(folder) / MANIFEST, Manifest, "a manifest of beirkit")


def read_facts(path: Path, shape: type[_Shape], what: str) -> _Shape:
    """A JSON file that beirkit wrote about a folder.

    Args:
        path: of the file.
        shape: what it holds.
        what: the file as an error names it, such as ``a manifest of beirkit``.

    Raises:
        DataError: there is none, or it is not one that beirkit writes.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=shape)
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", path=path) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(f"is not {what}: {error}", path=path) from error


def write_manifest(manifest: Manifest, folder: Path | str) -> None:
    """Write the manifest of a folder.

    Raises:
        WriteError: the system refused the file.
    """
    data = msgspec.json.format(msgspec.json.encode(manifest, enc_hook=str, order="deterministic"), indent=2)
    with atomic_open(Path(folder) / MANIFEST, "wb") as out:
        out.write(data + b"\n")


def verify_manifest(folder: Path | str) -> list[str]:
    """Hash the files of a folder again and compare them with its manifest.

    Returns:
        what does not match, one sentence each; empty when everything does.

    Raises:
        DataError: the folder is no BEIR folder or has no manifest.
    """
    return _differences(read_manifest(folder), find_layout(folder))


def matching_manifest(folder: Path | str) -> Manifest | None:
    """The manifest of a folder whose files are those it tells of, else None; hashes every file."""
    if not has_manifest(folder):
        return None
    try:
        manifest = read_manifest(folder)
    except DataError:
        return None
    return None if _differences(manifest, find_layout(folder)) else manifest


def file_facts(layout: Layout, known: Mapping[str, FileFacts] | None = None) -> dict[str, FileFacts]:
    """Size and hash of every data file of a folder; those that are ``known`` are not hashed again."""
    return {
        name: (known or {}).get(name) or FileFacts(path.stat().st_size, sha256_file(path))
        for name, path in layout.files().items()
    }


def installed_version() -> str:
    """The version of beirkit, as it is installed."""
    try:
        return importlib.metadata.version("beirkit")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def _differences(manifest: Manifest, layout: Layout) -> list[str]:
    present = layout.files()
    found = [
        f"{name} is in the manifest and not in the folder" for name in manifest.files if name not in present
    ]
    for name, path in present.items():
        told = manifest.files.get(name)
        if told is None:
            found.append(f"{name} is in the folder and not in the manifest")
        elif path.stat().st_size != told.bytes:
            found.append(f"{name} has {path.stat().st_size} bytes, the manifest says {told.bytes}")
        elif sha256_file(path) != told.sha256:
            found.append(f"{name} has another SHA-256 than the manifest says")
    return found
