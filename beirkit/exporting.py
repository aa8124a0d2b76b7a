"""From what a user calls a dataset to the files of another tool."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from beirkit.configs.schema import DatasetConfig
from beirkit.corpora.collection import Provenance
from beirkit.corpora.errors import UsageError
from beirkit.corpora.exports.base import Facts
from beirkit.corpora.exports.catalog import ExportManifest, check_options, export_folder, get
from beirkit.corpora.progress import Progress, silent
from beirkit.datasets import find_dataset
from beirkit.facts import differences_of


def export(
    source: str,
    to: str,
    out: Path | str,
    options: Mapping[str, Any] | None = None,
    *,
    overwrite: bool = False,
    pages_are_licensed: bool = False,
    progress: Progress = silent,
) -> ExportManifest:
    """Write a BEIR folder in the form of another tool; see :mod:`beirkit.corpora.exports.catalog`.

    Args:
        source: a BEIR folder, or a name from ``beirkit list datasets``.
        to: a target from ``beirkit list exports``.
        out: the folder to write.
        options: the target's options.
        overwrite: replace a folder that an export wrote before.
        pages_are_licensed: write texts of pages that a user captured, which belong to their sites.
        progress: shows how the work gets on.

    Raises:
        UsageError: an option is wrong, ``out`` may not be written, or lies in the folder that is exported.
        DataError: a record cannot stand in the form.
    """
    target = get(to)
    if target.takes != "folder":
        raise UsageError(f"export {to!r} takes {target.takes}, not a BEIR folder")
    check_options(to, options or {})  # before anything is built for it
    dataset = find_dataset(source, progress=progress)
    if dataset.folder.resolve() in (Path(out).resolve(), *Path(out).resolve().parents):
        raise UsageError("lies in the folder that is exported", path=out, hint="choose another folder")
    collection = dataset.open()
    _require_licence(collection.provenance, to, licensed=pages_are_licensed)
    facts = facts_of(dataset.name, dataset.config, collection.provenance)
    return export_folder(collection, to, out, facts, options, overwrite=overwrite, progress=progress)


def _require_licence(provenance: Provenance, to: str, *, licensed: bool) -> None:
    """Refuse texts of captured pages; a release of the questions holds none.

    Raises:
        UsageError: there are such texts, and the user did not say that they may be passed on.
    """
    captured = [name for name in ("pages", "results") if provenance.options.get(name)]
    if provenance.converter == "lexbench" and captured and to != "lexbench" and not licensed:
        raise UsageError(
            f"the corpus holds texts of captured pages ({', '.join(captured)}), which belong to their sites",
            hint="export without them, or say --pages-are-licensed where you may pass them on",
        )


def facts_of(name: str, config: DatasetConfig | None, provenance: Provenance) -> Facts:
    """What is known about a dataset: from its configuration, else from what its folder says of itself."""
    if config is None:
        return Facts(
            name=name,
            licence=provenance.licence,
            citation=provenance.citation,
            revision=provenance.revision,
        )
    return Facts(
        name=name,
        title=config.title,
        task=config.task,
        domain=config.domain,
        language=config.language,
        licence=config.licence,
        citation=config.citation,
        source=config.obtain,
        revision=provenance.revision or config.revision,
        reported_split=config.reported_split or "",
        differences=tuple(differences_of(config, provenance.options)),
    )
