"""From raw files to a BEIR folder: converted, written whole, compared with what is known, and checked."""

from __future__ import annotations

import logging
import shlex
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from beirkit.configs.load import names
from beirkit.configs.schema import DatasetConfig
from beirkit.corpora.check_written import WrittenCheck
from beirkit.corpora.collection import Collection, Download, Provenance
from beirkit.corpora.errors import UnknownNameError, UsageError, nearest
from beirkit.corpora.findings import Finding
from beirkit.corpora.folder import write_folder
from beirkit.corpora.manifest import Manifest, has_manifest
from beirkit.corpora.passages import PassageRules, split_passages
from beirkit.corpora.progress import Progress, silent
from beirkit.facts import (
    WITHOUT,
    config_named,
    differences_of,
    expected_of,
    keep_facts,
    known_of,
    own_dataset,
)
from beirkit.home import built_folder

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Fetched:
    """A published form of a dataset, on this disk.

    Attributes:
        name: what the result is filed under.
        converter: catalog name of what reads it.
        options: of the converter, in place of those of the dataset's configuration.
        revision: its version; empty: that of the dataset's configuration.
        downloads: what it was fetched as.
    """

    name: str
    converter: str
    options: dict[str, Any]
    revision: str
    downloads: list[Download]


def convert_source(
    source: str,
    raw: Path | None,
    out: Path | None,
    options: dict[str, Any] | None = None,
    *,
    gzip: bool = False,
    overwrite: bool = False,
    check: bool = True,
    fetched: Fetched | None = None,
    passages: PassageRules | None = None,
    progress: Progress = silent,
) -> tuple[Path, Manifest]:
    """Convert a dataset or any file of a known format to a BEIR folder.

    How the result differs from what its dataset should hold, and what the check of the folder finds, is
    logged as warnings.

    Args:
        source: a name from ``beirkit list datasets`` or ``beirkit list formats``, the latter also as
            ``FORMAT:VALUE`` where the format has a subject, or a YAML file with the facts about a dataset of
            one's own.
        raw: its raw file or folder, where it has one.
        out: folder to write; ``None``: a dataset's own place.
        options: options of the converter, over those of the dataset's configuration.
        gzip: write ``.jsonl.gz`` and ``.tsv.gz``.
        overwrite: replace a folder that beirkit wrote before.
        check: check the folder when it is written.
        fetched: what ``raw`` is, where it is a published form of the dataset and not its raw source.
        passages: how documents are split into passages; what is expected of the dataset then holds no more.
        progress: shows how the work gets on.

    Returns:
        The folder and its manifest.
    """
    from beirkit.converters import catalog

    config, format_name = _find(source)
    if out is None:
        if passages is not None:
            raise UsageError("passages need a folder to write to", hint="add --out FOLDER")
        if config is None:
            raise UsageError("a format needs a folder to write to", hint="add --out FOLDER")
        out = built_folder(config.name)
    _require_free(out, overwrite)
    base = config.options if config else {}
    if fetched is not None:
        format_name, base = fetched.converter, fetched.options
    merged = {**base, **_subject(source, format_name), **(options or {})}
    collection = catalog.convert(format_name, raw, merged)
    if config is not None:
        collection.described = named(collection.described, config)
    if fetched is not None:
        collection.described = _of_fetched(collection.described, fetched)
    ascii_escapes = config is not None and config.json == "ascii"
    facts = config
    if passages is not None:
        _require_passages(collection, passages, format_name)
        collection, config = split_passages(collection, passages), None
    watch = None
    if check:
        known = known_of(config, without_documents=_lacks_documents(collection.described))
        watch = WrittenCheck(known)
    manifest = write_folder(
        collection, out, ascii=ascii_escapes, gzip=gzip, overwrite=overwrite, watch=watch, progress=progress
    )
    if facts is not None:
        keep_facts(facts)
    if config is not None:
        _report_differences(manifest, config, raw=format_name == config.format)
    if is_empty(manifest):
        _log.warning("%s holds no judgment: nothing can be scored with it; look at the options", out)
    if watch is not None:
        _finish_check(watch, out, progress)
    return out, manifest


def _require_free(folder: Path, overwrite: bool) -> None:
    """Refuse a folder that was written before, at once and not at the end.

    Raises:
        UsageError: it is there, and is not to be replaced.
    """
    if has_manifest(folder) and not overwrite:
        raise UsageError(
            "is there already, and whole",
            path=folder,
            hint=f"look at it with: beirkit check {shlex.quote(str(folder))}; choose another folder, or "
            "replace it with --overwrite (in Python: overwrite=True)",
        )


