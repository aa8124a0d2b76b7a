"""What the manifests of compared results say: options that differ, and what their reports make known."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from beirkit.cli.compare_inputs import Contest, Given

_TOLD = 3  # options; systems that differ in more are not variants of one another


def settings_notes(given: Given) -> list[str]:
    """A sentence with each system's values, once for datasets of which the same is said; none for others."""
    return list(dict.fromkeys(note for contest in given.contests if (note := _note(contest))))


def report_notes(given: Given) -> list[str]:
    """What each result's report says that must be known to read its figures, as below a table of `run`."""
    from beirkit.caveats import caveats

    lines: list[str] = []
    for contest in given.contests:
        on = f" on {contest.dataset}" if contest.dataset else ""
        for system, path in contest.paths.items():
            report = (_manifest(path) or {}).get("report")
            lines += caveats(report, f"{system}{on}") if isinstance(report, dict) else []
    return lines


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
        manifest = _manifest(path)
        if manifest is None:
            return {}
        found[system] = manifest
    return found


def _manifest(path: Path) -> dict[str, Any] | None:
    folder = path if path.is_dir() else path.parent
    try:
        manifest = json.loads((folder / "manifest.json").read_bytes())
    except (OSError, ValueError):
        return None
    sound = isinstance(manifest, dict) and isinstance(manifest.get("retriever"), dict)
    return manifest if sound else None
