"""A mended copy of a BEIR folder: what is safe is done, what needs a decision is asked, all of it is told."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from beirkit.corpora.collection import Change, Collection, Provenance
from beirkit.corpora.compressed import bare_name
from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.files import sha256_file
from beirkit.corpora.folder import Lines, require_room, write_folder
from beirkit.corpora.layout import MANIFEST, Layout, find_layout, require_split_name
from beirkit.corpora.manifest import Manifest, has_manifest, read_manifest, verify_manifest
from beirkit.corpora.mend_log import Log
from beirkit.corpora.mend_qrels import QrelsMender
from beirkit.corpora.mend_records import document_mender, query_mender
from beirkit.corpora.mend_rules import Rules, RulesNeededError
from beirkit.corpora.progress import Progress, silent
from beirkit.corpora.spans import read_spans

CONVERTER = "mend"
"""What the manifest of a mended folder names as its converter."""

ORIGINAL = "original"
"""The option under which it tells what first made the folder, and the content ids it then had."""


class MendReport(msgspec.Struct, frozen=True):
    """What mending did.

    Attributes:
        path: the folder that was written.
        changes: every change, as its manifest lists them too.
        manifest: the manifest of the new folder.
    """

    path: str
    changes: list[Change]
    manifest: Manifest


def mend_folder(
    path: Path | str,
    out: Path | str,
    rules: Mapping[str, str] | None = None,
    *,
    overwrite: bool = False,
    force: bool = False,
    progress: Progress = silent,
) -> MendReport:
    """Write a mended copy of a folder; the folder itself is never touched.

    What has one right answer is done: byte-order marks, line ends, blank lines, copies of a record or a
    judgment, headers and columns of qrels, grades such as 2.0, null titles, several records on one line. What
    has several is done as a rule says, and without one nothing is written. See
    :data:`beirkit.corpora.mend_rules.RULES`. Equal folders of one name and equal rules give equal bytes.

    Args:
        path: the folder.
        out: the folder to write.
        rules: choices by the name of their rule.
        overwrite: replace what beirkit wrote to ``out`` before.
        force: replace it also where its files were changed since.
        progress: told of every record that is written.

    Raises:
        RulesNeededError: the folder needs rules that were not given; the error lists them.
        UsageError: a rule does not exist, ``out`` stands in the folder, holds files of it or may not be
            written, or was changed since beirkit wrote it.
        DataError: the folder has no corpus or queries, or a file cannot be read to its end.
    """
    layout = find_layout(path)
    _require_apart(layout, Path(out))
    target = require_room(out, overwrite=overwrite)
    if not force:
        _require_unchanged(target)
    given, log = Rules(rules or {}), Log()
    documents, queries = (
        document_mender(layout.corpus, given, log),
        query_mender(layout.queries, given, log),
    )
    documents.plan()
    queries.plan()
    qrels = {}
    for split, file in layout.qrels.items():
        require_split_name(split, file)
        name = file.relative_to(layout.folder).as_posix()
        qrels[split] = QrelsMender(file, name, documents.ids, queries.ids, given, log)
        qrels[split].plan()
    if given.missing:
        raise RulesNeededError(str(layout.folder), given.missing)
    _tell_manifest(layout, log)
    _tell_other_files(layout, log)
    changes = log.changes()
    collection = Collection(
        documents=documents.records,
        queries=queries.records,
        judgments={split: mender.judgments for split, mender in qrels.items() if not mender.dropped},
        provenance=_provenance(layout, rules or {}, changes),
        spans={split: partial(read_spans, path) for split, path in layout.spans.items() if split in qrels},
    )
    manifest = write_folder(
        collection,
        target,
        lines=Lines(documents.encode, queries.encode, _suffixes(layout)),
        overwrite=overwrite,
        progress=progress,
    )
    return MendReport(str(out), changes, manifest)


def made_by(manifest: Manifest) -> str:
    """The converter that made what a folder holds.

    A mended copy holds what its original held where nothing but form was changed: where the content ids are
    the same. Else it is of :data:`CONVERTER`.
    """
    converter, original = manifest.provenance.converter, manifest.provenance.options.get(ORIGINAL)
    if converter != CONVERTER or not isinstance(original, dict):
        return converter
    same = original.get("content_ids") == manifest.content_ids
    return str(original.get("converter", "")) if same else CONVERTER


def _require_apart(layout: Layout, target: Path) -> None:
    """Refuse to write where the source lies: in its folder, or over one of its files through a link."""
    try:
        place = target.resolve()
    except (OSError, RuntimeError):  # a link that leads to itself, as whoever writes there is told
        return
    if layout.folder.resolve() in (place, *place.parents):
        raise UsageError("lies in the folder to mend, which stays as it is", path=target, hint="name another")
    there = {_inode(path) for path in place.rglob("*") if path.is_file()} if place.is_dir() else set()
    for name, path in layout.files().items():
        if path.resolve().is_relative_to(place) or _inode(path) in there:
            found = f"holds the file that {layout.folder / name} is a link to, which would be lost"
            raise UsageError(found, path=target, hint="name another")


def _inode(path: Path) -> tuple[int, int]:
    facts = path.stat()
    return facts.st_dev, facts.st_ino


def _require_unchanged(target: Path) -> None:
    """Refuse to replace a copy that somebody has worked on."""
    if has_manifest(target) and (differences := verify_manifest(target)):
        more = f" and {len(differences) - 1} more" * (len(differences) > 1)
        found = f"was changed since beirkit wrote it: {differences[0]}{more}"
        raise UsageError(
            found, path=target, hint="choose another folder, or add --force (in Python: force=True)"
        )


def _suffixes(layout: Layout) -> dict[str, str]:
    """The compression of each file, by its name without it."""
    return {bare_name(name): name.removeprefix(bare_name(name)) for name in layout.files()}


def _tell_manifest(layout: Layout, log: Log) -> None:
    if not has_manifest(layout.folder):
        return
    with suppress(DataError):  # a manifest of another tool
        for difference in verify_manifest(layout.folder):
            log.form("BK040", "manifest.json", None, f"written anew: {difference}")


def _tell_other_files(layout: Layout, log: Log) -> None:
    own = {MANIFEST, *layout.files()}
    for path in sorted(layout.folder.rglob("*")):
        name = path.relative_to(layout.folder).as_posix()
        if path.is_file() and name not in own:
            code = "BK039" if path.parent.name == "qrels" else ""
            log.form(code, name, None, "not copied: no part of a BEIR folder")


def _provenance(layout: Layout, rules: Mapping[str, str], changes: list[Change]) -> Provenance:
    old, original = Provenance(source=layout.folder.resolve().name), None
    if has_manifest(layout.folder):
        with suppress(DataError):
            manifest = read_manifest(layout.folder)
            old, ids = manifest.provenance, manifest.content_ids
            original = old.options.get(ORIGINAL, {"converter": old.converter, "content_ids": ids})
    options: dict[str, Any] = {"rules": dict(sorted(rules.items()))} if rules else {}
    if original is not None:
        options[ORIGINAL] = original
    if "sample" in old.options:  # what is a part stays one
        options["sample"] = old.options["sample"]
    return msgspec.structs.replace(
        old,
        converter=CONVERTER,
        options=options,
        inputs={name: sha256_file(file) for name, file in layout.files().items()},
        changes=changes,
    )
