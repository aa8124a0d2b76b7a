"""In which options systems differ, where they are one retriever with some of them changed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from beirkit.cli.compare_inputs import Contest, Given

_TOLD = 3  # options; systems that differ in more are not variants of one another


def settings_notes(given: Given) -> list[str]:
    """A sentence with each system's values, once for datasets of which the same is said; none for others."""
    return list(dict.fromkeys(note for contest in given.contests if (note := _note(contest))))


def _note(contest: Contest) -> str:
    from beirkit.evaluate.explain.manifests import varied

    manifests = _manifests(contest)
    options = varied(manifests) if len(manifests) > 1 else {}
    if not 0 < len(options) <= _TOLD:
        return ""
    told = [
        f"{path} ({', '.join(f'{value} in {system}' for system, value in values.items())})"
        for path, values in options.items()
    ]
    return f"Options: they differ in {' and '.join(told)}, and in nothing else that rankings depend on"


def _manifests(contest: Contest) -> dict[str, dict[str, Any]]:
    """How each system's result was made; empty where that is not known of all."""
    found = {}
    for system, path in contest.paths.items():
        folder = path if path.is_dir() else path.parent
        try:
            manifest = json.loads((folder / "manifest.json").read_bytes())
        except (OSError, ValueError):
            return {}
        if not isinstance(manifest, dict) or not isinstance(manifest.get("retriever"), dict):
            return {}
        found[system] = manifest
    return found