def is_empty(manifest: Manifest) -> bool:
    """Whether a conversion gave nothing that a run could be scored by."""
    return not any(split.judgments for split in manifest.counts.splits.values())


def _lacks_documents(provenance: Provenance) -> bool:
    """Whether documents were left out because the user asked for that."""
    return provenance.options.get(WITHOUT) is True


def _finish_check(watch: WrittenCheck, folder: Path, progress: Progress) -> None:
    """Check the rest of a folder in its place; who stops that learns that only the check is missing."""
    try:
        _report_findings(watch.findings(folder, progress), folder)
    except KeyboardInterrupt:
        shown = shlex.quote(str(folder))
        told = f"{folder} is written whole, only its check is missing: beirkit check {shown}"
        raise KeyboardInterrupt(told) from None


def _require_passages(collection: Collection, rules: PassageRules, format_name: str) -> None:
    """Refuse rules for passages by which no relevant passage can come out.

    Raises:
        UsageError: there are no documents to split, or no query tells of the spans that the rules go by.
    """
    from beirkit.converters import catalog

    if _lacks_documents(collection.described):
        raise UsageError(f"there is nothing to split with {WITHOUT}=true", hint="leave one of the two out")
    if rules.judgments == "document" or any(query.metadata.get("spans") for query in collection.queries()):
        return
    fields = {field.name for field in msgspec.structs.fields(catalog.get(format_name).Options)}
    able = "spans" in fields and collection.provenance.options.get("spans") is not True
    raise UsageError(
        f"judgments={rules.judgments} goes by the spans of the answers, and no query has any",
        hint="add --set spans=true" if able else "use judgments=document",
    )


def format_of(source: str) -> str:
    """The format of a dataset, or the name itself where it is a format's.

    Raises:
        UnknownNameError: it is neither.
    """
    return _find(source)[1]


def named(provenance: Provenance, config: DatasetConfig) -> Provenance:
    """Where a collection came from, under the name of the dataset and with its licence and citation."""
    return msgspec.structs.replace(
        provenance,
        source=config.name,
        licence=config.licence or provenance.licence,
        citation=config.citation or provenance.citation,
        revision=provenance.revision or config.revision,
    )


def _of_fetched(provenance: Provenance, fetched: Fetched) -> Provenance:
    return msgspec.structs.replace(
        provenance,
        source=fetched.name,
        revision=fetched.revision or provenance.revision,
        fetched=fetched.downloads,
    )


def _find(source: str) -> tuple[DatasetConfig | None, str]:
    """The dataset, if it is one, and the format to read."""
    from beirkit.converters import catalog

    if (config := config_named(source)) is not None:
        return config, config.format
    name, colon, _ = source.partition(":")
    if name in catalog.names():
        if colon and not catalog.get(name).subject:
            raise UsageError(f"format {name!r} takes nothing after a colon", hint=f"write {name}")
        return None, name
    if (config := own_dataset(source)) is not None:
        return config, config.format
    known = sorted({*names("datasets"), *catalog.names()})
    raise UnknownNameError(f"no dataset or format is called {source!r}", hint=nearest(source, known))


def _subject(source: str, format_name: str) -> dict[str, Any]:
    """The option that ``FORMAT:VALUE`` gives."""
    from beirkit.converters import catalog

    value = source.removeprefix(f"{format_name}:")
    return {} if value == source else {catalog.get(format_name).subject: value}


def _report_differences(manifest: Manifest, config: DatasetConfig, *, raw: bool) -> None:
    from beirkit.converters.expected import differences

    if raw:  # a published form has none from itself
        for known in differences_of(config, manifest.provenance.options):
            _log.warning("%s, known difference from the published BEIR files: %s", config.name, known)
    expected = expected_of(config, manifest.provenance.options)
    for difference in differences(manifest, expected) if expected else ():
        _log.warning("%s differs from what is expected of it: %s", config.name, difference)


def _report_findings(findings: list[Finding], folder: Path) -> None:
    """One line for all findings that are not known; the check itself shows each."""
    found = Counter[str]()
    codes: dict[str, Counter[str]] = {}
    for finding in findings:
        found[finding.severity] += finding.count
        codes.setdefault(finding.severity, Counter())[finding.code] += finding.count
    told = [
        f"{found[severity]:,} {severity}{'' if found[severity] == 1 else 's'} "
        f"({', '.join(f'{code} {count:,}' for code, count in sorted(codes[severity].items()))})"
        for severity in ("error", "warning")
        if found[severity]
    ]
    if told:
        shown = shlex.quote(str(folder))
        _log.warning("the check found %s; to see them: beirkit check %s", " and ".join(told), shown)
