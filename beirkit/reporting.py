"""What a report tells of kept results besides scores: manifests, training, costs, licences and papers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from beirkit.corpora.errors import BeirkitError
from beirkit.costs import read_cost
from beirkit.evaluate.report.model import Behind
from beirkit.runs import result_folder
from beirkit.stored import StoredResult, read_result

_LONGEST_LIST = 20  # of a manifest, such as ids of queries; of a longer one the length is shown


def stored_result(path: Path) -> StoredResult | None:
    """The result that a path leads to; None: it is a bare run."""
    return read_result(path) if result_folder(path) is not None else None


def costs_of(path: Path) -> dict[str, Any]:
    """What a result cost, by the names of :class:`beirkit.costs.Cost`."""
    return read_cost(path).to_dict()


def training_status(result: StoredResult) -> str:
    """Whether a shipped retriever was trained on the family of a shipped dataset; empty: it is another."""
    from beirkit.configs.ancestry import training_of
    from beirkit.configs.spec import parse_retriever
    from beirkit.evaluate.zero_shot import zero_shot_status

    config = _shipped(result)
    try:
        retriever = parse_retriever(result.name)
    except BeirkitError:  # a file of one's own that is not where it was
        return ""
    if retriever.kind != result.facts.retriever.get("kind"):
        return ""  # what ran only bears its name, as a run file may
    return zero_shot_status(training_of(retriever), "" if config is None else config.family)


def licence_of(result: StoredResult) -> str:
    """The licence of the dataset, as its owner or the manifest of its folder states it; empty: unknown."""
    from beirkit.corpora.manifest import has_manifest, read_manifest
    from beirkit.results import source_folder

    config = _shipped(result)
    if config is not None:
        return " ".join(config.licence.split())
    folder = source_folder(result.folder)
    try:
        known = folder is not None and has_manifest(folder)
        return read_manifest(folder).provenance.licence if folder is not None and known else ""
    except (BeirkitError, OSError):
        return ""


def merged_manifests(results: Mapping[str, Mapping[str, Path]]) -> dict[str, dict[str, Any]]:
    """For each system what its manifests have in common, and under ``on`` what each dataset adds.

    Args:
        results: paths by dataset and system; bare runs have no manifest.
    """
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for dataset, by_system in results.items():
        for system, path in by_system.items():
            folder = result_folder(path)
            if folder is not None:
                facts = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
                found.setdefault(system, {})[dataset] = _shortened(facts)
    return {system: _merged(by_dataset) for system, by_dataset in found.items()}


def _merged(by_dataset: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    each = list(by_dataset.values())
    if len(each) == 1:
        return each[0]
    common = {key: value for key, value in each[0].items() if all(one.get(key) == value for one in each)}
    apart = {
        dataset: {key: value for key, value in facts.items() if key not in common}
        for dataset, facts in by_dataset.items()
    }
    return {**common, "on": apart}


def _shortened(facts: Any) -> Any:
    if isinstance(facts, dict):
        return {key: _shortened(value) for key, value in facts.items()}
    if isinstance(facts, list):
        if len(facts) > _LONGEST_LIST:
            return f"{len(facts):,} values"
        return [_shortened(one) for one in facts]
    return facts


def behind(paths: Sequence[Path]) -> tuple[tuple[Behind, ...], str]:
    """What results stand on, with licences and papers, and the papers as BibTeX."""
    from beirkit.citing import cite

    folders = [str(folder) for path in paths if (folder := result_folder(path)) is not None]
    if not folders:
        return (), ""
    citations = cite(folders)
    sources = tuple(
        Behind(
            source.kind,
            source.name,
            ", ".join(source.versions),
            " ".join(source.licence.split()),
            tuple(str(citations.papers[key]) for key in source.keys),
        )
        for source in citations.sources
    )
    return sources, citations.bibtex()


def _shipped(result: StoredResult) -> Any:
    """The facts about a shipped dataset of the result's name; None: there is none."""
    from beirkit.configs.load import load_dataset, names

    name = result.dataset.partition("@")[0]
    return load_dataset(name) if name in names("datasets") else None
