"""What ``export.json`` says of a folder that was made from results: of which, for whom, and which files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from beirkit.corpora.errors import DataError
from beirkit.corpora.exports.catalog import MANIFEST
from beirkit.corpora.files import atomic_open, sha256_file
from beirkit.corpora.manifest import FileFacts, installed_version, read_facts
from beirkit.evaluate.exports.base import Entry


class Submitted(msgspec.Struct, frozen=True, kw_only=True):
    """One result of a submission.

    Attributes:
        dataset: the dataset's name.
        split: the split that was searched.
        system: the retriever's name.
        revision: of the model; empty: not known.
        content_ids: of corpus, queries and judgments.
        shown_under: the protocols that its scores were kept under.
    """

    dataset: str
    split: str
    system: str
    revision: str = ""
    content_ids: dict[str, str]
    shown_under: tuple[str, ...] = ()


class Submission(msgspec.Struct, frozen=True, kw_only=True):
    """The manifest of an exported folder; it holds no time and no place, so equal work gives equal bytes.

    Attributes:
        beirkit: version that wrote the folder.
        target: the catalog name of the target.
        options: the options that were given.
        protocol: what the scores were made under; empty: there are none, or any would do.
        results: what was exported.
        files: by name relative to the folder.
    """

    beirkit: str
    target: str
    options: dict[str, Any]
    protocol: str
    results: tuple[Submitted, ...]
    files: dict[str, FileFacts]


def write_submission(
    folder: Path, target: str, protocol: str, options: Mapping[str, Any], entries: Sequence[Entry]
) -> Submission:
    """Say what the files in a folder are; the last thing that is written there."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    submission = Submission(
        beirkit=installed_version(),
        target=target,
        options=dict(options),
        protocol=protocol,
        results=tuple(
            Submitted(
                dataset=entry.dataset,
                split=entry.split,
                system=entry.system,
                revision=entry.revision,
                content_ids=dict(entry.content_ids),
                shown_under=entry.shown_under,
            )
            for entry in entries
        ),
        files={
            path.relative_to(folder).as_posix(): FileFacts(path.stat().st_size, sha256_file(path))
            for path in files
        },
    )
    data = msgspec.json.format(msgspec.json.encode(submission, order="deterministic"), indent=2)
    with atomic_open(folder / MANIFEST, "wb") as out:
        out.write(data + b"\n")
    return submission


def read_submission(folder: Path) -> Submission:
    """What an exported folder says of itself.

    Raises:
        DataError: nothing, or it was not made from results.
    """
    return read_facts(folder / MANIFEST, Submission, "an export of results")


def find_submission(path: Path) -> Submission | None:
    """What a folder, or the folder that a file is in, says of itself; None where it says nothing."""
    try:
        return read_submission(path if path.is_dir() else path.parent)
    except DataError:
        return None


def files_of(folder: Path) -> set[str]:
    """The files that an export of results wrote into a folder.

    Raises:
        DataError: it is not the folder of one.
    """
    return {MANIFEST, *read_submission(folder).files}
